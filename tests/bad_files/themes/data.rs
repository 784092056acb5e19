//! The tensors' bytes.

use crate::kind::{Kind, all};

pub const KINDS: &[Kind] = &[
    all("no-data", "The tensors' bytes are missing.", "tensor", |f| {
        f.instead = Some(f.bytes()[..f.head().len().next_multiple_of(32)].into());
    }),
    all("half", "The second half of the file is missing, as when a download stopped.", "tensor", |f| {
        f.cut = f.bytes().len() / 2;
    }),
    all("one-byte-less", "The last tensor's last byte is missing.", "blk.1.ffn_down.weight", |f| f.cut = 1),
    all("no-padding", "The data start right behind the infos, without padding.", "tensor", |f| {
        f.instead = Some([f.head(), f.data.clone()].concat());
        assert!(!f.head().len().is_multiple_of(32));
    }),
    all("start-missing", "The first half of the file is missing.", "not a GGUF file", |f| {
        let whole = f.bytes();
        f.instead = Some(whole[whole.len() / 2..].into());
    }),
    all("line-ends", "Every 0x0A became 0x0D 0x0A on the way.", "", |f| {
        let bytes = f.bytes().into_iter();
        f.instead = Some(bytes.flat_map(|b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect());
    }),
    all("seven-bits", "Every byte lost its highest bit on the way.", "", |f| {
        f.instead = Some(f.bytes().into_iter().map(|b| b & 0x7f).collect());
    }),
    all("utf-8", "The bytes were taken for Latin-1 and written as UTF-8.", "", |f| {
        let text: String = f.bytes().into_iter().map(char::from).collect();
        f.instead = Some(text.into_bytes());
    }),
    all("utf-16", "Every byte is followed by a zero.", "not a GGUF file", |f| {
        f.instead = Some(f.bytes().into_iter().flat_map(|b| [b, 0]).collect());
    }),
    all("words-swapped", "Every four bytes are turned round.", "not a GGUF file", |f| {
        let mut bytes = f.bytes();
        bytes.chunks_mut(4).for_each(<[u8]>::reverse);
        f.instead = Some(bytes);
    }),
    all("zeros", "All but the magic number are zeros.", "found 0", |f| {
        let mut bytes = f.bytes();
        bytes[4..].fill(0);
        f.instead = Some(bytes);
    }),
    all("ones", "All but magic number and version are ones.", "header", |f| {
        let mut bytes = f.bytes();
        bytes[8..].fill(0xff);
        f.instead = Some(bytes);
    }),
];
