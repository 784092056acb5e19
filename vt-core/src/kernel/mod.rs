//! Kernels: what a backend registers for an op, and what they see when they run.

mod cut;
mod io;
mod kv;
mod remote;

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

pub use cut::{Cut, Deal, Need, Tile};
pub use io::{Io, scratch_bytes};
pub use kv::{Kv, KvMut, Recurrent, RecurrentMut};
pub use remote::RemoteOperand;

use crate::op::{Op, ValueType};
use crate::{DType, Desc, DeviceError, Sizes};

/// Whether a kernel can compute a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It can.
    Yes,
    /// It cannot, for this reason.
    No(String),
}

impl Support {
    /// Yes if `condition` holds; otherwise no, for the reason.
    pub fn when<D: fmt::Display>(condition: bool, reason: impl FnOnce() -> D) -> Self {
        if condition { Support::Yes } else { Support::No(reason().to_string()) }
    }
}

/// What is known of an op's use when a plan is made.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The types of the inputs.
    pub inputs: &'a [ValueType],
    /// The types of the outputs.
    pub outputs: &'a [ValueType],
    /// The largest values of the symbols in the class of passes that is planned.
    pub sizes: Sizes,
    /// The number of workers.
    pub workers: usize,
}

impl<'a> Call<'a> {
    /// Tensor input `i`, if there is one.
    pub fn input(&self, i: usize) -> Option<&'a Desc> {
        self.inputs.get(i)?.tensor()
    }

    /// The type of tensor input `i`, if there is one.
    pub fn dtype(&self, i: usize) -> Option<DType> {
        self.input(i).map(|d| d.dtype)
    }

    /// The most rows that the first output can have.
    pub fn rows(&self) -> usize {
        let tensor = self.outputs.first().and_then(ValueType::tensor);
        tensor.and_then(|d| d.row_count(&self.sizes)).unwrap_or(self.sizes.t)
    }

    /// The columns of the first output; the parts of a state.
    pub fn cols(&self) -> usize {
        match self.outputs.first() {
            Some(ValueType::Tensor(d)) => d.cols(),
            Some(ValueType::State(s)) => s.parts(),
            None => 0,
        }
    }
}

/// A kernel could not compute a tile.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// An id or index in an input is outside its range.
    #[error("row {row} of `{input}`: {id} is not in 0..{limit}")]
    Id {
        /// The input.
        input: &'static str,
        /// The row of the input.
        row: usize,
        /// What it holds.
        id: i64,
        /// The range's end.
        limit: usize,
    },
    /// The device's memory failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Something else.
    #[error("{0}")]
    Other(Cow<'static, str>),
}

/// The code that computes an op on a device.
///
/// A kernel computes the tile of the output that it is given, in safe code, and sees neither workers nor barriers. The
/// token of the instructions that it uses is a field of its struct.
pub trait Kernel<O: Op>: Send + Sync + 'static {
    /// What it is: tier, types, way: `avx512-q4_k-panel`.
    fn name(&self) -> String;

    /// Its rank: of the kernels that support a call the highest is taken, of equals the first by name.
    fn priority(&self) -> i32 {
        0
    }

    /// Whether it can compute the call.
    fn supports(&self, op: &O, call: &Call<'_>) -> Support {
        let _ = (op, call);
        Support::Yes
    }

    /// How the output may be divided among workers.
    fn cut(&self, op: &O, call: &Call<'_>) -> Cut {
        let _ = (op, call);
        Cut::whole()
    }

    /// How much of input `i` a tile reads.
    fn need(&self, op: &O, i: usize) -> Need {
        let _ = (op, i);
        Need::All
    }

    /// Whether it can compute the op when an input shares the output's memory ([`Op::in_place`], [`Io::shared`]).
    fn in_place(&self) -> bool {
        false
    }

    /// The bytes of scratch memory that each worker needs.
    fn scratch(&self, op: &O, call: &Call<'_>) -> usize {
        let _ = (op, call);
        0
    }

    /// Computes a tile.
    ///
    /// # Errors
    /// If an input holds something that has no result.
    fn run(&self, op: &O, io: &mut Io<'_>) -> Result<(), KernelError>;
}
