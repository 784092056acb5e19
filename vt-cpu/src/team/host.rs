//! The threads that serve a crew.

use std::cell::Cell;
use std::io;
use std::thread::JoinHandle;

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use super::crew::Crew;
use super::sync::Arc;

thread_local! {
    /// The [`id`] of the crew that this thread serves; 0 if none.
    static HOME: Cell<usize> = const { Cell::new(0) };
}

/// A number that no other living crew has.
pub(super) fn id(crew: &Arc<Crew>) -> usize {
    Arc::as_ptr(crew).addr()
}

/// The [`id`] of the crew that this thread serves; 0 if none.
pub(super) fn of_this_thread() -> usize {
    HOME.get()
}

/// Threads of a rayon pool, in one broadcast for as long as the crew lives. Must be dropped after the crew's lead, as
/// it waits for the threads to end. The fields are dropped in order: a pool whose handle is gone ends its threads.
pub(super) struct Host {
    _pool: ThreadPool,
    _threads: Joined,
}

/// Threads that are joined when this is dropped.
#[derive(Default)]
struct Joined(Vec<JoinHandle<()>>);

impl Host {
    /// Starts the threads of workers `1..=count`.
    ///
    /// # Errors
    /// What the system has against so many threads.
    pub fn spawn(crew: &Arc<Crew>, count: usize) -> Result<Self, String> {
        let mut threads = Joined::default();
        let builder = ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("vt-cpu-{}", i + 1));
        let pool = builder.spawn_handler(|thread| threads.start(thread)).build();
        let pool = pool.map_err(|error| format!("starting {count} threads: {error}"))?;
        let crew = Arc::clone(crew);
        pool.spawn_broadcast(move |context| {
            HOME.set(id(&crew));
            crew.serve(context.index() + 1);
        });
        Ok(Self { _pool: pool, _threads: threads })
    }
}

impl Joined {
    fn start(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        let named = std::thread::Builder::new().name(thread.name().unwrap_or_default().to_owned());
        self.0.push(named.spawn(|| thread.run())?);
        Ok(())
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            // A thread that panicked has ended as well.
            let _ = thread.join();
        }
    }
}
