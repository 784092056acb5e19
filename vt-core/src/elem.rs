//! The Rust types that a kernel can see memory as.

use half::{bf16, f16};

use crate::DType;

mod sealed {
    pub trait Sealed {}
}

/// A plain type that memory can be viewed as: every bit pattern is a value, no padding, alignment at most 8.
///
/// # Safety
/// Implemented here only, for types of which that is true.
pub unsafe trait Elem: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Whether memory of `dtype` may be viewed as this type. Block types are viewed as `u8`.
    fn fits(dtype: DType) -> bool;
}

macro_rules! elems {
    ($($t:ty => $($d:ident)|+;)+) => {$(
        impl sealed::Sealed for $t {}
        // SAFETY: a primitive number, or a transparent wrapper of u16 (half): every bit pattern is a value.
        unsafe impl Elem for $t {
            fn fits(dtype: DType) -> bool {
                matches!(dtype, $(DType::$d)|+)
            }
        }
    )+};
}

elems! {
    f32 => F32;
    f64 => F64;
    f16 => F16;
    bf16 => BF16;
    i8 => I8;
    i16 => I16;
    i32 => I32;
    i64 => I64;
}

impl sealed::Sealed for u8 {}
// SAFETY: every bit pattern of a u8 is a value, and bytes have no alignment.
unsafe impl Elem for u8 {
    fn fits(dtype: DType) -> bool {
        dtype.is_block()
    }
}
