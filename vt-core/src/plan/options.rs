//! How a graph is planned.

use crate::Sizes;

/// What happens to an op that the device has no kernel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fallback {
    /// The plan is refused, with a list of what is missing.
    #[default]
    Error,
    /// It is made of other ops, where it has a decomposition; otherwise the plan is refused.
    Decompose,
    /// It runs on the reference device, the first that works in the host's memory.
    Reference,
}

/// How a graph is planned.
#[derive(Clone, Debug)]
pub struct Options {
    /// The device's name.
    pub device: String,
    /// The classes of passes, smallest first: each has a schedule of its own, and a pass takes the first that it fits.
    pub classes: Vec<Sizes>,
    /// What happens to an op without a kernel.
    pub fallback: Fallback,
    /// Whether fusions are applied.
    pub fuse: bool,
    /// Whether buffers that do not live at the same time share memory. Off only to test that it changes nothing.
    pub share_memory: bool,
    /// Whether steps are reordered to save barriers. Off only to test that it changes nothing.
    pub reorder: bool,
    /// A kernel by name: the only one that is considered for the ops that have it. For tests and benchmarks.
    pub kernel: Option<String>,
}

impl Options {
    /// The usual options for a device and one class of passes.
    pub fn new(device: &str, largest: Sizes) -> Self {
        Self {
            device: device.to_owned(),
            classes: vec![largest],
            fallback: Fallback::Error,
            fuse: true,
            share_memory: true,
            reorder: true,
            kernel: None,
        }
    }

    /// The row classes of a model that takes up to `rows` rows in a pass and gives the logits of up to `wanted` of
    /// them: decoding one row, some rows (batches), and many rows with one or with all logits wanted.
    pub fn row_classes(mut self, rows: usize, wanted: usize) -> Self {
        const SOME: usize = 24;
        let class = |t: usize, r: usize| Sizes { t: t.min(rows), r: r.min(wanted).min(rows) };
        self.classes = vec![class(1, 1), class(SOME, SOME), class(rows, 1), class(rows, wanted)];
        self.classes.dedup();
        self
    }
}
