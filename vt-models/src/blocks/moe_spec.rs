//! What a mixture of experts is like.

use vt_core::op::{Route, Scoring};
use vt_gguf::GgufError;

use super::Activation;
use crate::load::{Hparams, Keys};

/// The sizes and numbers of a mixture of experts.
#[derive(Clone, Debug, PartialEq)]
pub struct MoeSpec {
    /// Elements of a token's vector.
    pub dim: usize,
    /// Experts.
    pub experts: usize,
    /// Elements between an expert's matrices.
    pub ff: usize,
    /// Elements between the shared expert's matrices; 0 for none.
    pub shared_ff: usize,
    /// Whether a gate says how much of the shared expert a token takes.
    pub shared_gate: bool,
    /// How experts are chosen and weighed.
    pub route: Route,
    /// What gates bend their values with.
    pub activation: Activation,
}

/// Far above any model; biases are made of this size before the tensors are looked at.
const MAX_EXPERTS: usize = 1 << 16;

impl MoeSpec {
    /// Reads `expert_count`, `expert_used_count`, `expert_feed_forward_length`, `expert_group_count` and
    /// `expert_group_used_count`: weights are the softmax over all experts, as they are, gates are SiLU, and no expert is
    /// shared. Where the file does not say how wide its experts are, those that a token uses have `ff` elements together.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(keys: &Keys<'_>, h: &Hparams, ff: usize) -> Result<Self, GgufError> {
        let experts = keys.size("expert_count")?;
        if experts > MAX_EXPERTS {
            return Err(keys.implausible("expert_count", format!("a number up to {MAX_EXPERTS}")));
        }
        let route = route(keys, experts)?;
        let ff = keys.optional_size("expert_feed_forward_length")?.unwrap_or(ff / route.used);
        Ok(Self { dim: h.dim, experts, ff, shared_ff: 0, shared_gate: false, route, activation: Activation::Silu })
    }

    /// As [`MoeSpec::read`], of a file that may be dense: it then uses no experts, and has none.
    ///
    /// # Errors
    /// As there.
    pub fn read_optional(keys: &Keys<'_>, h: &Hparams, ff: usize) -> Result<Option<Self>, GgufError> {
        if keys.optional_size("expert_used_count")?.is_some() {
            return Self::read(keys, h, ff).map(Some);
        }
        keys.expect("expert_count", 0.0);
        Ok(None)
    }

    /// The mixture with a shared expert of so many elements.
    pub fn with_shared(self, ff: usize) -> Self {
        Self { shared_ff: ff, ..self }
    }

    /// The mixture with a shared expert of so many elements that has a gate.
    pub fn with_gated_shared(self, ff: usize) -> Self {
        Self { shared_ff: ff, shared_gate: true, ..self }
    }

    /// The mixture whose weights are divided by their sum.
    pub fn normalized(mut self) -> Self {
        self.route.normalize = true;
        self
    }

    /// The mixture with the scoring, norm and factor that the keys `expert_gating_func`, `expert_weights_norm` and
    /// `expert_weights_scale` say; what the file leaves out stays.
    ///
    /// # Errors
    /// A key of another type, or implausible.
    pub fn with_weights_of(mut self, keys: &Keys<'_>) -> Result<Self, GgufError> {
        const SCORING: &str = "expert_gating_func";
        self.route.scoring = match keys.optional_size(SCORING)? {
            None => self.route.scoring,
            Some(1) => Scoring::Softmax,
            Some(2) => Scoring::Sigmoid,
            Some(3) => Scoring::SoftmaxOfChosen,
            Some(_) => return Err(keys.implausible(SCORING, "softmax (1), sigmoid (2) or softmax of the chosen (3)")),
        };
        self.route.normalize = keys.optional::<bool>("expert_weights_norm")?.unwrap_or(self.route.normalize);
        self.route.scale = keys.optional_float("expert_weights_scale")?.unwrap_or(self.route.scale);
        Ok(self)
    }
}

/// The choice among all experts, or among those of some groups.
fn route(keys: &Keys<'_>, experts: usize) -> Result<Route, GgufError> {
    let used = keys.size("expert_used_count")?;
    let groups = keys.optional_size("expert_group_count")?.unwrap_or(1);
    let used_groups = keys.optional_size("expert_group_used_count")?.filter(|_| groups > 1).unwrap_or(groups);
    if !experts.is_multiple_of(groups) {
        return Err(keys.implausible("expert_group_count", format!("a divisor of {experts} experts")));
    }
    if used_groups > groups {
        return Err(keys.implausible("expert_group_used_count", format!("1 to {groups} groups")));
    }
    let most = experts / groups * used_groups;
    if used > most {
        return Err(keys.implausible("expert_used_count", format!("1 to {most} experts")));
    }
    Ok(Route { groups, used_groups, ..Route::new(Scoring::Softmax, used) })
}
