//! What the device computes, as the residency policy asks it.

use std::sync::Arc;

use vt_core::kernel::Call;
use vt_core::op::{AnyOp, Embed, MatmulBt, MatmulBtQuant, MatmulExperts, ValueType};
use vt_core::{DType, Desc, Registry, Sizes, Sym};

/// The device that a model is loaded for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The registry that knows it.
    pub registry: Arc<Registry>,
    /// Its name.
    pub device: String,
}

impl Target {
    /// Whether the device, or the one that computes in its place, multiplies weights of the type with rows of `k`.
    ///
    /// # Errors
    /// The reasons why not.
    pub fn can_multiply(&self, dtype: DType, k: usize) -> Result<(), String> {
        let weight = Desc::new(dtype, [1usize, k]);
        match dtype.activation() {
            Some(blocks) => self.supports(&MatmulBtQuant, [Desc::rows(blocks, Sym::T, k), weight]),
            None => self.supports(&MatmulBt, [Desc::rows(DType::F32, Sym::T, k), weight]),
        }
    }

    /// As [`Target::can_multiply`], of the weights of experts.
    ///
    /// # Errors
    /// The reasons why not.
    pub fn can_multiply_experts(&self, dtype: DType, k: usize) -> Result<(), String> {
        let x = Desc::rows(dtype.activation().unwrap_or(DType::F32), Sym::T, k);
        let experts = Desc::rows(DType::I32, Sym::T, 1);
        self.supports(&MatmulExperts::WHOLE, [x, Desc::new(dtype, [1usize, 1, k]), experts])
    }

    /// Whether the device, or the one that computes in its place, looks up rows in tables of the type.
    ///
    /// # Errors
    /// The reasons why not.
    pub fn can_embed(&self, dtype: DType) -> Result<(), String> {
        let table = Desc::new(dtype, [1usize, dtype.block_elems()]);
        self.supports(&Embed, [Desc::new(DType::I32, [Sym::T]), table])
    }

    fn supports<const N: usize>(&self, op: &dyn AnyOp, inputs: [Desc; N]) -> Result<(), String> {
        let inputs = inputs.map(ValueType::Tensor);
        let outputs = op.infer(&inputs.iter().collect::<Vec<_>>()).map_err(|e| e.to_string())?;
        let call = Call { inputs: &inputs, outputs: &outputs, sizes: Sizes { t: 1, r: 1 }, workers: 1 };
        let reference = self.registry.reference().map(|d| d.name());
        let mut reasons = Vec::new();
        for device in std::iter::once(self.device.as_str()).chain(reference) {
            match self.registry.supports(op, device, &call) {
                Ok(()) => return Ok(()),
                Err(more) => reasons.extend(more.into_iter().map(|(kernel, reason)| format!("{kernel}: {reason}"))),
            }
        }
        if reasons.is_empty() {
            return Err(format!("{} has no kernel of {}", self.device, op.name()));
        }
        Err(reasons.join("; "))
    }
}
