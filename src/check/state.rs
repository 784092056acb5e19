//! The state of a case's sequences: in files, and in the memory that kernels see.

use half::{bf16, f16};
use vt_core::op::{AnyCase, Operand};
use vt_core::plan::Sequence;
use vt_core::{DType, StateSpec};

use super::array::NamedArray;

/// The state of a sequence as a case has it, filled up to `len` positions: keys and values of every head, or the rows
/// of a state of fixed size, which are zero at position 0.
pub(super) fn filled_state(
    case: &AnyCase,
    input: usize,
    spec: &StateSpec,
    sequence: usize,
    len: usize,
) -> Result<Vec<NamedArray>, String> {
    let name = case.op.input_names().get(input).copied().unwrap_or("state");
    let mut parts = parts(name, spec, sequence, len)?;
    let count = |p: &Part| p.shape.iter().product::<usize>();
    let mut data = case.state_data(input, sequence, parts.iter().map(count).sum());
    if len == 0 {
        data.fill(0.0);
    }
    let mut rest = data.as_slice();
    parts
        .drain(..)
        .map(|part| {
            let (values, tail) = rest.split_at(count(&part).min(rest.len()));
            rest = tail;
            NamedArray::new(part.name, part.dtype, &part.shape, rounded(part.dtype, values)?)
        })
        .collect()
}

/// A file's part of a sequence's state.
struct Part {
    name: String,
    dtype: DType,
    shape: Vec<usize>,
}

/// The parts of a sequence's state of `len` positions.
fn parts(name: &str, spec: &StateSpec, sequence: usize, len: usize) -> Result<Vec<Part>, String> {
    let part = |suffix: &str, dtype, shape| Part { name: format!("{name}-s{sequence}{suffix}"), dtype, shape };
    match *spec {
        StateSpec::KvRows { heads, key_dim, value_dim, key, value } => {
            Ok(vec![part("-keys", key, vec![heads, len, key_dim]), part("-values", value, vec![heads, len, value_dim])])
        }
        StateSpec::LatentRows { key_dim, dtype, .. } => Ok(vec![part("-keys", dtype, vec![1, len, key_dim])]),
        StateSpec::Fixed { rows, cols } => Ok(vec![part("", DType::F32, vec![rows, cols])]),
        _ => Err(format!("{spec}: a kind of state without files")),
    }
}

/// Numbers rounded to a float type, as bytes.
fn rounded(dtype: DType, values: &[f32]) -> Result<Vec<u8>, String> {
    match dtype {
        DType::F32 => Ok(values.iter().flat_map(|x| x.to_le_bytes()).collect()),
        DType::F16 => Ok(values.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect()),
        DType::BF16 => Ok(values.iter().flat_map(|x| bf16::from_f32(*x).to_le_bytes()).collect()),
        other => Err(format!("state of type {other}")),
    }
}

/// Positions of a sequence that no case fills.
const SPARE: usize = 3;

/// The case's sequences with their state. What is not filled is NaN, so that no result can rest on it.
pub(super) fn sequences(case: &AnyCase, specs: &[StateSpec]) -> Result<Vec<Sequence>, String> {
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    (0..case.sequences())
        .map(|number| {
            let mut sequence = Sequence::new(specs, positions(case, number) + SPARE).map_err(|e| e.to_string())?;
            let states = case.inputs.iter().enumerate().filter(|(_, o)| matches!(o, Operand::State { .. }));
            for (slot, (input, operand)) in states.enumerate() {
                let Operand::State { spec, filled } = operand else { continue };
                let len = filled.get(number).copied().unwrap_or(0);
                fill(&mut sequence, slot, &filled_state(case, input, spec, number, len)?);
                sequence.assume_len(len);
            }
            Ok(sequence)
        })
        .collect()
}

/// The positions of a sequence that are filled when the case has run.
pub(super) fn positions(case: &AnyCase, sequence: usize) -> usize {
    let filled = case.inputs.iter().filter_map(|operand| match operand {
        Operand::State { filled, .. } => filled.get(sequence).copied(),
        Operand::Tensor { .. } => None,
    });
    let written = case.spans.iter().filter(|s| s.sequence == sequence).map(|s| s.position + s.rows);
    filled.chain(written).max().unwrap_or(0)
}

fn fill(sequence: &mut Sequence, slot: usize, arrays: &[NamedArray]) {
    let capacity = sequence.capacity();
    let (first, second) = sequence.state_bytes_mut(slot);
    for (memory, part) in [first, second].into_iter().zip(arrays) {
        memory.fill(0xff);
        let (stride, head) = head_bytes(memory.len(), capacity, part);
        for (to, from) in memory.chunks_exact_mut(stride).zip(part.array.data().chunks_exact(head.max(1))) {
            if let Some(to) = to.get_mut(..head) {
                to.copy_from_slice(from);
            }
        }
    }
}

/// The bytes between the starts of two heads in memory, and the filled ones of a head. A state of fixed size is one.
fn head_bytes(memory: usize, capacity: usize, part: &NamedArray) -> (usize, usize) {
    let [_, len, dim] = *part.array.shape() else { return (memory.max(1), part.array.data().len()) };
    let row = dim * part.dtype.block_bytes();
    ((capacity * row).max(1), len * row)
}

/// What a sequence holds in a slot at its first `len` positions.
pub(super) fn read(
    name: &str,
    spec: &StateSpec,
    number: usize,
    slot: usize,
    len: usize,
    sequence: &mut Sequence,
) -> Result<Vec<NamedArray>, String> {
    let capacity = sequence.capacity();
    let (first, second) = sequence.state_bytes_mut(slot);
    let parts = parts(name, spec, number, len)?.into_iter().zip([first, second]);
    let array = |(part, memory): (Part, &mut [u8])| {
        let bytes = match *part.shape {
            [heads, len, dim] if heads > 0 => {
                let row = dim * part.dtype.block_bytes();
                let heads = memory.chunks_exact((capacity * row).max(1)).take(heads);
                heads.flat_map(|h| h.iter().take(len * row).copied()).collect()
            }
            _ => memory.to_vec(),
        };
        NamedArray::new(part.name, part.dtype, &part.shape, bytes)
    };
    parts.map(array).collect()
}
