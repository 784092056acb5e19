//! Reading and writing GGUF files, and where each of their tensors is to live.
//!
//! The format is ggml's (`docs/gguf.md`): a header, metadata, tensor infos, and the tensors' bytes. [`Gguf`] maps a
//! file, or a set of split files, checks all of it and borrows from the map; [`Writer`] makes files; [`residency`]
//! decides whether a tensor is used as the file has it. A file is not trusted: a bad one is a [`GgufError`].
//!
//! ```
//! use std::sync::Arc;
//! use vt_core::DType;
//! use vt_gguf::{Gguf, Writer};
//!
//! let mut writer = Writer::new();
//! writer.set("general.architecture", "llama")?.set("llama.block_count", 2u32)?;
//! writer.tensor("output_norm.weight", DType::F32, &[2], vec![0; 8])?;
//!
//! let gguf = Gguf::from_bytes(Arc::new(writer.to_bytes()?))?;
//! assert_eq!(gguf.metadata().arch()?.usize("block_count")?, 2);
//! assert_eq!(gguf.tensor("output_norm.weight")?.shape(), [2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod config;
mod cursor;
mod error;
mod index;
mod read;
mod residency;
mod tensor_type;
mod value;
mod write;

pub use config::{Config, ConfigError};
pub use error::{Fault, GgufError, Place, printable};
pub use read::{Gguf, Metadata, TensorInfo};
pub use residency::{Decision, Policy, Residency, Role, residency};
pub use tensor_type::{ForeignType, TensorType};
pub use value::{Array, FromValue, Strings, Value, ValueType, Values};
pub use write::{Element, Encode, WriteError, Writer};

/// The metadata key of the alignment of tensors' bytes.
const ALIGNMENT_KEY: &str = "general.alignment";

/// The alignment of tensors' bytes where the file states none.
const DEFAULT_ALIGNMENT: u64 = 32;

/// The largest alignment that a file may state: more is not plausible, and padding must not grow a file.
const MAX_ALIGNMENT: u64 = 1 << 20;

/// The dimensions of a tensor in a file are at most this many.
const MAX_DIMS: usize = 4;

/// The longest name of a tensor, in bytes.
const MAX_TENSOR_NAME: usize = 64;

/// The longest metadata key, in bytes.
const MAX_KEY: usize = 65535;

/// What is expected of `general.alignment`.
const ALIGNMENT_RULE: &str = "a power of two between 1 and 1048576";

/// Whether `n` can be the alignment of tensors' bytes.
fn is_alignment(n: u64) -> bool {
    n.is_power_of_two() && n <= MAX_ALIGNMENT
}
