//! Damaged files through everything that the commands do with one, in process: an answer or an error, no panic, and no
//! more memory than four times the file and 64 MiB, untouched pages included.
//!
//! Each test prints a digest of all its answers and messages; builds of every profile must print the same.

mod allocator;
#[path = "../bad_files/alphabet.rs"]
mod alphabet;
mod damage;
#[path = "../bad_files/forge.rs"]
#[allow(dead_code, reason = "only the files without faults are used")]
mod forge;
#[path = "../bad_files/split_set.rs"]
mod split_set;
#[path = "../tiny/mod.rs"]
mod tiny;
mod walk;

use std::panic::{AssertUnwindSafe, catch_unwind};

use allocator::bounded;
use damage::Base;
use forge::{File, model, tokenizer_only};
use tiny::random::Random;
use vt::gguf::Gguf;
use walk::Outcome;

const ROOM: usize = 64 << 20;

/// What became of many files.
#[derive(Default)]
struct Tally {
    digest: u64,
    files: usize,
    /// How many could be opened, tokenized, and run.
    reached: [usize; 3],
    most: usize,
}

impl Tally {
    /// Takes a file of `length` bytes, which `name` tells from the others, through `walk`.
    fn add(&mut self, name: &str, length: usize, walk: impl FnOnce() -> Outcome) {
        let (outcome, peak) = bounded(4 * length + ROOM, || catch_unwind(AssertUnwindSafe(walk)));
        let outcome = outcome.unwrap_or_else(|_| panic!("{name}: a panic"));
        assert!(peak <= 4 * length + ROOM, "{name}: {peak} bytes for a file of {length}");
        self.digest = self.digest.rotate_left(1) ^ outcome.digest();
        self.files += 1;
        self.most = self.most.max(peak);
        for (count, reached) in self.reached.iter_mut().zip(outcome.reached) {
            *count += usize::from(reached);
        }
    }

    fn print(&self, name: &str) {
        let Self { digest, files, reached: [opened, tokenized, run], most } = self;
        println!("{name}: {files} files, {opened} opened, {tokenized} tokenized, {run} run");
        println!("{name}: at most {most} bytes, digest {digest:016x}");
    }
}

/// Every beginning of a file.
fn truncations(name: &str, file: &File) -> Tally {
    let (target, whole) = (walk::target(), file.bytes());
    let mut tally = Tally::default();
    for length in 0..=whole.len() {
        let bytes = whole[..length].to_vec();
        tally.add(&format!("{length} bytes of {name}"), length, || walk::bytes(&target, bytes));
    }
    tally.print(name);
    tally
}

/// `count` damaged files.
fn flips(name: &str, file: &File, seed: u64, count: usize) -> Tally {
    let (target, base, mut random) = (walk::target(), Base::new(file), Random::new(seed));
    let mut tally = Tally::default();
    for number in 0..count {
        let bytes = base.damaged(&mut random);
        tally.add(&format!("{name} {seed}, damage {number}"), bytes.len(), || walk::bytes(&target, bytes));
    }
    tally.print(name);
    tally
}

#[test]
fn truncated_model() {
    let file = model(1);
    let tally = truncations("model", &file);
    // The last tensor has no padding that could be missed.
    assert_eq!((tally.files, tally.reached), (file.bytes().len() + 1, [1, 1, 1]));
}

#[test]
fn truncated_tokenizer() {
    let tally = truncations("tokenizer", &tokenizer_only());
    assert_eq!(tally.reached, [1, 1, 0]);
}

/// Damage must neither always be noticed at once nor never.
fn check_flips(tally: &Tally, count: usize, run: bool) {
    let [opened, tokenized, ran] = tally.reached;
    assert_eq!(tally.files, count);
    assert!(opened > count / 10 && opened < count && tokenized > count / 20, "{:?}", tally.reached);
    assert_eq!(ran > count / 20, run, "{:?}", tally.reached);
}

macro_rules! flips {
    ($($test:ident: $seed:literal),+) => {$(
        #[test]
        fn $test() {
            check_flips(&flips("model", &model(1), $seed, 3_000), 3_000, true);
        }
    )+};
}

flips!(damaged_model_1: 1, damaged_model_2: 2, damaged_model_3: 3, damaged_model_4: 4, damaged_model_5: 5);

#[test]
fn damaged_tokenizer() {
    check_flips(&flips("tokenizer", &tokenizer_only(), 6, 5_000), 5_000, false);
}

#[test]
fn damaged_qwen2() {
    let whole = tiny::find("qwen2-q5_0").file();
    let (target, mut random) = (walk::target(), Random::new(7));
    let mut tally = Tally::default();
    for number in 0..1_000 {
        let mut bytes = whole.clone();
        let within = if number % 2 == 0 { 4096 } else { bytes.len() };
        (0..=random.below(2)).for_each(|_| bytes[random.below(within)] ^= 1 << random.below(8));
        tally.add(&format!("qwen2, damage {number}"), bytes.len(), || walk::bytes(&target, bytes));
    }
    tally.print("qwen2");
}

/// Two files, of which one is damaged or cut.
#[test]
fn damaged_splits() {
    let folder = tempfile::tempdir().unwrap();
    // Messages repeat the files' paths, and the folder's name is another one in each run. No other test opens files.
    std::env::set_current_dir(&folder).unwrap();
    let (target, mut random) = (walk::target(), Random::new(8));
    let files = split_set::files(&model(1));
    let bases: Vec<Base> = files.iter().map(|(_, file)| Base::new(file)).collect();
    let path = |i: usize| folder.path().join(&files[i].0);
    (0..2).for_each(|i| std::fs::write(path(i), &bases[i].bytes).unwrap());
    let length = bases.iter().map(|base| base.bytes.len()).sum();
    let mut tally = Tally::default();
    for number in 0..1_000 {
        let bad = number % 2;
        let mut bytes = bases[bad].damaged(&mut random);
        if number % 10 < 2 {
            bytes.truncate(random.below(bytes.len()));
        }
        std::fs::write(path(bad), bytes).unwrap();
        let open = || Gguf::open(&files[number / 2 % 2].0);
        tally.add(&format!("splits, damage {number}"), length, || walk::opened(&target, open()));
        std::fs::write(path(bad), &bases[bad].bytes).unwrap();
    }
    tally.print("splits");
    check_flips(&tally, 1_000, true);
}
