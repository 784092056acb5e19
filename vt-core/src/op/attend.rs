//! Attention over the key/value rows of a sequence.

use super::case::{Case, Fill, Operand};
use super::kv_append::filled;
use super::{Attrs, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::plan::Span;
use crate::{DType, Desc, KvShape, OpError, StateSpec, Sym};

/// Causal attention of grouped queries (Vaswani et al., 2017; Ainslie et al., 2023): for row t at position p of
/// sequence s and query head h, with g = h / (heads / H) the head of its keys and values,
/// `out[t, h] = sum over j of softmax_j(scale * q[t, h] . key[s, g, j]) * value[s, g, j]` over the keys j at positions
/// `max(0, p + 1 - window) ..= p`.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `q` | `[T, heads * key_dim]` | f32 |
/// | `cache` | key/value rows of H heads, H divides `heads`; or latent rows, H = 1 | state |
/// | `sequences` | `[T]` | i32 |
/// | `positions` | `[T]` | i32 |
/// | out | `[T, heads * value_dim]` | f32 |
///
/// The cache must hold the rows' own keys and values already.
#[derive(Clone, Debug, PartialEq)]
pub struct Attend {
    /// Query heads.
    pub heads: usize,
    /// The factor of the scores: finite.
    pub scale: f32,
    /// How many keys a query sees, its own included; 0 for all.
    pub window: usize,
}

impl Op for Attend {
    const NAME: &'static str = "attend";
    const INPUTS: &'static [&'static str] = &["q", "cache", "sequences", "positions"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-6);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        inputs.want_attribute(self.scale.is_finite(), "scale", "a finite number", self.scale)?;
        let Some(KvShape { heads, key_dim, value_dim, .. }) = inputs.state(1)?.kv() else {
            return Err(inputs.want(false, 1, || "key/value rows").unwrap_err());
        };
        let groups = heads > 0 && self.heads > 0 && self.heads.is_multiple_of(heads);
        inputs.want_attribute(groups, "heads", format_args!("a positive multiple of {heads}"), self.heads)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs
            .want(Some(cols) == self.heads.checked_mul(key_dim), 0, || format!("rows of {} x {key_dim}", self.heads))?;
        for i in [2, 3] {
            let [n] = inputs.dims(i, DType::I32)?;
            inputs.want(n == rows, i, || format!("i32 [{rows}]"))?;
        }
        let cols = self.heads.checked_mul(value_dim);
        let cols = cols.ok_or_else(|| inputs.attribute("heads", "rows that fit in memory", self.heads))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().int("heads", self.heads).float("scale", self.scale.into()).int("window", self.window)
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
        let one = |position, rows| vec![Span { sequence: 0, position, rows }];
        let two = vec![Span { sequence: 1, position: 70, rows: 1 }, Span { sequence: 0, position: 2, rows: 3 }];
        let spans = [one(0, 0), one(0, 1), one(9, 1), one(0, 17), one(64, 1), one(150, 3), two.clone()];
        let mut cases: Vec<_> = spans.into_iter().map(|s| case(DType::F16, 4, 2, (16, 16), 0, s)).collect();
        cases.push(case(DType::F32, 2, 2, (64, 64), 0, one(66, 4)));
        cases.push(case(DType::F32, 6, 1, (10, 6), 0, two.clone()));
        cases.push(case(DType::F16, 3, 1, (33, 20), 0, one(5, 2)));
        cases.push(case(DType::F16, 2, 1, (16, 16), 5, one(0, 17)));
        cases.push(case(DType::F32, 2, 1, (16, 16), 70, one(130, 3)));
        cases.push(case(DType::F16, 2, 2, (32, 32), 1, two.clone()));
        let latent =
            [(DType::F16, (40, 32), one(0, 17)), (DType::F32, (33, 20), one(66, 4)), (DType::F16, (16, 16), two)];
        cases.extend(latent.map(|(dtype, dims, spans)| latent_case(dtype, 4, dims, spans)));
        cases
    }

    /// A prompt, and one token after 4095 others.
    fn benches() -> Vec<Case<Self>> {
        let spans = [(0, 512), (4095, 1)].map(|(position, rows)| vec![Span { sequence: 0, position, rows }]);
        let latent = spans.clone().map(|s| latent_case(DType::F16, 16, (576, 512), s));
        let types = [DType::F16, DType::F32];
        let cases = types.into_iter().flat_map(|dtype| spans.clone().map(|s| case(dtype, 32, 8, (128, 128), 0, s)));
        cases.chain(latent).collect()
    }
}

impl Attend {
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
    case_of(name, spec, Attend { heads, scale: 1.0 / (key_dim as f32).sqrt(), window }, spans)
}

fn latent_case(dtype: DType, heads: usize, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<Attend> {
    let spec = StateSpec::LatentRows { key_dim, value_dim, dtype };
    let name = format!("{dtype}-latent-h{heads}-d{key_dim}-{value_dim}");
    case_of(name, spec, Attend { heads, scale: 1.0 / (key_dim as f32).sqrt(), window: 0 }, spans)
}

fn case_of(name: String, spec: StateSpec, op: Attend, spans: Vec<Span>) -> Case<Attend> {
    let places: Vec<String> = spans.iter().map(|s| format!("s{}p{}n{}", s.sequence, s.position, s.rows)).collect();
    let name = format!("{name}-{}", places.join("-"));
    let key_dim = spec.kv().map_or(0, |kv| kv.key_dim);
    let t = spans.iter().map(|s| s.rows).sum();
    let mut filled = filled(&spans);
    spans.iter().for_each(|s| filled[s.sequence] = s.position + s.rows);
    let index = |fill| Operand::tensor(Desc::new(DType::I32, [Sym::T]), fill);
    let q = Operand::tensor(Desc::rows(DType::F32, Sym::T, op.heads * key_dim), Fill::Normal(1.0));
    let inputs = vec![q, Operand::State { spec, filled }, index(Fill::Sequences), index(Fill::Positions)];
    Case::new(name, op, t, inputs).with_spans(spans)
}
