//! Values: what ops take and give.

use std::panic::Location;
use std::sync::Arc;

use crate::op::{ArcOp, ValueType};
use crate::{DType, Desc, OpError, Tensor};

use super::Port;

/// A tensor, or an output of a node of a graph.
#[derive(Clone, Debug)]
pub struct Value {
    pub(crate) ty: ValueType,
    pub(crate) at: At,
}

#[derive(Clone, Debug)]
pub(crate) enum At {
    Tensor { name: Arc<str>, tensor: Tensor },
    Node { graph: u64, port: Port },
}

impl Value {
    /// A weight; the name is for messages and drawings.
    pub fn weight(name: &str, tensor: Tensor) -> Self {
        Self { ty: ValueType::Tensor(tensor.desc()), at: At::Tensor { name: name.into(), tensor } }
    }

    /// The type.
    pub fn ty(&self) -> &ValueType {
        &self.ty
    }

    /// The type and shape, unless it is state.
    pub fn desc(&self) -> Option<&Desc> {
        self.ty.tensor()
    }

    /// The type of the elements, unless it is state.
    pub fn dtype(&self) -> Option<DType> {
        self.desc().map(|d| d.dtype)
    }

    /// The tensor: of a weight, or of what an eager context computed.
    pub fn tensor(&self) -> Option<&Tensor> {
        match &self.at {
            At::Tensor { tensor, .. } => Some(tensor),
            At::Node { .. } => None,
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Value::weight("", tensor)
    }
}

/// Something that takes ops: a graph, or an eager context that computes at once.
pub trait Recorder {
    /// Takes an op and its inputs; `at` is the place of the call in the model's source.
    ///
    /// # Errors
    /// If the op does not take the inputs, or cannot be computed.
    fn record(&self, op: ArcOp, inputs: &[&Value], at: &'static Location<'static>) -> Result<Vec<Value>, OpError>;

    /// [`Recorder::record`] of an op with one output.
    ///
    /// # Errors
    /// As there.
    fn record_one(&self, op: ArcOp, inputs: &[&Value], at: &'static Location<'static>) -> Result<Value, OpError> {
        let name = op.name();
        let mut outputs = self.record(op, inputs, at)?;
        match (outputs.pop(), outputs.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(OpError::Eager { op: name, why: "it has not one output" }),
        }
    }
}
