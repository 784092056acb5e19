//! Strided two-dimensional views: what a kernel sees of its operands.

use std::marker::PhantomData;

/// A read-only view of rows with a fixed distance between them.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    base: *const T,
    rows: usize,
    cols: usize,
    stride: usize,
    life: PhantomData<&'a [T]>,
}

// SAFETY: a view is a shared borrow of its elements.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<'a, T> View<'a, T> {
    /// A view of `rows` rows of `cols` elements, `stride` elements apart.
    ///
    /// # Panics
    /// If `data` is too short, or rows overlap.
    pub fn new(data: &'a [T], rows: usize, cols: usize, stride: usize) -> Self {
        check_extent(data.len(), rows, cols, stride);
        // SAFETY: the check keeps every row inside `data`, which is borrowed for 'a.
        unsafe { Self::from_raw(data.as_ptr(), rows, cols, stride) }
    }

    /// # Safety
    /// For 'a, each row `base + i * stride .. + cols`, i < `rows`, is inside one allocation, initialized, aligned, and
    /// not written.
    pub(crate) unsafe fn from_raw(base: *const T, rows: usize, cols: usize, stride: usize) -> Self {
        Self { base, rows, cols, stride, life: PhantomData }
    }

    /// The number of rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of elements in a row.
    #[inline(always)]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &'a [T] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        // SAFETY: i < rows, and `from_raw`'s caller (or `new`'s check) vouches for the row.
        unsafe { std::slice::from_raw_parts(self.base.add(i * self.stride), self.cols) }
    }

    /// All rows as one slice, if none of its elements lies between them.
    #[inline(always)]
    pub fn contiguous(&self) -> Option<&'a [T]> {
        // SAFETY: without gaps the rows are one range, and each is vouched for by `from_raw`'s caller (or `new`'s check).
        (self.rows <= 1 || self.stride == self.cols)
            .then(|| unsafe { std::slice::from_raw_parts(self.base, self.rows * self.cols) })
    }

    /// Where row 0 starts, and the elements from there to the start of the next row.
    #[inline(always)]
    pub fn as_ptr_and_stride(&self) -> (*const T, usize) {
        (self.base, self.stride)
    }

    /// The rows `from .. from + count`.
    ///
    /// # Panics
    /// If they are not all inside.
    #[inline(always)]
    pub fn slice_rows(&self, from: usize, count: usize) -> Self {
        assert!(from <= self.rows && count <= self.rows - from, "rows {from}+{count} of {}", self.rows);
        // SAFETY: a subset of this view's rows. An empty one may start one past the last row, which is never read.
        unsafe { Self::from_raw(self.base.wrapping_add(from * self.stride), count, self.cols, self.stride) }
    }

    /// The columns `from .. from + count` of every row.
    ///
    /// # Panics
    /// If they are not all inside.
    #[inline(always)]
    pub fn slice_cols(&self, from: usize, count: usize) -> Self {
        assert!(from <= self.cols && count <= self.cols - from, "columns {from}+{count} of {}", self.cols);
        // SAFETY: a subset of this view's columns.
        unsafe { Self::from_raw(self.base.wrapping_add(from), self.rows, count, self.stride) }
    }
}

/// A view of rows that may be written; no element is seen by anyone else while it lives.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    base: *mut T,
    rows: usize,
    cols: usize,
    stride: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: a ViewMut is an exclusive borrow of its elements.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: shared access to a ViewMut only reads.
unsafe impl<T: Sync> Sync for ViewMut<'_, T> {}

impl<'a, T> ViewMut<'a, T> {
    /// A view of `rows` rows of `cols` elements, `stride` elements apart.
    ///
    /// # Panics
    /// If `data` is too short, or rows overlap.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize, stride: usize) -> Self {
        check_extent(data.len(), rows, cols, stride);
        // SAFETY: the check keeps every row inside `data`, which is borrowed exclusively for 'a.
        unsafe { Self::from_raw(data.as_mut_ptr(), rows, cols, stride) }
    }

    /// # Safety
    /// For 'a, each row `base + i * stride .. + cols`, i < `rows`, is inside one allocation, initialized, aligned, no
    /// two rows overlap, and no one else reads or writes them.
    pub(crate) unsafe fn from_raw(base: *mut T, rows: usize, cols: usize, stride: usize) -> Self {
        Self { base, rows, cols, stride, life: PhantomData }
    }

    /// The number of rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of elements in a row.
    #[inline(always)]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[T] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        // SAFETY: i < rows, and `from_raw`'s caller (or `new`'s check) vouches for the row.
        unsafe { std::slice::from_raw_parts(self.base.add(i * self.stride), self.cols) }
    }

    /// Row `i`, to be written.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        // SAFETY: as in `row`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(i * self.stride), self.cols) }
    }

    /// The rows and columns from (`row`, `col`) on, `rows` by `cols` of them.
    ///
    /// # Panics
    /// If they are not all inside.
    #[inline(always)]
    pub fn tile(&mut self, row: usize, rows: usize, col: usize, cols: usize) -> ViewMut<'_, T> {
        assert!(row <= self.rows && rows <= self.rows - row, "rows {row}+{rows} of {}", self.rows);
        assert!(col <= self.cols && cols <= self.cols - col, "columns {col}+{cols} of {}", self.cols);
        // SAFETY: a subset of this view, borrowed exclusively through it.
        unsafe { ViewMut::from_raw(self.base.wrapping_add(row * self.stride + col), rows, cols, self.stride) }
    }
}

fn check_extent(len: usize, rows: usize, cols: usize, stride: usize) {
    if rows == 0 {
        return;
    }
    assert!(cols <= stride || rows == 1, "rows of {cols} elements overlap at a stride of {stride}");
    let end = (rows - 1).checked_mul(stride).and_then(|start| start.checked_add(cols));
    assert!(end.is_some_and(|end| end <= len), "{rows} rows of {cols} at a stride of {stride} in {len} elements");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_slices() {
        let data: Vec<i32> = (0..12).collect();
        let v = View::new(&data, 3, 3, 4);
        assert_eq!(v.row(2), &[8, 9, 10]);
        assert_eq!(v.slice_rows(1, 2).row(0), &[4, 5, 6]);
        assert_eq!(v.slice_cols(1, 2).row(1), &[5, 6]);
        assert_eq!(v.slice_rows(3, 0).rows(), 0);
    }

    #[test]
    fn tiles_write_only_their_part() {
        let mut data = vec![0; 12];
        let mut v = ViewMut::new(&mut data, 3, 4, 4);
        let mut tile = v.tile(1, 2, 1, 2);
        tile.row_mut(0).fill(1);
        tile.row_mut(1).fill(2);
        assert_eq!(data, [0, 0, 0, 0, 0, 1, 1, 0, 0, 2, 2, 0]);
    }

    #[test]
    #[should_panic(expected = "3 rows of 4 at a stride of 4 in 11 elements")]
    fn short_data_is_refused() {
        View::new(&[0; 11], 3, 4, 4);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn overlapping_rows_are_refused() {
        ViewMut::new(&mut [0; 11], 3, 4, 2);
    }
}
