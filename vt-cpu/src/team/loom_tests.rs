//! Models of the barrier, and of entering and leaving a pass: `RUSTFLAGS="--cfg loom" cargo test -p vt-cpu --release team`.
//!
//! Relaxed counters show what is visible: loom lets a thread read any value that nothing has made stale for it.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use vt_core::RunError;
use vt_core::plan::{Barrier, Poisoned};

use super::barrier::TeamBarrier;
use super::crew::{Lead, Waits};
use super::turn::{Patience, Rest};

const PARK: Patience = Patience { spins: 0, rest: Rest::Park };
const YIELD: Patience = Patience { spins: 0, rest: Rest::Yield };

/// Explores all orders of events with at most so many preemptions.
fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(f);
}

/// Runs `worker` on each of `size` threads, this one included.
fn on_each(size: usize, worker: impl Fn(usize) + Send + Sync + 'static) {
    let worker = Arc::new(worker);
    let start = |index| {
        let worker = worker.clone();
        thread::spawn(move || worker(index))
    };
    let others: Vec<_> = (1..size).map(start).collect();
    worker(0);
    others.into_iter().for_each(|other| other.join().unwrap());
}

fn counters(n: usize) -> Vec<AtomicUsize> {
    (0..n).map(|_| AtomicUsize::new(0)).collect()
}

fn barriers_show_all_writes(size: usize, steps: usize, patience: Patience) {
    let (barrier, at) = (TeamBarrier::new(size, patience), counters(size));
    on_each(size, move |worker| {
        for step in 1..=steps {
            at[worker].store(step, Ordering::Relaxed);
            assert_eq!(barrier.wait(worker), Ok(()));
            assert!(at.iter().all(|at| at.load(Ordering::Relaxed) >= step));
        }
        barrier.close();
    });
}

#[test]
fn two_workers_at_three_barriers() {
    model(3, || barriers_show_all_writes(2, 3, PARK));
    model(3, || barriers_show_all_writes(2, 3, YIELD));
}

#[test]
fn three_workers_at_two_barriers() {
    model(1, || barriers_show_all_writes(3, 2, PARK));
}

#[test]
fn a_failure_ends_the_next_wait_and_none_before() {
    for patience in [PARK, YIELD] {
        model(3, move || {
            let barrier = TeamBarrier::new(2, patience);
            on_each(2, move |worker| {
                assert_eq!(barrier.wait(worker), Ok(()));
                if worker == 0 {
                    assert_eq!(barrier.wait(worker), Err(Poisoned));
                    assert_eq!(barrier.wait(worker), Err(Poisoned));
                }
                barrier.close();
            });
        });
    }
}

/// A team of two: passes in which both workers take part, after one that fails if `fail`; then it ends.
fn a_team_runs_passes(busy: Patience, fail: bool) {
    let mut lead = Lead::new(2, Waits { idle: PARK, busy });
    let crew = lead.crew().clone();
    let other = thread::spawn(move || crew.serve(1));
    if fail {
        let end = lead.run(&|member| match member.index() {
            0 => member.wait().map_err(|_| RunError::Poisoned),
            _ => Err(RunError::Busy),
        });
        assert!(matches!(end, Err(RunError::Busy)));
    }
    let done = counters(2);
    let end = lead.run(&|member| {
        done[member.index()].store(1, Ordering::Relaxed);
        if fail { member.wait().map_err(|_| RunError::Poisoned) } else { Ok(()) }
    });
    assert!(end.is_ok());
    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
    drop(lead);
    other.join().unwrap();
}

#[test]
fn a_team_enters_leaves_and_ends() {
    model(3, || a_team_runs_passes(PARK, false));
    model(3, || a_team_runs_passes(YIELD, false));
}

#[test]
fn all_that_three_workers_wrote_is_visible_after_the_pass() {
    model(1, || {
        let mut lead = Lead::new(3, Waits { idle: PARK, busy: PARK });
        let serve = |worker| {
            let crew = lead.crew().clone();
            thread::spawn(move || crew.serve(worker))
        };
        let others = [serve(1), serve(2)];
        let done = counters(3);
        let end = lead.run(&|member| {
            done[member.index()].store(1, Ordering::Relaxed);
            Ok(())
        });
        assert!(end.is_ok());
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
        drop(lead);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn a_team_works_after_a_failed_pass() {
    model(2, || a_team_runs_passes(PARK, true));
}
