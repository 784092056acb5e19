//! Every op's cases.

use std::collections::{BTreeSet, HashSet};

use vt_core::op::{
    AnyCase, AnyOp, Attend, MatmulExperts, Operand, Quantized, Rope, RopeStyle, Route, Scoring, SiluMul, ValueType,
    entries,
};
use vt_core::{DType, Desc, Dim, StateSpec, Sym};

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
            let (least, most) = (entry.inputs.len() - entry.optional, entry.inputs.len());
            assert!((least..=most).contains(&types.len()), "{case}");
            let outs = infer(&*case.op, &types).unwrap_or_else(|e| panic!("{case}: {e}"));
            assert!(!outs.is_empty());
            let error = infer(&*case.op, &types[types.len() + 1 - least..]).unwrap_err();
            let names = entry.inputs.join(", ");
            assert_eq!(error, format!("{}: expected {most} inputs ({names}), found {}", entry.name, least - 1));
        }
    }
}

#[test]
fn inputs_that_may_be_left_out_are_and_are_not() {
    for entry in entries() {
        let counts: BTreeSet<usize> = (entry.cases)().iter().map(|case| case.inputs.len()).collect();
        let possible = entry.inputs.len() - entry.optional..=entry.inputs.len();
        assert_eq!(counts, possible.collect(), "{}", entry.name);
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
        let cases = (entry.cases)();
        let case = cases.iter().find(|case| case.inputs.len() == entry.inputs.len()).unwrap();
        for (i, input) in entry.inputs.iter().enumerate() {
            let mut types = types(case);
            types[i] = state.clone();
            let error = infer(&*case.op, &types).unwrap_err();
            assert!(error.starts_with(&format!("{}: input `{input}`: expected ", entry.name)), "{error}");
            assert!(error.ends_with(", found fixed state f32 [3, 5]"), "{error}");
        }
    }
}

/// Files and messages know an op by its attributes.
#[test]
fn ops_that_differ_differ_in_their_attributes() {
    for entry in entries() {
        let cases = (entry.cases)();
        for (a, b) in cases.iter().flat_map(|a| cases.iter().map(move |b| (a, b))) {
            assert_eq!(a.op.same(&*b.op), a.op.attrs() == b.op.attrs(), "{}: {a} and {b}", entry.name);
        }
    }
}

/// What lies in one place is of one type; two inputs of an elementwise op may differ where one is a row.
#[test]
fn pairs_in_place_are_of_one_type_and_elementwise_ops_have_them() {
    for entry in entries() {
        let expected: &[(usize, usize)] = match entry.name {
            "add" | "mul" | "silu_mul" | "gelu_mul" | "clamped_swiglu" => &[(0, 0), (1, 0)],
            "scale" | "silu" | "gelu" | "rms_norm" | "rope" => &[(0, 0)],
            "add_expert_bias" | "gate_rows" | "decay" | "l2_norm" | "softcap" | "sigmoid" => &[(0, 0)],
            _ => &[],
        };
        let mut alike: HashSet<&(usize, usize)> = HashSet::new();
        for case in (entry.cases)() {
            assert_eq!(case.op.in_place(), expected, "{case}");
            let (inputs, types) = (types(&case), infer(&*case.op, &types(&case)).unwrap());
            alike.extend(expected.iter().filter(|(i, o)| inputs[*i] == types[*o]));
        }
        assert_eq!(alike.len(), expected.len(), "{}: {alike:?}", entry.name);
    }
}

#[test]
fn a_state_is_advanced_to_one_of_its_kind() {
    for case in entries().iter().flat_map(|e| (e.cases)()) {
        let (inputs, outputs) = (types(&case), infer(&*case.op, &types(&case)).unwrap());
        for (from, to) in case.op.advances() {
            assert!(inputs[*from].state().is_some() && inputs[*from] == outputs[*to], "{case}");
        }
        let states = outputs.iter().filter(|o| o.state().is_some()).count();
        assert_eq!(states, case.op.advances().len(), "{case}");
    }
}

fn floats(cols: usize) -> ValueType {
    ValueType::Tensor(Desc::rows(DType::F32, Sym::T, cols))
}

/// The types of attention: queries of some columns, a cache of some heads.
fn attention(cols: usize, heads: usize, key_dim: usize, value_dim: usize) -> [ValueType; 4] {
    let index = ValueType::Tensor(Desc::new(DType::I32, [Sym::T]));
    let cache = StateSpec::KvRows { heads, key_dim, value_dim, key: DType::F32, value: DType::F32 };
    [floats(cols), ValueType::State(cache), index.clone(), index]
}

#[test]
fn heads_that_do_not_fit_the_cache_are_refused() {
    let of = |heads, types: &[ValueType]| infer(&Attend { heads, scale: 1.0, ..Attend::default() }, types).unwrap_err();
    for (heads, cached) in [(0, 2), (3, 2), (0, 0), (2, 0)] {
        let expected = format!("attend: attribute `heads`: expected a positive multiple of {cached}, found {heads}");
        assert_eq!(of(heads, &attention(4 * heads, cached, 4, 4)), expected);
    }
    let heads = 1 << (usize::BITS - 1);
    let error = of(heads, &attention(0, 1, 2, 0));
    assert!(error.starts_with("attend: input `q`: expected rows of "), "the product is no 0: {error}");
    let error = of(heads, &attention(heads, 1, 1, 2));
    assert!(error.starts_with("attend: attribute `heads`: expected rows that fit in memory"), "{error}");
}

#[test]
fn sinks_are_one_for_each_head_or_none() {
    let op = Attend { heads: 4, scale: 1.0, ..Attend::default() };
    let types = attention(32, 2, 8, 8);
    assert!(infer(&op, &types).is_ok());
    let with = |n: usize, more: usize| {
        let sinks = ValueType::Tensor(Desc::new(DType::F32, [n]));
        infer(&op, &[&types[..], &vec![sinks; more]].concat())
    };
    assert!(with(4, 1).is_ok());
    assert_eq!(with(2, 1).unwrap_err(), "attend: input `sinks`: expected f32 [4], found f32 [2]");
    assert!(with(4, 2).unwrap_err().starts_with("attend: expected 5 inputs (q, cache, "), "one too many");
    assert!(infer(&op, &types[..3]).unwrap_err().contains("found 3"), "only the last may be left out");
}

#[test]
fn scores_that_make_no_sense_are_refused() {
    let types = attention(32, 2, 8, 8);
    let op = Attend { heads: 4, scale: 1.0, ..Attend::default() };
    let refused = |op: Attend, attribute: &str| {
        let error = infer(&op, &types).unwrap_err();
        assert!(error.starts_with(&format!("attend: attribute `{attribute}`: expected ")), "{error}");
    };
    for number in [f32::INFINITY, f32::NAN] {
        refused(Attend { scale: number, ..op.clone() }, "scale");
        refused(Attend { temperature: number, ..op.clone() }, "temperature");
    }
    for cap in [-1.0, f32::INFINITY, f32::NAN, f32::MAX, 1e-40] {
        refused(Attend { cap, ..op.clone() }, "cap");
    }
}

#[test]
fn rotations_that_make_no_sense_are_refused() {
    let index = ValueType::Tensor(Desc::new(DType::I32, [Sym::T]));
    let refused = |op: Rope, attribute: &str| {
        let factors = ValueType::Tensor(Desc::new(DType::F32, [op.rot / 2]));
        let error = infer(&op, &[floats(op.head_dim), index.clone(), factors]).unwrap_err();
        assert!(error.starts_with(&format!("rope: attribute `{attribute}`: expected ")), "{error}");
    };
    let op = Rope { head_dim: 8, rot: 8, style: RopeStyle::Norm, base: 1e4, scale: 1.0, magnitude: 1.0 };
    refused(Rope { head_dim: 0, rot: 0, ..op.clone() }, "head_dim");
    [7, 9, 10].into_iter().for_each(|rot| refused(Rope { rot, ..op.clone() }, "rot"));
    for number in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        refused(Rope { base: number, ..op.clone() }, "base");
        refused(Rope { scale: number, ..op.clone() }, "scale");
        refused(Rope { magnitude: number, ..op.clone() }, "magnitude");
    }
    [0.0, -0.0, -1e4].into_iter().for_each(|base| refused(Rope { base, ..op.clone() }, "base"));
}

#[test]
fn choices_that_make_no_sense_are_refused() {
    let bias = ValueType::Tensor(Desc::new(DType::F32, [8usize]));
    let refused = |op: Route, attribute: &str, expected: &str| {
        let error = infer(&op, &[floats(8), bias.clone()]).unwrap_err();
        assert!(error.starts_with(&format!("route: attribute `{attribute}`: expected {expected}, found ")), "{error}");
    };
    let op = Route::new(Scoring::Softmax, 2);
    [0, 9].into_iter().for_each(|used| refused(Route { used, ..op.clone() }, "used", "1 to 8"));
    [0, 3].into_iter().for_each(|groups| refused(Route { groups, ..op.clone() }, "groups", "a divisor of 8 experts"));
    let grouped = |used_groups| Route { used: 5, groups: 4, used_groups, ..op.clone() };
    [0, 5].into_iter().for_each(|n| refused(grouped(n), "used_groups", "1 to 4"));
    refused(grouped(2), "used", "1 to 4");
    refused(Route { scale: f32::NAN, ..op.clone() }, "scale", "a finite number");
    let outs = infer(&op, &[floats(8), bias.clone()]).unwrap();
    assert_eq!(outs, [DType::I32, DType::F32].map(|d| ValueType::Tensor(Desc::rows(d, Sym::T, 2))));
}

#[test]
fn products_with_experts_name_what_does_not_fit() {
    let of = |op: MatmulExperts, x: Desc, w: Desc| {
        let experts = Desc::rows(DType::I32, Sym::T, 2);
        infer(&op, &[x, w, experts].map(ValueType::Tensor))
            .map_err(|e| e.strip_prefix("matmul_experts: ").unwrap().to_owned())
    };
    let (whole, halves) = (MatmulExperts::WHOLE, |part| MatmulExperts { part, parts: 2 });
    let x = |dtype, d| Desc::rows(dtype, Sym::T, d);
    let w = |dtype, n, d| Desc::new(dtype, [3usize, n, d]);
    let out = |n: usize| ValueType::Tensor(Desc::new(DType::F32, [Sym::T.into(), Dim::from(2), n.into()]));
    assert_eq!(of(whole.clone(), x(DType::Q8K, 256), w(DType::Q4K, 6, 256)).unwrap(), [out(6)]);
    assert_eq!(of(halves(1), x(DType::F32, 5), w(DType::F16, 6, 5)).unwrap(), [out(3)]);
    let found = of(whole.clone(), x(DType::F32, 256), w(DType::Q4K, 6, 256)).unwrap_err();
    assert_eq!(found, "input `x`: expected q8_k [T, 256] or [T, 2, 256], found f32 [T, 256]");
    assert!(of(whole.clone(), x(DType::F32, 4), w(DType::F32, 6, 5)).unwrap_err().starts_with("input `x`: "));
    assert!(of(whole.clone(), x(DType::F32, 5), w(DType::I32, 6, 5)).unwrap_err().starts_with("input `w`: "));
    assert!(of(whole, x(DType::Q8K, 128), w(DType::Q4K, 6, 128)).unwrap_err().starts_with("input `w`: "));
    let found = of(halves(2), x(DType::F32, 5), w(DType::F32, 6, 5)).unwrap_err();
    assert_eq!(found, "attribute `part`: expected below 2 parts, found 2");
    let found = of(halves(0), x(DType::F32, 5), w(DType::F32, 7, 5)).unwrap_err();
    assert_eq!(found, "attribute `parts`: expected a divisor of 7 rows, found 2");
}

/// Scores whose size depends on the head would make softmax trivial; a norm of no columns tests nothing.
#[test]
fn cases_are_of_a_telling_size() {
    for case in entries().iter().flat_map(|e| (e.cases)()) {
        let types = types(&case);
        if let Some(Attend { scale, .. }) = case.op.as_any().downcast_ref() {
            let Some(StateSpec::KvRows { key_dim, .. } | StateSpec::LatentRows { key_dim, .. }) = types[1].state()
            else {
                panic!("{case}")
            };
            assert!((scale * scale * *key_dim as f32 - 1.0).abs() < 1e-6, "{case}");
        }
        if case.op.name() == "rms_norm" {
            let cols = |i: usize| types[i].tensor().unwrap().cols();
            assert!(cols(1) > 0 && cols(0) >= cols(1), "{case}");
        }
    }
}

/// What micro-benchmarks measure is computable, has something to compute and names of its own.
#[test]
fn benches_are_calls_of_their_ops() {
    for entry in entries() {
        let benches = (entry.benches)();
        let names: HashSet<&str> = benches.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), benches.len(), "{}: names", entry.name);
        assert!(benches.iter().any(|c| c.op.name() == entry.name && (c.sizes.t > 0 || entry.name == "dequantize")));
        for case in benches {
            infer(&*case.op, &types(&case)).unwrap_or_else(|e| panic!("{case}: {e}"));
        }
    }
}

/// What is quantized as it is made is checked as both ops are, under the name of the one.
#[test]
fn what_is_quantized_is_whole_blocks_of_activations() {
    let of = |to, gate, up| {
        let op = Quantized { of: SiluMul, to };
        infer(&op, &[floats(gate), floats(up)]).map_err(|e| e.strip_prefix("silu_mul_quantize: ").unwrap().to_owned())
    };
    assert_eq!(of(DType::Q8K, 512, 512).unwrap(), [ValueType::Tensor(Desc::rows(DType::Q8K, Sym::T, 512))]);
    let blocks = "input `gate`: expected rows of a multiple of 256, found f32 [T, 128]";
    assert_eq!(of(DType::Q8K, 128, 128).unwrap_err(), blocks);
    let to = "attribute `to`: expected an activation block type, found q4_k";
    assert_eq!(of(DType::Q4K, 256, 256).unwrap_err(), to);
    assert_eq!(of(DType::Q8_0, 64, 32).unwrap_err(), "input `up`: expected f32 [T, 64], found f32 [T, 32]");
}
