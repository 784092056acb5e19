//! Attention over the key/value rows of a sequence.

use super::case::{Case, Fill, Operand};
use super::spans::{filled, one_span};
use super::{Attrs, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::plan::Span;
use crate::{DType, Desc, Dim, KvShape, OpError, StateSpec, Sym};

/// Causal attention of grouped queries (Vaswani et al., 2017; Ainslie et al., 2023): for row t at position p of
/// sequence s and query head h, with g = h / (heads / H) the head of its keys and values,
/// `out[t, h] = sum over j of softmax_j(score(q[t, h] . key[s, g, j])) * value[s, g, j]` over the keys j at positions
/// `max(0, p + 1 - window) ..= p`.
///
/// - `score(x) = scale * x`;
/// - with a `temperature` it is multiplied by `1 + temperature * ln(1 + floor(p / temperature_length))` (Nakanishi,
///   "Scalable-Softmax Is Superior for Attention", 2025, in the steps of Llama 4);
/// - with a `cap` it is then `cap * tanh(score / cap)` (Gemma Team, "Gemma 2", 2024);
/// - with `sinks`, `exp(sinks[h])` joins the denominator of the softmax (OpenAI, "gpt-oss", 2025).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `q` | `[T, heads * key_dim]` | f32 |
/// | `cache` | key/value rows of H heads, H divides `heads`; or latent rows, H = 1 | state |
/// | `sequences` | `[T]` | i32 |
/// | `positions` | `[T]` | i32 |
/// | `sinks`, may be left out | `[heads]` | f32 |
/// | out | `[T, heads * value_dim]` | f32 |
///
/// The cache must hold the rows' own keys and values already.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attend {
    /// Query heads.
    pub heads: usize,
    /// The factor of the scores: finite.
    pub scale: f32,
    /// How many keys a query sees, its own included; 0 for all.
    pub window: usize,
    /// What no score exceeds; 0 for no such bound.
    pub cap: f32,
    /// How much the scores of later queries grow; 0 if they do not.
    pub temperature: f32,
    /// The positions after which they first do; 0 if they do not.
    pub temperature_length: usize,
}

impl Op for Attend {
    const NAME: &'static str = "attend";
    const INPUTS: &'static [&'static str] = &["q", "cache", "sequences", "positions", "sinks"];
    const OPTIONAL: usize = 1;
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-6);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        self.check_numbers(inputs)?;
        let Some(KvShape { heads, key_dim, value_dim, .. }) = inputs.state(1)?.kv() else {
            return Err(inputs.want(false, 1, || "key/value rows").unwrap_err());
        };
        let groups = heads > 0 && self.heads > 0 && self.heads.is_multiple_of(heads);
        inputs.want_attribute(groups, "heads", format_args!("a positive multiple of {heads}"), self.heads)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs
            .want(Some(cols) == self.heads.checked_mul(key_dim), 0, || format!("rows of {} x {key_dim}", self.heads))?;
        inputs.want_index(2, rows)?;
        inputs.want_index(3, rows)?;
        if inputs.count() > 4 {
            let [n] = inputs.dims(4, DType::F32)?;
            inputs.want(n == Dim::Fixed(self.heads), 4, || format!("f32 [{}]", self.heads))?;
        }
        let cols = self.heads.checked_mul(value_dim);
        let cols = cols.ok_or_else(|| inputs.attribute("heads", "rows that fit in memory", self.heads))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
            .int("heads", self.heads)
            .float("scale", self.scale.into())
            .int("window", self.window)
            .float("cap", self.cap.into())
            .float("temperature", self.temperature.into())
            .int("temperature_length", self.temperature_length)
    }

    /// Of the cache, the keys and values that some row sees, once; a product of each query with each key that it sees,
    /// and of each weight with its value.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let Some(cache) = work.inputs.get(1).and_then(ValueType::state) else { return work.operands() };
        let Some(KvShape { key_dim, value_dim, .. }) = cache.kv() else { return work.operands() };
        let (mut bytes, mut products) = (work.operands().bytes, 0u64);
        for span in work.spans.iter().filter(|span| span.rows > 0) {
            let keys = self.keys(span.position) + span.rows - 1;
            bytes = bytes.saturating_add(cache.bytes(keys).unwrap_or(0) as u64);
            products += (0..span.rows).map(|row| self.keys(span.position + row) as u64).sum::<u64>();
        }
        let each = 2 * (self.heads as u64).saturating_mul((key_dim + value_dim) as u64);
        Cost { bytes, operations: each.saturating_mul(products), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let two = vec![Span { sequence: 1, position: 70, rows: 1 }, Span { sequence: 0, position: 2, rows: 3 }];
        let spans = [
            one_span(0, 0),
            one_span(0, 1),
            one_span(9, 1),
            one_span(0, 17),
            one_span(64, 1),
            one_span(150, 3),
            two.clone(),
        ];
        let mut cases: Vec<_> = spans.into_iter().map(|s| case(DType::F16, 4, 2, (16, 16), 0, s)).collect();
        cases.push(case(DType::F32, 2, 2, (64, 64), 0, one_span(66, 4)));
        cases.push(case(DType::F32, 6, 1, (10, 6), 0, two.clone()));
        cases.push(case(DType::F16, 3, 1, (33, 20), 0, one_span(5, 2)));
        cases.push(case(DType::F16, 2, 1, (16, 16), 5, one_span(0, 17)));
        cases.push(case(DType::F32, 2, 1, (16, 16), 70, one_span(130, 3)));
        cases.push(case(DType::F16, 2, 2, (32, 32), 1, two.clone()));
        cases.push(case(DType::F16, 4, 2, (16, 16), 0, two.clone()).with("capped", |op| op.cap = 2.0));
        cases.push(case(DType::F32, 3, 1, (20, 20), 90, one_span(100, 5)).with("capped", |op| op.cap = 0.5));
        cases.push(with_sinks(case(DType::F16, 4, 2, (16, 16), 0, two.clone())));
        cases.push(with_sinks(case(DType::F32, 6, 2, (24, 12), 9, one_span(60, 6)).with("capped", |op| op.cap = 3.0)));
        cases.push(
            case(DType::F16, 4, 2, (16, 16), 0, two.clone())
                .with("warm", |op| (op.temperature, op.temperature_length) = (0.5, 3)),
        );
        let latent = [
            (DType::F16, (40, 32), one_span(0, 17)),
            (DType::F32, (33, 20), one_span(66, 4)),
            (DType::F16, (16, 16), two),
        ];
        cases.extend(latent.map(|(dtype, dims, spans)| latent_case(dtype, 4, dims, spans)));
        cases
    }

    /// A prompt, and one token after 4095 others.
    fn benches() -> Vec<Case<Self>> {
        let spans = [(0, 512), (4095, 1)].map(|(position, rows)| one_span(position, rows));
        let of = |dtype| spans.clone().map(|s| case(dtype, 32, 8, (128, 128), 0, s));
        let capped = of(DType::F16).map(|case| case.with("capped", |op| op.cap = 50.0));
        let latent = spans.clone().map(|s| latent_case(DType::F16, 16, (576, 512), s));
        [DType::F16, DType::F32].into_iter().flat_map(of).chain(capped).chain(latent).collect()
    }
}

impl Attend {
    fn check_numbers(&self, inputs: &Inputs<'_>) -> Result<(), OpError> {
        inputs.want_attribute(self.scale.is_finite(), "scale", "a finite number", self.scale)?;
        let capped = self.cap == 0.0 || self.cap.is_normal() && self.cap > 0.0 && (1.0 / self.cap).is_normal();
        inputs.want_attribute(capped, "cap", "0, or a positive number with an inverse", self.cap)?;
        inputs.want_attribute(self.temperature.is_finite(), "temperature", "a finite number", self.temperature)
    }

    /// How many keys a query at a position sees.
    fn keys(&self, position: usize) -> usize {
        if self.window == 0 { position + 1 } else { self.window.min(position + 1) }
    }
}

fn case(
    dtype: DType,
    heads: usize,
    kv_heads: usize,
    (key_dim, value_dim): (usize, usize),
    window: usize,
    spans: Vec<Span>,
) -> Case<Attend> {
    let spec = StateSpec::KvRows { heads: kv_heads, key_dim, value_dim, key: dtype, value: dtype };
    let name = format!("{dtype}-h{heads}-{kv_heads}-d{key_dim}-{value_dim}-w{window}");
    case_of(name, spec, Attend { heads, scale: 1.0 / (key_dim as f32).sqrt(), window, ..Attend::default() }, spans)
}

fn latent_case(dtype: DType, heads: usize, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<Attend> {
    let spec = StateSpec::LatentRows { key_dim, value_dim, dtype };
    let name = format!("{dtype}-latent-h{heads}-d{key_dim}-{value_dim}");
    case_of(name, spec, Attend { heads, scale: 1.0 / (key_dim as f32).sqrt(), ..Attend::default() }, spans)
}

fn case_of(name: String, spec: StateSpec, op: Attend, spans: Vec<Span>) -> Case<Attend> {
    let key_dim = spec.kv().map_or(0, |kv| kv.key_dim);
    let mut filled = filled(&spans);
    spans.iter().for_each(|s| filled[s.sequence] = s.position + s.rows);
    let q = Operand::tensor(Desc::rows(DType::F32, Sym::T, op.heads * key_dim), Fill::Normal(1.0));
    let inputs =
        vec![q, Operand::State { spec, filled }, Operand::index(Fill::Sequences), Operand::index(Fill::Positions)];
    Case::of_spans(&name, op, inputs, spans)
}

impl Case<Attend> {
    /// The case of an op that is changed; `kind` is added to its name.
    fn with(mut self, kind: &str, change: impl FnOnce(&mut Attend)) -> Self {
        change(&mut self.op);
        self.name = format!("{kind}-{}", self.name);
        self
    }
}

fn with_sinks(case: Case<Attend>) -> Case<Attend> {
    let mut case = case.with("sinks", |_| ());
    case.inputs.push(Operand::tensor(Desc::new(DType::F32, [case.op.heads]), Fill::Normal(2.0)));
    case
}
