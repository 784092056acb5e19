//! Choosing experts.

use std::fmt;

use smallvec::smallvec;

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, ValueType};
use crate::{DType, Desc, Dim, OpError, Sym};

/// How a router makes the experts' weights of its logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// The softmax over all experts.
    Softmax,
    /// The sigmoid of each (DeepSeek-V3).
    Sigmoid,
    /// Logits choose, and the softmax is taken over those chosen (gpt-oss).
    SoftmaxOfChosen,
}

impl Scoring {
    /// The name in attributes.
    pub const fn name(self) -> &'static str {
        match self {
            Scoring::Softmax => "softmax",
            Scoring::Sigmoid => "sigmoid",
            Scoring::SoftmaxOfChosen => "softmax of chosen",
        }
    }
}

impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// For each row the `used` experts of the highest scores, the highest first, and how much each of them weighs.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `logits` | `[T, E]` | f32 |
/// | `bias` | `[E]` | f32 |
/// | experts | `[T, used]` | i32 |
/// | weights | `[T, used]` | f32 |
///
/// Scores are what `scoring` makes of the logits, plus `bias`, which chooses and does not weigh (Wang et al.,
/// "Auxiliary-Loss-Free Load Balancing", 2024). Of equal scores the lowest expert's is the highest; a NaN is as low as
/// -inf. With `groups` of neighbouring experts only those of the `used_groups` best groups are chosen from; a group is as
/// good as the sum of its two highest scores (DeepSeek-V3, 2024). Weights are divided by their sum, but at least by 2^-14,
/// if `normalize`, and multiplied by `scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// What is made of the logits.
    pub scoring: Scoring,
    /// How many experts are chosen.
    pub used: usize,
    /// Groups of neighbouring experts: 1, or a divisor of E.
    pub groups: usize,
    /// How many groups are chosen from: together they have `used` experts.
    pub used_groups: usize,
    /// Whether a row's weights are divided by their sum.
    pub normalize: bool,
    /// What weights are multiplied by: finite.
    pub scale: f32,
}

impl Route {
    /// The choice among all experts, with weights as they are.
    pub const fn new(scoring: Scoring, used: usize) -> Self {
        Self { scoring, used, groups: 1, used_groups: 1, normalize: false, scale: 1.0 }
    }

    /// What does not hold of the attributes for that number of experts: the attribute and what was expected of it.
    fn fault(&self, experts: usize) -> Option<(&'static str, String, String)> {
        let Self { used, groups, used_groups, scale, .. } = *self;
        if groups == 0 || !experts.is_multiple_of(groups) {
            return Some(("groups", format!("a divisor of {experts} experts"), groups.to_string()));
        }
        if !(1..=groups).contains(&used_groups) {
            return Some(("used_groups", format!("1 to {groups}"), used_groups.to_string()));
        }
        let most = experts / groups * used_groups;
        if !(1..=most).contains(&used) {
            return Some(("used", format!("1 to {most}"), used.to_string()));
        }
        (!scale.is_finite()).then(|| ("scale", "a finite number".to_owned(), scale.to_string()))
    }
}

impl Op for Route {
    const NAME: &'static str = "route";
    const INPUTS: &'static [&'static str] = &["logits", "bias"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 3e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, experts) = inputs.matrix(0, DType::F32)?;
        let fits = inputs.dims(1, DType::F32)? == [Dim::Fixed(experts)];
        inputs.want(fits, 1, || format!("f32 [{experts}]"))?;
        if let Some((attribute, expected, found)) = self.fault(experts) {
            return Err(inputs.attribute(attribute, expected, found));
        }
        let out = |dtype| ValueType::Tensor(Desc::rows(dtype, rows, self.used));
        Ok(smallvec![out(DType::I32), out(DType::F32)])
    }

    fn attrs(&self) -> Attrs {
        let Self { scoring, used, groups, used_groups, normalize, scale } = *self;
        let attrs = Attrs::none().text("scoring", scoring.name()).int("used", used);
        let attrs = attrs.int("groups", groups).int("used_groups", used_groups);
        attrs.int("normalize", normalize.into()).float("scale", scale.into())
    }

    fn cases() -> Vec<Case<Self>> {
        use Scoring::{Sigmoid, Softmax, SoftmaxOfChosen};
        let normalized = |scoring, used| Route { normalize: true, ..Route::new(scoring, used) };
        let grouped = |groups, used_groups| Route { groups, used_groups, scale: 2.5, ..normalized(Sigmoid, 3) };
        let finite = Fill::Normal(2.0);
        vec![
            case("plain", Route::new(Softmax, 2), (0, 4), finite),
            case("plain", Route::new(Softmax, 2), (1, 8), finite),
            case("plain", Route::new(Softmax, 8), (17, 64), finite),
            case("plain", Route::new(Softmax, 1), (2, 1), finite),
            case("normalized", normalized(Softmax, 8), (5, 37), finite),
            case("normalized", normalized(Softmax, 4), (3, 4), finite),
            case("tiny", normalized(Sigmoid, 2), (12, 2), Fill::Normal(100.0)),
            case("sigmoid", Route { scale: 0.5, ..Route::new(Sigmoid, 3) }, (4, 20), finite),
            case("grouped", grouped(4, 2), (17, 16), finite),
            case("grouped", grouped(3, 1), (2, 9), finite),
            case("single-groups", Route { groups: 6, used_groups: 3, ..Route::new(Softmax, 2) }, (3, 6), finite),
            case("chosen", Route::new(SoftmaxOfChosen, 4), (3, 32), finite),
            case("chosen", Route::new(SoftmaxOfChosen, 2), (1, 2), finite),
            case("ties", normalized(Softmax, 3), (2, 7), Fill::Zero),
            case("nonfinite", Route::new(Softmax, 3), (40, 12), Fill::NonFinite),
            case("nonfinite-sigmoid", grouped(3, 2), (40, 12), Fill::NonFinite),
            case("nonfinite-chosen", Route::new(SoftmaxOfChosen, 5), (40, 12), Fill::NonFinite),
        ]
    }

    fn benches() -> Vec<Case<Self>> {
        let route = Route { normalize: true, ..Route::new(Scoring::Softmax, 8) };
        [1, 512].map(|t| case("normalized", route.clone(), (t, 128), Fill::Normal(2.0))).to_vec()
    }
}

fn case(kind: &str, op: Route, (t, e): (usize, usize), fill: Fill) -> Case<Route> {
    let logits = Operand::tensor(Desc::rows(DType::F32, Sym::T, e), fill);
    // Where all logits are equal the bias must not choose.
    let deviation = if fill == Fill::Zero { 0.0 } else { 0.1 };
    let bias = Operand::tensor(Desc::new(DType::F32, [e]), Fill::Normal(deviation));
    Case::new(format!("{kind}-t{t}-e{e}-u{}", op.used), op, t, vec![logits, bias])
}
