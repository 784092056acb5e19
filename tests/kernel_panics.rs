//! A kernel that panics ends its pass with an error; the device stays usable.

mod tiny;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tiny::run::{self, Setup};
use vt::core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt::core::op::Add;
use vt::core::plan::{Eager, Sequence};
use vt::core::{DType, Registry, RunError, Tensor};
use vt::models::{Batch, Model, ModelError, Runner, Wanted};

/// An addition that panics while it is armed, in the workers whose columns go beyond `after`.
struct Trap {
    armed: Arc<AtomicBool>,
    after: usize,
}

impl Kernel<Add> for Trap {
    fn name(&self) -> String {
        "trap".to_owned()
    }

    fn priority(&self) -> i32 {
        i32::MAX
    }

    fn cut(&self, _: &Add, _: &Call<'_>) -> Cut {
        Cut::cols(16)
    }

    fn need(&self, _: &Add, _: usize) -> Need {
        Need::Tile
    }

    fn run(&self, _: &Add, io: &mut Io<'_>) -> Result<(), KernelError> {
        assert!(!self.armed.load(Ordering::Relaxed) || io.tile().cols.end <= self.after, "the trap is armed");
        let (a, b) = (io.input::<f32>(0), io.input::<f32>(1));
        let mut out = io.output::<f32>(0);
        for r in 0..out.rows() {
            let (a, b) = (a.row(r), b.row(if b.rows() == 1 { 0 } else { r }));
            out.row_mut(r).iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = a + b);
        }
        Ok(())
    }
}

/// A model whose additions are trapped, its registry, and what arms the trap.
fn trapped(threads: usize, after: usize) -> (Arc<Model>, Arc<Registry>, Arc<AtomicBool>) {
    let setup = Setup { threads, ..Setup::default() };
    let armed = Arc::new(AtomicBool::new(false));
    let trap = Trap { armed: Arc::clone(&armed), after };
    let registry = setup.builder().with(|b| b.kernel::<Add>(vt::cpu::CPU, trap)).build().unwrap();
    let registry = Arc::new(registry);
    (setup.load_with(&run::open(tiny::find("llama-q4_1").file()), &registry), registry, armed)
}

fn pass(runner: &mut Runner, sequence: &mut Sequence, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
    let mut batch = Batch::default();
    batch.add(0, sequence.len(), tokens, Wanted::Last);
    runner.forward(&batch, &mut [sequence]).map(|logits| logits.row(0).to_vec())
}

#[test]
fn a_panic_is_an_error_of_its_pass_only() {
    let expected = run::logits(&Setup::default().load(&run::open(tiny::find("llama-q4_1").file())), &[1, 2, 3, 4], 512);
    let expected = &expected[3 * tiny::VOCAB..];
    // All workers fall into the trap, or only the last one.
    for (threads, after) in [(1, 0), (2, 0), (2, 48), (3, 64), (4, 0)] {
        let (model, _, armed) = trapped(threads, after);
        let (mut runner, mut sequence) = (Runner::new(&model).unwrap(), model.sequence(8).unwrap());
        pass(&mut runner, &mut sequence, &[1, 2]).unwrap();
        for _ in 0..3 {
            armed.store(true, Ordering::Relaxed);
            match pass(&mut runner, &mut sequence, &[3, 4]) {
                Err(ModelError::Run(RunError::Panic { op, kernel, message })) => {
                    assert_eq!((op, &*kernel, &*message), ("add", "trap", "the trap is armed"));
                }
                other => panic!("{threads} threads: {other:?}"),
            }
            assert_eq!(sequence.len(), 2);
            armed.store(false, Ordering::Relaxed);
            assert_eq!(pass(&mut runner, &mut sequence, &[3, 4]).unwrap(), expected);
            sequence.cut(2).unwrap();
        }
    }
}

#[test]
fn another_plan_of_the_device_works_after_a_panic() {
    let (model, registry, armed) = trapped(2, 0);
    armed.store(true, Ordering::Relaxed);
    let mut sequence = model.sequence(1).unwrap();
    assert!(pass(&mut Runner::new(&model).unwrap(), &mut sequence, &[1]).is_err());
    let eager = Eager::new(&registry, vt::cpu::CPU);
    let x = Tensor::from_slice(DType::F32, &[1, 3], &[-1.0f32, 0.0, 2.0]).unwrap().into();
    let squared = vt::ops::mul(&eager, &x, &x).unwrap();
    assert_eq!(squared.tensor().unwrap().as_slice::<f32>().unwrap(), [1.0, 0.0, 4.0]);
}
