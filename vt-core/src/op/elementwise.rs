//! What elementwise ops share: their shapes and their cases.

use super::case::{Case, Fill, Operand};
use super::{Inputs, Op, Outs, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// Two f32 inputs, the second of the first one's shape or one row of it; the output is as the first.
pub(super) fn infer_with_row(inputs: &Inputs<'_>) -> Result<Outs, OpError> {
    let (a, b) = (float(inputs, 0)?, float(inputs, 1)?);
    let row = matches!(b.shape.as_slice(), [d @ Dim::Fixed(_)] if a.shape.last() == Some(d));
    inputs.want(row || a.shape == b.shape, 1, || format!("{a}, or one row of it"))?;
    one(a.clone())
}

/// Inputs of one shape, f32; the output is as they are.
pub(super) fn infer_alike(inputs: &Inputs<'_>, count: usize) -> Result<Outs, OpError> {
    let first = float(inputs, 0)?;
    for i in 1..count {
        let other = float(inputs, i)?;
        inputs.want(first.shape == other.shape, i, || first)?;
    }
    one(first.clone())
}

/// The output may overwrite any of the first `count` inputs, at most two.
pub(super) fn overwrites(count: usize) -> &'static [(usize, usize)] {
    const PAIRS: &[(usize, usize)] = &[(0, 0), (1, 0)];
    &PAIRS[..count]
}

fn float<'a>(inputs: &Inputs<'a>, i: usize) -> Result<&'a Desc, OpError> {
    let desc = inputs.tensor(i)?;
    inputs.want(desc.dtype == DType::F32 && !desc.shape.is_empty(), i, || "f32 of one dimension or more")?;
    Ok(desc)
}

/// Row counts and row lengths that reach every path of an elementwise kernel: none, one, tails, several vectors.
const SHAPES: [(usize, usize); 10] =
    [(0, 5), (1, 1), (1, 64), (1, 67), (2, 16), (3, 33), (5, 0), (17, 40), (17, 128), (33, 7)];

/// Cases of an op whose second input may be one row.
pub(super) fn cases_with_row<O: Op>(op: O) -> Vec<Case<O>> {
    let mut cases = cases_alike(op.clone(), 2);
    for (t, d) in [(0, 5), (1, 48), (4, 33), (17, 64)] {
        let inputs = vec![rows(t_desc(d)), rows(Desc::new(DType::F32, [d]))];
        cases.push(Case::new(format!("row-t{t}-d{d}"), op.clone(), t, inputs));
    }
    cases
}

/// Cases of an op whose inputs are alike.
pub(super) fn cases_alike<O: Op>(op: O, inputs: usize) -> Vec<Case<O>> {
    let case = |t: usize, d: usize, fill: Fill, kind: &str| {
        let inputs = vec![Operand::tensor(t_desc(d), fill); inputs];
        Case::new(format!("{kind}t{t}-d{d}"), op.clone(), t, inputs)
    };
    let mut cases: Vec<_> = SHAPES.iter().map(|(t, d)| case(*t, *d, Fill::Normal(2.0), "")).collect();
    cases.push(case(3, 50, Fill::Wide, "wide-"));
    let fixed = Desc::new(DType::F32, [2usize, 3, 20]);
    cases.push(Case::new("rank3", op, 0, vec![rows(fixed); inputs]));
    cases
}

/// What is measured of an op whose inputs are alike: one row, and many.
pub(super) fn benches_alike<O: Op>(op: O, inputs: usize) -> Vec<Case<O>> {
    let case = |t: usize| Case::new(format!("t{t}-d4096"), op.clone(), t, vec![rows(t_desc(4096)); inputs]);
    vec![case(1), case(512)]
}

/// An op without attributes of two inputs that are alike, and rows of `d` elements for it; `fill` fills the first.
pub(super) fn example_alike<O: Op + Default>(d: usize, fill: Fill) -> (O, Vec<Operand>) {
    (O::default(), vec![Operand::tensor(t_desc(d), fill), rows(t_desc(d))])
}

fn rows(desc: Desc) -> Operand {
    Operand::tensor(desc, Fill::Normal(1.0))
}

fn t_desc(cols: usize) -> Desc {
    Desc::rows(DType::F32, Sym::T, cols)
}
