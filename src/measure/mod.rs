//! Measuring: what kernels reach of what the machine can do.

mod kernels;
mod recorder;
mod speed;

pub use kernels::{Effort, MeasureError, Measurement, case};
pub use recorder::Recorder;
pub use speed::{Bound, Speed};
