//! Random damage to a file, the same on every machine.

use crate::forge::File;
use crate::tiny::random::Random;

/// A file, and where it has lengths, counts, types and offsets: what damage is most likely to lead astray.
pub struct Base {
    pub bytes: Vec<u8>,
    fields: Vec<usize>,
    /// Where the tensors' data start.
    head: usize,
}

impl Base {
    pub fn new(file: &File) -> Self {
        Self { bytes: file.bytes(), fields: fields(file), head: file.head().len() }
    }

    /// A copy with one to three damages, most of them before the data.
    pub fn damaged(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for _ in 0..=random.below(3) {
            let within = if random.below(4) > 0 { self.head.min(bytes.len()) } else { bytes.len() };
            damage(&mut bytes, within, &self.fields, random);
        }
        bytes
    }
}

/// Where numbers of eight bytes start that structure the file.
fn fields(file: &File) -> Vec<usize> {
    let mut at = 24;
    let mut fields = vec![8, 16];
    for entry in &file.entries {
        let value = at + 8 + entry.key.len() + 4;
        // A key's length; its type; a text's length, or an array's type and length.
        fields.extend([at, value - 4, value, value + 4]);
        at = value + entry.value.len();
    }
    for info in &file.infos {
        let dims = at + 8 + info.name.len() + 4;
        // A name's length; its rank; each dimension; type and offset.
        fields.extend([at, dims - 4]);
        fields.extend((0..info.ne.len()).map(|i| dims + 8 * i));
        let kind = dims + 8 * info.ne.len();
        fields.extend([kind, kind + 4]);
        at = kind + 12;
    }
    fields
}

/// Numbers at which arithmetic goes wrong.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    31,
    33,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 31,
    u64::MAX,
];

/// Damages the first `within` bytes, or one of the fields.
fn damage(bytes: &mut [u8], within: usize, fields: &[usize], random: &mut Random) {
    let at = random.below(within);
    let run = (1 + random.below(16)).min(within - at);
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 => bytes[at..at + run].fill(random.next() as u8),
        3 => bytes[at..at + run].copy_from_slice(&random.bytes(run)),
        4 => bytes.swap(at, random.below(within)),
        5 => {
            let from = random.below(within - run + 1);
            bytes.copy_within(from..from + run, at);
        }
        6 => put(bytes, fields[random.below(fields.len())], random),
        _ => put_near(bytes, fields[random.below(fields.len())], random),
    }
}

/// Writes a number at which arithmetic goes wrong, of one to eight bytes.
fn put(bytes: &mut [u8], at: usize, random: &mut Random) {
    let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
    let width = [1, 2, 4, 8][random.below(4)].min(bytes.len() - at);
    bytes[at..at + width].copy_from_slice(&number[..width]);
}

/// Changes a number by a little.
fn put_near(bytes: &mut [u8], at: usize, random: &mut Random) {
    let change = (random.below(9) as u8).wrapping_sub(4);
    bytes[at] = bytes[at].wrapping_add(change);
}
