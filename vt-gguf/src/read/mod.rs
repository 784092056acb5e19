//! The reader.

mod file;
mod gguf;
mod header;
mod metadata;
mod set;
mod shard;
mod split;
mod table;
mod tensor_info;

pub use gguf::Gguf;
pub use metadata::Metadata;
pub use tensor_info::TensorInfo;
