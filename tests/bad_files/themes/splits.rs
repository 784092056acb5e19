//! Models split over files.

use crate::forge::{File, f32, i32, string, u32};
use crate::kind::{Kind, split, split_model};
use crate::split_set::{FIRST, SECOND};

type Files = Vec<(String, File)>;

fn first(files: &mut Files) -> &mut File {
    &mut files[0].1
}

fn second(files: &mut Files) -> &mut File {
    &mut files[1].1
}

pub const KINDS: &[Kind] = &[
    split("second-missing", "The second file is missing.", SECOND, |files| drop(files.pop())),
    split("first-missing", "The first file is missing, the second one is named.", FIRST, |files| drop(files.remove(0))),
    split("most-missing", "The file is one of 65535.", "missing", |files| {
        files[0].0 = "set-00001-of-65535.gguf".to_owned();
        first(files).set("split.count", u32(65535));
    }),
    split("renamed", "The first file's name does not say which it is.", "split.no", |files| {
        files[0].0 = "model.gguf".to_owned();
    }),
    split("swapped-names", "The files have each other's names.", "split.no", |files| {
        files[0].0 = SECOND.to_owned();
        files[1].0 = FIRST.to_owned();
    }),
    split("no-number", "A file does not say which it is.", "split.no", |files| first(files).remove("split.no")),
    split("number-behind", "A file's number is behind the last.", "split.no", |files| {
        first(files).set("split.no", u32(2));
    }),
    split("number-wide", "A file's number is too large for its type.", "split.no", |files| {
        first(files).set("split.no", u32(65_536));
    }),
    split("number-text", "A file's number is text.", "split.no", |files| first(files).set("split.no", string("0"))),
    split("number-same", "Both files say that they are the first.", "split.no", |files| {
        second(files).set("split.no", u32(0));
    }),
    split("second-number-text", "The second file's number is text.", "split.no", |files| {
        second(files).set("split.no", string("1"));
    }),
    split("count-negative", "There are -2 files.", "split.count", |files| first(files).set("split.count", i32(-2))),
    split("count-wide", "The number of files is too large for its type.", "split.count", |files| {
        first(files).set("split.count", u32(65_538));
    }),
    split("count-float", "The number of files is a float.", "split.count", |files| {
        first(files).set("split.count", f32(2.0))
    }),
    split("counts-differ", "The files do not agree on how many they are.", "split.count", |files| {
        second(files).set("split.count", u32(3));
    }),
    split("second-alone", "The second file does not say that it is one of a set.", "split.count", |files| {
        second(files).remove("split.count");
    }),
    split("no-total", "The number of all tensors is missing.", "split.tensors.count", |files| {
        first(files).remove("split.tensors.count");
    }),
    split("total-wrong", "There is a tensor less than the first file says.", "split.tensors.count", |files| {
        first(files).set("split.tensors.count", i32(1000));
    }),
    split("total-negative", "There are -1 tensors in all.", "split.tensors.count", |files| {
        first(files).set("split.tensors.count", i32(-1));
    }),
    split("tensor-in-both", "A tensor is in both files.", "output_norm.weight", |files| {
        second(files).add("output_norm.weight", &[32], 0, &[0; 128]);
        first(files).set("split.tensors.count", i32(21));
    }),
    split("second-cut", "The second file is cut short.", SECOND, |files| second(files).cut = 64),
    split("second-other", "The second file is no GGUF file.", SECOND, |files| second(files).magic = *b"NOPE"),
    split("second-empty", "The second file is empty.", SECOND, |files| second(files).instead = Some(Vec::new())),
    split("second-alignment", "The second file's alignment is 0.", SECOND, |files| {
        second(files).set("general.alignment", u32(0));
    }),
    split("second-offset", "A tensor of the second file starts behind its data.", SECOND, |files| {
        second(files).infos[0].offset = 1 << 40;
    }),
    split_model(
        "second-lacks",
        "The second file lacks a tensor, and the first one's number agrees.",
        "blk.1.ffn_down",
        |files| {
            second(files).remove_tensor("blk.1.ffn_down.weight");
            first(files).set("split.tensors.count", i32(19));
        },
    ),
];
