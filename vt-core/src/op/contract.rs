//! What must hold of every op, whoever wrote it: the plan relies on it.

use super::{AnyOp, ValueType};

/// Whether what an op says of its operands holds together; otherwise what does not.
pub(crate) fn check(op: &dyn AnyOp, inputs: &[&ValueType], outputs: &[ValueType]) -> Result<(), String> {
    if outputs.is_empty() {
        return Err("it has no output".to_owned());
    }
    for ty in inputs.iter().copied().chain(outputs) {
        if ty.tensor().is_some_and(|d| !d.symbol_leads()) {
            return Err(format!("{ty}: a symbol must lead the shape"));
        }
    }
    if op.in_place().iter().any(|(i, o)| *i >= inputs.len() || *o >= outputs.len()) {
        return Err("it would work in place of an input that it does not have".to_owned());
    }
    check_states(op, inputs, outputs)
}

/// Every state output is the next version of one input of the same kind.
fn check_states(op: &dyn AnyOp, inputs: &[&ValueType], outputs: &[ValueType]) -> Result<(), String> {
    let pairs = op.advances();
    for (n, (input, output)) in pairs.iter().enumerate() {
        let (from, to) = (inputs.get(*input).and_then(|t| t.state()), outputs.get(*output).and_then(ValueType::state));
        if from.is_none() || from != to {
            return Err(format!("output {output} is no next version of input {input}"));
        }
        if pairs[..n].iter().any(|(i, o)| i == input || o == output) {
            return Err("it advances a state twice".to_owned());
        }
    }
    let states = outputs.iter().filter(|o| o.state().is_some()).count();
    if states == pairs.len() { Ok(()) } else { Err("a state output is the next version of no input".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Case, Inputs, Op, Outs, Tolerance, one};
    use crate::{DType, Desc, OpError, StateSpec, Sym};

    /// An op that says what it is told to.
    #[derive(Clone, Debug, PartialEq)]
    struct Odd {
        in_place: &'static [(usize, usize)],
        advances: &'static [(usize, usize)],
    }

    impl Op for Odd {
        const NAME: &'static str = "odd";
        const INPUTS: &'static [&'static str] = &["x"];
        const TOLERANCE: Tolerance = Tolerance::Exact;

        fn infer(&self, _: &Inputs<'_>) -> Result<Outs, OpError> {
            one(Desc::rows(DType::F32, Sym::T, 1))
        }

        fn in_place(&self) -> &'static [(usize, usize)] {
            self.in_place
        }

        fn advances(&self) -> &'static [(usize, usize)] {
            self.advances
        }

        fn cases() -> Vec<Case<Self>> {
            Vec::new()
        }
    }

    #[test]
    fn an_op_that_contradicts_itself_is_refused() {
        let tensor = ValueType::Tensor(Desc::rows(DType::F32, Sym::T, 1));
        let inner = ValueType::Tensor(Desc::new(DType::F32, [2.into(), crate::Dim::Sym(Sym::T)]));
        let state = |rows| ValueType::State(StateSpec::Fixed { rows, cols: 1 });
        let (one, two) = (state(1), state(2));
        let of = |in_place, advances, inputs: &[&ValueType], outputs: &[&ValueType]| {
            let outputs: Vec<ValueType> = outputs.iter().map(|t| (*t).clone()).collect();
            check(&Odd { in_place, advances }, inputs, &outputs).err().unwrap_or_default()
        };
        assert_eq!(of(&[], &[], &[&tensor], &[&tensor]), "");
        assert_eq!(of(&[], &[(0, 0)], &[&one], &[&one]), "");
        assert_eq!(of(&[], &[], &[&tensor], &[]), "it has no output");
        assert_eq!(of(&[], &[], &[&inner], &[&tensor]), "f32 [2, T]: a symbol must lead the shape");
        assert!(of(&[(1, 0)], &[], &[&tensor], &[&tensor]).contains("in place"));
        assert!(of(&[], &[(0, 0)], &[&one], &[&two]).contains("no next version of input 0"));
        assert!(of(&[], &[(3, 0)], &[&one], &[&one]).contains("no next version of input 3"));
        assert!(of(&[], &[], &[&one], &[&one]).contains("next version of no input"));
        assert!(of(&[], &[(0, 0), (0, 1)], &[&one], &[&one, &one]).contains("twice"));
        assert!(of(&[], &[(0, 0), (1, 0)], &[&one, &one], &[&one]).contains("twice"));
        assert_eq!(of(&[], &[(0, 1), (1, 0)], &[&one, &two], &[&two, &one]), "");
    }
}
