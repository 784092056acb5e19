//! The hash of a result's bytes.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use vt_core::DType;

use super::array::NamedArray;

/// The SHA-256 of all outputs' bytes, one after another, in hexadecimal. Any NaN counts as the same NaN.
pub(super) fn digest(outputs: &[NamedArray]) -> String {
    let mut hash = Sha256::new();
    for output in outputs {
        hash.update(canonical(output.dtype, output.array.data()));
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes, with one NaN in place of every NaN.
pub(super) fn canonical(dtype: DType, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for block in bytes.chunks_exact_mut(dtype.block_bytes()) {
        for (at, float) in floats(dtype) {
            if let Some(field) = block.get_mut(*at..*at + float.block_bytes()) {
                canonical_nan(*float, field);
            }
        }
    }
    bytes
}

/// The floating-point fields of an element, or of an activation block.
fn floats(dtype: DType) -> &'static [(usize, DType)] {
    match dtype {
        DType::F32 | DType::Q8K => &[(0, DType::F32)],
        DType::F64 => &[(0, DType::F64)],
        DType::F16 | DType::Q8_0 => &[(0, DType::F16)],
        DType::BF16 => &[(0, DType::BF16)],
        DType::Q8_1 => &[(0, DType::F32), (4, DType::F32)],
        _ => &[],
    }
}

/// Overwrites a NaN: all bits of a little-endian float but the sign are ones.
fn canonical_nan(dtype: DType, field: &mut [u8]) {
    if super::compare::number(dtype, field).is_some_and(f64::is_nan) {
        field.fill(0xff);
        if let Some(last) = field.last_mut() {
            *last = 0x7f;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        digest(&[NamedArray::new("x".to_owned(), DType::F32, &[values.len()], bytes).unwrap()])
    }

    #[test]
    fn it_is_sha256_of_the_bytes() {
        assert_eq!(of(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        // printf '\0\0\200\077' | sha256sum
        assert_eq!(of(&[1.0]), "e00e5eb9444182f352323374ef4e08ebcb784725fdd4fd612d7730540b3e0c8c");
    }

    #[test]
    fn zeros_differ_and_nans_do_not() {
        assert_ne!(of(&[0.0]), of(&[-0.0]));
        assert_eq!(of(&[f32::NAN]), of(&[-f32::from_bits(0x7f80_0001)]));
        assert_ne!(of(&[f32::NAN]), of(&[f32::INFINITY]));
        let block = |scale: f32| [&scale.to_le_bytes()[..], &[1; 288]].concat();
        assert_eq!(canonical(DType::Q8K, &block(f32::NAN)), canonical(DType::Q8K, &block(-f32::NAN)));
        assert_eq!(canonical(DType::Q8K, &block(-2.0)), block(-2.0));
    }
}
