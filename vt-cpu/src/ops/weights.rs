//! What the kernels of products ask of their weight.

use vt_core::DType;
use vt_core::kernel::{Call, Support};

/// Calls `$register::<T, W>(builder, tier)` for every block type `W` of weights.
macro_rules! register_block_types {
    ($register:ident, $builder:expr, $tier:expr) => {
        $crate::ops::weights::register_block_types!(
            $register, $builder, $tier, Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2K Q3K Q4K Q5K Q6K Mxfp4
        )
    };
    ($register:ident, $builder:expr, $tier:expr, $($block:ident)*) => {
        $($register::<_, $crate::block::$block>($builder, $tier);)*
    };
}
pub(super) use register_block_types;

/// Whether the weight, input 1, is one that a kernel `takes`, whose type is called `name`.
pub(super) fn multiplies(call: &Call<'_>, name: &str, takes: impl FnOnce(DType) -> bool) -> Support {
    let found = call.dtype(1);
    Support::when(found.is_some_and(takes), || {
        format!("multiplies {name}, not {}", found.map_or("state", |dtype| dtype.name()))
    })
}

/// The same, and whether the rows are at most so many.
pub(super) fn multiplies_few(call: &Call<'_>, dtype: DType, most: usize) -> Support {
    match multiplies(call, dtype.name(), |found| found == dtype) {
        Support::Yes => Support::when(call.rows() <= most, || format!("{} rows are more than {most}", call.rows())),
        no => no,
    }
}
