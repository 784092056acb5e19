use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use vt_core::RunError;
use vt_core::plan::{Barrier, DeviceError, Member, Team};

use super::barrier::TeamBarrier;
use super::turn::{Closed, Patience, Rest, Turn};
use super::{Threads, Waits, waits};

/// Fewer repetitions under Miri, which is a thousand times slower.
const fn times(n: usize) -> usize {
    if cfg!(miri) { n.div_ceil(200) } else { n }
}

/// Every way to wait: as on a machine of two CPUs, never spinning, and always yielding.
fn teams(size: usize) -> [Threads; 3] {
    let park = Patience { spins: 0, rest: Rest::Park };
    let parked = Waits { idle: park, busy: park };
    let yielding = Waits { idle: park, busy: Patience { spins: 0, rest: Rest::Yield } };
    [waits(size, 2), parked, yielding].map(|waits| Threads::with_waits(size, waits).unwrap())
}

fn counters(n: usize) -> Vec<AtomicUsize> {
    (0..n).map(|_| AtomicUsize::new(0)).collect()
}

fn error(message: &str) -> RunError {
    DeviceError { device: "test", message: message.to_owned() }.into()
}

fn wait(member: Member<'_>) -> Result<(), RunError> {
    member.wait().map_err(|_| RunError::Poisoned)
}

/// Runs a pass of `steps` and checks that each worker takes part once, and that at each step all workers see how far
/// the others have come.
fn check_pass(team: &Threads, steps: usize) {
    let (entered, at) = (counters(team.size()), counters(team.size()));
    let end = team.run(&|member| {
        entered[member.index()].fetch_add(1, Ordering::Relaxed);
        for step in 1..=steps {
            at[member.index()].store(step, Ordering::Relaxed);
            wait(member)?;
            assert!(at.iter().all(|at| at.load(Ordering::Relaxed) == step));
            wait(member)?;
        }
        Ok(())
    });
    assert!(end.is_ok(), "{end:?}");
    assert!(entered.iter().all(|n| n.load(Ordering::Relaxed) == 1));
}

#[test]
fn every_worker_waits_for_every_other() {
    for size in 1..=8 {
        for team in teams(size) {
            for pass in 0..times(400) {
                check_pass(&team, pass % 12);
            }
        }
    }
}

/// A small generator of numbers (Knuth's constants for a linear congruence modulo 2^64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

#[derive(Clone, Copy, PartialEq)]
enum How {
    Error,
    Panic,
}

/// At which step each worker fails, and how; some do not.
fn random_failures(random: &mut Random, size: usize, steps: usize) -> Vec<Option<(usize, How)>> {
    let common = random.below(steps);
    let mut one = |_| match random.below(4) {
        0 => None,
        1 => Some((random.below(steps), How::Panic)),
        2 => Some((common, How::Panic)),
        _ => Some((common, How::Error)),
    };
    (0..size).map(&mut one).collect()
}

fn run_failing(team: &Threads, steps: usize, failures: &[Option<(usize, How)>]) -> Result<(), RunError> {
    team.run(&|member| {
        for step in 0..steps {
            if let Some((at, how)) = failures[member.index()]
                && at == step
            {
                let message = format!("worker {} at {step}", member.index());
                return if how == How::Error { Err(error(&message)) } else { resume_unwind(Box::new(message)) };
            }
            wait(member)?;
        }
        Ok(())
    })
}

fn check_failing(team: &Threads, random: &mut Random) {
    let steps = 1 + random.below(6);
    let failures = random_failures(random, team.size(), steps);
    let first = failures.iter().enumerate().filter_map(|(worker, f)| f.map(|(step, how)| (step, worker, how)));
    let first = first.min_by_key(|&(step, worker, _)| (step, worker));
    let expected = first.map(|(step, worker, how)| match how {
        How::Error => format!("device `test`: worker {worker} at {step}"),
        How::Panic => format!("device `cpu`: a worker panicked: worker {worker} at {step}"),
    });
    let found = run_failing(team, steps, &failures).err().map(|error| error.to_string());
    assert_eq!(found, expected);
}

#[test]
fn the_first_failure_is_the_error_and_the_next_pass_works() {
    let mut random = Random(1);
    for size in 1..=5 {
        for team in teams(size) {
            for _ in 0..times(600) {
                check_failing(&team, &mut random);
                check_pass(&team, 2);
            }
        }
    }
}

#[test]
fn an_error_after_poisoning_does_not_hide_its_cause() {
    for team in teams(3) {
        let end = team.run(&|member| {
            if member.index() == 2 {
                return Err(error("the cause"));
            }
            member.wait().map_err(|_| error("a consequence"))
        });
        assert_eq!(end.unwrap_err().to_string(), "device `test`: the cause");
    }
}

#[test]
fn poisoned_stays_poisoned_for_the_pass() {
    for team in teams(2) {
        let end = team.run(&|member| {
            if member.index() == 0 {
                return Err(error("the cause"));
            }
            assert!((0..3).all(|_| member.wait().is_err()));
            Ok(())
        });
        assert_eq!(end.unwrap_err().to_string(), "device `test`: the cause");
    }
}

#[test]
fn a_worker_that_leaves_early_poisons_instead_of_hanging() {
    for team in teams(4) {
        let end = team.run(&|member| if member.index() == 1 { Ok(()) } else { wait(member) });
        assert!(matches!(end, Err(RunError::Poisoned)), "{end:?}");
        check_pass(&team, 3);
    }
}

#[test]
fn a_panic_whose_value_panics_again_is_an_error() {
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            resume_unwind(Box::new("again"));
        }
    }
    for team in teams(2) {
        let end = team.run(&|member| if member.index() == 1 { resume_unwind(Box::new(Again)) } else { Ok(()) });
        assert_eq!(end.unwrap_err().to_string(), "device `cpu`: a worker panicked: no message");
        check_pass(&team, 3);
    }
}

#[test]
fn arrivals_at_a_closed_turn_do_not_add_up() {
    let turn = Turn::new();
    let before = turn.now();
    turn.close();
    assert!((0..5000).all(|_| turn.arrive(2) == Err(Closed)));
    assert_eq!(turn.now(), before);
}

#[test]
fn two_waits_at_a_time_for_one_worker_are_refused() {
    let barrier = TeamBarrier::new(2, Patience { spins: 0, rest: Rest::Park });
    let wait = |worker| catch_unwind(AssertUnwindSafe(|| barrier.wait(worker)));
    thread::scope(|scope| {
        let calls = [scope.spawn(|| wait(0)), scope.spawn(|| wait(0))];
        while !calls.iter().any(|call| call.is_finished()) {
            thread::yield_now();
        }
        assert!(matches!(wait(1), Ok(Ok(()))));
        let ends = calls.map(|call| call.join().unwrap());
        assert_eq!(ends.iter().filter(|end| end.is_err()).count(), 1);
    });
}

#[test]
fn entering_from_inside_is_refused() {
    for size in 1..=3 {
        for team in teams(size) {
            let busy = counters(size);
            let end = team.run(&|member| {
                if matches!(team.run(&|_| Ok(())), Err(RunError::Busy)) {
                    busy[member.index()].fetch_add(1, Ordering::Relaxed);
                }
                wait(member)
            });
            assert!(end.is_ok());
            assert!(busy.iter().all(|n| n.load(Ordering::Relaxed) == 1));
            check_pass(&team, 1);
        }
    }
}

#[test]
fn a_team_may_run_inside_another_but_not_around_it() {
    let (outer, inner) = (Threads::new(2).unwrap(), Threads::new(2).unwrap());
    let busy = AtomicUsize::new(0);
    let end = outer.run(&|_| {
        inner.run(&|member| {
            // Worker 0 is on the thread of one of the outer team's workers.
            if member.index() == 0 && matches!(outer.run(&|_| Ok(())), Err(RunError::Busy)) {
                busy.fetch_add(1, Ordering::Relaxed);
            }
            wait(member)
        })
    });
    assert!(end.is_ok(), "{end:?}");
    assert_eq!(busy.into_inner(), 2);
}

#[test]
fn passes_of_several_threads_take_turns() {
    for team in teams(3) {
        let (running, passes) = (AtomicBool::new(false), AtomicUsize::new(0));
        let pass = || {
            team.run(&|member| {
                if member.index() == 0 {
                    assert!(!running.swap(true, Ordering::Relaxed));
                }
                wait(member)?;
                wait(member)?;
                if member.index() == 0 {
                    passes.fetch_add(1, Ordering::Relaxed);
                    running.store(false, Ordering::Relaxed);
                }
                Ok(())
            })
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..times(200)).for_each(|_| pass().unwrap()));
            }
        });
        assert_eq!(passes.into_inner(), 4 * times(200));
    }
}

#[test]
fn threads_start_with_the_first_pass_and_end_with_the_team() {
    thread_local! {
        static HELD: std::cell::RefCell<Option<Arc<()>>> = const { std::cell::RefCell::new(None) };
    }
    for team in teams(3) {
        assert!(team.seat.lock().unwrap().host.is_none());
        let token = Arc::new(());
        let end = team.run(&|member| {
            if member.index() > 0 {
                HELD.set(Some(Arc::clone(&token)));
            }
            Ok(())
        });
        assert!(end.is_ok());
        assert_eq!(Arc::strong_count(&token), 3);
        drop(team);
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

#[test]
fn a_team_of_one_has_no_thread() {
    for team in teams(1) {
        let here = thread::current().id();
        assert!(team.run(&|_| if thread::current().id() == here { Ok(()) } else { Err(RunError::Busy) }).is_ok());
        assert!(team.seat.lock().unwrap().host.is_none());
    }
}

#[test]
fn team_sizes_have_bounds() {
    assert!(Threads::new(0).is_err());
    assert_eq!(Threads::new(1025).unwrap_err().to_string(), "threads: expected 1 to 1024, found 1025");
    assert_eq!(Threads::new(1024).unwrap().size(), 1024);
}
