//! Areas against sets of the elements that they stand for.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::kernel::Need;
use crate::op::ValueType;
use crate::{DType, Desc, StateSpec, Sym};

fn area(rows: &[(usize, usize)], bytes: Range<usize>) -> Area {
    Area { rows: rows.iter().map(|(from, to)| *from..*to).collect(), bytes }
}

/// Each row and byte in it.
fn cells(a: &Area) -> BTreeSet<(usize, usize)> {
    a.rows.iter().flat_map(|r| r.clone().flat_map(|row| a.bytes.clone().map(move |byte| (row, byte)))).collect()
}

/// Rows in ascending ranges, with and without gaps.
fn areas() -> impl Strategy<Value = Area> {
    let ranges = prop::collection::vec((0..3usize, 1..4usize), 0..4);
    (ranges, 0..6usize, 0..4usize).prop_map(|(ranges, from, len)| {
        let mut next = 0;
        let rows = ranges.into_iter().map(|(gap, len)| {
            let start = next + gap;
            next = start + len;
            start..next
        });
        Area { rows: rows.collect(), bytes: from..from + len }
    })
}

/// A division of `rows` rows by `bytes` bytes among workers, by rows or columns, in which one bound may be wrong.
fn divisions() -> impl Strategy<Value = (Vec<Area>, usize, usize)> {
    let cuts = prop::collection::vec(0..7usize, 1..4);
    (cuts, 1..7usize, any::<bool>(), 0..4usize, 0..3usize).prop_map(|(mut cuts, total, by_rows, which, shift)| {
        cuts.iter_mut().for_each(|c| *c = (*c).min(total));
        cuts.extend([0, total]);
        cuts.sort_unstable();
        let mut parts: Vec<Range<usize>> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
        let n = parts.len();
        let part = &mut parts[which % n];
        part.end = (part.end + shift).saturating_sub(1).max(part.start);
        parts.reverse();
        let some = |p: &Range<usize>| if p.is_empty() { vec![] } else { vec![(p.start, p.end)] };
        let of = |p: Range<usize>| if by_rows { area(&some(&p), 0..3) } else { area(&[(0, 3)], p) };
        let (rows, bytes) = if by_rows { (total, 3) } else { (3, total) };
        (parts.into_iter().map(of).collect(), rows, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn areas_are_sets_of_elements(a in areas(), b in areas()) {
        let (x, y) = (cells(&a), cells(&b));
        prop_assert_eq!(a.is_empty(), x.is_empty());
        prop_assert_eq!(a.meets(&b), !x.is_disjoint(&y));
        prop_assert_eq!(a.holds(&b), y.is_subset(&x));
        let part = Area { rows: a.rows.iter().skip(1).cloned().collect(), ..a.clone() };
        prop_assert!(a.holds(&a) && a.holds(&part) && part.holds(&a) == (cells(&part) == x));
    }

    #[test]
    fn a_division_has_each_element_once((areas, rows, bytes) in divisions()) {
        let all: BTreeSet<(usize, usize)> = areas.iter().flat_map(cells).collect();
        let once = all.len() == areas.iter().map(|a| cells(a).len()).sum::<usize>();
        let complete = all == cells(&area(&[(0, rows)], 0..bytes));
        prop_assert_eq!(divide(&areas, rows, bytes), once && complete);
    }
}

#[test]
fn a_division_by_columns_has_all_rows_of_each() {
    assert!(!divide(&[area(&[(0, 5)], 0..1), area(&[(0, 4)], 1..4)], 5, 4));
    assert!(divide(&[area(&[(0, 2), (2, 5)], 0..1), area(&[(0, 5)], 1..4)], 5, 4));
    assert!(divide(&[], 0, 4) && divide(&[area(&[], 0..4)], 0, 4) && !divide(&[], 1, 4));
    assert!(!divide(&[area(&[(0, 1)], 0..4)], 0, 4) && divide(&[area(&[(0, 1)], 0..0)], 1, 0));
}

fn operand(ty: ValueType, place: Place) -> Operand {
    Operand::new(ty, place, Need::All)
}

#[test]
fn tiles_are_bytes_of_whole_blocks_inside_the_operand() {
    let sizes = Sizes { t: 5, r: 1 };
    let blocks = operand(ValueType::Tensor(Desc::rows(DType::Q8_0, Sym::T, 96)), Place::Weight(0));
    let of = |o: &Operand, tiles: &[(Range<usize>, Range<usize>)]| {
        let tiles: Vec<Tile> = tiles.iter().map(|(r, c)| Tile { rows: r.clone(), cols: c.clone() }).collect();
        Area::of(o, &tiles, &sizes)
    };
    assert_eq!(of(&blocks, &[(0..2, 32..96), (4..5, 32..96)]), Some(area(&[(0, 2), (4, 5)], 34..102)));
    assert_eq!(of(&blocks, &[(1..5, 0..64), (5..5, 0..64)]), Some(area(&[(1, 5)], 0..68)));
    assert_eq!(of(&blocks, &[]), Some(area(&[], 0..0)));
    for outside in [(0..6, 0..96), (0..1, 0..128), (0..1, 0..40), (0..1, 16..96)] {
        assert_eq!(of(&blocks, std::slice::from_ref(&outside)), None, "{outside:?}");
    }
    assert_eq!(of(&blocks, &[(0..2, 0..32), (2..4, 32..64)]), None, "tiles of different columns");
    assert_eq!(of(&blocks, &[(0..2, 0..32), (2..6, 0..32)]), None);
    let floats = operand(ValueType::Tensor(Desc::rows(DType::F32, Sym::T, 6)), Place::Weight(0));
    assert_eq!(of(&floats, &[(0..5, 1..6)]), Some(area(&[(0, 5)], 4..24)));
    let state = operand(ValueType::State(StateSpec::Fixed { rows: 6, cols: 9 }), Place::State(0));
    assert_eq!(of(&state, &[(0..5, 1..6)]), Some(area(&[(0, 5)], 1..6)), "parts of a state");
}

#[test]
fn workers_clash_where_they_touch_the_same_bytes() {
    let access = |worker, start, row_bytes, rows: &[(usize, usize)], bytes| Access {
        worker,
        start,
        row_bytes,
        area: area(rows, bytes),
    };
    let mine = access(0, 100, 10, &[(2, 4), (6, 7)], 0..4);
    let clashes = |other: Access| {
        assert_eq!(mine.clashes(&other), other.clashes(&mine));
        mine.clashes(&other)
    };
    assert!(!clashes(access(0, 100, 10, &[(2, 4)], 0..4)), "one worker");
    assert!(clashes(access(1, 100, 10, &[(3, 4)], 3..5)));
    assert!(!clashes(access(1, 100, 10, &[(3, 4)], 4..10)), "other columns of a value");
    assert!(!clashes(access(1, 100, 10, &[(4, 6)], 0..4)), "other rows of a value");
    // As whole rows, bytes 120 to 170 are touched.
    for (start, clash) in [(110, false), (111, true), (169, true), (170, false)] {
        assert_eq!(clashes(access(1, start, 5, &[(0, 2)], 0..1)), clash, "{start}");
    }
    assert!(!clashes(access(1, 110, 10, &[(6, 7)], 0..4)) && clashes(access(1, 110, 10, &[(5, 6)], 0..4)));
    assert!(clashes(access(1, 100, 7, &[(2, 3), (8, 9)], 0..1)));
    assert!(!clashes(access(1, 125, 5, &[(0, 2)], 0..0)) && !clashes(access(1, 125, 5, &[], 0..1)));
}
