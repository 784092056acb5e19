//! Mixtures of experts: what an expert gives has the bits of the plain product, and its weights stay where they are.

mod tiny;

use std::sync::Arc;

use tiny::run::{self, Setup};
use vt::core::op::{Case, Fill, MatmulExperts, Operand};
use vt::core::plan::Eager;
use vt::core::{DType, Desc, Registry, Tensor, Value};
use vt::cpu::{CPU, TierName};
use vt::gguf::{Residency, Role};
use vt::ops;

const EXPERTS: usize = 4;
const USED: usize = 3;

/// Rows of `d` elements for every place or every token, the weights of all experts, and whom each token uses.
struct Call {
    x: Tensor,
    weights: Tensor,
    chosen: Tensor,
}

impl Call {
    fn new(dtype: DType, [tokens, n, d]: [usize; 3], own: bool) -> Self {
        let x = if own { vec![tokens, USED, d] } else { vec![tokens, d] };
        let operands = vec![
            Operand::tensor(Desc::new(DType::F32, x), Fill::Normal(1.0)),
            Operand::tensor(Desc::new(dtype, [EXPERTS, n, d]), Fill::Normal(0.5)),
            Operand::tensor(Desc::new(DType::I32, [tokens, USED]), Fill::Ids(EXPERTS)),
        ];
        let case = Case::new(format!("{dtype}-{tokens}-{n}-{d}-{own}"), MatmulExperts::WHOLE, 0, operands);
        let tensor = |i: usize| case.tensor(i).unwrap().unwrap();
        Self { x: tensor(0), weights: tensor(1), chosen: tensor(2) }
    }

    /// The rows of `part` of two halves, or of all, as bits.
    fn by_experts(&self, registry: &Arc<Registry>, op: MatmulExperts) -> Vec<Vec<u32>> {
        let [x, weights, chosen] = [&self.x, &self.weights, &self.chosen].map(|t| Value::from(t.clone()));
        let eager = Eager::new(registry, CPU);
        rows(&ops::matmul_experts(&eager, op, &x, &weights, &chosen).unwrap())
    }

    /// The same by a product of all rows with each expert's matrix, of which each place takes its own row.
    fn by_matrices(&self, registry: &Arc<Registry>) -> Vec<Vec<u32>> {
        let [_, n, d] = self.weights.shape()[..] else { panic!("a stack of matrices") };
        let bytes = self.weights.bytes().unwrap();
        let count = self.x.shape().iter().product::<usize>() / d;
        let x = Value::from(Tensor::from_bytes(DType::F32, &[count, d], self.x.bytes().unwrap()).unwrap());
        let matrix = |bytes| Value::from(Tensor::from_bytes(self.weights.dtype(), &[n, d], bytes).unwrap());
        let eager = Eager::new(registry, CPU);
        let product = |bytes| rows(&ops::matmul_bt(&eager, &x, &matrix(bytes)).unwrap());
        let products: Vec<_> = bytes.chunks_exact(bytes.len() / EXPERTS).map(product).collect();
        let chosen = self.chosen.as_slice::<i32>().unwrap();
        let act = |place: usize| if count == chosen.len() { place } else { place / USED };
        chosen.iter().enumerate().map(|(place, expert)| products[*expert as usize][act(place)].clone()).collect()
    }
}

fn rows(value: &Value) -> Vec<Vec<u32>> {
    let tensor = value.tensor().unwrap();
    let cols = *tensor.shape().last().unwrap();
    let bits: Vec<u32> = tensor.as_slice::<f32>().unwrap().iter().map(|x| x.to_bits()).collect();
    bits.chunks_exact(cols).map(<[u32]>::to_vec).collect()
}

fn registry(threads: usize, tier: Option<TierName>) -> Arc<Registry> {
    Arc::new(Setup { threads, tier, ..Setup::default() }.builder().build().unwrap())
}

/// One row of an expert, some, and as many as the roads for many rows take.
#[test]
fn every_output_has_the_bits_of_the_plain_product() {
    let types = DType::weight_blocks().chain([DType::F32, DType::F16, DType::BF16]);
    let registries: Vec<_> = TierName::available().map(|tier| registry(2, Some(tier))).collect();
    for dtype in types {
        let d = if dtype.is_block() { 2 * dtype.block_elems() } else { 77 };
        for (tokens, n, own) in [(1, 70, false), (3, 33, true), (11, 16, false), (90, 50, true)] {
            let call = Call::new(dtype, [tokens, n, d], own);
            let expected = call.by_matrices(&registries[0]);
            assert!(expected.iter().flatten().any(|bits| *bits << 1 != 0));
            for registry in &registries {
                let found = call.by_experts(registry, MatmulExperts::WHOLE);
                assert!(found == expected, "{dtype} {tokens} {n} {own}");
            }
        }
    }
}

#[test]
fn threads_and_halves_change_nothing() {
    for dtype in [DType::Q4K, DType::Q5_0, DType::F16] {
        let call = Call::new(dtype, [37, 66, 256], false);
        let expected = call.by_experts(&registry(1, None), MatmulExperts::WHOLE);
        for threads in 2..5 {
            let registry = registry(threads, None);
            assert!(call.by_experts(&registry, MatmulExperts::WHOLE) == expected, "{dtype}, {threads} threads");
            let [low, high] = [0, 1].map(|part| call.by_experts(&registry, MatmulExperts { part, parts: 2 }));
            let joined: Vec<_> = low.iter().zip(&high).map(|(low, high)| [&low[..], high].concat()).collect();
            assert!(joined == expected, "{dtype}, {threads} threads, in halves");
        }
    }
}

/// More rows for one expert than are multiplied at once, and other experts that nobody chose.
#[test]
fn all_tokens_may_choose_one_expert() {
    let mut call = Call::new(DType::Q4_0, [300, 20, 64], false);
    call.chosen = Tensor::from_slice(DType::I32, &[300, USED], &[2; 300 * USED]).unwrap();
    for tier in TierName::available() {
        let registry = registry(2, Some(tier));
        assert!(call.by_experts(&registry, MatmulExperts::WHOLE) == call.by_matrices(&registry), "{tier:?}");
    }
}

#[test]
fn an_expert_that_is_not_there_is_an_error() {
    for expert in [EXPERTS as i32, -1] {
        let mut call = Call::new(DType::F32, [2, 3, 5], false);
        call.chosen = Tensor::from_slice(DType::I32, &[2, USED], &[0, 1, 2, 3, expert, 0]).unwrap();
        let [x, weights, chosen] = [call.x, call.weights, call.chosen].map(Value::from);
        let bias = Value::from(Tensor::zeros(DType::F32, &[EXPERTS, 3]).unwrap());
        let given = Value::from(Tensor::zeros(DType::F32, &[2, USED, 3]).unwrap());
        let registry = registry(2, None);
        let eager = Eager::new(&registry, CPU);
        let product = ops::matmul_experts(&eager, MatmulExperts::WHOLE, &x, &weights, &chosen);
        for result in [product, ops::add_expert_bias(&eager, &given, &bias, &chosen)] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(&format!("row 1 of `experts`: {expert} is not in 0..4")), "{error}");
        }
    }
}

/// What became of the experts' weights of a model, by a registry without some kernels.
fn fate(name: &str, lack: impl Fn(&str, &str) -> bool + 'static) -> Vec<(Residency, String)> {
    let registry = Setup::default().builder().without(move |op, _, kernel| lack(op, kernel)).build().unwrap();
    let model = Setup::default().load_with(&run::open(tiny::find(name).file()), &Arc::new(registry));
    let experts = model.tensors().iter().filter(|used| used.role == Role::ExpertWeight);
    experts.map(|used| (used.decision.residency, used.decision.reason.to_string())).collect()
}

#[test]
fn experts_stay_in_their_own_type_where_their_product_has_a_kernel() {
    let kept = fate("qwen3moe-mixed", |_, _| false);
    assert_eq!(kept.len(), 3 * tiny::find("qwen3moe-mixed").layers);
    assert!(kept.iter().all(|(residency, _)| *residency == Residency::Keep), "{kept:?}");
    let decoded = fate("qwen3moe-q5_0", |op, kernel| op == "matmul_experts" && kernel.contains("-q5_0-"));
    assert!(decoded.iter().all(|(residency, _)| *residency == Residency::DecodeToF32), "{decoded:?}");
    assert!(decoded[0].1.contains("multiplies q4_0, not q5_0"), "{}", decoded[0].1);
    let plain = fate("qwen3moe-q5_0", |op, kernel| op == "matmul_bt_quant" && kernel.contains("-q5_0-"));
    assert!(plain.iter().all(|(residency, _)| *residency == Residency::Keep), "{plain:?}");
}
