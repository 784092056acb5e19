//! Sequences: their length, their memory, and what a failed pass leaves of them.

use vt_core::op::{Embed, KvAppend};
use vt_core::plan::{Feed, Options, Pass, Plan, Sequence, Span};
use vt_core::{DType, Desc, Graph, RunError, Sizes, StateSpec, Sym};

use crate::toy;
use crate::toy::model::{kv, put, weight};

const KV: StateSpec = StateSpec::KvRows { heads: 2, key_dim: 3, value_dim: 5, key: DType::F16, value: DType::F32 };
const FIXED: StateSpec = StateSpec::Fixed { rows: 3, cols: 7 };

#[test]
fn memory_is_reserved_for_every_position() {
    let bytes = |specs: &[StateSpec]| Sequence::new(specs, 10).unwrap().reserved_bytes();
    let (of_kv, of_fixed) = (2 * 10 * (3 * 2 + 5 * 4), 3 * 7 * 4);
    assert_eq!((bytes(&[KV]), bytes(&[FIXED]), bytes(&[FIXED, KV])), (of_kv, of_fixed, of_kv + of_fixed));
    assert_eq!((KV.bytes(10), FIXED.bytes(10), KV.parts(), FIXED.parts()), (Some(of_kv), Some(of_fixed), 2, 3));
    assert_eq!((KV.bytes(usize::MAX / 8), KV.bytes(0)), (None, Some(0)));
    assert_eq!(KV.to_string(), "kv rows 2 x (f16 3, f32 5)");
    let mut s = Sequence::new(&[KV, FIXED], 10).unwrap();
    let sizes = |(a, b): (&mut [u8], &mut [u8])| (a.len(), b.len());
    assert_eq!(sizes(s.state_bytes_mut(0)), (2 * 10 * 3 * 2, 2 * 10 * 5 * 4));
    assert_eq!(sizes(s.state_bytes_mut(1)), (of_fixed, 0));
}

#[test]
fn a_sequence_is_cut_where_it_is_told() {
    let mut s = Sequence::new(&[KV], 10).unwrap();
    assert_eq!((s.len(), s.capacity(), s.is_empty()), (0, 10, true));
    s.assume_len(5);
    assert_eq!((s.len(), s.is_empty()), (5, false));
    for (cut, left) in [(7, 5), (5, 5), (3, 3), (1, 1), (0, 0)] {
        s.cut(cut).unwrap();
        assert_eq!((s.len(), s.is_empty()), (left, left == 0));
    }
    let mut fixed = Sequence::new(&[KV, FIXED], 10).unwrap();
    fixed.assume_len(5);
    assert!(fixed.cut(5).is_ok() && fixed.cut(6).is_ok() && fixed.len() == 5);
    let error = fixed.cut(3).unwrap_err();
    assert!(matches!(error, RunError::CannotCut { from: 5, to: 3 }) && fixed.len() == 5);
    let message = "recurrent state of 5 positions cannot be cut back to 3: restore a snapshot, or clear it";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_snapshot_fits_sequences_of_its_kind_and_length() {
    let of = |specs: &[StateSpec], capacity, len| {
        let mut s = Sequence::new(specs, capacity).unwrap();
        s.assume_len(len);
        s
    };
    let kept = of(&[KV], 10, 4).snapshot();
    assert!(of(&[KV], 4, 2).restore(&kept).is_ok(), "just enough room");
    let error = of(&[KV], 3, 2).restore(&kept).unwrap_err().to_string();
    assert_eq!(error, "a snapshot: expected at most 3 positions of these, found 4 positions of other kinds of state");
    assert!(of(&[FIXED], 10, 2).restore(&kept).is_err() && of(&[KV, KV], 10, 2).restore(&kept).is_err());
}

/// Rows of an embedding as keys and values: no recurrent state.
fn plan() -> Plan {
    let g = Graph::new();
    let ids = g.input("ids", Desc::new(DType::I32, [Sym::T]));
    let x = put(&g, Embed, &[&ids, &weight("w", &[9, 6])]).unwrap();
    put(&g, KvAppend, &[&g.state(kv()), &x, &x, &g.sequences(), &g.positions()]).unwrap();
    g.output(&x).unwrap();
    Plan::new(&g, &toy::registry(2, 0), &Options::new("toy", Sizes { t: 8, r: 0 })).unwrap()
}

fn append(plan: &Plan, s: &mut Sequence, position: usize, ids: &[i32]) -> Result<(), RunError> {
    let (inputs, spans) = ([Feed::ids(ids)], [Span { sequence: 0, position, rows: ids.len() }]);
    let pass = &mut Pass { inputs: &inputs, spans: &spans, sequences: &mut [s], sizes: Sizes { t: ids.len(), r: 0 } };
    plan.run(&mut plan.memory().unwrap(), pass).map(|_| ())
}

#[test]
fn key_and_value_rows_survive_a_failed_pass() {
    let plan = plan();
    let mut s = Sequence::new(plan.states(), 8).unwrap();
    append(&plan, &mut s, 0, &[1, 2, 3]).unwrap();
    let before = s.state_bytes_mut(0).0.to_vec();
    assert!(append(&plan, &mut s, 3, &[4, 99]).is_err());
    assert_eq!(s.len(), 3);
    assert_eq!(s.state_bytes_mut(0).0[..3 * 3 * 4], before[..3 * 3 * 4]);
    append(&plan, &mut s, 3, &[4]).unwrap();
    append(&plan, &mut s, 2, &[5]).unwrap();
    assert_eq!(s.len(), 3, "rows are written anew from a span's position on");
    assert!(append(&plan, &mut s, 4, &[5]).is_err() && append(&plan, &mut s, 3, &[5; 5]).is_ok());
}
