//! A model: one file, or a set of split files.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use vt_core::memory::{Bytes, Storage};
use vt_core::{DType, Tensor, TensorError};

use super::file::Source;
use super::metadata::Metadata;
use super::set::Set;
use super::shard::Shard;
use super::split;
use super::tensor_info::TensorInfo;
use crate::error::{Fault, GgufError, shown};
use crate::index::Index;

/// A GGUF file, or a set of split files, mapped and completely checked.
///
/// Metadata and tensors borrow from the map; beside it the reader keeps about fourteen bytes per key and tensor.
pub struct Gguf {
    set: Set,
    index: Index,
}

impl Gguf {
    /// Maps the file at `path`; of a set of split files any one may be named, and all are mapped.
    ///
    /// The file must not be written to or shortened as long as this, or a tensor from it, lives: its bytes would
    /// change under the reader, and pages behind the new end of a shortened file raise SIGBUS. The length is checked
    /// again whenever a tensor is taken. Replacing a file by renaming another over it is harmless.
    ///
    /// # Errors
    /// If a file cannot be read, or breaks a rule of the format, or one of a set is missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GgufError> {
        Self::new(split::open_set(path.as_ref())?)
    }

    /// A file that is in memory. It cannot be one of a set.
    ///
    /// # Errors
    /// If it breaks a rule of the format.
    pub fn from_bytes(bytes: Arc<dyn Bytes>) -> Result<Self, GgufError> {
        let shard = Shard::parse("(memory)".into(), Source::memory(bytes))?;
        split::refuse_set(&shard)?;
        Self::new(Set::new(shard, Vec::new()))
    }

    fn new(set: Set) -> Result<Self, GgufError> {
        let index = set.index()?;
        Ok(Self { set, index })
    }

    /// The metadata; of a set of files the first one's.
    pub fn metadata(&self) -> Metadata<'_> {
        self.set.first().metadata()
    }

    /// The metadata of the set's file of that number, from 0. Only the first file's describe the model.
    pub fn metadata_of(&self, file: usize) -> Option<Metadata<'_>> {
        self.set.shard(file).map(Shard::metadata)
    }

    /// The version of the format: 2 or 3.
    pub fn version(&self) -> u32 {
        self.set.first().version
    }

    /// The names of the files, in the set's order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.set.shards().map(|shard| &*shard.name)
    }

    /// The length of all files together, in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.set.shards().map(|shard| shard.source.bytes().len() as u64).sum()
    }

    /// The number of tensors.
    pub fn tensor_count(&self) -> usize {
        self.set.tensors()
    }

    /// Every tensor, in the order of the files.
    pub fn tensors(&self) -> impl Iterator<Item = TensorInfo<'_>> {
        (0..self.set.tensors()).filter_map(|number| self.set.tensor(number))
    }

    /// What the file states of the tensor `name`.
    pub fn info(&self, name: &str) -> Option<TensorInfo<'_>> {
        let number = self.index.find(name.as_bytes(), |n| self.set.name_of(n as usize))?;
        self.set.tensor(number as usize)
    }

    /// The tensor `name`, which borrows the map.
    ///
    /// Only where an alignment smaller than the elements left numbers unaligned, they are copied.
    ///
    /// # Errors
    /// If there is no such tensor, vt does not have its type, or the file was shortened since it was opened.
    pub fn tensor(&self, name: &str) -> Result<Tensor, GgufError> {
        let found = self.info(name).and_then(|info| Some((self.set.shard(info.shard())?, info)));
        let name = || shown(name.as_bytes());
        let (shard, info) = found.ok_or_else(|| self.set.first().error(Fault::MissingTensor { name: name() }))?;
        let offset = info.offset();
        let Some(dtype) = info.tensor_type().dtype() else {
            let tensor_type = info.tensor_type().name();
            return Err(shard.error(Fault::UnsupportedType { name: name(), offset, tensor_type }));
        };
        shard.source.check_length().map_err(|fault| shard.error(fault))?;
        borrow(shard, &info, dtype).map_err(|error| shard.error(Fault::Tensor { name: name(), offset, error }))
    }
}

fn borrow(shard: &Shard, info: &TensorInfo<'_>, dtype: DType) -> Result<Tensor, TensorError> {
    if info.bytes() == 0 {
        return Tensor::zeros(dtype, info.shape());
    }
    let storage = info.range().and_then(|range| Storage::mapped(shard.source.owner(), range));
    // The range was checked when the info was read, so there is such a storage.
    let Some(storage) = storage else { return Tensor::from_bytes(dtype, info.shape(), &[]) };
    match Tensor::new(dtype, info.shape(), storage.clone()) {
        Err(TensorError::Unaligned { .. }) => {
            Tensor::from_bytes(dtype, info.shape(), storage.host().unwrap_or_default())
        }
        made => made,
    }
}

impl fmt::Debug for Gguf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.files().collect();
        f.debug_struct("Gguf").field("files", &files).field("tensors", &self.tensor_count()).finish_non_exhaustive()
    }
}
