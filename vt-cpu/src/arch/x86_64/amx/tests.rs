use std::panic::catch_unwind;
use std::sync::mpsc;
use std::thread;

use super::{Amx, SCALED_BLOCKS, Sums, Tiles};

type Row = [i32; 16];

/// Words whose bytes are of any size.
fn words<const N: usize>(seed: u32) -> [Row; N] {
    let mut x = seed;
    [[0; 16]; N].map(|row| {
        row.map(|_| {
            x = x.wrapping_mul(0x9e37_79b9) ^ (x >> 15) ^ 0x5bd1;
            x as i32
        })
    })
}

const EMPTY: [Sums; 4] = [Sums([[-7; 16]; 16]); 4];

/// The sums of products of bytes: of tokens, in tiles of rows of so many words, and of weights, a row in each lane.
fn plain(acts: &[i32], words: usize, weights: &[Row], signed: bool) -> [Row; 16] {
    let weight = |byte: u8| if signed { i32::from(byte as i8) } else { i32::from(byte) };
    let mut sums = [[0; 16]; 16];
    for (t, sums) in sums.iter_mut().enumerate() {
        for (w, weights) in weights.iter().enumerate() {
            let act = acts[w / words * 16 * words + t * words + w % words];
            for (sum, word) in sums.iter_mut().zip(weights) {
                for (a, b) in act.to_le_bytes().into_iter().zip(word.to_le_bytes()) {
                    *sum += i32::from(a as i8) * weight(b);
                }
            }
        }
    }
    sums
}

#[test]
fn blocks_are_multiplied() {
    let Some(isa) = Amx::new() else { return };
    let (acts, weights) = ([words::<64>(1), words::<64>(2)], [words::<64>(3), words::<64>(4)]);
    let (tiles, mut signed, mut unsigned, mut half) = (Tiles::new(isa, 64), EMPTY, EMPTY, EMPTY);
    tiles.multiply_blocks::<true>(acts.each_ref(), weights.each_ref(), &mut signed);
    tiles.multiply_blocks::<false>(acts.each_ref(), weights.each_ref(), &mut unsigned);
    for (a, acts) in acts.iter().enumerate() {
        tiles.multiply_half_blocks::<false>(acts, weights.each_ref(), &mut half);
        for (b, weights) in weights.iter().enumerate() {
            let expected = |signed| plain(acts.as_flattened(), 16, weights, signed);
            assert_eq!(signed[2 * a + b].0, expected(true));
            assert_eq!(unsigned[2 * a + b].0, expected(false));
            assert_eq!(half[b].0, expected(false));
        }
        assert_eq!(half[2].0, EMPTY[0].0);
    }
    tiles.multiply_half_blocks::<true>(&acts[0], weights.each_ref(), &mut half);
    assert_eq!([half[0].0, half[1].0], [signed[0].0, signed[1].0]);
}

#[test]
fn a_block_of_32_is_multiplied() {
    let Some(isa) = Amx::new() else { return };
    let (acts, weights) = (words::<8>(5), words::<8>(6));
    let mut sums = Sums([[-7; 16]; 16]);
    let tokens = acts.as_flattened().as_chunks::<8>().0;
    Tiles::new(isa, 32).multiply_32(tokens.first_chunk().unwrap(), &weights, &mut sums);
    assert_eq!(sums.0, plain(acts.as_flattened(), 8, &weights, true));
}

/// `fma` by `fma`, of rows in which blocks lie as the tiles expect them.
fn plain_scaled(acts: &[Row], weights: &[Row], block: usize, sums: &mut [Row; 16]) {
    let float = |bits: i32| f32::from_bits(bits as u32);
    for k in 0..SCALED_BLOCKS {
        let (acts, weights) = (&acts[k * block..][..block], &weights[2 * k * block..][..block]);
        let ints = plain(acts[..8].as_flattened(), 8, &weights[..8], true);
        for (t, sums) in sums.iter_mut().enumerate() {
            for (r, sum) in sums.iter_mut().enumerate() {
                let factor = float(weights[8][r]) * float(acts[8][t]);
                let mut x = factor.mul_add(ints[t][r] as f32, float(*sum));
                if block == 10 {
                    x = float(weights[9][r]).mul_add(float(acts[9][t]), x);
                }
                *sum = x.to_bits() as i32;
            }
        }
    }
}

/// Replaces what follows the quants of blocks, so many rows apart, by numbers whose bits are odd enough to show an order.
fn set_floats(rows: &mut [Row], block: usize, apart: usize) {
    for block in rows.chunks_mut(apart).map(|rows| &mut rows[8..block]) {
        for word in block.as_flattened_mut() {
            *word = (*word & 0x80ff_ffff_u32 as i32) | 0x3b00_0000;
        }
    }
}

#[test]
fn scaled_blocks_are_added_in_order() {
    let Some(isa) = Amx::new() else { return };
    let tiles = Tiles::new(isa, 32);
    for block in [9, 10] {
        let (mut acts, mut weights) = (words::<80>(11)[..8 * block].to_vec(), words::<160>(12)[..16 * block].to_vec());
        // The greatest sums there are: all products of -128 with itself.
        acts[..8].fill([i32::from_le_bytes([0x80; 4]); 16]);
        weights[..8].fill([i32::from_le_bytes([0x80; 4]); 16]);
        set_floats(&mut acts, block, block);
        set_floats(&mut weights, block, 2 * block);
        let mut sums = words::<16>(13).map(|row| row.map(|word| word & 0x3fff_ffff));
        let mut expected = sums;
        plain_scaled(&acts, &weights, block, &mut expected);
        if block == 9 {
            tiles.add_scaled_blocks::<false>(&acts, &weights, &mut EMPTY.clone(), &mut sums);
        } else {
            tiles.add_scaled_blocks::<true>(&acts, &weights, &mut EMPTY.clone(), &mut sums);
        }
        assert_eq!(sums, expected);
    }
}

#[test]
#[should_panic(expected = "fewer than 8 blocks")]
fn fewer_scaled_blocks_are_refused() {
    let Some(isa) = Amx::new() else { panic!("not fewer than 8 blocks") };
    let rows = [[0; 16]; 134];
    Tiles::new(isa, 32).add_scaled_blocks::<false>(&rows[..72], &rows, &mut EMPTY.clone(), &mut [[0; 16]; 16]);
}

#[test]
fn what_is_multiplied_often_is_added_as_often() {
    let Some(isa) = Amx::new() else { return };
    let (acts, weights, mut sums) = (words::<16>(7), words::<16>(8), EMPTY);
    Tiles::new(isa, 64).multiply_often(&acts, &weights, 3, &mut sums);
    let once = plain(acts.as_flattened(), 16, &weights, true);
    for sums in sums {
        assert_eq!(sums.0, once.map(|row| row.map(|sum| 3 * sum)));
    }
}

/// The system gives the permission to the whole process.
#[test]
fn threads_that_were_there_before_have_tiles_too() {
    let (send, receive) = mpsc::channel::<Amx>();
    let earlier = thread::spawn(move || {
        let Ok(isa) = receive.recv() else { return };
        let (acts, weights, mut sums) = (words::<16>(9), words::<16>(10), EMPTY);
        Tiles::new(isa, 64).multiply_often(&acts, &weights, 1, &mut sums);
        assert_eq!(sums[3].0, plain(acts.as_flattened(), 16, &weights, true));
    });
    Amx::new().into_iter().for_each(|isa| send.send(isa).unwrap());
    drop(send);
    earlier.join().unwrap();
}

#[test]
fn a_thread_has_its_tiles_once() {
    let Some(isa) = Amx::new() else { return };
    let twice = || (Tiles::new(isa, 64), Tiles::new(isa, 32));
    assert!(catch_unwind(twice).is_err());
    // Those that were made before it panicked were given back.
    Tiles::new(isa, 32);
    assert!(catch_unwind(|| Tiles::new(isa, 48)).is_err());
    Tiles::new(isa, 64);
}

#[test]
#[should_panic(expected = "32 bytes deep")]
fn tiles_of_another_depth_are_refused() {
    let Some(isa) = Amx::new() else { panic!("not 32 bytes deep") };
    Tiles::new(isa, 32).multiply_often(&[[0; 16]; 16], &[[0; 16]; 16], 1, &mut [Sums([[0; 16]; 16]); 4]);
}
