//! Operands of a case as named arrays: what its golden's files hold.

use vt_core::op::{AnyCase, Operand};
use vt_core::{DType, Tensor};

use super::state::filled_state;
use crate::npy::{Array, Kind};

/// An operand, or a part of one, under the name of its file.
#[derive(Clone, Debug)]
pub(super) struct NamedArray {
    pub name: String,
    pub dtype: DType,
    pub array: Array,
}

impl NamedArray {
    /// Elements of `dtype` in a shape that counts elements; block types are kept as bytes.
    pub fn new(name: String, dtype: DType, shape: &[usize], bytes: Vec<u8>) -> Result<Self, String> {
        let mut shape = shape.to_vec();
        if let (true, Some(cols)) = (dtype.is_block(), shape.last_mut()) {
            *cols = dtype.row_bytes(*cols).map_err(|e| e.to_string())?;
        }
        let array = Array::new(kind(dtype), &shape, bytes).map_err(|e| format!("{name}: {e}"))?;
        Ok(Self { name, dtype, array })
    }

    /// A tensor in the host's memory.
    pub fn of_tensor(name: &str, tensor: &Tensor) -> Result<Self, String> {
        let bytes = tensor.bytes().ok_or("a tensor that the host cannot see")?;
        Self::new(name.to_owned(), tensor.dtype(), tensor.shape(), bytes.to_vec())
    }

    /// The file's name.
    pub fn file(&self) -> String {
        format!("{}.npy", self.name)
    }
}

/// The type that holds elements of `dtype` in a file.
fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::F32 => Kind::F32,
        DType::F64 => Kind::F64,
        DType::F16 => Kind::F16,
        DType::BF16 => Kind::U16,
        DType::I8 => Kind::I8,
        DType::I16 => Kind::I16,
        DType::I32 => Kind::I32,
        DType::I64 => Kind::I64,
        _ => Kind::U8,
    }
}

/// The inputs of a case; a state is several arrays.
pub(super) fn inputs(case: &AnyCase) -> Result<Vec<NamedArray>, String> {
    let mut arrays = Vec::new();
    for (i, (operand, name)) in case.inputs.iter().zip(case.op.input_names()).enumerate() {
        match operand {
            Operand::Tensor { .. } => {
                let tensor = case.tensor(i).map_err(|e| format!("{name}: {e}"))?.ok_or("no tensor")?;
                arrays.push(NamedArray::of_tensor(name, &tensor)?);
            }
            Operand::State { spec, filled } => {
                for (sequence, len) in filled.iter().enumerate() {
                    arrays.extend(filled_state(case, i, spec, sequence, *len)?);
                }
            }
        }
    }
    Ok(arrays)
}
