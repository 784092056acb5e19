//! Reading memory as fast as it comes.
//!
//! Which pattern is fastest differs among machines: one stream, or several with or without a hint ahead of them. All are
//! tried. Loops stand where iterators would read better: closures cannot be marked to be inlined.

use std::collections::TryReserveError;
use std::hint::black_box;

use crate::arch::{Isa, Work, prefetch};

/// A cache line.
pub(super) type Line = [u64; 8];

/// The number of ways to read.
pub(super) const READERS: usize = 3;

/// The memory of all workers: at least and at most, and what each has between. Far larger than most caches; where one
/// is larger, it is not for one program alone.
const LEAST: usize = 256 << 20;
const EACH: usize = 64 << 20;
const MOST: usize = 1 << 30;

/// The memory that a worker of so many reads, written so that it is there.
pub(super) fn lines(workers: usize) -> Result<Vec<Line>, TryReserveError> {
    let bytes = workers.saturating_mul(EACH).clamp(LEAST, MOST) / workers;
    let count = bytes / size_of::<Line>();
    let mut lines = Vec::new();
    lines.try_reserve_exact(count)?;
    lines.resize(count, [1; 8]);
    Ok(lines)
}

/// Reads all lines in one of the ways: the number of bytes.
pub(super) fn read<I: Isa>(isa: I, lines: &[Line], reader: usize) -> u64 {
    let sum = match reader {
        0 => isa.perform(Read::<1, 512> { lines }),
        1 => isa.perform(Read::<4, 64> { lines }),
        _ => isa.perform(Read::<16, 0> { lines }),
    };
    black_box(sum);
    size_of_val(lines) as u64
}

/// So many streams, with a hint so many lines ahead of each, if any.
struct Read<'a, const STREAMS: usize, const AHEAD: usize> {
    lines: &'a [Line],
}

impl<const STREAMS: usize, const AHEAD: usize> Work for Read<'_, STREAMS, AHEAD> {
    type Output = Line;

    #[inline(always)]
    fn run(self) -> Line {
        let length = self.lines.len() / STREAMS;
        let mut streams: [&[Line]; STREAMS] = [&[]; STREAMS];
        for (s, stream) in streams.iter_mut().enumerate() {
            *stream = &self.lines[s * length..][..length];
        }
        let mut sums = [[0; 8]; STREAMS];
        for i in 0..length {
            for s in 0..STREAMS {
                if AHEAD > 0 {
                    let ahead = (i + AHEAD).min(length);
                    prefetch(&streams[s][ahead..(ahead + 1).min(length)]);
                }
                for lane in 0..8 {
                    sums[s][lane] ^= streams[s][i][lane];
                }
            }
        }
        let mut all = [0; 8];
        for sum in sums {
            for lane in 0..8 {
                all[lane] ^= sum[lane];
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Portable;

    #[test]
    fn every_line_is_read_once() {
        let lines: Vec<Line> = (0..64u64).map(|i| [1 << i, !0, i, 1, 0, 0, 0, 7]).collect();
        let expected = lines.iter().fold([0; 8], |sum: Line, line| std::array::from_fn(|i| sum[i] ^ line[i]));
        assert_eq!(expected[0], !0);
        assert_eq!(Portable.perform(Read::<1, 512> { lines: &lines }), expected);
        assert_eq!(Portable.perform(Read::<4, 64> { lines: &lines }), expected);
        assert_eq!(Portable.perform(Read::<16, 0> { lines: &lines }), expected);
        assert_eq!(read(Portable, &lines, 1), 64 * 64);
    }

    #[test]
    fn the_memory_has_bounds() {
        let total = |workers: usize| lines(workers).unwrap().len() * 64 * workers;
        assert_eq!((total(1), total(4)), (LEAST, LEAST));
        assert!((MOST / 2..=MOST).contains(&total(1000)));
    }
}
