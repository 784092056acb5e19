//! Elementwise toy kernels.

use vt_core::View;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::{Add, Dequantize, Mul, Quantize, Silu, SiluMul};

use super::Toy;

/// `out = f(a, b)`, either of which may lie where `out` does.
fn binary(io: &mut Io<'_>, f: impl Fn(f32, f32) -> f32) {
    let given: [Option<View<'_, f32>>; 2] = [0, 1].map(|i| (!io.shared(i)).then(|| io.input(i)));
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        for c in 0..out.cols() {
            let mine = out.row(r)[c];
            let of = |v: &Option<View<'_, f32>>| v.map_or(mine, |v| v.row(if v.rows() == 1 { 0 } else { r })[c]);
            out.row_mut(r)[c] = f(of(&given[0]), of(&given[1]));
        }
    }
}

/// Not SiLU, but as good for a test: no function of the platform's library.
fn silu(x: f32) -> f32 {
    x / (1.0 + x * x)
}

macro_rules! toy {
    ($op:ty, $needs:expr, |$io:ident, $o:ident| $body:expr) => {
        impl Kernel<$op> for Toy {
            fn name(&self) -> String {
                self.name.to_owned()
            }
            fn priority(&self) -> i32 {
                self.priority
            }
            fn cut(&self, _: &$op, _: &Call<'_>) -> Cut {
                self.cut
            }
            fn need(&self, _: &$op, i: usize) -> Need {
                $needs[i]
            }
            fn in_place(&self) -> bool {
                self.in_place
            }
            fn scratch(&self, _: &$op, _: &Call<'_>) -> usize {
                self.scratch
            }
            fn run(&self, $o: &$op, $io: &mut Io<'_>) -> Result<(), KernelError> {
                $body
            }
        }
    };
}
pub(super) use toy;

toy!(Add, [Need::Tile, Need::Tile], |io, _op| {
    binary(io, |a, b| a + b);
    Ok(())
});
toy!(Mul, [Need::Tile, Need::Tile], |io, _op| {
    binary(io, |a, b| a * b);
    Ok(())
});
toy!(SiluMul, [Need::Tile, Need::Tile], |io, _op| {
    binary(io, |a, b| silu(a) * b);
    Ok(())
});
toy!(Silu, [Need::Tile], |io, _op| {
    let given: Option<View<'_, f32>> = (!io.shared(0)).then(|| io.input(0));
    let mut out = io.output::<f32>(0);
    for r in 0..out.rows() {
        for c in 0..out.cols() {
            out.row_mut(r)[c] = silu(given.map_or(out.row(r)[c], |v| v.row(r)[c]));
        }
    }
    Ok(())
});
toy!(Quantize, [Need::Tile], |io, _op| {
    let (x, mut out) = (io.input::<f32>(0), io.output::<u8>(0));
    for r in 0..out.rows() {
        for (block, xs) in out.row_mut(r).chunks_exact_mut(34).zip(x.row(r).chunks_exact(32)) {
            block[..2].fill(1);
            block[2..].iter_mut().zip(xs).for_each(|(q, x)| *q = (x * 16.0) as i8 as u8);
        }
    }
    Ok(())
});
toy!(Dequantize, [Need::Rows], |io, _op| {
    let (x, mut out) = (io.input::<u8>(0), io.output::<f32>(0));
    for r in 0..out.rows() {
        for (block, ys) in x.row(r).chunks_exact(34).zip(out.row_mut(r).chunks_exact_mut(32)) {
            ys.iter_mut().zip(&block[2..]).for_each(|(y, q)| *y = f32::from(*q as i8) / 16.0);
        }
    }
    Ok(())
});
