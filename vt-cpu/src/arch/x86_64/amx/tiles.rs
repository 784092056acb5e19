//! The tile registers: sixteen rows of up to 64 bytes each, and products of them.

use core::arch::asm;
use std::cell::Cell;
use std::marker::PhantomData;

use super::Amx;

/// Sixteen words, the rows of a tile.
pub(super) type Row = [i32; 16];

/// Sums of products: a row for each of sixteen tokens, with sixteen weight rows in its lanes.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Sums(pub [Row; 16]);

thread_local! {
    /// Whether this thread's tiles are in use.
    static IN_USE: Cell<bool> = const { Cell::new(false) };
}

/// The tiles of this thread, configured while this lives, and given back when it goes, by unwinding too. If it is forgotten
/// the thread gets no others. Nothing is kept in them from one product to the next.
#[derive(Debug)]
pub struct Tiles {
    depth: usize,
    /// Tiles belong to a thread.
    own: PhantomData<*const ()>,
}

/// What `ldtilecfg` reads: for each tile the bytes of a row, and the rows.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Configuration {
    /// Tiles 0 to 3 have sums, 4 and 5 activations, 6 and 7 weights.
    fn of_depth(depth: usize) -> Self {
        let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
        row_bytes[..8].fill(64);
        rows[..8].fill(16);
        row_bytes[4..6].fill(depth as u16);
        rows[6..8].fill(depth as u8 / 4);
        Self { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows }
    }
}

impl Tiles {
    /// Configures them for products of 32 or 64 bytes.
    ///
    /// # Panics
    /// If this thread has another, or for another depth.
    pub fn new(_: Amx, depth: usize) -> Self {
        assert!(depth == 32 || depth == 64, "tiles of {depth} bytes");
        assert!(!IN_USE.replace(true), "a thread's tiles are used twice");
        let configuration = Configuration::of_depth(depth);
        // SAFETY: the token proves that the instruction may be used, and the configuration is one of palette 1.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &configuration, options(nostack, readonly, preserves_flags)) };
        Self { depth, own: PhantomData }
    }

    #[inline(always)]
    pub(super) fn check(&self, depth: usize) {
        assert!(self.depth == depth, "tiles are {} bytes deep", self.depth);
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: as this exists, the tiles may be used, and nothing else uses them.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
        IN_USE.set(false);
    }
}

/// Sums of tiles `a` (of tokens) and `b` (of weights): 0 and 1 of the first tokens, 2 and 3 of the second.
macro_rules! blocks {
    ($multiply:literal, $acts:ident, $weights:ident, $sums:ident) => {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            blocks!(@ $multiply, "0"),
            blocks!(@ $multiply, "1024"),
            blocks!(@ $multiply, "2048"),
            blocks!(@ $multiply, "3072"),
            "tilestored [{c} + {row}], tmm0",
            "tilestored [{c} + {row} + 1024], tmm1",
            "tilestored [{c} + {row} + 2048], tmm2",
            "tilestored [{c} + {row} + 3072], tmm3",
            a0 = in(reg) $acts[0],
            a1 = in(reg) $acts[1],
            b0 = in(reg) $weights[0],
            b1 = in(reg) $weights[1],
            c = in(reg) $sums,
            row = in(reg) size_of::<Row>(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack, preserves_flags)
        )
    };
    (@ $multiply:literal, $at:literal) => {
        concat!(
            "tileloadd tmm4, [{a0} + {row} + ", $at, "]\n",
            "tileloadd tmm6, [{b0} + {row} + ", $at, "]\n",
            "tileloadd tmm7, [{b1} + {row} + ", $at, "]\n",
            $multiply, " tmm0, tmm4, tmm6\n",
            "tileloadd tmm5, [{a1} + {row} + ", $at, "]\n",
            $multiply, " tmm1, tmm4, tmm7\n",
            $multiply, " tmm2, tmm5, tmm6\n",
            $multiply, " tmm3, tmm5, tmm7",
        )
    };
}

/// The same of one tile of tokens.
macro_rules! half_blocks {
    ($multiply:literal, $acts:ident, $weights:ident, $sums:ident) => {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            half_blocks!(@ $multiply, "0"),
            half_blocks!(@ $multiply, "1024"),
            half_blocks!(@ $multiply, "2048"),
            half_blocks!(@ $multiply, "3072"),
            "tilestored [{c} + {row}], tmm0",
            "tilestored [{c} + {row} + 1024], tmm1",
            a = in(reg) $acts,
            b0 = in(reg) $weights[0],
            b1 = in(reg) $weights[1],
            c = in(reg) $sums,
            row = in(reg) size_of::<Row>(),
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack, preserves_flags)
        )
    };
    (@ $multiply:literal, $at:literal) => {
        concat!(
            "tileloadd tmm4, [{a} + {row} + ", $at, "]\n",
            "tileloadd tmm6, [{b0} + {row} + ", $at, "]\n",
            "tileloadd tmm7, [{b1} + {row} + ", $at, "]\n",
            $multiply, " tmm0, tmm4, tmm6\n",
            $multiply, " tmm1, tmm4, tmm7",
        )
    };
}

/// Blocks of 256 bytes: four tiles of 64 of sixteen rows each. Of tokens the rows of a tile are tokens; of weights
/// they are words, and rows are in the lanes.
impl Tiles {
    /// The sums of products of two times sixteen tokens and two times sixteen weight rows (or the same rows in two
    /// parts): `sums[2 a + b]`. Bytes of tokens are signed, those of weights as `SIGNED` says.
    #[inline(always)]
    pub fn multiply_blocks<const SIGNED: bool>(
        &self,
        acts: [&[Row; 64]; 2],
        weights: [&[Row; 64]; 2],
        sums: &mut [Sums; 4],
    ) {
        self.check(64);
        // SAFETY: the tiles are configured for 16 rows of 64 bytes, and four such lie behind each other at each
        // address: as many as are read or written. They are this thread's and nobody else's, and nothing is expected
        // to be left in them.
        unsafe {
            if SIGNED {
                blocks!("tdpbssd", acts, weights, sums);
            } else {
                blocks!("tdpbsud", acts, weights, sums);
            }
        }
    }

    /// The same of sixteen tokens: `sums[b]`.
    #[inline(always)]
    pub fn multiply_half_blocks<const SIGNED: bool>(
        &self,
        acts: &[Row; 64],
        weights: [&[Row; 64]; 2],
        sums: &mut [Sums; 4],
    ) {
        self.check(64);
        // SAFETY: as above, but the sums are two tiles.
        unsafe {
            if SIGNED {
                half_blocks!("tdpbssd", acts, weights, sums);
            } else {
                half_blocks!("tdpbsud", acts, weights, sums);
            }
        }
    }

    /// Sixteen tokens by sixteen rows of 32 signed bytes.
    #[inline(always)]
    pub fn multiply_32(&self, acts: &[[i32; 8]; 16], weights: &[Row; 8], sums: &mut Sums) {
        self.check(32);
        // SAFETY: as above.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tileloadd tmm4, [{a} + {a_row}]",
                "tileloadd tmm6, [{b} + {row}]",
                "tdpbssd tmm0, tmm4, tmm6",
                "tilestored [{c} + {row}], tmm0",
                a = in(reg) acts,
                b = in(reg) weights,
                c = in(reg) sums,
                a_row = in(reg) 32usize,
                row = in(reg) size_of::<Row>(),
                out("tmm0") _, out("tmm4") _, out("tmm6") _,
                options(nostack, preserves_flags)
            );
        }
    }

    /// The sums of one tile of tokens and one of weights, so many times, in four tiles: as fast as tiles can be multiplied.
    #[inline(always)]
    pub fn multiply_often(&self, acts: &[Row; 16], weights: &[Row; 16], times: usize, sums: &mut [Sums; 4]) {
        self.check(64);
        // SAFETY: as above, with one tile of 16 rows of 64 bytes at each address but the last. The loop ends as it counts
        // down from 1 or more.
        unsafe {
            asm!(
                "tileloadd tmm4, [{a} + {row}]",
                "tileloadd tmm6, [{b} + {row}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tdpbssd tmm0, tmm4, tmm6",
                "tdpbssd tmm1, tmm4, tmm6",
                "tdpbssd tmm2, tmm4, tmm6",
                "tdpbssd tmm3, tmm4, tmm6",
                "dec {times}",
                "jnz 2b",
                "tilestored [{c} + {row}], tmm0",
                "tilestored [{c} + {row} + 1024], tmm1",
                "tilestored [{c} + {row} + 2048], tmm2",
                "tilestored [{c} + {row} + 3072], tmm3",
                a = in(reg) acts,
                b = in(reg) weights,
                c = in(reg) sums,
                row = in(reg) size_of::<Row>(),
                times = inout(reg) times.max(1) => _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm6") _,
                options(nostack)
            );
        }
    }
}
