//! Kernels of [`Rope`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::Rope;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, index, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::{rope, rope_angles, rope_frequencies};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Rope>(CPU, Heads(isa));
}

/// The most pairs that a head has: their frequencies are kept on the stack.
const MAX_PAIRS: usize = 256;

struct Heads<I>(I);

impl<I: Isa> Kernel<Rope> for Heads<I> {
    fn name(&self) -> String {
        format!("{}-rope", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, op: &Rope, _: &Call<'_>) -> Support {
        Support::when(op.rot / 2 <= MAX_PAIRS, || {
            format!("{} rotated elements are more than {}", op.rot, 2 * MAX_PAIRS)
        })
    }

    fn cut(&self, op: &Rope, call: &Call<'_>) -> Cut {
        Cut { cols: op.head_dim, ..share::by_rows(call) }
    }

    fn need(&self, _: &Rope, i: usize) -> Need {
        [Need::Tile, Need::Rows, Need::All].get(i).copied().unwrap_or(Need::All)
    }

    fn in_place(&self) -> bool {
        true
    }

    /// For each pair a cosine and a sine.
    fn scratch(&self, op: &Rope, _: &Call<'_>) -> usize {
        op.rot / 2 * 2 * size_of::<f32>()
    }

    fn run(&self, op: &Rope, io: &mut Io<'_>) -> Result<(), KernelError> {
        let x = (!io.shared(0)).then(|| io.input::<f32>(0));
        let (positions, factors) = (io.input::<i32>(1), io.input::<f32>(2));
        let (cos, sin) = io.scratch_of::<f32>().split_at_mut(op.rot / 2);
        let out = io.output::<f32>(0);
        self.0.perform(Rotate { op, x, positions, factors: factors.row(0), cos, sin, out })
    }
}

struct Rotate<'a> {
    op: &'a Rope,
    /// `None` if the input lies in the output already.
    x: Option<View<'a, f32>>,
    positions: View<'a, i32>,
    factors: &'a [f32],
    cos: &'a mut [f32],
    sin: &'a mut [f32],
    out: ViewMut<'a, f32>,
}

impl Work for Rotate<'_> {
    type Output = Result<(), KernelError>;

    #[inline(always)]
    fn run(mut self) -> Self::Output {
        let mut frequencies = [0.0; MAX_PAIRS];
        let frequencies = &mut frequencies[..self.op.rot / 2];
        rope_frequencies(self.op.base, self.op.scale, self.factors, frequencies);
        for row in 0..self.out.rows() {
            let position = self.positions.row(row)[0];
            let position = index("positions", row, position, usize::MAX)?;
            rope_angles(position, frequencies, self.op.magnitude, self.cos, self.sin);
            let out = self.out.row_mut(row);
            if let Some(x) = self.x {
                out.copy_from_slice(x.row(row));
            }
            rope(out, self.op.head_dim, self.op.style, self.cos, self.sin);
        }
        Ok(())
    }
}
