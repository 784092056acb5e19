//! Kernels of [`MatmulExperts`]: for each weight type one, which gives each expert's rows to the road that suits their
//! number.

use std::marker::PhantomData;

use half::{bf16, f16};
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support, scratch_bytes};
use vt_core::op::MatmulExperts;
use vt_core::registry::Builder;
use vt_core::{DType, Desc, Dim, Elem, View, ViewMut};

use super::matmul_bt::Multiply;
use super::matmul_bt_quant::{MultiplyFew, MultiplyPanels};
use super::weights::{multiplies, register_block_types};
use super::{FloatTiles, Tier, share};
use crate::CPU;
#[cfg(target_arch = "x86_64")]
use crate::arch::Avx512Bf16;
use crate::block::RowLanes;
use crate::experts::{ByExpert, Groups, MOST_COLS, Road, groups_scratch, most_rows};
use crate::float::{Weight, matmul_scratch};
use crate::quant::{ManyRows, few_rows_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    register_blocks(builder, tier);
    floats::<T, f32>(builder, tier, "f32");
    floats::<T, f16>(builder, tier, "f16");
    floats::<T, bf16>(builder, tier, "bf16");
}

/// The kernels of weights in blocks.
pub(super) fn register_blocks<T: ManyRows>(builder: &mut Builder, tier: T) {
    register_block_types!(blocks, builder, tier);
}

fn blocks<T: ManyRows, W: RowLanes + Send + Sync>(builder: &mut Builder, tier: T) {
    let (weight, roads) = (W::DTYPE.name(), Blocks::<T, W>(tier, PhantomData));
    let name = format!("{}-{weight}-experts", T::NAME);
    builder.kernel::<MatmulExperts>(CPU, Experts { roads, weight, name, priority: T::PRIORITY });
}

fn floats<T: FloatTiles, W: Weight>(builder: &mut Builder, tier: T, weight: &'static str) {
    builder.kernel::<MatmulExperts>(CPU, float_kernel::<T, W>(tier, weight));
}

fn float_kernel<T: FloatTiles, W: Weight>(tier: T, weight: &'static str) -> Experts<Floats<T, W>> {
    let name = format!("{}-{weight}-experts", T::NAME);
    Experts { roads: Floats(tier, PhantomData), weight, name, priority: T::PRIORITY }
}

/// The kernel of bf16 weights by the instruction that multiplies them: before that of the tier where it is faster.
#[cfg(target_arch = "x86_64")]
pub(super) fn register_pairs(builder: &mut Builder, isa: Avx512Bf16) {
    let kernel = float_kernel::<_, bf16>(isa, "bf16");
    let priority = kernel.priority + if isa.is_faster() { 1 } else { -1 };
    let name = format!("{}-pairs", kernel.name);
    builder.kernel::<MatmulExperts>(CPU, Experts { name, priority, ..kernel });
}

/// How a kernel multiplies the rows of an expert, when it is not running yet.
trait Roads: Copy + Send + Sync + 'static {
    type Act: Elem;
    type Weight: Elem;
    type Road<'a>: Road<Act = Self::Act, Weight = Self::Weight>;

    fn takes(weight: DType) -> bool;

    /// The bytes of scratch for so many rows of `k` elements.
    fn scratch(rows: usize, k: usize) -> usize;

    fn road<'a>(self, io: &mut Io<'a>, rows: usize, k: usize) -> Self::Road<'a>;
}

struct Experts<R> {
    roads: R,
    weight: &'static str,
    name: String,
    priority: i32,
}

impl<R: Roads> Kernel<MatmulExperts> for Experts<R> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn supports(&self, _: &MatmulExperts, call: &Call<'_>) -> Support {
        multiplies(call, self.weight, R::takes)
    }

    /// Every worker has columns of all experts: as many bytes and operations as the others, whatever is chosen.
    fn cut(&self, _: &MatmulExperts, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn scratch(&self, _: &MatmulExperts, call: &Call<'_>) -> usize {
        let (Some(x), Some(w), Some(chosen)) = (call.input(0), call.input(1), call.input(2)) else { return 0 };
        let Some([experts, _]) = expert_rows(w) else { return 0 };
        let rows = most_rows(call.rows() / chosen.cols().max(1));
        let gathered = rows.saturating_mul(x.row_bytes().unwrap_or(0));
        scratch_bytes::<i32>(groups_scratch(call.rows(), experts))
            + scratch_bytes::<u8>(gathered)
            + scratch_bytes::<f32>(rows * call.cols().min(MOST_COLS))
            + R::scratch(rows, x.cols())
    }

    fn run(&self, op: &MatmulExperts, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights, chosen) = (io.input::<R::Act>(0), io.input::<R::Weight>(1), io.input::<i32>(2));
        let desc = io.desc(1).and_then(|w| Some((expert_rows(w)?, w.cols())));
        let ([experts, expert_rows], k) =
            desc.ok_or(KernelError::Other("the weights are no stack of matrices".into()))?;
        let (cols, first) = (io.tile().cols, expert_rows / op.parts * op.part);
        let most_rows = most_rows(chosen.rows());
        let indices = io.scratch_part::<i32>(groups_scratch(chosen.rows() * chosen.cols(), experts));
        let gathered = io.scratch_part::<R::Act>(most_rows * acts.cols());
        let made = io.scratch_part::<f32>(most_rows * cols.len().min(MOST_COLS));
        let road = self.roads.road(io, most_rows, k);
        let sharing = if acts.rows() == chosen.rows() { chosen.cols() } else { 1 };
        let cols = first + cols.start..first + cols.end;
        let groups = Groups::new(chosen, experts, indices)?;
        ByExpert { road, acts, sharing, weights, expert_rows, cols, gathered, made, most_rows }
            .run(&groups, &mut io.output::<f32>(0));
        Ok(())
    }
}

/// The experts of a stack of weights, and the rows of each.
fn expert_rows(weights: &Desc) -> Option<[usize; 2]> {
    match weights.shape.as_slice() {
        [Dim::Fixed(experts), Dim::Fixed(rows), _] => Some([*experts, *rows]),
        _ => None,
    }
}

/// Weights in blocks.
struct Blocks<T, W>(T, PhantomData<W>);

impl<T: Copy, W> Clone for Blocks<T, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy, W> Copy for Blocks<T, W> {}

impl<T: ManyRows, W: RowLanes + Send + Sync> Roads for Blocks<T, W> {
    type Act = u8;
    type Weight = u8;
    type Road<'a> = BlockRoad<'a, T, W>;

    fn takes(weight: DType) -> bool {
        weight == W::DTYPE
    }

    fn scratch(rows: usize, k: usize) -> usize {
        scratch_bytes::<i16>(few_rows_scratch::<W>(rows.min(T::FEW_ROWS), k))
            + scratch_bytes::<T::Scratch>(T::many_rows_scratch::<W>(rows, k))
    }

    fn road<'a>(self, io: &mut Io<'a>, rows: usize, k: usize) -> BlockRoad<'a, T, W> {
        let few = io.scratch_part(few_rows_scratch::<W>(rows.min(T::FEW_ROWS), k));
        let many = io.scratch_part(T::many_rows_scratch::<W>(rows, k));
        BlockRoad { tier: self.0, few, many, block: PhantomData }
    }
}

struct BlockRoad<'s, T: ManyRows, W> {
    tier: T,
    few: &'s mut [i16],
    many: &'s mut [T::Scratch],
    block: PhantomData<W>,
}

impl<T: ManyRows, W: RowLanes> Road for BlockRoad<'_, T, W> {
    type Act = u8;
    type Weight = u8;

    fn multiply(&mut self, weights: View<'_, u8>, acts: View<'_, u8>, out: &mut ViewMut<'_, f32>) {
        let out = out.tile(0, acts.rows(), 0, weights.rows());
        if T::FEW_ROWS > 0 && acts.rows() <= T::FEW_ROWS {
            MultiplyFew::<W> { acts, weights, out, scratch: self.few, block: PhantomData }.compute(self.tier);
        } else {
            let (tier, scratch) = (self.tier, &mut *self.many);
            MultiplyPanels::<T, W> { tier, acts, weights, out, scratch, block: PhantomData }.compute();
        }
    }
}

/// Weights in floats.
struct Floats<T, W>(T, PhantomData<W>);

impl<T: Copy, W> Clone for Floats<T, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy, W> Copy for Floats<T, W> {}

impl<T: FloatTiles, W: Weight> Roads for Floats<T, W> {
    type Act = f32;
    type Weight = W;
    type Road<'a> = FloatRoad<'a, T, W>;

    fn takes(weight: DType) -> bool {
        W::fits(weight)
    }

    fn scratch(rows: usize, k: usize) -> usize {
        scratch_bytes::<f32>(matmul_scratch::<T, W>(rows, k))
    }

    fn road<'a>(self, io: &mut Io<'a>, rows: usize, k: usize) -> FloatRoad<'a, T, W> {
        FloatRoad { tier: self.0, scratch: io.scratch_part(matmul_scratch::<T, W>(rows, k)), weight: PhantomData }
    }
}

struct FloatRoad<'s, T, W> {
    tier: T,
    scratch: &'s mut [f32],
    weight: PhantomData<W>,
}

impl<T: FloatTiles, W: Weight> Road for FloatRoad<'_, T, W> {
    type Act = f32;
    type Weight = W;

    fn multiply(&mut self, weights: View<'_, W>, acts: View<'_, f32>, out: &mut ViewMut<'_, f32>) {
        let out = out.tile(0, acts.rows(), 0, weights.rows());
        self.tier.perform(Multiply { tier: self.tier, acts, weights, out, scratch: self.scratch });
    }
}
