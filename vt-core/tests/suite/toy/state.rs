//! Toy kernels that read and write the state of sequences.

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::{Attend, KvAppend};

use super::elementwise::toy;
use super::{RunningSum, Toy};

toy!(KvAppend, [Need::All, Need::Tile, Need::Tile, Need::All, Need::All], |io, _op| {
    let (keys, values) = (io.input::<f32>(1), io.input::<f32>(2));
    let (sequences, positions) = (io.input::<i32>(3), io.input::<i32>(4));
    for t in 0..keys.rows() {
        let position = positions.row(t)[0] as usize;
        let mut kv = io.kv_mut(0, sequences.row(t)[0] as usize);
        let heads = kv.heads();
        let (kd, vd) = (keys.cols() / heads.len(), values.cols() / heads.len());
        for (n, head) in heads.enumerate() {
            kv.key_mut::<f32>(head, position).copy_from_slice(&keys.row(t)[n * kd..(n + 1) * kd]);
            kv.value_mut::<f32>(head, position).copy_from_slice(&values.row(t)[n * vd..(n + 1) * vd]);
        }
    }
    Ok(())
});

/// Not attention, but as good for a test: the scores weigh without being normalized. The tile's columns are cut in
/// whole heads.
impl Kernel<Attend> for Toy {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn cut(&self, op: &Attend, call: &Call<'_>) -> Cut {
        Cut { cols: call.cols() / op.heads, ..self.cut }
    }

    fn need(&self, _: &Attend, i: usize) -> Need {
        [Need::Tile, Need::All, Need::Rows, Need::Rows][i]
    }

    fn run(&self, op: &Attend, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (q, sequences, positions) = (io.input::<f32>(0), io.input::<i32>(2), io.input::<i32>(3));
        let first = io.tile().cols.start;
        let mut out = io.output::<f32>(0);
        for t in 0..out.rows() {
            let cache = io.kv(1, sequences.row(t)[0] as usize);
            let vd = cache.values::<f32>(0).cols();
            let kd = cache.keys::<f32>(0).cols();
            for n in 0..out.cols() / vd {
                let head = (first / vd + n) / (op.heads / 2).max(1) % 2;
                let (keys, values) = (cache.keys::<f32>(head), cache.values::<f32>(head));
                let mut sum = vec![0f32; vd];
                for p in 0..=positions.row(t)[0] as usize {
                    let score: f32 = q.row(t)[n * kd..][..kd].iter().zip(keys.row(p)).map(|(a, b)| a * b).sum();
                    sum.iter_mut().zip(values.row(p)).for_each(|(s, v)| *s += op.scale * score * v);
                }
                out.row_mut(t)[n * vd..][..vd].copy_from_slice(&sum);
            }
        }
        Ok(())
    }
}

impl Kernel<RunningSum> for Toy {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn cut(&self, _: &RunningSum, call: &Call<'_>) -> Cut {
        let parts = call.outputs[1].state().map_or(1, |s| s.parts());
        Cut::cols(call.cols() / parts.max(1))
    }

    fn need(&self, _: &RunningSum, i: usize) -> Need {
        [Need::Tile, Need::All, Need::All][i]
    }

    fn run(&self, _: &RunningSum, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, sequences) = (io.input::<f32>(0), io.input::<i32>(2));
        let mut out = io.output::<f32>(0);
        for t in 0..out.rows() {
            let mut state = io.recurrent_mut(1, sequences.row(t)[0] as usize);
            let state = state.view_mut();
            let d = state.cols();
            for (c, y) in out.row_mut(t).iter_mut().enumerate() {
                let sum = &mut state.row_mut(c / d)[c % d];
                *sum += x.row(t)[c];
                *y = *sum;
            }
        }
        Ok(())
    }
}
