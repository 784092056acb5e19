//! Where tensors live: every role with every type under every switch.

use vt_core::DType;
use vt_gguf::{Config, Decision, Policy, Residency, Role, TensorType, residency};

use Residency::{DecodeToF32, Keep, Refuse};

/// The kinds of types that the policy tells apart, written out apart from the code under test.
const F32: [DType; 1] = [DType::F32];
const HALF: [DType; 2] = [DType::F16, DType::BF16];
const BLOCKS: [DType; 11] = [
    DType::Q4_0,
    DType::Q4_1,
    DType::Q5_0,
    DType::Q5_1,
    DType::Q8_0,
    DType::Q2K,
    DType::Q3K,
    DType::Q4K,
    DType::Q5K,
    DType::Q6K,
    DType::MXFP4,
];
const NO_WEIGHTS: [DType; 7] = [DType::F64, DType::I8, DType::I16, DType::I32, DType::I64, DType::Q8_1, DType::Q8K];

const DEFAULT: Config = Config { keep_quant: true, cpu_ref: false };
const NO_QUANT: Config = Config { keep_quant: false, cpu_ref: false };
const REF: Config = Config { keep_quant: true, cpu_ref: true };
const REF_NO_QUANT: Config = Config { keep_quant: false, cpu_ref: true };

fn ok(_: DType, _: usize) -> Result<(), String> {
    Ok(())
}

fn decide(config: Config, role: Role, dtype: DType, shape: &[usize]) -> Decision {
    let policy = Policy { config, can_multiply: &ok, can_embed: &|_| Ok(()) };
    residency(&policy, role, dtype.into(), shape)
}

#[test]
fn every_type_is_in_one_list() {
    let mut all = [&F32[..], &HALF, &BLOCKS, &NO_WEIGHTS].concat();
    all.sort();
    let mut expected = DType::ALL.to_vec();
    expected.sort();
    assert_eq!(all, expected, "a new type needs a decision about where it lives");
}

#[test]
fn every_role_and_type_under_every_switch() {
    // For each role: what happens to half floats and to blocks.
    let matrices = [Role::MatmulWeight, Role::ExpertWeight, Role::Embedding, Role::TiedEmbedding];
    for config in [DEFAULT, NO_QUANT, REF, REF_NO_QUANT] {
        for role in Role::ALL {
            let is_matrix = matrices.contains(&role);
            let half = if is_matrix && !config.cpu_ref { Keep } else { DecodeToF32 };
            let block = if is_matrix && config == DEFAULT { Keep } else { DecodeToF32 };
            let lists = [(&F32[..], Keep), (&HALF, half), (&BLOCKS, block), (&NO_WEIGHTS, Refuse)];
            for (dtype, expected) in lists.iter().flat_map(|(list, r)| list.iter().map(move |d| (*d, *r))) {
                for shape in [&[2, 3, 512][..], &[0, 256], &[4, 0], &[256]] {
                    let decision = decide(config, role, dtype, shape);
                    assert_eq!(decision.residency, expected, "{role:?} {dtype} {shape:?} {config:?}");
                    assert!(!decision.reason.is_empty() && decision.reason.len() < 80, "{}", decision.reason);
                }
            }
        }
    }
}

#[test]
fn reasons_say_why() {
    let reason = |config, role, dtype| decide(config, role, dtype, &[4, 256]).reason.into_owned();
    assert_eq!(reason(DEFAULT, Role::MatmulWeight, DType::Q4K), "used as the file has it");
    assert_eq!(reason(DEFAULT, Role::Vector, DType::F32), "f32 in the file");
    assert_eq!(reason(DEFAULT, Role::Vector, DType::F16), "vectors are read as f32");
    assert_eq!(reason(NO_QUANT, Role::Embedding, DType::Q6K), "VT_GGUF_KEEP_QUANT=0");
    assert_eq!(reason(REF_NO_QUANT, Role::Embedding, DType::Q6K), "VT_CPU_REF=1", "it wins");
    assert_eq!(reason(REF, Role::Vector, DType::BF16), "VT_CPU_REF=1");
    assert_eq!(reason(DEFAULT, Role::MatmulWeight, DType::F64), "weights cannot be f64");
    assert_eq!(reason(REF, Role::MatmulWeight, DType::Q8K), "q8_k holds activations, not weights");
}

#[test]
fn a_type_that_vt_lacks_is_refused_under_every_switch() {
    let iq4_xs = TensorType::from_gguf_id(23).unwrap();
    for config in [DEFAULT, NO_QUANT, REF, REF_NO_QUANT] {
        let policy = Policy { config, can_multiply: &ok, can_embed: &|_| Ok(()) };
        for role in Role::ALL {
            let decision = residency(&policy, role, iq4_xs, &[4, 256]);
            let expected = Decision { residency: Refuse, reason: "vt does not have the type iq4_xs".into() };
            assert_eq!(decision, expected);
        }
    }
}

#[test]
fn rows_that_are_no_whole_blocks_are_decoded() {
    for role in [Role::MatmulWeight, Role::ExpertWeight, Role::Embedding, Role::TiedEmbedding] {
        for (dtype, shape) in [(DType::Q4K, &[2, 128][..]), (DType::Q8_0, &[32, 31]), (DType::Q4_0, &[])] {
            let decision = decide(DEFAULT, role, dtype, shape);
            assert_eq!(decision.residency, DecodeToF32, "{role:?} {dtype}");
            assert!(decision.reason.contains("not a whole number of"), "{}", decision.reason);
        }
    }
}

#[test]
fn the_device_is_asked_what_the_role_needs() {
    let no_multiply = |d: DType, k: usize| Err(format!("no kernel multiplies {d} with K = {k}"));
    let no_embed = |d: DType| Err(format!("no kernel looks up {d}"));
    let cannot_multiply = Policy { config: DEFAULT, can_multiply: &no_multiply, can_embed: &|_| Ok(()) };
    let cannot_embed = Policy { config: DEFAULT, can_multiply: &ok, can_embed: &no_embed };
    for dtype in HALF.into_iter().chain(BLOCKS) {
        let multiply = format!("no kernel multiplies {dtype} with K = 512");
        let embed = format!("no kernel looks up {dtype}");
        for (policy, role, refusal) in [
            (cannot_multiply, Role::MatmulWeight, Some(&multiply)),
            (cannot_multiply, Role::ExpertWeight, Some(&multiply)),
            (cannot_multiply, Role::Embedding, None),
            (cannot_multiply, Role::TiedEmbedding, Some(&multiply)),
            (cannot_embed, Role::MatmulWeight, None),
            (cannot_embed, Role::ExpertWeight, None),
            (cannot_embed, Role::Embedding, Some(&embed)),
            (cannot_embed, Role::TiedEmbedding, Some(&embed)),
        ] {
            let decision = residency(&policy, role, dtype.into(), &[8, 512]);
            let expected = if refusal.is_some() { DecodeToF32 } else { Keep };
            assert_eq!(decision.residency, expected, "{role:?} {dtype}");
            assert_eq!(decision.reason, refusal.map_or("used as the file has it", |r| r));
        }
    }
    let f32 = residency(&cannot_multiply, Role::MatmulWeight, DType::F32.into(), &[8, 512]);
    assert_eq!(f32.residency, Keep, "what would be decoded to f32 is f32");
}

#[test]
fn names_for_tables_are_unique() {
    let roles: std::collections::HashSet<_> = Role::ALL.iter().map(|r| r.name()).collect();
    assert_eq!(roles.len(), Role::ALL.len());
    assert_eq!([Keep.name(), DecodeToF32.name(), Refuse.name()], ["keep", "decode to f32", "refuse"]);
}
