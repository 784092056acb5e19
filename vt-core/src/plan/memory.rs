//! What a plan needs to run: arenas, scratch memory, and the batch's positions and sequences.

use std::sync::Arc;

use super::observe::Observer;
use super::pass::Pass;
use super::sequence::StatePlace;
use super::walk::{Arena, InputPlace};
use crate::RunError;
use crate::memory::{Aligned, DeviceMemory};

/// How much work was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Passes.
    pub passes: u64,
    /// Steps of all passes.
    pub steps: u64,
    /// Steps that ran on the reference device, because the plan's device had no kernel.
    pub fallbacks: u64,
    /// Copies between memories.
    pub copies: u64,
    /// Bytes of those.
    pub copied_bytes: u64,
}

/// The memory of a plan. One pass at a time uses it.
#[derive(Debug)]
pub struct Memory {
    /// The plan that it is for.
    pub(crate) plan: u64,
    pub(crate) arenas: Vec<ArenaMemory>,
    pub(crate) scratch: Aligned,
    pub(crate) positions: Vec<i32>,
    pub(crate) sequences: Vec<i32>,
    pub(crate) states: Vec<StatePlace>,
    pub(crate) inputs: Vec<InputPlace>,
    pub(crate) staging: Vec<u8>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// How much work was done with this memory.
    pub counters: Counters,
}

// SAFETY: the raw pointers in `states` and `inputs` are written at the start of each pass and only used in it.
unsafe impl Send for Memory {}
// SAFETY: nothing can be reached through a shared reference but `counters`.
unsafe impl Sync for Memory {}

#[derive(Debug)]
pub(crate) enum ArenaMemory {
    Host(Aligned),
    Remote(Arc<dyn DeviceMemory>),
}

impl ArenaMemory {
    pub(crate) fn arena(&mut self) -> Arena<'_> {
        match self {
            ArenaMemory::Host(memory) => Arena::Host(memory.base()),
            ArenaMemory::Remote(memory) => Arena::Remote(&**memory),
        }
    }
}

impl Memory {
    /// The bytes of all arenas and of scratch memory.
    pub fn reserved_bytes(&self) -> usize {
        let arena = |a: &ArenaMemory| match a {
            ArenaMemory::Host(memory) => memory.len(),
            ArenaMemory::Remote(memory) => memory.len(),
        };
        self.arenas.iter().map(arena).sum::<usize>() + self.scratch.len()
    }

    /// From now on `observer` is told what workers do in the passes that use this memory; `None`: nobody is.
    pub fn observe(&mut self, observer: Option<Arc<dyn Observer>>) {
        self.observer = observer;
    }

    /// Notes where the pass's inputs and states are. The vectors were given room when the memory was made.
    pub(crate) fn enter(
        &mut self,
        pass: &mut Pass<'_, '_>,
        batch: super::program::BatchInputs,
    ) -> Result<(), RunError> {
        self.positions.clear();
        self.sequences.clear();
        for span in pass.spans {
            for row in 0..span.rows {
                self.positions.push(to_i32(span.position + row)?);
                self.sequences.push(to_i32(span.sequence)?);
            }
        }
        self.states.clear();
        pass.sequences.iter_mut().for_each(|s| self.states.extend(s.places()));
        self.inputs.clear();
        self.inputs.extend(pass.inputs.iter().map(|f| InputPlace { start: f.bytes.as_ptr(), bytes: f.bytes.len() }));
        let place = |v: &Vec<i32>| InputPlace { start: v.as_ptr().cast(), bytes: size_of_val(v.as_slice()) };
        let mut added = [(batch.positions, place(&self.positions)), (batch.sequences, place(&self.sequences))];
        added.sort_by_key(|(number, _)| *number);
        self.inputs.extend(added.iter().filter(|(number, _)| number.is_some()).map(|(_, place)| *place));
        Ok(())
    }
}

fn to_i32(n: usize) -> Result<i32, RunError> {
    i32::try_from(n).map_err(|_| RunError::Pass {
        what: "a position",
        expected: "below 2^31".to_owned(),
        found: n.to_string(),
    })
}
