//! Kernels of [`KvAppend`].

use half::f16;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::KvAppend;
use vt_core::registry::Builder;
use vt_core::{DType, KvShape};

use super::{Tier, index};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::half::f32_to_f16;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<KvAppend>(CPU, Heads(isa));
}

struct Heads<I>(I);

/// The keys and values of a cache, if that is what a call's state input `i` is.
pub(super) fn cache_shape(call: &Call<'_>, i: usize) -> Option<KvShape> {
    call.inputs.get(i)?.state()?.kv()
}

/// Whether caches of the type of a call's state input `i` are read and written.
pub(super) fn supports_cache(call: &Call<'_>, i: usize) -> Support {
    let known = |d: DType| matches!(d, DType::F16 | DType::F32);
    let known = cache_shape(call, i).is_some_and(|cache| known(cache.key) && known(cache.value));
    Support::when(known, || "caches are f16 or f32")
}

impl<I: Isa> Kernel<KvAppend> for Heads<I> {
    fn name(&self) -> String {
        format!("{}-kv_append", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, _: &KvAppend, call: &Call<'_>) -> Support {
        supports_cache(call, 0)
    }

    fn cut(&self, _: &KvAppend, _: &Call<'_>) -> Cut {
        Cut::cols(1)
    }

    fn need(&self, _: &KvAppend, i: usize) -> Need {
        if i == 1 || i == 2 { Need::Tile } else { Need::All }
    }

    fn run(&self, _: &KvAppend, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (keys, values) = (io.input::<f32>(1), io.input::<f32>(2));
        let (sequences, positions) = (io.input::<i32>(3), io.input::<i32>(4));
        let (first, heads) = (io.tile().cols.start, io.tile().cols.len());
        for row in 0..keys.rows() {
            let sequence = index("sequences", row, sequences.row(row)[0], io.sequences())?;
            let mut kv = io.kv_mut(0, sequence);
            let position = index("positions", row, positions.row(row)[0], kv.capacity())?;
            let types = kv.types();
            let (key_dim, value_dim) = (keys.cols() / heads, values.cols() / heads);
            for head in 0..heads {
                let key = &keys.row(row)[head * key_dim..][..key_dim];
                let value = &values.row(row)[head * value_dim..][..value_dim];
                match types.0 {
                    DType::F16 => self.0.perform(Round { from: key, to: kv.key_mut(first + head, position) }),
                    _ => kv.key_mut::<f32>(first + head, position).copy_from_slice(key),
                }
                match types.1 {
                    DType::F16 => self.0.perform(Round { from: value, to: kv.value_mut(first + head, position) }),
                    _ => kv.value_mut::<f32>(first + head, position).copy_from_slice(value),
                }
            }
        }
        Ok(())
    }
}

/// Rounds to half precision.
pub(super) struct Round<'a> {
    pub(super) from: &'a [f32],
    pub(super) to: &'a mut [f16],
}

impl Work for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.to.iter_mut().zip(self.from).for_each(|(to, from)| *to = f32_to_f16(*from));
    }
}
