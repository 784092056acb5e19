//! Mixtures of experts.

use vt_core::op::{MatmulExperts, Route};
use vt_core::{Graph, OpError, Value};
use vt_ops as ops;

use super::{Activation, Block, Linear, Mlp, MoeSpec, Rows};
use crate::load::Weights;

/// A gated feed-forward layer of which each token takes a few of many (Shazeer et al., "Outrageously Large Neural
/// Networks", 2017; Fedus et al., "Switch Transformers", 2021):
///
/// ```text
/// E, p = route(router(x))                                 the chosen experts and their weights
/// y = sum over k of p[k] * down[E[k]](activation(gate[E[k]](x)) * up[E[k]](x))
/// ```
///
/// With a shared expert (Dai et al., "DeepSeekMoE", 2024) `y` has `shared(x)` added, or `sigmoid(w . x) * shared(x)` where
/// it has a gate `w`.
#[derive(Clone, Debug)]
pub struct Moe {
    router: Linear,
    selection_bias: Value,
    route: Route,
    gate: Experts,
    up: Experts,
    down: Experts,
    activation: Activation,
    shared: Option<Shared>,
}

impl Moe {
    /// The layer of the tensors `{block}.ffn_gate_inp`, `ffn_gate_exps` and `ffn_up_exps` or both in `ffn_gate_up_exps`,
    /// `ffn_down_exps`, the bias `exp_probs_b` if there is one, and for a shared expert those of [`Mlp::load_shared`] and
    /// `ffn_gate_inp_shexp` if it has a gate.
    pub fn load(w: &Weights<'_>, block: &str, spec: &MoeSpec) -> Self {
        let bias = w.optional_vector(&format!("{block}.exp_probs_b.bias"), spec.experts);
        let [gate, up] = Experts::load_gate_and_up(w, block, spec);
        Self {
            router: Linear::load(w, &format!("{block}.ffn_gate_inp"), spec.experts, spec.dim),
            selection_bias: bias.unwrap_or_else(|| w.zeros(spec.experts)),
            route: spec.route.clone(),
            gate,
            up,
            down: Experts::load(w, &format!("{block}.ffn_down_exps"), spec.experts, [spec.dim, spec.ff]),
            activation: spec.activation,
            shared: (spec.shared_ff > 0).then(|| Shared::load(w, block, spec)),
        }
    }
}

impl Block for Moe {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let logits = self.router.forward(g, x)?;
        let [experts, weights] = ops::route(g, self.route.clone(), &logits, &self.selection_bias)?;
        let (gate, up) = (self.gate.forward(g, x, &experts)?, self.up.forward(g, x, &experts)?);
        let given = self.down.forward(g, &self.activation.gated(g, &gate, &up)?, &experts)?;
        let mixed = ops::weighted_sum(g, &given, &weights)?;
        match &self.shared {
            Some(shared) => ops::add(g, &mixed, &shared.forward(g, x, rows)?),
            None => Ok(mixed),
        }
    }
}

/// A linear layer of each expert, with biases where the file has them.
#[derive(Clone, Debug)]
struct Experts {
    weight: Value,
    /// Which rows of each expert.
    product: MatmulExperts,
    bias: Option<Value>,
}

impl Experts {
    /// The layer of the tensors `{name}.weight` `[experts, out, in]` and, if there is one, `{name}.bias`.
    fn load(w: &Weights<'_>, name: &str, experts: usize, [out, input]: [usize; 2]) -> Self {
        let weight = w.experts(&format!("{name}.weight"), experts, out, input);
        let bias = w.optional_expert_biases(&format!("{name}.bias"), experts, out);
        Self { weight, product: MatmulExperts::WHOLE, bias }
    }

    /// Both layers, which may be the halves of one tensor.
    fn load_gate_and_up(w: &Weights<'_>, block: &str, spec: &MoeSpec) -> [Self; 2] {
        let fused = format!("{block}.ffn_gate_up_exps.weight");
        if w.has(&fused) {
            let weight = w.experts(&fused, spec.experts, 2 * spec.ff, spec.dim);
            let half = |part| Self { weight: weight.clone(), product: MatmulExperts { part, parts: 2 }, bias: None };
            return [half(0), half(1)];
        }
        let layer = |part| format!("{block}.ffn_{part}_exps");
        ["gate", "up"].map(|part| Self::load(w, &layer(part), spec.experts, [spec.ff, spec.dim]))
    }

    /// `x` `[T, in]` or `[T, K, in]` to `[T, K, out]`.
    fn forward(&self, g: &Graph, x: &Value, experts: &Value) -> Result<Value, OpError> {
        let y = ops::matmul_experts(g, self.product.clone(), x, &self.weight, experts)?;
        match &self.bias {
            Some(bias) => ops::add_expert_bias(g, &y, bias, experts),
            None => Ok(y),
        }
    }
}

/// An expert that every token takes, and how much of it.
#[derive(Clone, Debug)]
struct Shared {
    expert: Mlp,
    gate: Option<Value>,
}

impl Shared {
    fn load(w: &Weights<'_>, block: &str, spec: &MoeSpec) -> Self {
        let gate = || w.vector(&format!("{block}.ffn_gate_inp_shexp.weight"), spec.dim);
        let expert = Mlp::load_shared(w, block, spec.dim, spec.shared_ff, spec.activation);
        Self { expert, gate: spec.shared_gate.then(gate) }
    }
}

impl Block for Shared {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let given = self.expert.forward(g, x, rows)?;
        match &self.gate {
            Some(gate) => ops::gate_rows(g, &given, x, gate),
            None => Ok(given),
        }
    }
}
