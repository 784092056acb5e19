//! What the device cannot do, it says.

use std::collections::BTreeSet;

use vt::core::kernel::{Call, Support};
use vt::core::op::{MatmulBtQuant, Op, ValueType};
use vt::core::plan::{Fallback, PlanError};
use vt::core::{DType, Desc, Sizes, Sym};
use vt::models::ModelError;
use vt_private_store::STORE;

use crate::harness::{load, registry};
use crate::tiny::{self, LACKING};

#[test]
fn without_a_fallback_the_model_is_refused_with_all_that_is_missing() {
    let error = load(&tiny::llama(), STORE, Fallback::Error).unwrap_err();
    let message = error.to_string();
    let ModelError::Plan(PlanError::NoKernel { device, ops }) = error else { panic!("{message}") };
    assert_eq!(device, STORE);
    let names: BTreeSet<&str> = ops.iter().map(|missing| missing.op).collect();
    assert_eq!(names, BTreeSet::from(LACKING));
    assert!(message.contains("multiplies q4_1, not q8_0"), "{message}");
}

/// The answer of the device's only kernel to a product with weights of a type.
fn answer(weights: DType) -> Support {
    let k = weights.block_elems();
    let activations = weights.activation().unwrap();
    let desc = |desc| ValueType::Tensor(desc);
    let inputs = [desc(Desc::rows(activations, Sym::T, k)), desc(Desc::new(weights, [3, k]))];
    let outputs = [desc(Desc::rows(DType::F32, Sym::T, 3))];
    let call = Call { inputs: &inputs, outputs: &outputs, sizes: Sizes { t: 1, r: 1 }, workers: 1 };
    let mut kernels = registry().explain(&MatmulBtQuant, STORE, &call);
    assert_eq!(kernels.len(), 1, "{} has one kernel", MatmulBtQuant::NAME);
    kernels.remove(0).support
}

#[test]
fn a_kernel_takes_its_type_and_refuses_others_with_the_reason() {
    for dtype in DType::weight_blocks() {
        let expected = match dtype {
            DType::Q4_1 => Support::Yes,
            other => Support::No(format!("multiplies q4_1, not {other}")),
        };
        assert_eq!(answer(dtype), expected);
    }
}
