//! Sequences and their state.

use crate::memory::{Aligned, OutOfMemory};
use crate::plan::Span;
use crate::{RunError, StateSpec};

/// The state that a sequence carries from pass to pass: key/value rows and recurrent state.
///
/// The memory for its whole context is reserved at the start, as pages that cost nothing until they are touched.
#[derive(Debug)]
pub struct Sequence {
    specs: Vec<StateSpec>,
    states: Vec<StateMemory>,
    capacity: usize,
    len: usize,
    broken: bool,
}

#[derive(Debug)]
struct StateMemory {
    first: Aligned,
    second: Aligned,
}

/// Where the state of one slot of one sequence is during a pass: for key/value rows the keys and the values.
#[derive(Clone, Copy, Debug)]
pub struct StatePlace {
    pub(crate) first: *mut u8,
    pub(crate) second: *mut u8,
    pub(crate) capacity: usize,
}

/// A copy of a sequence's state.
#[derive(Debug)]
pub struct Snapshot {
    specs: Vec<StateSpec>,
    states: Vec<Vec<u8>>,
    len: usize,
    broken: bool,
}

impl Snapshot {
    /// The positions that were filled.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no position was filled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }
}

impl Sequence {
    /// An empty sequence with room for `capacity` positions.
    ///
    /// # Errors
    /// If the memory cannot be reserved.
    pub fn new(specs: &[StateSpec], capacity: usize) -> Result<Self, OutOfMemory> {
        let states = specs.iter().map(|s| StateMemory::new(s, capacity)).collect::<Result<_, _>>()?;
        Ok(Self { specs: specs.to_vec(), states, capacity, len: 0, broken: false })
    }

    /// The positions that are filled.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no position is filled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The positions there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Forgets everything. What was not used stays untouched.
    pub fn clear(&mut self) {
        let used = self.len > 0 || self.broken;
        self.len = 0;
        self.broken = false;
        if !used {
            return;
        }
        for (spec, state) in self.specs.iter().zip(&mut self.states) {
            if matches!(spec, StateSpec::Fixed { .. }) {
                state.first.as_bytes_mut().fill(0);
            }
        }
    }

    /// Forgets the positions from `len` on.
    ///
    /// # Errors
    /// [`RunError::CannotCut`] if there is recurrent state, unless nothing is left: it cannot go back to a position that was
    /// not kept ([`Sequence::snapshot`]). The sequence is then as it was.
    pub fn cut(&mut self, len: usize) -> Result<(), RunError> {
        if len >= self.len {
            return Ok(());
        }
        if len == 0 {
            self.clear();
            return Ok(());
        }
        if self.recurrent() {
            return Err(RunError::CannotCut { from: self.len, to: len });
        }
        self.len = len;
        Ok(())
    }

    /// Whether [`Sequence::cut`] can leave any number of positions: there is no recurrent state.
    pub fn can_be_cut(&self) -> bool {
        !self.recurrent()
    }

    /// A copy of the state as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let copy = |(spec, state): (&StateSpec, &StateMemory)| state.save(spec, self.capacity, self.len);
        let states = self.specs.iter().zip(&self.states).map(copy).collect();
        Snapshot { specs: self.specs.clone(), states, len: self.len, broken: self.broken }
    }

    /// Goes back to a copy of this sequence, or of one with the same kinds of state.
    ///
    /// # Errors
    /// If the copy is of other kinds of state, or longer than this sequence has room for.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RunError> {
        if snapshot.len > self.capacity || self.specs != snapshot.specs {
            let found = format!("{} positions of other kinds of state", snapshot.len);
            let expected = format!("at most {} positions of these", self.capacity);
            return Err(RunError::Pass { what: "a snapshot", expected, found });
        }
        for ((spec, state), bytes) in self.specs.iter().zip(&mut self.states).zip(&snapshot.states) {
            state.load(spec, self.capacity, snapshot.len, bytes);
        }
        self.len = snapshot.len;
        self.broken = snapshot.broken;
        Ok(())
    }

    /// The bytes of state reserved.
    pub fn reserved_bytes(&self) -> usize {
        self.states.iter().map(|s| s.first.len() + s.second.len()).sum()
    }

    /// Whether the sequence carries these kinds of state.
    pub(crate) fn check_state(&self, specs: &[StateSpec]) -> Result<(), RunError> {
        if self.specs == specs {
            return Ok(());
        }
        let (expected, found) = ("that of the graph".to_owned(), "another graph's".to_owned());
        Err(RunError::Pass { what: "a sequence's state", expected, found })
    }

    /// Whether the sequence can take the span.
    pub(crate) fn check(&self, span: &Span) -> Result<(), RunError> {
        let mismatch = |what, expected: String, found: String| Err(RunError::Pass { what, expected, found });
        if self.broken {
            return mismatch(
                "a sequence's state",
                "intact".to_owned(),
                "left half-way by a pass that failed".to_owned(),
            );
        }
        let exact = self.recurrent();
        if span.position > self.len || (exact && span.position != self.len) {
            return mismatch("a span's position", format!("{} positions so far", self.len), span.position.to_string());
        }
        if span.rows > self.capacity - span.position {
            let found = format!("{} and {} more", span.position, span.rows);
            return mismatch("positions of a sequence", format!("room for {}", self.capacity), found);
        }
        Ok(())
    }

    /// Takes back what a pass may leave half-written, until [`Sequence::finish`].
    pub(crate) fn begin(&mut self, span: &Span) {
        self.broken = self.recurrent() && span.rows > 0;
        self.len = span.position;
    }

    /// The pass wrote the span.
    pub(crate) fn finish(&mut self, span: &Span) {
        self.broken = false;
        self.len = span.position + span.rows;
    }

    pub(crate) fn places(&mut self) -> impl Iterator<Item = StatePlace> + '_ {
        let capacity = self.capacity;
        self.states.iter_mut().map(move |s| StatePlace { first: s.first.base(), second: s.second.base(), capacity })
    }

    /// Writes key and value rows of one slot from f32, for tests of ops that read state.
    #[doc(hidden)]
    pub fn state_bytes_mut(&mut self, slot: usize) -> (&mut [u8], &mut [u8]) {
        let state = &mut self.states[slot];
        (state.first.as_bytes_mut(), state.second.as_bytes_mut())
    }

    /// Says that `len` positions are filled, after [`Sequence::state_bytes_mut`].
    #[doc(hidden)]
    pub fn assume_len(&mut self, len: usize) {
        self.len = len.min(self.capacity);
    }

    fn recurrent(&self) -> bool {
        self.specs.iter().any(|s| matches!(s, StateSpec::Fixed { .. }))
    }
}

impl StateMemory {
    fn new(spec: &StateSpec, capacity: usize) -> Result<Self, OutOfMemory> {
        let overflow = OutOfMemory { bytes: usize::MAX };
        let total = spec.bytes(capacity).ok_or(overflow)?;
        let second = match spec {
            StateSpec::KvRows { heads, value_dim, value, .. } => heads * capacity * value_dim * value.block_bytes(),
            StateSpec::LatentRows { .. } | StateSpec::Fixed { .. } => 0,
        };
        Ok(Self { first: Aligned::zeroed(total - second)?, second: Aligned::zeroed(second)? })
    }

    fn save(&self, spec: &StateSpec, capacity: usize, len: usize) -> Vec<u8> {
        match spec {
            StateSpec::Fixed { .. } => self.first.as_bytes().to_vec(),
            StateSpec::KvRows { .. } | StateSpec::LatentRows { .. } => {
                let mut out = Vec::new();
                for memory in [&self.first, &self.second] {
                    let bytes = memory.as_bytes();
                    heads_of(spec, bytes.len(), capacity, len).for_each(|r| out.extend_from_slice(&bytes[r]));
                }
                out
            }
        }
    }

    fn load(&mut self, spec: &StateSpec, capacity: usize, len: usize, from: &[u8]) {
        match spec {
            StateSpec::Fixed { .. } => self.first.as_bytes_mut().copy_from_slice(from),
            StateSpec::KvRows { .. } | StateSpec::LatentRows { .. } => {
                let mut rest = from;
                for memory in [&mut self.first, &mut self.second] {
                    let bytes = memory.as_bytes_mut();
                    for range in heads_of(spec, bytes.len(), capacity, len) {
                        let (part, tail) = rest.split_at(range.len());
                        bytes[range].copy_from_slice(part);
                        rest = tail;
                    }
                }
            }
        }
    }
}

/// The byte ranges of the filled rows of each head in one of a state's two blocks.
fn heads_of(
    spec: &StateSpec,
    bytes: usize,
    capacity: usize,
    len: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let heads = spec.parts();
    let head = bytes.checked_div(heads).unwrap_or(0);
    let filled = head.checked_div(capacity).unwrap_or(0) * len;
    (0..heads).map(move |h| h * head..h * head + filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    fn specs() -> Vec<StateSpec> {
        vec![StateSpec::KvRows { heads: 2, key_dim: 3, value_dim: 5, key: DType::F16, value: DType::F32 }]
    }

    #[test]
    fn snapshots_hold_the_filled_rows_of_every_head() {
        let mut s = Sequence::new(&specs(), 10).unwrap();
        s.state_bytes_mut(0).0.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        s.state_bytes_mut(0).1.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        s.assume_len(4);
        let kept = s.snapshot();
        let mut other = Sequence::new(&specs(), 6).unwrap();
        other.restore(&kept).unwrap();
        assert_eq!(other.len(), 4);
        for head in 0..2 {
            assert_eq!(other.state_bytes_mut(0).0[head * 36..][..24], s.state_bytes_mut(0).0[head * 60..][..24]);
            assert_eq!(other.state_bytes_mut(0).1[head * 120..][..80], s.state_bytes_mut(0).1[head * 200..][..80]);
        }
        assert!(Sequence::new(&specs(), 3).unwrap().restore(&kept).is_err());
    }

    #[test]
    fn latent_rows_are_kept_once_and_can_be_cut() {
        let spec = StateSpec::LatentRows { key_dim: 6, value_dim: 4, dtype: DType::F16 };
        let mut s = Sequence::new(&[spec], 10).unwrap();
        assert_eq!(s.reserved_bytes(), 120);
        s.state_bytes_mut(0).0.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        s.assume_len(5);
        s.cut(4).unwrap();
        let mut other = Sequence::new(&[spec], 6).unwrap();
        other.restore(&s.snapshot()).unwrap();
        assert_eq!((other.len(), &other.state_bytes_mut(0).0[..48]), (4, &s.state_bytes_mut(0).0[..48]));
        assert!(other.state_bytes_mut(0).0[48..].iter().all(|b| *b == 0));
    }

    #[test]
    fn recurrent_state_cannot_be_cut_but_restored() {
        let mut s = Sequence::new(&[StateSpec::Fixed { rows: 2, cols: 2 }], 10).unwrap();
        s.assume_len(3);
        let kept = s.snapshot();
        s.state_bytes_mut(0).0.fill(9);
        s.assume_len(5);
        assert!(matches!(s.cut(4), Err(RunError::CannotCut { from: 5, to: 4 })));
        s.restore(&kept).unwrap();
        assert_eq!((s.len(), s.state_bytes_mut(0).0[0]), (3, 0));
        assert_eq!((kept.len(), kept.is_empty(), kept.bytes()), (3, false, 16));
        s.state_bytes_mut(0).0.fill(9);
        s.cut(0).unwrap();
        assert_eq!((s.len(), s.state_bytes_mut(0).0[0]), (0, 0));
    }

    #[test]
    fn what_a_failed_pass_left_is_not_mended_by_a_copy() {
        let span = |position, rows| Span { sequence: 0, position, rows };
        let mut s = Sequence::new(&[StateSpec::Fixed { rows: 2, cols: 2 }], 10).unwrap();
        s.begin(&span(0, 2));
        let halfway = s.snapshot();
        assert!(s.check(&span(0, 1)).is_err());
        s.restore(&halfway).unwrap();
        assert!(s.check(&span(0, 1)).is_err());
        s.state_bytes_mut(0).0.fill(9);
        s.clear();
        assert!(s.check(&span(0, 1)).is_ok() && s.state_bytes_mut(0).0 == [0; 16]);
    }

    #[test]
    fn copies_of_other_kinds_of_state_are_refused() {
        let of = |rows, cols| Sequence::new(&[StateSpec::Fixed { rows, cols }], 10).unwrap();
        assert!(of(2, 3).restore(&of(2, 3).snapshot()).is_ok() && of(2, 3).restore(&of(3, 2).snapshot()).is_err());
    }

    #[test]
    fn spans_must_continue_the_sequence() {
        let mut s = Sequence::new(&specs(), 4).unwrap();
        let span = |position, rows| Span { sequence: 0, position, rows };
        assert!(s.check(&span(0, 4)).is_ok());
        assert!(s.check(&span(0, 5)).is_err());
        assert!(s.check(&span(1, 1)).is_err());
        s.begin(&span(0, 2));
        s.finish(&span(0, 2));
        assert!(s.check(&span(1, 3)).is_ok());
        assert!(s.check(&span(2, usize::MAX)).is_err());
        assert!(s.check_state(&[]).is_err());
    }

    #[test]
    fn too_large_a_context_is_an_error() {
        assert!(Sequence::new(&specs(), usize::MAX / 2).is_err());
    }
}
