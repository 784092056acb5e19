//! What a pass is given.

use crate::plan::{Program, Sequence};
use crate::{DType, Elem, RunError, Sizes, Tensor};

/// The rows of one sequence in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The sequence: its place in [`Pass::sequences`].
    pub sequence: usize,
    /// The position of the first row. At most the sequence's length: rows from there on are written anew.
    pub position: usize,
    /// The number of rows.
    pub rows: usize,
}

/// A run-time input of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'a> {
    pub(crate) dtype: DType,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Feed<'a> {
    /// Whole numbers.
    pub fn ids(values: &'a [i32]) -> Self {
        Self { dtype: DType::I32, bytes: bytes_of(values) }
    }

    /// Real numbers.
    pub fn floats(values: &'a [f32]) -> Self {
        Self { dtype: DType::F32, bytes: bytes_of(values) }
    }

    /// A tensor's elements; `None` if the host cannot see them.
    pub fn tensor(tensor: &'a Tensor) -> Option<Self> {
        Some(Self { dtype: tensor.dtype(), bytes: tensor.bytes()? })
    }
}

fn bytes_of<T: Elem>(values: &[T]) -> &[u8] {
    // SAFETY: an `Elem` is plain data without padding, so its bytes are initialized.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
}

/// One run of a plan: rows of some sequences.
#[derive(Debug)]
pub struct Pass<'a, 's> {
    /// The graph's inputs, in the order of their declaration.
    pub inputs: &'a [Feed<'a>],
    /// The rows, sequence by sequence; each sequence has at most one span.
    pub spans: &'a [Span],
    /// The sequences whose state is read and written.
    pub sequences: &'a mut [&'s mut Sequence],
    /// The values of the symbols. T is the number of rows of all spans, where there are spans.
    pub sizes: Sizes,
}

impl Pass<'_, '_> {
    /// Whether the pass fits the program and the largest sizes.
    pub(crate) fn check(&self, program: &Program, largest: Sizes) -> Result<(), RunError> {
        let mismatch = |what, expected: String, found: String| Err(RunError::Pass { what, expected, found });
        if !self.sizes.within(&largest) {
            return mismatch("rows of the pass", format!("at most {largest:?}"), format!("{:?}", self.sizes));
        }
        if self.inputs.len() != program.inputs.len() {
            return mismatch("inputs", program.inputs.len().to_string(), self.inputs.len().to_string());
        }
        for (feed, (_, desc)) in self.inputs.iter().zip(&program.inputs) {
            let expected = desc.bytes(&self.sizes);
            let aligned =
                (feed.bytes.as_ptr() as usize).is_multiple_of(align_of::<u64>().min(desc.dtype.block_bytes()));
            if feed.dtype != desc.dtype || Some(feed.bytes.len()) != expected || !(aligned || desc.dtype.is_block()) {
                return mismatch("an input", desc.to_string(), format!("{} bytes of {}", feed.bytes.len(), feed.dtype));
            }
        }
        self.check_spans(program)
    }

    fn check_spans(&self, program: &Program) -> Result<(), RunError> {
        let mismatch = |what, expected: String, found: String| Err(RunError::Pass { what, expected, found });
        let rows = self.spans.iter().try_fold(0usize, |n, s| n.checked_add(s.rows));
        if program.needs_spans() && rows != Some(self.sizes.t) {
            let found = rows.map_or("too many".to_owned(), |n| n.to_string());
            return mismatch("rows of the spans", self.sizes.t.to_string(), found);
        }
        for sequence in self.sequences.iter() {
            sequence.check_state(&program.states)?;
        }
        for (i, span) in self.spans.iter().enumerate() {
            let Some(sequence) = self.sequences.get(span.sequence) else {
                return mismatch(
                    "a span's sequence",
                    format!("below {}", self.sequences.len()),
                    span.sequence.to_string(),
                );
            };
            if self.spans[..i].iter().any(|s| s.sequence == span.sequence) {
                return mismatch("spans of a sequence", "one".to_owned(), "several".to_owned());
            }
            sequence.check(span)?;
        }
        Ok(())
    }
}
