//! What a kernel sees while it runs: its tile of the output, and as much of the inputs as it may read.

use std::ops::Range;

use super::kv::{Kv, KvMut, Recurrent, RecurrentMut};
use super::{RemoteOperand, Tile};
use crate::memory::ALIGNMENT;
use crate::op::ValueType;
use crate::plan::{Arena, Args, Operand, Place, StatePlace, Step};
use crate::{DType, Desc, Elem, Sizes, View, ViewMut};

/// The operands of one tile.
///
/// Inputs are narrowed to what the kernel said it [needs](super::Kernel::need), outputs to the tile. A block type is
/// seen as bytes.
#[derive(Debug)]
pub struct Io<'a> {
    step: &'a Step,
    args: &'a Args<'a>,
    worker: usize,
    tile: Tile,
    /// One bit an output, one for scratch: an exclusive view is given out once.
    taken: u32,
    /// The bytes of scratch that were given out in parts.
    parts: usize,
}

const SCRATCH: u32 = 31;

impl<'a> Io<'a> {
    /// # Safety
    /// For 'a, no other worker writes what the step's tile reads, or reads or writes what the tile writes.
    pub(crate) unsafe fn new(step: &'a Step, args: &'a Args<'a>, worker: usize, tile: Tile) -> Self {
        Self { step, args, worker, tile, taken: 0, parts: 0 }
    }

    /// The part of the output to compute, in elements.
    pub fn tile(&self) -> Tile {
        self.tile.clone()
    }

    /// The actual values of the symbols.
    pub fn sizes(&self) -> Sizes {
        self.args.sizes
    }

    /// The number of the pass's sequences.
    pub fn sequences(&self) -> usize {
        self.args.states.len().checked_div(self.args.slots).unwrap_or(0)
    }

    /// The type of input `i`'s elements.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn dtype(&self, i: usize) -> DType {
        self.input_operand(i).dtype
    }

    /// The type and shape of input `i`, unless it is state. A leading symbol stands for [`Io::sizes`].
    ///
    /// # Panics
    /// If there is no such input.
    pub fn desc(&self, i: usize) -> Option<&'a Desc> {
        self.input_operand(i).ty.tensor()
    }

    /// Input `i`, narrowed to what the kernel needs.
    ///
    /// # Panics
    /// If there is no such input, it is state, of another type, or [shared](Io::shared) with the output.
    pub fn input<T: Elem>(&self, i: usize) -> View<'a, T> {
        assert!(!self.shared(i), "input {i} of {} shares the output's memory", self.step.op);
        let operand = self.input_operand(i);
        let part = self.step.input_part(i, &self.tile, &self.args.sizes);
        let (start, cols, stride) = self.extent::<T>(operand, &part);
        // SAFETY: the operand's rows are inside its place, and by `new` nobody writes this part meanwhile.
        unsafe { View::from_raw(start, part.rows.len(), cols, stride) }
    }

    /// Input `i` as bytes, whatever its type: rows of [`row_bytes`](crate::Desc::row_bytes).
    ///
    /// # Panics
    /// As [`Io::input`], the type apart.
    pub fn input_bytes(&self, i: usize) -> View<'a, u8> {
        assert!(!self.shared(i), "input {i} of {} shares the output's memory", self.step.op);
        let operand = self.input_operand(i);
        let part = self.step.input_part(i, &self.tile, &self.args.sizes);
        let (start, bytes) = self.byte_extent(operand, &part);
        // SAFETY: as in `input`; any memory may be seen as bytes.
        unsafe { View::from_raw(start, part.rows.len(), bytes, operand.row_bytes) }
    }

    /// The tile of output `i`, to be written. What it holds before is unspecified, unless an input is
    /// [shared](Io::shared).
    ///
    /// # Panics
    /// If there is no such output, it is state, of another type, or was taken already.
    pub fn output<T: Elem>(&mut self, i: usize) -> ViewMut<'a, T> {
        let operand = self.output_operand(i);
        self.take(u32::try_from(i).unwrap_or(SCRATCH));
        let part = self.step.output_part(i, &self.tile, &self.args.sizes);
        let (start, cols, stride) = self.extent::<T>(operand, &part);
        // SAFETY: as in `input`; by `new` nobody else uses this part, and `take` gives it out once.
        unsafe { ViewMut::from_raw(start.cast_mut(), part.rows.len(), cols, stride) }
    }

    /// How many inputs there are: those that a call leaves out are the last ones.
    pub fn inputs(&self) -> usize {
        self.step.inputs.len()
    }

    /// Whether input `i` lies in the memory of output 0 already: read it there.
    pub fn shared(&self, i: usize) -> bool {
        self.step.in_place == Some(i)
    }

    /// The worker's scratch memory: as many bytes as the kernel asked for, 64-byte aligned, with unspecified content.
    ///
    /// # Panics
    /// If it was taken already.
    pub fn scratch(&mut self) -> &'a mut [u8] {
        self.take(SCRATCH);
        assert!(self.parts == 0, "{}: a part of scratch was taken before all of it", self.step.op);
        if self.step.scratch == 0 {
            return &mut [];
        }
        // SAFETY: each worker has `scratch_stride` >= `scratch` bytes of its own, given out once a tile.
        unsafe {
            let start = self.args.scratch.add(self.worker * self.args.scratch_stride);
            std::slice::from_raw_parts_mut(start, self.step.scratch)
        }
    }

    /// [`Io::scratch`] as whole elements of `T`.
    ///
    /// # Panics
    /// If it was taken already.
    pub fn scratch_of<T: Elem>(&mut self) -> &'a mut [T] {
        let bytes = self.scratch();
        if bytes.is_empty() {
            return &mut [];
        }
        // SAFETY: scratch is 64-byte aligned, zeroed when it was reserved, and every bit pattern of an `Elem` is a
        // value; the length is rounded down to whole elements.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast::<T>(), bytes.len() / size_of::<T>()) }
    }

    /// The next `count` elements of scratch, for kernels that want it as several types: parts follow each other, each takes
    /// [`scratch_bytes`].
    ///
    /// # Panics
    /// If all of scratch was taken already, or is not so large.
    pub fn scratch_part<T: Elem>(&mut self, count: usize) -> &'a mut [T] {
        let (from, bytes) = (self.parts, scratch_bytes::<T>(count));
        let fits = self.taken & (1 << SCRATCH) == 0 && bytes <= self.step.scratch - from;
        assert!(fits, "{}: {from} + {bytes} of {} bytes of scratch", self.step.op, self.step.scratch);
        self.parts += bytes;
        if bytes == 0 {
            return &mut [];
        }
        // SAFETY: each worker has `scratch_stride` >= `scratch` bytes of its own, and parts do not overlap. They start at
        // multiples of 64 bytes, and scratch is zeroed when it is reserved: every bit pattern of an `Elem` is a value.
        unsafe {
            let start = self.args.scratch.add(self.worker * self.args.scratch_stride + from);
            std::slice::from_raw_parts_mut(start.cast::<T>(), count)
        }
    }

    /// The key/value rows of input `i` of a sequence.
    ///
    /// # Panics
    /// If input `i` is no such state, there is no such sequence, or the op advances the state.
    pub fn kv(&self, i: usize, sequence: usize) -> Kv<'a> {
        let (place, ty) = self.state(self.input_operand(i), sequence);
        assert!(self.step.outputs.iter().all(|o| o.ty.state().is_none()), "{} advances its state", self.step.op);
        // SAFETY: the schedule puts a barrier between a state's writer and its readers.
        unsafe { Kv::new(place, ty) }
    }

    /// The tile's heads of the key/value rows of output `i` of a sequence, to be written.
    ///
    /// # Panics
    /// If output `i` is no such state, or there is no such sequence.
    pub fn kv_mut(&mut self, i: usize, sequence: usize) -> KvMut<'_> {
        let (place, ty) = self.state(self.output_operand(i), sequence);
        let heads = self.step.output_part(i, &self.tile, &self.args.sizes).cols;
        // SAFETY: a tile of a state is its heads of every sequence, and the borrow of self keeps it exclusive.
        unsafe { KvMut::new(place, ty, heads) }
    }

    /// The recurrent state of input `i` of a sequence.
    ///
    /// # Panics
    /// As [`Io::kv`].
    pub fn recurrent(&self, i: usize, sequence: usize) -> Recurrent<'a> {
        let (place, ty) = self.state(self.input_operand(i), sequence);
        assert!(self.step.outputs.iter().all(|o| o.ty.state().is_none()), "{} advances its state", self.step.op);
        // SAFETY: as in `kv`.
        unsafe { Recurrent::new(place, ty) }
    }

    /// The tile's rows of the recurrent state of output `i` of a sequence.
    ///
    /// # Panics
    /// As [`Io::kv_mut`].
    pub fn recurrent_mut(&mut self, i: usize, sequence: usize) -> RecurrentMut<'_> {
        let (place, ty) = self.state(self.output_operand(i), sequence);
        let rows = self.step.output_part(i, &self.tile, &self.args.sizes).cols;
        // SAFETY: as in `kv_mut`, of rows.
        unsafe { RecurrentMut::new(place, ty, rows) }
    }

    /// Where input `i` lies in the memory of a device of its own.
    ///
    /// # Panics
    /// If there is no such input, it is state, or the step runs in the host's memory.
    pub fn remote_input(&self, i: usize) -> RemoteOperand<'a> {
        self.remote(self.input_operand(i))
    }

    /// Where output `i` lies in the memory of a device of its own.
    ///
    /// # Panics
    /// As [`Io::remote_input`].
    pub fn remote_output(&self, i: usize) -> RemoteOperand<'a> {
        self.remote(self.output_operand(i))
    }

    fn input_operand(&self, i: usize) -> &'a Operand {
        let Step { op, inputs, .. } = self.step;
        inputs.get(i).unwrap_or_else(|| panic!("{op} has no input {i}, only {}", inputs.len()))
    }

    fn output_operand(&self, i: usize) -> &'a Operand {
        let Step { op, outputs, .. } = self.step;
        outputs.get(i).unwrap_or_else(|| panic!("{op} has no output {i}, only {}", outputs.len()))
    }

    fn take(&mut self, bit: u32) {
        assert!(bit <= SCRATCH && self.taken & (1 << bit) == 0, "{}: a view was taken twice", self.step.op);
        self.taken |= 1 << bit;
    }

    fn state(&self, operand: &'a Operand, sequence: usize) -> (&'a StatePlace, &'a crate::StateSpec) {
        let (Place::State(slot), ValueType::State(spec)) = (operand.place, &operand.ty) else {
            panic!("{}: an operand is not state", self.step.op);
        };
        let Self { args: Args { states, slots, .. }, step, .. } = self;
        assert!(sequence < states.len() / slots, "{}: sequence {sequence} of {}", step.op, states.len() / slots);
        (&states[sequence * slots + slot], spec)
    }

    /// The address of a part's first element, its columns and its stride, in elements of `T`.
    fn extent<T: Elem>(&self, operand: &Operand, part: &Tile) -> (*const T, usize, usize) {
        assert!(T::fits(operand.dtype), "{}: {} seen as {}", self.step.op, operand.dtype, std::any::type_name::<T>());
        let (start, bytes) = self.byte_extent(operand, part);
        let start = start.cast::<T>();
        assert!(start.is_aligned(), "{}: an operand is not aligned", self.step.op);
        (start, bytes / size_of::<T>(), operand.row_bytes / size_of::<T>())
    }

    /// The address of a part's first byte, and the bytes of its rows.
    fn byte_extent(&self, operand: &Operand, part: &Tile) -> (*const u8, usize) {
        let bytes = byte_range(operand.dtype, &part.cols);
        assert!(bytes.end <= operand.row_bytes && part.rows.end <= operand.rows.count(&self.args.sizes));
        let offset = part.rows.start * operand.row_bytes + bytes.start;
        (self.base(operand.place).wrapping_add(offset), bytes.len())
    }

    fn base(&self, place: Place) -> *const u8 {
        match (place, self.args.arena) {
            (Place::Arena { offset, own }, Arena::Host(base)) => base.wrapping_add(offset + self.worker * own),
            (Place::Input(i), _) => self.args.inputs[i].start,
            (Place::Weight(i), _) => match self.args.weights[i].1.bytes() {
                Some(bytes) => bytes.as_ptr(),
                None => panic!("{}: a weight is in a device's memory", self.step.op),
            },
            _ => panic!("{}: the host cannot see an operand", self.step.op),
        }
    }

    fn remote(&self, operand: &Operand) -> RemoteOperand<'a> {
        let (memory, offset) = match (operand.place, self.args.arena) {
            (Place::Arena { offset, own }, Arena::Remote(memory)) => (memory, offset + self.worker * own),
            (Place::Weight(i), Arena::Remote(_)) => match self.args.remote_weights.get(i) {
                Some(Some(memory)) => (&**memory, 0),
                _ => panic!("{}: a weight was not uploaded", self.step.op),
            },
            _ => panic!("{}: an operand is not in the device's memory", self.step.op),
        };
        let Operand { dtype, cols, row_bytes, .. } = *operand;
        RemoteOperand { memory, offset, dtype, rows: operand.rows.count(&self.args.sizes), cols, row_bytes }
    }
}

/// The bytes that a [part of scratch](Io::scratch_part) of `count` elements takes: whole cache lines. What does not fit
/// is the largest number.
pub const fn scratch_bytes<T: Elem>(count: usize) -> usize {
    match count.saturating_mul(size_of::<T>()).checked_next_multiple_of(ALIGNMENT) {
        Some(bytes) => bytes,
        None => usize::MAX,
    }
}

fn byte_range(dtype: DType, cols: &Range<usize>) -> Range<usize> {
    let block = dtype.block_elems();
    assert!(cols.start.is_multiple_of(block) && cols.end.is_multiple_of(block), "columns {cols:?} cut a {dtype} block");
    cols.start / block * dtype.block_bytes()..cols.end / block * dtype.block_bytes()
}
