//! From a file to the values that a graph is recorded with.

mod foreign;
mod hparams;
mod hybrid;
mod key_rules;
mod keys;
mod policy;
mod predictors;
mod problem;
mod vocab;
mod weights;
mod windows;

pub use hparams::Hparams;
pub use hybrid::Hybrid;
pub use key_rules::{is_model, key_faults};
pub use keys::Keys;
pub use policy::Target;
pub use problem::Problem;
pub use vocab::vocab;
pub use weights::{TensorUse, Weights};
pub use windows::Windows;
