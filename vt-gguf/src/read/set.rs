//! The files of a model, and the tensors of all of them in one order.

use super::shard::Shard;
use super::tensor_info::TensorInfo;
use crate::error::GgufError;
use crate::index::Index;

/// One file at least.
pub(super) struct Set {
    first: Shard,
    rest: Vec<Shard>,
    /// For each shard the number of tensors in it and before it.
    ends: Vec<usize>,
}

impl Set {
    pub fn new(first: Shard, rest: Vec<Shard>) -> Self {
        let mut count = 0;
        let count_up = |shard: &Shard| {
            count += shard.tensors();
            count
        };
        let ends = std::iter::once(&first).chain(&rest).map(count_up).collect();
        Self { first, rest, ends }
    }

    pub fn first(&self) -> &Shard {
        &self.first
    }

    pub fn shards(&self) -> impl Iterator<Item = &Shard> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    pub fn shard(&self, number: usize) -> Option<&Shard> {
        match number.checked_sub(1) {
            None => Some(&self.first),
            Some(number) => self.rest.get(number),
        }
    }

    /// The number of tensors.
    pub fn tensors(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The tensor of that number.
    pub fn tensor(&self, number: usize) -> Option<TensorInfo<'_>> {
        let (at, in_shard) = self.locate(number)?;
        self.shard(at)?.tensor(in_shard, at)
    }

    /// The name of the tensor of that number.
    pub fn name_of(&self, number: usize) -> Option<&[u8]> {
        let (at, in_shard) = self.locate(number)?;
        self.shard(at)?.tensor_name(in_shard)
    }

    /// The numbers of all names, each of which must be there once.
    pub fn index(&self) -> Result<Index, GgufError> {
        let mut index = Index::new(self.tensors());
        let mut number = 0u32;
        for shard in self.shards() {
            for in_shard in 0..shard.tensors() {
                let name = shard.tensor_name(in_shard).unwrap_or_default();
                if !index.insert(name, number, |n| self.name_of(n as usize)) {
                    return Err(shard.tensor_fault(in_shard, "every name once", "the name a second time"));
                }
                number =
                    number.checked_add(1).ok_or_else(|| shard.tensor_fault(in_shard, "fewer than 2^32", "more"))?;
            }
        }
        Ok(index)
    }

    /// The shard of the tensor of that number, and its number there.
    fn locate(&self, number: usize) -> Option<(usize, usize)> {
        let at = self.ends.partition_point(|end| *end <= number);
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        Some((at, number.checked_sub(before)?))
    }
}
