//! Kernels of [`DeltaRule`].

use std::ops::Range;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::{DeltaRule, KeyHeads};
use vt_core::registry::Builder;
use vt_core::{StateSpec, View, ViewMut};

use super::Tier;
use super::runs::{Run, runs};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::delta_rule::{BLOCK, Head, delta_rule_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<DeltaRule>(CPU, Parts { isa, by: By::Heads });
    builder.kernel::<DeltaRule>(CPU, Parts { isa, by: By::Rows });
}

/// What workers share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// Heads, where there are enough: what makes their keys and values can be shared the same way, without a barrier.
    Heads,
    /// Blocks of rows of the state.
    Rows,
}

struct Parts<I> {
    isa: I,
    by: By,
}

/// Value heads that are given to a worker together: those that share a key head, if they are neighbours.
fn together(op: &DeltaRule) -> usize {
    if op.pairing == KeyHeads::Grouped { op.heads / op.key_heads } else { 1 }
}

/// The elements of a key, if the call's state says so.
fn key_dim(call: &Call<'_>) -> usize {
    match call.inputs.get(5).and_then(|input| input.state()) {
        Some(StateSpec::Fixed { cols, .. }) => *cols,
        _ => 0,
    }
}

impl<I> Parts<I> {
    /// Whether a tile is given its own key heads only.
    fn narrow_keys(&self, op: &DeltaRule) -> bool {
        self.by == By::Heads && (op.heads == op.key_heads || op.pairing == KeyHeads::Grouped)
    }
}

impl<I: Isa> Kernel<DeltaRule> for Parts<I> {
    fn name(&self) -> String {
        format!("{}-delta_rule-{}", I::NAME, if self.by == By::Heads { "heads" } else { "rows" })
    }

    fn priority(&self) -> i32 {
        I::PRIORITY + i32::from(self.by == By::Heads)
    }

    fn supports(&self, op: &DeltaRule, call: &Call<'_>) -> Support {
        let parts = op.heads / together(op);
        let enough = self.by == By::Rows || parts >= call.workers;
        Support::when(enough, || format!("{parts} heads are fewer than {} workers", call.workers))
    }

    fn cut(&self, op: &DeltaRule, call: &Call<'_>) -> Cut {
        Cut::cols(if self.by == By::Heads { call.cols() / op.heads * together(op) } else { BLOCK })
    }

    fn need(&self, op: &DeltaRule, i: usize) -> Need {
        match i {
            0 | 1 if self.narrow_keys(op) => Need::Tile,
            2..=4 if self.by == By::Heads => Need::Tile,
            _ => Need::All,
        }
    }

    fn scratch(&self, _: &DeltaRule, call: &Call<'_>) -> usize {
        delta_rule_scratch(key_dim(call)) * size_of::<f32>()
    }

    fn run(&self, op: &DeltaRule, io: &mut Io<'_>) -> Result<(), KernelError> {
        let inputs = [0, 1, 2, 3, 4].map(|i| io.input::<f32>(i));
        let (sequences, cols) = (io.input::<i32>(6), io.tile().cols);
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<f32>());
        for run in runs(sequences, io.sequences()) {
            let Run { sequence, row, rows } = run?;
            let part = Part { op, inputs: inputs.map(|input| input.slice_rows(row, rows)), cols: cols.clone() };
            let mut state = io.recurrent_mut(1, sequence);
            self.run_part(&part, state.view_mut(), &mut out.tile(row, rows, 0, cols.len()), scratch);
        }
        Ok(())
    }
}

/// Neighbouring rows of one sequence, with some columns of the output.
struct Part<'a> {
    op: &'a DeltaRule,
    /// Queries, keys, values, decays and betas.
    inputs: [View<'a, f32>; 5],
    cols: Range<usize>,
}

impl<I: Isa> Parts<I> {
    /// Head by head, as much of each as is in the part.
    fn run_part(&self, part: &Part<'_>, state: &mut ViewMut<'_, f32>, out: &mut ViewMut<'_, f32>, scratch: &mut [f32]) {
        let Part { op, inputs: [q, k, v, decay, beta], cols } = part;
        let (dim, value_dim) = (state.cols(), v.cols() / decay.cols());
        // Inputs begin with the tile's own heads, or with all.
        let first_head = if self.by == By::Heads { cols.start / value_dim } else { 0 };
        let first_key = if self.narrow_keys(op) { op.key_head(first_head) } else { 0 };
        let mut col = cols.start;
        while col < cols.end {
            let head = col / value_dim;
            let width = ((head + 1) * value_dim).min(cols.end) - col;
            let (key, gate) = ((op.key_head(head) - first_key) * dim, head - first_head);
            let [q, k] = [q, k].map(|x| x.slice_cols(key, dim));
            let [decay, beta] = [decay, beta].map(|x| x.slice_cols(gate, 1));
            let v = v.slice_cols(col - first_head * value_dim, width);
            let head = Head { q, k, v, decay, beta, scale: op.scale };
            let (mut state, mut out) =
                (state.tile(col - cols.start, width, 0, dim), out.tile(0, v.rows(), col - cols.start, width));
            self.isa.perform(Advance { isa: self.isa, head, state: &mut state, out: &mut out, scratch });
            col += width;
        }
    }
}

struct Advance<'a, 's, 'o, I> {
    isa: I,
    head: Head<'a>,
    state: &'a mut ViewMut<'s, f32>,
    out: &'a mut ViewMut<'o, f32>,
    scratch: &'a mut [f32],
}

impl<I: Isa> Work for Advance<'_, '_, '_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.head.run(self.isa, self.state, self.out, self.scratch);
    }
}
