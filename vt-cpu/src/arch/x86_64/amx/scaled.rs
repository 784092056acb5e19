//! Blocks of 32 elements, each with a scale: tiles multiply the next ones while vectors scale the sums of those before.
//!
//! The text is assembly since its speed is the order of it: the sums of a block are stored one block before they are read, and its
//! products start two blocks before that. Beside tiles a processor does one product of 512-bit floats a cycle in place of
//! two, and so one conversion, but still two of the simple additions: an integer `n` below 2^22 becomes a float as `(M + n) - M`,
//! with M = 1.5 * 2^23, in whose bits `n` is added to those of M. That is exact.

use core::arch::asm;

use super::tiles::{Row, Sums, Tiles};

/// The bits of M.
const MAGIC: i32 = 0x4b40_0000;

/// Blocks of one call.
pub const BLOCKS: usize = 8;

/// The [`Row`]s of quants of a block.
const QUANTS: usize = 8;

/// Starts the products of block `$k` in tile `$sum`.
#[rustfmt::skip]
macro_rules! start {
    ($k:literal, $act:literal, $weight:literal, $sum:literal) => {
        concat!(
            "tileloadd tmm", $act, ", [{acts} + {act_row} + ", $k, "*{act_block}]\n",
            "tileloadd tmm", $weight, ", [{weights} + {row} + ", $k, "*{weight_block}]\n",
            "tilezero tmm", $sum, "\n",
            "tdpbssd tmm", $sum, ", tmm", $act, ", tmm", $weight, "\n",
        )
    };
}

/// Stores the sums of tile `$sum` to the room of that number.
macro_rules! store {
    ($sum:literal) => {
        concat!("tilestored [{ints} + {row} + ", $sum, "*1024], tmm", $sum, "\n")
    };
}

/// The float operations of token `$t` in block `$k`, whose sums are in room `$room`.
macro_rules! token {
    ($k:literal, $room:literal, $offset:ident, $t:literal, $factor:literal, $float:literal) => {
        concat!(
            "vmulps zmm", $factor, ", zmm16, dword ptr [{acts} + ", $k, "*{act_block} + 512 + 4*", $t, "]{{1to16}}\n",
            "vpaddd zmm", $float, ", zmm31, [{ints} + ", $room, "*1024 + 64*", $t, "]\n",
            "vsubps zmm", $float, ", zmm", $float, ", zmm31\n",
            "vfmadd231ps zmm", $t, ", zmm", $factor, ", zmm", $float, "\n",
            token!(@ $offset $k, $t),
        )
    };
    (@ scale $k:literal, $t:literal) => { "" };
    (@ offset $k:literal, $t:literal) => {
        concat!("vfmadd231ps zmm", $t, ", zmm17, dword ptr [{acts} + ", $k, "*{act_block} + 576 + 4*", $t, "]{{1to16}}\n")
    };
}

/// Those of all tokens.
macro_rules! tokens {
    ($k:literal, $room:literal, $offset:ident) => {
        concat!(
            "vmovups zmm16, [{weights} + ", $k, "*{weight_block} + 512]\n",
            tokens!(@ $offset $k),
            token!($k, $room, $offset, 0, 18, 19),
            token!($k, $room, $offset, 1, 20, 21),
            token!($k, $room, $offset, 2, 22, 23),
            token!($k, $room, $offset, 3, 24, 25),
            token!($k, $room, $offset, 4, 26, 27),
            token!($k, $room, $offset, 5, 28, 29),
            token!($k, $room, $offset, 6, 18, 19),
            token!($k, $room, $offset, 7, 20, 21),
            token!($k, $room, $offset, 8, 22, 23),
            token!($k, $room, $offset, 9, 24, 25),
            token!($k, $room, $offset, 10, 26, 27),
            token!($k, $room, $offset, 11, 28, 29),
            token!($k, $room, $offset, 12, 18, 19),
            token!($k, $room, $offset, 13, 20, 21),
            token!($k, $room, $offset, 14, 22, 23),
            token!($k, $room, $offset, 15, 24, 25),
        )
    };
    (@ scale $k:literal) => { "" };
    (@ offset $k:literal) => { concat!("vmovups zmm17, [{weights} + ", $k, "*{weight_block} + 576]\n") };
}

/// Loads the sums of all tokens, or stores them.
macro_rules! sums {
    (@ $before:literal, $middle:literal, $after:literal: $($t:literal)*) => {
        concat!($($before, $t, $middle, $t, $after, "\n"),*)
    };
    (load) => {
        sums!(@ "vmovups zmm", ", [{sums} + 64*", "]": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (store) => {
        sums!(@ "vmovups [{sums} + 64*", "], zmm", "": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}

macro_rules! blocks {
    ($offset:ident, $acts:ident, $weights:ident, $ints:ident, $sums:ident, $block:expr) => {
        asm!(
            "vpbroadcastd zmm31, {magic:e}",
            start!(0, 4, 6, 0),
            sums!(load),
            start!(1, 5, 7, 1),
            start!(2, 4, 6, 2),
            store!(0),
            store!(1),
            start!(3, 5, 7, 3),
            tokens!(0, 0, $offset),
            store!(2),
            start!(4, 4, 6, 0),
            tokens!(1, 1, $offset),
            store!(3),
            start!(5, 5, 7, 1),
            tokens!(2, 2, $offset),
            store!(0),
            start!(6, 4, 6, 2),
            tokens!(3, 3, $offset),
            store!(1),
            start!(7, 5, 7, 3),
            tokens!(4, 0, $offset),
            store!(2),
            tokens!(5, 1, $offset),
            store!(3),
            tokens!(6, 2, $offset),
            tokens!(7, 3, $offset),
            sums!(store),
            magic = in(reg) MAGIC,
            acts = in(reg) $acts.as_ptr(),
            weights = in(reg) $weights.as_ptr(),
            ints = in(reg) $ints,
            sums = in(reg) $sums,
            act_row = in(reg) 4 * QUANTS,
            row = in(reg) size_of::<Row>(),
            act_block = const $block * size_of::<Row>(),
            weight_block = const 2 * $block * size_of::<Row>(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack, preserves_flags)
        )
    };
}

impl Tiles {
    /// `sum = fma(dw * da, I, sum)` for sixteen tokens and sixteen weight rows in the lanes, over eight blocks of 32 signed
    /// bytes in turn, with `I` the integer sum of a block's products. With `OFFSET`, `sum = fma(m, s, sum)` after each.
    ///
    /// A block of `acts` is 8 rows of quants, 32 bytes of each token, then the scales `da`, and with `OFFSET` `s`; one follows
    /// the other. A block of `weights` is 8 rows of quants, four bytes of each row in a lane, `dw`, and with `OFFSET` `m`; blocks start
    /// twice as many rows apart, so that those of two vectors lie side by side. All but quants are the bits of `f32`, and so
    /// are `sums`. `ints` is room.
    ///
    /// # Panics
    /// If there are fewer blocks, or tiles are not 32 bytes deep.
    #[inline(always)]
    pub fn add_scaled_blocks<const OFFSET: bool>(
        &self,
        acts: &[Row],
        weights: &[Row],
        ints: &mut [Sums; 4],
        sums: &mut [Row; 16],
    ) {
        self.check(32);
        let block = QUANTS + 1 + usize::from(OFFSET);
        assert!(
            acts.len() >= BLOCKS * block && weights.len() >= (2 * BLOCKS - 1) * block,
            "fewer than {BLOCKS} blocks"
        );
        // SAFETY: the token of the tiles proves that they may be used, and vectors of 512 bits too. They are configured for
        // 16 rows of 32 bytes of tokens, 8 rows of 64 of weights, and 16 of 64 of sums, as they lie at the addresses:
        // all within the blocks whose number was checked, or the rooms. Tiles are this thread's and nobody else's, and
        // nothing is expected to be left in them, nor kept.
        unsafe {
            if OFFSET {
                blocks!(offset, acts, weights, ints, sums, (QUANTS + 2));
            } else {
                blocks!(scale, acts, weights, ints, sums, (QUANTS + 1));
            }
        }
    }
}
