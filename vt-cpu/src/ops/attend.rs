//! Kernels of [`Attend`].

use std::ops::Range;

use half::f16;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Kv, Need, Support};
use vt_core::op::Attend;
use vt_core::registry::Builder;
use vt_core::{DType, KvShape, View, ViewMut};

use super::kv_append::{cache_shape, supports_cache};
use super::{Tier, index};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::attention::{Group, Temperature, attend, attend_scratch};
use crate::float::Weight;

/// Rows of a sequence that share one pass over its keys and values.
const TILE_ROWS: usize = 16;

/// From so many rows on, rows are divided among workers and not heads.
const MANY_ROWS: usize = 2 * TILE_ROWS;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Attend>(CPU, Chunks(isa));
}

struct Chunks<I>(I);

impl<I: Isa> Kernel<Attend> for Chunks<I> {
    fn name(&self) -> String {
        format!("{}-attend", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, _: &Attend, call: &Call<'_>) -> Support {
        supports_cache(call, 1)
    }

    /// Later rows see more keys, so rows are dealt in turn. Heads that share keys stay together, unless workers would
    /// be idle.
    fn cut(&self, op: &Attend, call: &Call<'_>) -> Cut {
        let Some(KvShape { heads, value_dim, .. }) = cache_shape(call, 1) else { return Cut::whole() };
        if call.rows() >= MANY_ROWS {
            return Cut::rows(TILE_ROWS).cyclic();
        }
        let together = if heads.is_multiple_of(call.workers) { op.heads / heads } else { 1 };
        Cut::cols(together * value_dim)
    }

    fn need(&self, _: &Attend, i: usize) -> Need {
        [Need::Tile, Need::All, Need::Rows, Need::Rows].get(i).copied().unwrap_or(Need::All)
    }

    fn scratch(&self, op: &Attend, call: &Call<'_>) -> usize {
        let Some(KvShape { heads, key_dim, value_dim, .. }) = cache_shape(call, 1) else { return 0 };
        attend_scratch(TILE_ROWS.min(call.rows()), op.heads / heads, key_dim, value_dim) * size_of::<f32>()
    }

    fn run(&self, op: &Attend, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (q, sequences, positions) = (io.input::<f32>(0), io.input::<i32>(2), io.input::<i32>(3));
        let sinks = if io.inputs() > 4 { io.input::<f32>(4).row(0) } else { &[] };
        let tile = io.tile();
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<f32>());
        let mut row = 0;
        while row < q.rows() {
            let sequence = index("sequences", row, sequences.row(row)[0], io.sequences())?;
            let kv = io.kv(1, sequence);
            let position = index("positions", row, positions.row(row)[0], kv.capacity())?;
            let rows = run_length(sequences, positions, row).min(kv.capacity() - position);
            let heads = tile.cols.start / kv.value_dim()..tile.cols.end / kv.value_dim();
            let part = Part { op, sinks, kv, heads, row, rows, position };
            self.attend_part(&part, q, &mut out, scratch);
            row += rows;
        }
        Ok(())
    }
}

/// Neighbouring rows of one sequence, with some query heads.
struct Part<'a> {
    op: &'a Attend,
    /// One for each query head of the op, or none.
    sinks: &'a [f32],
    kv: Kv<'a>,
    heads: Range<usize>,
    row: usize,
    rows: usize,
    position: usize,
}

impl<'a> Part<'a> {
    /// Some query heads that share keys.
    fn group(&self, head: usize, heads: usize) -> Group<'a> {
        let &Attend { scale, window, cap, temperature, temperature_length, .. } = self.op;
        let grows = temperature != 0.0 && temperature_length > 0;
        Group {
            heads,
            scale,
            window: (window > 0).then_some(window),
            cap: (cap > 0.0).then_some(cap),
            temperature: grows.then_some(Temperature { factor: temperature, length: temperature_length }),
            sinks: if self.sinks.is_empty() { &[] } else { &self.sinks[head..head + heads] },
        }
    }
}

/// How many rows from `row` on follow each other in one sequence, up to a tile's.
fn run_length(sequences: View<'_, i32>, positions: View<'_, i32>, row: usize) -> usize {
    let most = TILE_ROWS.min(positions.rows() - row);
    let follows = |i: &usize| {
        sequences.row(row + i)[0] == sequences.row(row)[0]
            && i64::from(positions.row(row + i)[0]) == i64::from(positions.row(row)[0]) + *i as i64
    };
    (1..most).take_while(follows).count() + 1
}

impl<I: Isa> Chunks<I> {
    /// Key/value head by key/value head, each with those of its query heads that are in the part.
    fn attend_part(&self, part: &Part<'_>, q: View<'_, f32>, out: &mut ViewMut<'_, f32>, scratch: &mut [f32]) {
        let group = part.op.heads / part.kv.heads();
        let (key_dim, value_dim) = (part.kv.key_dim(), part.kv.value_dim());
        let mut head = part.heads.start;
        while head < part.heads.end {
            let kv_head = head / group;
            let heads = ((kv_head + 1) * group).min(part.heads.end) - head;
            let first = head - part.heads.start;
            let queries = q.slice_rows(part.row, part.rows).slice_cols(first * key_dim, heads * key_dim);
            let mut out = out.tile(part.row, part.rows, first * value_dim, heads * value_dim);
            let group = part.group(head, heads);
            let mut call = HeadCall { group, first: part.position, queries, out: &mut out, scratch };
            match part.kv.types() {
                (DType::F16, DType::F16) => self.attend_head::<f16, f16>(part.kv, kv_head, &mut call),
                (DType::F16, _) => self.attend_head::<f16, f32>(part.kv, kv_head, &mut call),
                (_, DType::F16) => self.attend_head::<f32, f16>(part.kv, kv_head, &mut call),
                _ => self.attend_head::<f32, f32>(part.kv, kv_head, &mut call),
            }
            head += heads;
        }
    }

    fn attend_head<K: Weight, V: Weight>(&self, kv: Kv<'_>, head: usize, call: &mut HeadCall<'_, '_>) {
        let (keys, values) = (kv.keys::<K>(head), kv.values::<V>(head));
        let HeadCall { group, first, queries, out, scratch } = call;
        self.0.perform(AttendHead {
            isa: self.0,
            group: *group,
            first: *first,
            queries: *queries,
            keys,
            values,
            out,
            scratch,
        });
    }
}

struct HeadCall<'a, 'o> {
    group: Group<'a>,
    first: usize,
    queries: View<'a, f32>,
    out: &'a mut ViewMut<'o, f32>,
    scratch: &'a mut [f32],
}

struct AttendHead<'a, 'o, I, K, V> {
    isa: I,
    group: Group<'a>,
    first: usize,
    queries: View<'a, f32>,
    keys: View<'a, K>,
    values: View<'a, V>,
    out: &'a mut ViewMut<'o, f32>,
    scratch: &'a mut [f32],
}

impl<I: Isa, K: Weight, V: Weight> Work for AttendHead<'_, '_, I, K, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        attend(self.isa, self.group, self.first, self.queries, (self.keys, self.values), self.out, self.scratch);
    }
}
