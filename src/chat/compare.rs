//! Comparisons that pay for all that they look at.

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, tests};

use super::weigh::{weigh, weigh_pair};

/// Whether a comparison holds.
type Holds = fn(&State<'_, '_>, &Value, &Value) -> Result<bool, Error>;

/// A comparison.
pub(super) struct Comparison {
    /// How [`minijinja::machinery::Instruction::CompareAndPreserve`] names it.
    pub instruction: &'static str,
    /// The function that takes an operator's place.
    pub function: &'static str,
    /// The function for one in a chain, which gives what holds and the right operand.
    pub chained: &'static str,
    /// The tests that are the same.
    tests: &'static [&'static str],
    /// Whether it holds.
    pub holds: Holds,
}

/// All comparisons.
pub(super) const ALL: [Comparison; 8] = [
    new("Eq", ["==", "(==)"], &["eq", "equalto", "=="], |state, a, b| weigh_pair(state, a, b).map(|()| a == b)),
    new("Ne", ["!=", "(!=)"], &["ne", "!="], |state, a, b| weigh_pair(state, a, b).map(|()| a != b)),
    new("Lt", ["<", "(<)"], &["lt", "lessthan", "<"], |state, a, b| weigh_pair(state, a, b).map(|()| a < b)),
    new("Lte", ["<=", "(<=)"], &["le", "<="], |state, a, b| weigh_pair(state, a, b).map(|()| a <= b)),
    new("Gt", [">", "(>)"], &["gt", "greaterthan", ">"], |state, a, b| weigh_pair(state, a, b).map(|()| a > b)),
    new("Gte", [">=", "(>=)"], &["ge", ">="], |state, a, b| weigh_pair(state, a, b).map(|()| a >= b)),
    new("In", ["in()", "(in)"], &[], contained),
    new("NotIn", ["not in()", "(not in)"], &[], |state, a, b| contained(state, a, b).map(|is| !is)),
];

const fn new(
    instruction: &'static str,
    [function, chained]: [&'static str; 2],
    tests: &'static [&'static str],
    holds: Holds,
) -> Comparison {
    Comparison { instruction, function, chained, tests, holds }
}

/// Puts the tests that compare in place of minijinja's.
pub(super) fn add_tests(env: &mut Environment<'_>) {
    for Comparison { tests, holds, .. } in ALL {
        for name in tests {
            env.add_test(*name, move |state: &State<'_, '_>, a: &Value, b: &Value| holds(state, a, b));
        }
    }
    env.add_test("in", is_in);
}

/// The operator `in`.
fn contained(state: &State<'_, '_>, value: &Value, container: &Value) -> Result<bool, Error> {
    if !(container.is_undefined() || container.as_str().is_some() || container.as_object().is_some()) {
        let what = "cannot perform a containment check on this value";
        return Err(Error::new(ErrorKind::InvalidOperation, what));
    }
    is_in(state, value, container)
}

/// The test `in`.
fn is_in(state: &State<'_, '_>, value: &Value, container: &Value) -> Result<bool, Error> {
    if container.as_object().is_some() && container.kind() != ValueKind::Map {
        weigh(state, container)?;
    }
    weigh(state, value)?;
    tests::is_in(state, value, container)
}
