//! Picking columns.

use super::case::{Case, Fill, Operand};
use super::{Attrs, Cost, Inputs, Op, Outs, Tolerance, Workload, one};
use crate::{DType, Desc, OpError, Sym};

/// The columns `from .. from + count` of each group of `group` columns, one group after the other: a part of every head.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, G * group]` | f32 |
/// | out | `[T, G * count]` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct TakeCols {
    /// Columns of a group.
    pub group: usize,
    /// The first one that is taken of a group.
    pub from: usize,
    /// How many are taken of a group.
    pub count: usize,
}

impl Op for TakeCols {
    const NAME: &'static str = "take_cols";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let Self { group, from, count } = *self;
        inputs.want_attribute(group > 0, "group", "a positive number", group)?;
        let inside = count > 0 && from.checked_add(count).is_some_and(|end| end <= group);
        let expected = || format!("a positive number of columns up to the end of {group}");
        inputs.want_attribute(inside, "count", expected(), format_args!("{count} from {from}"))?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs.want(cols.is_multiple_of(group), 0, || format!("rows of groups of {group}"))?;
        one(Desc::rows(DType::F32, rows, cols / group * count))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().int("group", self.group).int("from", self.from).int("count", self.count)
    }

    /// The columns that are picked, read and written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        Cost { bytes: 2 * work.output_bytes(0), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 2, [8, 0, 4]),
            (1, 1, [1, 0, 1]),
            (1, 2, [64, 0, 32]),
            (1, 2, [64, 32, 32]),
            (2, 3, [10, 3, 4]),
            (3, 0, [6, 0, 3]),
            (3, 4, [32, 16, 16]),
            (5, 1, [100, 99, 1]),
            (17, 2, [16, 0, 16]),
            (17, 3, [5, 1, 3]),
            (17, 1, [96, 32, 64]),
            (33, 8, [4, 2, 2]),
        ];
        shapes.into_iter().map(|(t, groups, of)| case(t, groups, of)).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case(t, 8, [512, 256, 256])).to_vec()
    }
}

fn case(t: usize, groups: usize, [group, from, count]: [usize; 3]) -> Case<TakeCols> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, groups * group), Fill::Normal(1.0));
    Case::new(format!("t{t}-g{groups}-d{group}-{from}n{count}"), TakeCols { group, from, count }, t, vec![x])
}
