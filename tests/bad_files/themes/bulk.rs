//! Files of megabytes of small things: what stands beside each must not multiply them.

use crate::forge::{File, STRING, array, sized, string, strings, u32};
use crate::kind::{Kind, all, both, model_only, tokenizer};

fn many_tokens(file: &mut File, count: u64) {
    file.set("tokenizer.ggml.tokens", array(STRING, count, vec![0; count as usize * 8]));
    file.remove("tokenizer.ggml.token_type");
}

pub const KINDS: &[Kind] = &[
    both("empty-tokens", "A million tokens are empty.", "token", |f| {
        many_tokens(f, 1_000_000);
        f.set("tokenizer.ggml.bos_token_id", u32(1_000_000));
    }),
    both("one-letter-tokens", "Two million tokens are of one letter.", "token", |f| {
        let tokens: Vec<u8> = (0..2_000_000u32).flat_map(|i| sized(&[b'a' + (i % 26) as u8])).collect();
        f.set("tokenizer.ggml.tokens", array(STRING, 2_000_000, tokens));
        f.remove("tokenizer.ggml.token_type");
        f.set("tokenizer.ggml.eos_token_id", u32(2_000_000));
    }),
    tokenizer("merges-last-bad", "The last of 500,000 merges is none.", "merge", |f| {
        let mut merges: Vec<String> = (0..500_000).map(|i| format!("{} {}", i / 1000, i % 1000)).collect();
        merges.push("bad".to_owned());
        f.set("tokenizer.ggml.merges", strings(&merges));
    }),
    all("keys-last-twice", "The last of 300,000 keys is there twice.", "key.0", |f| {
        (0..300_000).for_each(|i| f.push(format!("key.{i}"), u32(i)));
        f.push("key.0", u32(0));
    }),
    all("tensors-last-twice", "The last of 200,000 tensors is there twice.", "tensor.0", |f| {
        (0..200_000).for_each(|i| f.add(&format!("tensor.{i}"), &[0], 0, &[]));
        f.add("tensor.0", &[0], 0, &[]);
    }),
    model_only("tensors-unused", "A layer has 100,000 tensors that llama has not.", "blk.0.extra.0", |f| {
        (0..100_000).for_each(|i| f.add(&format!("blk.0.extra.{i}"), &[0], 0, &[]));
    })
    .may_be_right(),
    model_only("architecture-megabytes", "The architecture's name is of eight megabytes.", "architecture", |f| {
        f.set("general.architecture", string(vec![b'a'; 8 << 20]));
    })
    .may_be_right(),
    tokenizer("pre-megabytes", "The pre-tokenizer's name is of eight megabytes.", "pre", |f| {
        f.set("tokenizer.ggml.pre", string(vec![b'\n'; 8 << 20]));
    })
    .may_be_right(),
];
