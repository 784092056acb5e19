//! What every op promises about its attributes, states and memory.

use vt_core::op::{AnyCase, Attend, KvAppend, Op, Operand, Rope, RopeStyle, Scale, ValueType, entries};
use vt_core::{DType, Desc, StateSpec, Sym};

fn types(case: &AnyCase) -> Vec<ValueType> {
    let ty = |o: &Operand| match o {
        Operand::Tensor { desc, .. } => ValueType::Tensor(desc.clone()),
        Operand::State { spec, .. } => ValueType::State(*spec),
    };
    case.inputs.iter().map(ty).collect()
}

#[test]
fn ops_that_differ_have_different_attributes() {
    for entry in entries() {
        let cases = (entry.cases)();
        for (i, a) in cases.iter().enumerate() {
            for b in &cases[..i] {
                let alike = a.op.attrs() == b.op.attrs();
                assert_eq!(alike, a.op.same(&*b.op), "{} {} {}", entry.name, a.name, b.name);
            }
        }
    }
}

/// An output in an input's memory has the input's elements and columns (rows may be repeated), and the next version of a
/// state is of its kind.
#[test]
fn outputs_in_the_place_of_inputs_are_like_them() {
    for entry in entries() {
        for case in (entry.cases)() {
            let inputs = types(&case);
            let outputs = case.op.infer(&inputs.iter().collect::<Vec<_>>()).unwrap();
            for (from, to) in case.op.in_place() {
                let (from, to) = (inputs[*from].tensor().unwrap(), outputs[*to].tensor().unwrap());
                assert_eq!((from.dtype, from.cols()), (to.dtype, to.cols()), "{case}");
            }
            for (from, to) in case.op.advances() {
                assert_eq!(inputs[*from], outputs[*to], "{case}");
            }
            let states = outputs.iter().filter(|o| matches!(o, ValueType::State(_))).count();
            assert_eq!(case.op.advances().len(), states, "{case}");
        }
    }
    assert_eq!(KvAppend.advances(), [(0, 0)]);
    for name in ["add", "gelu", "gelu_mul", "mul", "rms_norm", "rope", "scale", "silu", "silu_mul"] {
        let entry = entries().into_iter().find(|e| e.name == name).unwrap();
        assert!((entry.cases)()[0].op.in_place().contains(&(0, 0)), "{name}");
    }
}

fn refusal(op: &impl Op, types: &[ValueType]) -> String {
    let op: &dyn vt_core::op::AnyOp = op;
    op.infer(&types.iter().collect::<Vec<_>>()).unwrap_err().to_string()
}

fn index() -> ValueType {
    ValueType::Tensor(Desc::new(DType::I32, [Sym::T]))
}

fn rows(cols: usize) -> ValueType {
    ValueType::Tensor(Desc::rows(DType::F32, Sym::T, cols))
}

#[test]
fn attention_refuses_heads_that_do_not_share_the_keys() {
    let refused = |kv_heads: usize, heads: usize| {
        let spec = StateSpec::KvRows { heads: kv_heads, key_dim: 4, value_dim: 4, key: DType::F32, value: DType::F32 };
        let op = Attend { heads, scale: 0.5, window: 0 };
        refusal(&op, &[rows(4 * heads), ValueType::State(spec), index(), index()])
    };
    for (kv_heads, heads) in [(2, 0), (0, 2), (0, 0), (2, 3)] {
        let error = refused(kv_heads, heads);
        assert!(error.starts_with("attend: ") && error.contains("heads"), "{kv_heads} {heads}: {error}");
    }
}

#[test]
fn rope_refuses_what_is_no_rotation() {
    let fine = Rope { head_dim: 8, rot: 4, style: RopeStyle::Neox, base: 1e4, scale: 1.0 };
    let cases = [
        ("head_dim", Rope { head_dim: 0, rot: 0, ..fine.clone() }),
        ("rot", Rope { rot: 3, ..fine.clone() }),
        ("rot", Rope { rot: 10, ..fine.clone() }),
        ("base", Rope { base: 0.0, ..fine.clone() }),
        ("base", Rope { base: -1.0, ..fine.clone() }),
        ("base", Rope { base: f32::INFINITY, ..fine.clone() }),
        ("base", Rope { base: f32::NAN, ..fine.clone() }),
        ("scale", Rope { scale: f32::INFINITY, ..fine }),
    ];
    for (what, op) in cases {
        let factors = ValueType::Tensor(Desc::new(DType::F32, [op.rot / 2]));
        let error = refusal(&op, &[rows(16), index(), factors]);
        assert!(error.starts_with("rope: ") && error.contains(what), "{what}: {error}");
    }
}

#[test]
fn a_scale_is_finite() {
    let error = refusal(&Scale { factor: f32::NAN }, &[rows(3)]);
    assert!(error.starts_with("scale: ") && error.contains("factor"), "{error}");
}

#[test]
fn a_description_is_debugged_as_it_is_shown() {
    let desc = Desc::rows(DType::Q4K, Sym::T, 256);
    assert_eq!(format!("{desc:?}"), desc.to_string());
    assert!(desc.to_string().contains("256"));
}
