use std::panic::catch_unwind;
use std::sync::mpsc;
use std::thread;

use super::{Amx, Sums, Tiles};

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
fn blocks_of_32_are_multiplied() {
    let Some(isa) = Amx::new() else { return };
    let (acts, weights) = (words::<32>(5), words::<32>(6));
    let acts = acts.as_flattened().as_chunks::<8>().0.as_chunks::<16>().0;
    let weights = weights.as_chunks::<8>().0;
    let (tiles, mut sums, mut one) = (Tiles::new(isa, 32), EMPTY, Sums([[0; 16]; 16]));
    let each = [0, 1, 2, 3];
    tiles.multiply_32(each.map(|i: usize| &acts[i]), each.map(|i: usize| &weights[i]), &mut sums);
    for i in each {
        assert_eq!(sums[i].0, plain(acts[i].as_flattened(), 8, &weights[i], true));
        tiles.multiply_one_32(&acts[i], &weights[i], &mut one);
        assert_eq!(one.0, sums[i].0);
    }
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
