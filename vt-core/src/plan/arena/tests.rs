//! Random lifetimes: no two values that live at the same time meet, and nothing is wasted below one.

use proptest::prelude::*;

use super::{Buffer, Layout, allocate};

const WORKERS: [usize; 2] = [1, 3];

fn buffer() -> impl Strategy<Value = Buffer> {
    let own = prop::option::of(0..WORKERS.len());
    (0..2usize, 0..300usize, own, 0..6usize, 0..4usize).prop_map(|(domain, bytes, own, first_epoch, more)| Buffer {
        domain,
        bytes,
        own,
        first_epoch,
        last_epoch: first_epoch + more,
        offset: 0,
    })
}

/// The bytes that a buffer takes: a copy a worker, each from a multiple of 64 on.
fn range(b: &Buffer) -> (usize, usize) {
    let copies = b.own.map_or(1, |device| WORKERS[device]);
    (b.offset, b.offset + b.bytes.max(1).div_ceil(64) * 64 * copies)
}

fn meet(a: &Buffer, b: &Buffer) -> bool {
    let times = (a.first_epoch..=a.last_epoch).any(|e| (b.first_epoch..=b.last_epoch).contains(&e));
    a.domain == b.domain && times
}

fn allocated(buffers: Vec<Buffer>, share: bool) -> Layout {
    let mut layout = Layout { buffers, arenas: vec![0; 2], ..Layout::default() };
    allocate(&mut layout, &WORKERS, share);
    layout
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn living_buffers_are_disjoint_and_lie_low(buffers in prop::collection::vec(buffer(), 0..20)) {
        let layout = allocated(buffers, true);
        for (i, a) in layout.buffers.iter().enumerate() {
            let (from, to) = range(a);
            let others = || layout.buffers.iter().enumerate().filter(move |(j, b)| *j != i && meet(a, b)).map(|(_, b)| range(b));
            prop_assert!(from.is_multiple_of(64) && others().all(|(f, t)| t <= from || to <= f));
            prop_assert!(from == 0 || others().any(|(_, t)| t == from), "nothing is below {a:?}");
        }
        for (domain, arena) in layout.arenas.iter().enumerate() {
            let of_domain = || layout.buffers.iter().filter(move |b| b.domain == domain).map(range);
            prop_assert_eq!(of_domain().map(|(_, to)| to).max().unwrap_or(0), *arena);
            let largest = of_domain().map(|(from, to)| to - from).max().unwrap_or(0);
            prop_assert!(largest == 0 || of_domain().any(|(from, to)| from == 0 && to == largest));
        }
    }

    #[test]
    fn without_sharing_all_are_disjoint(buffers in prop::collection::vec(buffer(), 0..20)) {
        let layout = allocated(buffers, false);
        for (domain, arena) in layout.arenas.iter().enumerate() {
            let of_domain = layout.buffers.iter().filter(|b| b.domain == domain).map(range);
            prop_assert_eq!(of_domain.map(|(from, to)| to - from).sum::<usize>(), *arena);
        }
    }
}
