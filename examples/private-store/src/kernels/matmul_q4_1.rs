//! Matrix product of Q8_1 activations with Q4_1 weights.

use half::f16;
use vt::core::DType;
use vt::core::kernel::{Call, Io, Kernel, KernelError, RemoteOperand, Support};
use vt::core::op::MatmulBtQuant;

use super::operand;

/// Bytes in a block of 32 weights: f16 scale, f16 minimum, 32 quants of 4 bits.
const WEIGHT_BLOCK: usize = DType::Q4_1.block_bytes();

/// Bytes in a block of 32 activations: f32 scale, f32 sum, 32 quants of 8 bits.
const ACT_BLOCK: usize = DType::Q8_1.block_bytes();

/// Multiplies weights of one type. The others are refused with a reason, and fall back to the reference device.
pub(super) struct MatmulQ4_1;

impl Kernel<MatmulBtQuant> for MatmulQ4_1 {
    fn name(&self) -> String {
        "store-q4_1".to_owned()
    }

    fn supports(&self, _: &MatmulBtQuant, call: &Call<'_>) -> Support {
        let found = call.dtype(1);
        Support::when(found == Some(DType::Q4_1), || {
            format!("multiplies {}, not {}", DType::Q4_1, found.map_or("state", DType::name))
        })
    }

    fn run(&self, _: &MatmulBtQuant, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights) = (io.remote_input(0), io.remote_input(1));
        let act_bytes = operand::read(&acts, <[u8]>::to_vec)?;
        let out = operand::read(&weights, |bytes| multiply((&acts, &act_bytes), (&weights, bytes)))?;
        operand::write_floats(&io.remote_output(0), &out)
    }
}

/// An operand with its bytes.
type Matrix<'a> = (&'a RemoteOperand<'a>, &'a [u8]);

/// `[T, K] x [N, K] -> [T, N]`.
fn multiply(acts: Matrix<'_>, weights: Matrix<'_>) -> Vec<f32> {
    let products = |act| rows(weights).map(move |weight| dot(act, weight));
    rows(acts).flat_map(products).collect()
}

fn rows<'a>((operand, bytes): Matrix<'a>) -> impl Iterator<Item = &'a [u8]> {
    let len = operand.row_bytes;
    (0..operand.rows).map(move |i| &bytes[i * len..][..len])
}

/// The op's defined order of float operations: blocks ascending, one f32 accumulator from +0.
fn dot(act: &[u8], weight: &[u8]) -> f32 {
    let (acts, weights) = (act.as_chunks::<ACT_BLOCK>().0, weight.as_chunks::<WEIGHT_BLOCK>().0);
    acts.iter().zip(weights).fold(0.0, |acc, (act, weight)| add_block(acc, act, weight))
}

/// `acc = fma(dw * da, I, acc); acc = fma(m, s, acc)`, with I the exact integer sum of the products of quants.
fn add_block(acc: f32, act: &[u8; ACT_BLOCK], weight: &[u8; WEIGHT_BLOCK]) -> f32 {
    let [dw0, dw1, m0, m1, nibbles @ ..] = weight;
    let [da0, da1, da2, da3, s0, s1, s2, s3, quants @ ..] = act;
    let (dw, m) = (f16::from_le_bytes([*dw0, *dw1]).to_f32(), f16::from_le_bytes([*m0, *m1]).to_f32());
    let (da, s) = (f32::from_le_bytes([*da0, *da1, *da2, *da3]), f32::from_le_bytes([*s0, *s1, *s2, *s3]));
    let acc = (dw * da).mul_add(integer_sum(nibbles, quants) as f32, acc);
    m.mul_add(s, acc)
}

/// Byte i of the weights holds quants i (low half) and i + 16.
fn integer_sum(nibbles: &[u8; 16], quants: &[u8; 32]) -> i32 {
    let (low, high) = quants.split_at(nibbles.len());
    let product = |nibble: u8, quant: u8| i32::from(nibble) * i32::from(quant.cast_signed());
    nibbles.iter().zip(low.iter().zip(high)).map(|(n, (l, h))| product(n & 15, *l) + product(n >> 4, *h)).sum()
}
