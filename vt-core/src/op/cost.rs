//! How much work a call of an op is.

use std::ops::{Add, Mul};

use super::ValueType;
use crate::plan::Span;
use crate::{DType, Sizes};

/// What an op's operations are made of: which limit of a machine they come up against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// Multiplications and additions of floats.
    #[default]
    Floats,
    /// Multiplications and additions of floats, of which the factors are bf16.
    Bf16,
    /// Dot products of bytes.
    Bytes,
}

/// The work of a call, whoever does it.
///
/// A lower bound: each operand is read or written once, and only operations are counted of which there are many for a
/// byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes that are read and written.
    pub bytes: u64,
    /// Multiplications and additions of sums of products.
    pub operations: u64,
    /// What the operations are made of.
    pub arithmetic: Arithmetic,
}

impl Add for Cost {
    type Output = Cost;

    /// Both; `other` says what operations are made of if it has any.
    fn add(self, other: Cost) -> Cost {
        Cost {
            bytes: self.bytes.saturating_add(other.bytes),
            operations: self.operations.saturating_add(other.operations),
            arithmetic: if other.operations > 0 { other.arithmetic } else { self.arithmetic },
        }
    }
}

impl Mul<u64> for Cost {
    type Output = Cost;

    fn mul(self, times: u64) -> Cost {
        let (bytes, operations) = (self.bytes.saturating_mul(times), self.operations.saturating_mul(times));
        Cost { bytes, operations, ..self }
    }
}

/// A call whose cost is asked.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// The types of the inputs.
    pub inputs: &'a [ValueType],
    /// The types of the outputs.
    pub outputs: &'a [ValueType],
    /// The values of the symbols.
    pub sizes: Sizes,
    /// The rows of each sequence, for ops with state.
    pub spans: &'a [Span],
}

impl Workload<'_> {
    /// The bytes of all tensors; state counts nothing.
    pub fn operands(&self) -> Cost {
        let bytes = self.inputs.iter().chain(self.outputs).map(|ty| self.bytes(ty)).fold(0, u64::saturating_add);
        Cost { bytes, ..Cost::default() }
    }

    /// The bytes of input `i` if it is a tensor.
    pub fn input_bytes(&self, i: usize) -> u64 {
        self.inputs.get(i).map_or(0, |ty| self.bytes(ty))
    }

    /// The bytes of output `i` if it is a tensor.
    pub fn output_bytes(&self, i: usize) -> u64 {
        self.outputs.get(i).map_or(0, |ty| self.bytes(ty))
    }

    /// The bytes that state input `i` takes for so many rows.
    pub(super) fn state_bytes(&self, i: usize, rows: usize) -> u64 {
        self.inputs.get(i).and_then(ValueType::state).and_then(|state| state.bytes(rows)).unwrap_or(0) as u64
    }

    /// All tensors, and the rows that are written to the cache of input 0.
    pub(super) fn append(&self) -> Cost {
        let operands = self.operands();
        Cost { bytes: operands.bytes.saturating_add(self.state_bytes(0, self.sizes.t)), ..operands }
    }

    /// All tensors, and the state of input `i`, which each sequence with rows reads and writes once.
    pub(super) fn recurrence(&self, i: usize) -> Cost {
        let sequences = self.spans.iter().filter(|span| span.rows > 0).count() as u64;
        let (state, operands) = (self.state_bytes(i, 0), self.operands());
        Cost { bytes: operands.bytes.saturating_add(state.saturating_mul(2 * sequences)), ..operands }
    }

    /// A matrix product: all operands, and a multiplication and an addition for each element of the output and each
    /// element of a row of input 0.
    pub(super) fn product(&self, arithmetic: Arithmetic) -> Cost {
        let columns = |ty: Option<&ValueType>| ty.and_then(ValueType::tensor).map_or(0, |d| d.cols() as u64);
        let elements = self.output_bytes(0) / DType::F32.block_bytes() as u64;
        let operations = elements.saturating_mul(columns(self.inputs.first())).saturating_mul(2);
        Cost { operations, arithmetic, ..self.operands() }
    }

    fn bytes(&self, ty: &ValueType) -> u64 {
        ty.tensor().and_then(|desc| desc.bytes(&self.sizes)).map_or(0, |bytes| bytes as u64)
    }
}
