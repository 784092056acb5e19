//! What kernels see of a sequence's state.

use std::ops::Range;

use crate::plan::StatePlace;
use crate::{DType, Elem, KvShape, StateSpec, View, ViewMut};

/// The key/value rows of a sequence, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Kv<'a> {
    place: &'a StatePlace,
    shape: Shape,
}

/// The key/value rows of some heads of a sequence, to be written.
#[derive(Debug)]
pub struct KvMut<'a> {
    place: &'a StatePlace,
    shape: Shape,
    heads: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    kv: KvShape,
    /// Whether rows hold both: a value is the start of its key.
    latent: bool,
}

impl Shape {
    fn of(spec: &StateSpec) -> Self {
        let kv = spec.kv().unwrap_or_else(|| panic!("{spec} has no key/value rows"));
        Self { kv, latent: matches!(spec, StateSpec::LatentRows { .. }) }
    }
}

impl<'a> Kv<'a> {
    /// # Safety
    /// `place` holds state of kind `spec` that nobody writes for 'a.
    pub(crate) unsafe fn new(place: &'a StatePlace, spec: &StateSpec) -> Self {
        Self { place, shape: Shape::of(spec) }
    }

    /// The number of positions there is room for.
    pub fn capacity(&self) -> usize {
        self.place.capacity
    }

    /// The number of heads.
    pub fn heads(&self) -> usize {
        self.shape.kv.heads
    }

    /// The elements of a key.
    pub fn key_dim(&self) -> usize {
        self.shape.kv.key_dim
    }

    /// The elements of a value.
    pub fn value_dim(&self) -> usize {
        self.shape.kv.value_dim
    }

    /// The types of keys and values.
    pub fn types(&self) -> (DType, DType) {
        (self.shape.kv.key, self.shape.kv.value)
    }

    /// The keys of a head: `[capacity, key_dim]`. Rows not yet written are zero or left over.
    ///
    /// # Panics
    /// If there is no such head, or the keys are not of type `T`.
    pub fn keys<T: Elem>(&self, head: usize) -> View<'a, T> {
        let KvShape { heads, key_dim, key, .. } = self.shape.kv;
        let start = head_start::<T>(head, heads, key, self.place.capacity, key_dim);
        // SAFETY: the state reserves `heads * capacity` keys (`StateMemory`), and `new`'s caller vouches for reading.
        unsafe { View::from_raw(self.place.first.cast::<T>().add(start), self.place.capacity, key_dim, key_dim) }
    }

    /// The values of a head: `[capacity, value_dim]`.
    ///
    /// # Panics
    /// If there is no such head, or the values are not of type `T`.
    pub fn values<T: Elem>(&self, head: usize) -> View<'a, T> {
        if self.shape.latent {
            return self.keys(head).slice_cols(0, self.shape.kv.value_dim);
        }
        let KvShape { heads, value_dim, value, .. } = self.shape.kv;
        let start = head_start::<T>(head, heads, value, self.place.capacity, value_dim);
        // SAFETY: as in `keys`.
        unsafe { View::from_raw(self.place.second.cast::<T>().add(start), self.place.capacity, value_dim, value_dim) }
    }
}

impl<'a> KvMut<'a> {
    /// # Safety
    /// `place` holds state of kind `spec`, of whose `heads` nobody else reads or writes anything for 'a.
    pub(crate) unsafe fn new(place: &'a StatePlace, spec: &StateSpec, heads: Range<usize>) -> Self {
        Self { place, shape: Shape::of(spec), heads }
    }

    /// The heads that may be written.
    pub fn heads(&self) -> Range<usize> {
        self.heads.clone()
    }

    /// The number of positions there is room for.
    pub fn capacity(&self) -> usize {
        self.place.capacity
    }

    /// The types of keys and values.
    pub fn types(&self) -> (DType, DType) {
        (self.shape.kv.key, self.shape.kv.value)
    }

    /// The key of a head at a position.
    ///
    /// # Panics
    /// If the head is not among [`KvMut::heads`], the position is outside, or the keys are not of type `T`.
    pub fn key_mut<T: Elem>(&mut self, head: usize, position: usize) -> &mut [T] {
        let KvShape { heads, key_dim, key, .. } = self.shape.kv;
        self.check(head, position);
        let start = head_start::<T>(head, heads, key, self.place.capacity, key_dim) + position * key_dim;
        // SAFETY: inside the state's keys by the check, of a head that `new`'s caller gave up.
        unsafe { std::slice::from_raw_parts_mut(self.place.first.cast::<T>().add(start), key_dim) }
    }

    /// The value of a head at a position. That of latent rows is the start of the key.
    ///
    /// # Panics
    /// As [`KvMut::key_mut`].
    pub fn value_mut<T: Elem>(&mut self, head: usize, position: usize) -> &mut [T] {
        let KvShape { heads, value_dim, value, .. } = self.shape.kv;
        if self.shape.latent {
            return &mut self.key_mut(head, position)[..value_dim];
        }
        self.check(head, position);
        let start = head_start::<T>(head, heads, value, self.place.capacity, value_dim) + position * value_dim;
        // SAFETY: as in `key_mut`.
        unsafe { std::slice::from_raw_parts_mut(self.place.second.cast::<T>().add(start), value_dim) }
    }

    fn check(&self, head: usize, position: usize) {
        assert!(self.heads.contains(&head), "head {head} is not in the tile's {:?}", self.heads);
        assert!(position < self.place.capacity, "position {position} of {}", self.place.capacity);
    }
}

fn head_start<T: Elem>(head: usize, heads: usize, dtype: DType, capacity: usize, dim: usize) -> usize {
    assert!(head < heads, "head {head} of {heads}");
    assert!(T::fits(dtype), "rows of {dtype} seen as {}", std::any::type_name::<T>());
    head * capacity * dim
}

/// Recurrent state of a sequence, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Recurrent<'a>(View<'a, f32>);

impl<'a> Recurrent<'a> {
    /// # Safety
    /// As [`Kv::new`].
    pub(crate) unsafe fn new(place: &'a StatePlace, spec: &StateSpec) -> Self {
        let (rows, cols) = fixed(spec);
        // SAFETY: the state reserves `rows * cols` f32, and the caller vouches for reading.
        Self(unsafe { View::from_raw(place.first.cast::<f32>(), rows, cols, cols) })
    }

    /// The state: `[rows, cols]`.
    pub fn view(&self) -> View<'a, f32> {
        self.0
    }
}

/// Some rows of a sequence's recurrent state, to be read and written.
#[derive(Debug)]
pub struct RecurrentMut<'a>(ViewMut<'a, f32>);

impl<'a> RecurrentMut<'a> {
    /// # Safety
    /// As [`KvMut::new`], of rows.
    pub(crate) unsafe fn new(place: &'a StatePlace, spec: &StateSpec, part: Range<usize>) -> Self {
        let (rows, cols) = fixed(spec);
        assert!(part.end <= rows, "rows {part:?} of {rows}");
        // SAFETY: inside the state by the check, of rows that the caller gave up.
        let base = unsafe { place.first.cast::<f32>().add(part.start * cols) };
        // SAFETY: as above.
        Self(unsafe { ViewMut::from_raw(base, part.len(), cols, cols) })
    }

    /// The tile's rows of the state.
    pub fn view_mut(&mut self) -> &mut ViewMut<'a, f32> {
        &mut self.0
    }
}

fn fixed(spec: &StateSpec) -> (usize, usize) {
    match *spec {
        StateSpec::Fixed { rows, cols } => (rows, cols),
        other => panic!("{other} is not recurrent state"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Sequence;
    use half::f16;

    const KV: StateSpec = StateSpec::KvRows { heads: 3, key_dim: 2, value_dim: 5, key: DType::F16, value: DType::F32 };

    /// The keys and values of each head and position hold numbers of their own: 100 a head, 1 a position.
    fn filled() -> Sequence {
        let mut s = Sequence::new(&[KV], 7).unwrap();
        let place = s.places().next().unwrap();
        // SAFETY: the place is of that kind, and nobody else uses it.
        let mut kv = unsafe { KvMut::new(&place, &KV, 0..3) };
        assert_eq!((kv.heads(), kv.capacity(), kv.types()), (0..3, 7, (DType::F16, DType::F32)));
        for (head, position) in (0..3).flat_map(|h| (0..7).map(move |p| (h, p))) {
            let number = (100 * head + position) as f32;
            kv.key_mut(head, position).fill(f16::from_f32(number));
            kv.value_mut(head, position).fill(-number);
        }
        s
    }

    #[test]
    fn rows_are_read_where_they_were_written() {
        let mut s = filled();
        let place = s.places().next().unwrap();
        // SAFETY: as in `filled`; nobody writes.
        let kv = unsafe { Kv::new(&place, &KV) };
        assert_eq!((kv.capacity(), kv.heads(), kv.key_dim(), kv.value_dim()), (7, 3, 2, 5));
        assert_eq!(kv.types(), (DType::F16, DType::F32));
        for head in 0..3 {
            let (keys, values) = (kv.keys::<f16>(head), kv.values::<f32>(head));
            assert_eq!((keys.rows(), keys.cols(), values.rows(), values.cols()), (7, 2, 7, 5));
            for position in 0..7 {
                let number = (100 * head + position) as f32;
                assert_eq!(keys.row(position), [f16::from_f32(number); 2]);
                assert_eq!(values.row(position), [-number; 5]);
            }
        }
    }

    /// Each head's rows lie together, as [`StateSpec::KvRows`] says.
    #[test]
    fn the_rows_of_a_head_lie_together() {
        let mut s = filled();
        let values = s.state_bytes_mut(0).1.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let expected = (0..3).flat_map(|h| (0..7).flat_map(move |p| [-((100 * h + p) as f32); 5]));
        assert!(values.eq(expected));
    }

    fn refused(f: impl FnOnce(&mut KvMut<'_>)) -> String {
        let mut s = filled();
        let place = s.places().next().unwrap();
        // SAFETY: as in `filled`.
        let mut kv = unsafe { KvMut::new(&place, &KV, 1..2) };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&mut kv))).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn other_heads_positions_and_types_are_refused() {
        assert_eq!(refused(|kv| _ = kv.key_mut::<f16>(2, 0)), "head 2 is not in the tile's 1..2");
        assert_eq!(refused(|kv| _ = kv.value_mut::<f32>(0, 0)), "head 0 is not in the tile's 1..2");
        assert_eq!(refused(|kv| _ = kv.value_mut::<f32>(1, 7)), "position 7 of 7");
        assert_eq!(refused(|kv| _ = kv.key_mut::<f32>(1, 0)), "rows of f16 seen as f32");
        assert_eq!(
            refused(|_| _ = Shape::of(&StateSpec::Fixed { rows: 1, cols: 2 })),
            "fixed state f32 [1, 2] has no key/value rows"
        );
        assert_eq!(refused(|_| _ = fixed(&KV)), "kv rows 3 x (f16 2, f32 5) is not recurrent state");
    }

    #[test]
    fn the_values_of_latent_rows_are_the_starts_of_their_keys() {
        let spec = StateSpec::LatentRows { key_dim: 5, value_dim: 3, dtype: DType::F16 };
        assert_eq!((spec.bytes(7), spec.parts()), (Some(70), 1));
        let mut s = Sequence::new(&[spec], 7).unwrap();
        let place = s.places().next().unwrap();
        // SAFETY: the place is of that kind, and nobody else uses it.
        let mut kv = unsafe { KvMut::new(&place, &spec, 0..1) };
        for position in 0..7 {
            kv.key_mut(0, position).fill(f16::from_f32(position as f32));
            kv.value_mut(0, position)[1..].fill(f16::from_f32(9.0));
        }
        // SAFETY: as above; nobody writes any more.
        let kv = unsafe { Kv::new(&place, &spec) };
        assert_eq!((kv.heads(), kv.key_dim(), kv.value_dim(), kv.types()), (1, 5, 3, (DType::F16, DType::F16)));
        let row = [6.0, 9.0, 9.0, 6.0, 6.0].map(f16::from_f32);
        assert_eq!((kv.keys::<f16>(0).row(6), kv.values::<f16>(0).row(6)), (&row[..], &row[..3]));
    }

    #[test]
    fn a_part_of_recurrent_state_is_its_rows() {
        let spec = StateSpec::Fixed { rows: 4, cols: 3 };
        let mut s = Sequence::new(&[spec], 1).unwrap();
        let place = s.places().next().unwrap();
        // SAFETY: the place is of that kind, and nobody else uses it.
        let mut part = unsafe { RecurrentMut::new(&place, &spec, 1..3) };
        let view = part.view_mut();
        assert_eq!((view.rows(), view.cols()), (2, 3));
        view.row_mut(1).fill(8.0);
        // SAFETY: as above; the part is used no more.
        let all = unsafe { Recurrent::new(&place, &spec) }.view();
        assert_eq!((all.rows(), all.cols()), (4, 3));
        assert_eq!([0, 1, 2, 3].map(|r| all.row(r)[2]), [0.0, 0.0, 8.0, 0.0]);
    }
}
