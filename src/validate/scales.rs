//! Which bytes of each type are floating-point numbers (ggml's `ggml-common.h`).

use vt_gguf::TensorType;

use super::numbers::Encoding;

/// The numbers of a type's block, or its one element: how each is encoded, and at which byte it starts.
///
/// Integer types have none.
pub(super) fn of(tensor_type: TensorType) -> &'static [(Encoding, usize)] {
    use Encoding::{Bf16, E4m3, E8m0, F16, F32, F64, Scattered};
    match tensor_type.name() {
        "f32" => &[(F32, 0)],
        "f16" => &[(F16, 0)],
        "bf16" => &[(Bf16, 0)],
        "f64" => &[(F64, 0)],
        "q4_0" | "q5_0" | "q8_0" | "q1_0" | "q2_0" | "iq4_nl" => &[(F16, 0)],
        "q4_1" | "q5_1" | "q8_1" | "q4_k" | "q5_k" => &[(F16, 0), (F16, 2)],
        "q2_k" => &[(F16, 80), (F16, 82)],
        "q3_k" => &[(F16, 108)],
        "q6_k" => &[(F16, 208)],
        "q8_k" => &[(F32, 0)],
        "iq2_xxs" | "iq2_xs" | "iq2_s" | "iq3_xxs" | "iq3_s" | "iq1_s" | "iq4_xs" => &[(F16, 0)],
        "iq1_m" => &[(Scattered, 48)],
        "tq1_0" => &[(F16, 52)],
        "tq2_0" => &[(F16, 64)],
        "mxfp4" => &[(E8m0, 0)],
        "nvfp4" => &[(E4m3, 0), (E4m3, 1), (E4m3, 2), (E4m3, 3)],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_format_but_integers_has_numbers_inside_its_block() {
        for tensor_type in (0..64).filter_map(TensorType::from_gguf_id) {
            let numbers = of(tensor_type);
            let integer = matches!(tensor_type.name(), "i8" | "i16" | "i32" | "i64");
            assert_eq!(numbers.is_empty(), integer, "{tensor_type}");
            for (encoding, at) in numbers {
                assert!((at + encoding.bytes()) as u64 <= tensor_type.block_bytes(), "{tensor_type}");
            }
        }
    }
}
