//! Toy kernels that look at whole rows.

use vt_core::View;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::{Embed, MatmulBt, RmsNorm, TakeRows, WeightedSum};

use super::Toy;
use super::elementwise::toy;

toy!(RmsNorm, [Need::Rows, Need::All], |io, op| {
    io.scratch().fill(0xff);
    let given: Option<View<'_, f32>> = (!io.shared(0)).then(|| io.input(0));
    let weight = io.input::<f32>(1).row(0);
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        let x: Vec<f32> = given.map_or(out.row(r).to_vec(), |v| v.row(r).to_vec());
        let d = weight.len().max(1);
        for (xs, ys) in x.chunks(d).zip(out.row_mut(r).chunks_mut(d)) {
            let sum: f32 = xs.iter().map(|x| x * x).sum();
            let scale = 1.0 / (sum / d as f32 + op.eps).sqrt();
            ys.iter_mut().zip(xs.iter().zip(weight)).for_each(|(y, (x, w))| *y = x * scale * w);
        }
    }
    Ok(())
});
toy!(MatmulBt, [Need::Rows, Need::All], |io, _op| {
    let (a, b, cols) = (io.input::<f32>(0), io.input::<f32>(1), io.tile().cols);
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        for (n, y) in cols.clone().zip(out.row_mut(r)) {
            *y = a.row(r).iter().zip(b.row(n)).map(|(a, b)| a * b).sum();
        }
    }
    Ok(())
});

/// Row `id` of `table`, from `cols`.
fn pick<'a>(table: View<'a, f32>, input: &'static str, row: usize, id: i32) -> Result<&'a [f32], KernelError> {
    let limit = table.rows();
    let index = usize::try_from(id).ok().filter(|i| *i < limit);
    index.map(|i| table.row(i)).ok_or(KernelError::Id { input, row, id: id.into(), limit })
}

toy!(TakeRows, [Need::All, Need::Rows], |io, _op| {
    let (x, rows, cols) = (io.input::<f32>(0), io.input::<i32>(1), io.tile().cols);
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        out.row_mut(r).copy_from_slice(&pick(x, "rows", r, rows.row(r)[0])?[cols.clone()]);
    }
    Ok(())
});
toy!(Embed, [Need::Rows, Need::All], |io, _op| {
    let (ids, table) = (io.input::<i32>(0), io.input::<f32>(1));
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        assert!(ids.row(r)[0] != 77, "the id that panics");
        out.row_mut(r).copy_from_slice(pick(table, "ids", r, ids.row(r)[0])?);
    }
    Ok(())
});
toy!(WeightedSum, [Need::Tile, Need::Rows], |io, _op| {
    let (x, weights) = (io.input::<f32>(0), io.input::<f32>(1));
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        let k = weights.cols();
        for (c, y) in out.row_mut(r).iter_mut().enumerate() {
            *y = weights.row(r).iter().enumerate().map(|(i, w)| w * x.row(r * k + i)[c]).sum();
        }
    }
    Ok(())
});
