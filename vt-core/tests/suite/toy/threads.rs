//! A device whose workers are threads of one pass.

use std::sync::{Condvar, Mutex};

use vt_core::RunError;
use vt_core::plan::{Args, Barrier, Member, Poisoned, Segment, Solo, Team, Work};
use vt_core::registry::Device;

#[derive(Debug)]
pub struct Threads {
    pub name: &'static str,
    pub workers: usize,
}

impl Device for Threads {
    fn name(&self) -> &'static str {
        self.name
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        if self.workers == 1 { segment.run(args, &Solo) } else { segment.run(args, &Crew(self.workers)) }
    }
}

/// As many threads as it says.
#[derive(Debug)]
pub struct Crew(pub usize);

struct Gate {
    size: usize,
    state: Mutex<GateState>,
    turned: Condvar,
}

#[derive(Default)]
struct GateState {
    waiting: usize,
    turn: usize,
    dead: bool,
}

// SAFETY: a turn ends only when all workers wait, and the mutex orders what they wrote.
unsafe impl Barrier for Gate {
    fn wait(&self, _: usize) -> Result<(), Poisoned> {
        let mut state = self.state.lock().unwrap();
        if state.dead {
            return Err(Poisoned);
        }
        state.waiting += 1;
        if state.waiting == self.size {
            state.waiting = 0;
            state.turn += 1;
            self.turned.notify_all();
            return Ok(());
        }
        let turn = state.turn;
        let state = self.turned.wait_while(state, |s| s.turn == turn && !s.dead).unwrap();
        if state.turn == turn { Err(Poisoned) } else { Ok(()) }
    }
}

// SAFETY: a scope calls `work` once for each index and joins all threads.
unsafe impl Team for Crew {
    fn size(&self) -> usize {
        self.0
    }

    fn run(&self, work: &Work<'_>) -> Result<(), RunError> {
        let gate = Gate { size: self.0, state: Mutex::default(), turned: Condvar::new() };
        let one = |index| {
            let result = work(Member::new(index, self.0, &gate));
            let mut state = gate.state.lock().unwrap();
            state.dead |= result.is_err();
            gate.turned.notify_all();
            result.map_err(|e| (matches!(e, RunError::Poisoned), state.turn, index, e))
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.0).map(|index| scope.spawn(move || one(index))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let first =
            results.into_iter().filter_map(Result::err).min_by_key(|(poisoned, turn, i, _)| (*poisoned, *turn, *i));
        first.map_or(Ok(()), |(.., error)| Err(error))
    }
}
