//! Matrix products with the weights of experts.

use super::case::{Case, Fill, Operand};
use super::embed::is_weight;
use super::{Arithmetic, Attrs, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t, k] = x[t, k] * w[experts[t, k]]^T`: each row with the weights of the expert that was chosen for it (Shazeer et
/// al., "Outrageously Large Neural Networks", 2017).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, K, D]`, or `[T, D]`: the same for all of a token's experts | f32; beside blocks, their activation block |
/// | `w` | `[E, N, D]` | f32, f16, bf16 or a weight block |
/// | `experts` | `[T, K]`, each in `0..E` | i32 |
/// | out | `[T, K, N / parts]` | f32 |
///
/// Of each expert's N rows one of `parts` equal parts is multiplied: gate and up layer may be one tensor. Each output has
/// the bits that [`MatmulBt`](super::MatmulBt) or [`MatmulBtQuant`](super::MatmulBtQuant) gives for its row and its expert.
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulExperts {
    /// Which part of each expert's rows.
    pub part: usize,
    /// Of how many equal parts; divides N.
    pub parts: usize,
}

impl MatmulExperts {
    /// All rows of each expert.
    pub const WHOLE: Self = Self { part: 0, parts: 1 };
}

impl Op for MatmulExperts {
    const NAME: &'static str = "matmul_experts";
    const INPUTS: &'static [&'static str] = &["x", "w", "experts"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(2e-5);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let w = inputs.tensor(1)?;
        inputs.want(is_weight(w.dtype), 1, || "f32, f16, bf16 or a weight block")?;
        let ([_, Dim::Fixed(n), Dim::Fixed(d)], true) = (inputs.dims::<3>(1, w.dtype)?, w.row_bytes().is_some()) else {
            return Err(inputs.want(false, 1, || "[E, N, D] in rows of whole blocks").unwrap_err());
        };
        inputs.want(w.sym().is_none(), 1, || "a number of experts")?;
        inputs.want_attribute(self.part < self.parts, "part", format!("below {} parts", self.parts), self.part)?;
        inputs.want_attribute(n.is_multiple_of(self.parts), "parts", format!("a divisor of {n} rows"), self.parts)?;
        let (t, k) = inputs.matrix(2, DType::I32)?;
        let (x, act) = (inputs.tensor(0)?, w.dtype.activation().unwrap_or(DType::F32));
        let shared = x.shape.as_slice() == [t, Dim::Fixed(d)];
        let own = x.shape.as_slice() == [t, Dim::Fixed(k), Dim::Fixed(d)];
        inputs.want(x.dtype == act && (shared || own), 0, || format!("{act} [{t}, {d}] or [{t}, {k}, {d}]"))?;
        one(Desc::new(DType::F32, [t, Dim::Fixed(k), Dim::Fixed(n / self.parts)]))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().int("part", self.part).int("parts", self.parts)
    }

    /// Of the weights, those of as many experts as rows can choose.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let desc = |i: usize| work.inputs.get(i).and_then(ValueType::tensor);
        let experts = match desc(1).and_then(|w| w.shape.first()) {
            Some(Dim::Fixed(experts)) => *experts as u64,
            _ => 0,
        };
        let chosen = work.input_bytes(2) / DType::I32.block_bytes() as u64;
        let weights = work.input_bytes(1) / experts.max(1) / self.parts.max(1) as u64 * experts.min(chosen);
        let arithmetic = match desc(1).map(|w| w.dtype) {
            Some(DType::BF16) => Arithmetic::Bf16,
            Some(dtype) if dtype.is_block() => Arithmetic::Bytes,
            _ => Arithmetic::Floats,
        };
        let bytes = work.input_bytes(0) + weights + work.input_bytes(2) + work.output_bytes(0);
        Cost { bytes, ..work.product(arithmetic) }
    }

    fn cases() -> Vec<Case<Self>> {
        let mut cases: Vec<_> =
            DType::weight_blocks().map(|dtype| Shape { t: 17, k: 2, e: 3, n: 5, d: 256 }.case(dtype, false)).collect();
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            cases.push(Shape { t: 17, k: 2, e: 3, n: 7, d: 33 }.case(dtype, true));
        }
        cases.extend([
            Shape { t: 0, k: 2, e: 3, n: 4, d: 32 }.case(DType::Q8_0, false),
            Shape { t: 1, k: 3, e: 8, n: 19, d: 64 }.case(DType::Q5_0, true),
            Shape { t: 1, k: 1, e: 1, n: 3, d: 256 }.case(DType::Q6K, true),
            Shape { t: 33, k: 2, e: 2, n: 37, d: 32 }.case(DType::Q4_1, false),
            Shape { t: 2, k: 2, e: 4, n: 0, d: 32 }.case(DType::Q4_0, false),
            Shape { t: 2, k: 2, e: 4, n: 3, d: 0 }.case(DType::F32, false),
            Shape { t: 33, k: 1, e: 2, n: 16, d: 40 }.case(DType::F32, false),
            Shape { t: 3, k: 2, e: 4, n: 6, d: 32 }.halves(DType::Q8_0, 1),
            Shape { t: 3, k: 2, e: 4, n: 6, d: 19 }.halves(DType::F16, 0),
        ]);
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        let shape = |t| Shape { t, k: 8, e: 32, n: 768, d: 2048 };
        let types = [DType::Q4K, DType::Q6K, DType::Q8_0, DType::F16];
        types.into_iter().flat_map(|dtype| [1, 512].map(|t| shape(t).case(dtype, false))).collect()
    }
}

struct Shape {
    t: usize,
    k: usize,
    e: usize,
    n: usize,
    d: usize,
}

impl Shape {
    /// A row for each expert if `own`.
    fn case(&self, dtype: DType, own: bool) -> Case<MatmulExperts> {
        self.of(MatmulExperts::WHOLE, dtype, own, "")
    }

    fn halves(&self, dtype: DType, part: usize) -> Case<MatmulExperts> {
        self.of(MatmulExperts { part, parts: 2 }, dtype, false, "-half")
    }

    fn of(&self, op: MatmulExperts, dtype: DType, own: bool, kind: &str) -> Case<MatmulExperts> {
        let Self { t, k, e, n, d } = *self;
        let act = dtype.activation().unwrap_or(DType::F32);
        let rows: Vec<Dim> = if own { vec![Sym::T.into(), k.into(), d.into()] } else { vec![Sym::T.into(), d.into()] };
        let inputs = vec![
            Operand::tensor(Desc::new(act, rows), Fill::Normal(1.0)),
            Operand::tensor(Desc::new(dtype, [e, n, d]), Fill::Normal(1.0)),
            Operand::tensor(Desc::rows(DType::I32, Sym::T, k), Fill::Ids(e)),
        ];
        let own = if own { "-own" } else { "" };
        Case::new(format!("{dtype}{own}{kind}-t{t}-k{k}-e{e}-n{n}-d{d}"), op, t, inputs)
    }
}
