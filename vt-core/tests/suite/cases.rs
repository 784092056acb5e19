//! Every op's cases.

use std::collections::HashSet;

use vt_core::StateSpec;
use vt_core::op::{AnyCase, AnyOp, Operand, ValueType, entries};

fn types(case: &AnyCase) -> Vec<ValueType> {
    let ty = |o: &Operand| match o {
        Operand::Tensor { desc, .. } => ValueType::Tensor(desc.clone()),
        Operand::State { spec, .. } => ValueType::State(*spec),
    };
    case.inputs.iter().map(ty).collect()
}

fn infer(op: &dyn AnyOp, types: &[ValueType]) -> Result<Vec<ValueType>, String> {
    op.infer(&types.iter().collect::<Vec<_>>()).map(|o| o.to_vec()).map_err(|e| e.to_string())
}

#[test]
fn there_are_a_dozen_with_names_and_the_usual_row_counts() {
    for entry in entries() {
        let cases = (entry.cases)();
        assert!(cases.len() >= 12, "{}: {}", entry.name, cases.len());
        let names: HashSet<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), cases.len(), "{}: names", entry.name);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        assert!(names.iter().all(|n| !n.is_empty() && n.chars().all(plain)), "{}: {names:?}", entry.name);
        for t in [0, 1, 17].into_iter().filter(|_| entry.name != "dequantize") {
            assert!(cases.iter().any(|c| c.sizes.t == t), "{}: no case of {t} rows", entry.name);
        }
    }
}

#[test]
fn infer_accepts_each_and_refuses_a_missing_input() {
    for entry in entries() {
        for case in (entry.cases)() {
            let types = types(&case);
            assert_eq!(types.len(), entry.inputs.len());
            let outs = infer(&*case.op, &types).unwrap_or_else(|e| panic!("{case}: {e}"));
            assert!(!outs.is_empty());
            let error = infer(&*case.op, &types[1..]).unwrap_err();
            let (n, names) = (types.len(), entry.inputs.join(", "));
            assert_eq!(error, format!("{}: expected {n} inputs ({names}), found {}", entry.name, n - 1));
        }
    }
}

#[test]
fn data_is_the_same_each_time_and_fits_its_type() {
    for entry in entries() {
        for (case, again) in (entry.cases)().iter().zip((entry.cases)()) {
            for i in 0..case.inputs.len() {
                let (a, b) = (case.tensor(i).unwrap(), again.tensor(i).unwrap());
                assert_eq!(a.as_ref().map(|t| t.bytes().unwrap()), b.as_ref().map(|t| t.bytes().unwrap()), "{case}");
                if let (Some(t), Operand::Tensor { desc, .. }) = (a, &case.inputs[i]) {
                    assert_eq!(Some(t.storage().len()), desc.bytes(&case.sizes), "{case}");
                }
            }
        }
    }
}

/// An input of the wrong kind is named, with what was expected and what was found.
#[test]
fn infer_names_the_input_that_does_not_fit() {
    let state = ValueType::State(StateSpec::Fixed { rows: 3, cols: 5 });
    for entry in entries() {
        let case = &(entry.cases)()[0];
        for (i, input) in entry.inputs.iter().enumerate() {
            let mut types = types(case);
            types[i] = state.clone();
            let error = infer(&*case.op, &types).unwrap_err();
            assert!(error.starts_with(&format!("{}: input `{input}`: expected ", entry.name)), "{error}");
            assert!(error.ends_with(", found fixed state f32 [3, 5]"), "{error}");
        }
    }
}
