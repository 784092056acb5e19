//! Kinds of malformed and hostile files, and what every command makes of them: exit status 1, one line that names the
//! file and what is wrong in it, no more memory than four times the file and 64 MiB, and an end.
//!
//! A command that does not need what is wrong must work as if nothing were; so must every command on files that only
//! look wrong.

mod alphabet;
mod command;
mod forge;
mod kind;
mod split_set;
mod themes;
#[path = "../tiny/mod.rs"]
mod tiny;

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use command::{Asked, COMMANDS, IDS, Ran};
use forge::{model, tokenizer_only};
use kind::Kind;

/// What a command may take beside four times the file.
const ROOM: u64 = 64 << 20;

/// A message is one clear line.
const LONGEST: usize = 4096;

/// Writes the files; their length together.
fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> u64 {
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    std::fs::write(folder.join(IDS), "1 2").unwrap();
    files.iter().map(|(_, bytes)| bytes.len() as u64).sum()
}

/// Whether a command was stopped as it should be, or what is wrong.
fn refused(ran: &Ran, file: &str, says: &str) -> Result<(), String> {
    let Ran { status, stderr, .. } = ran;
    let lines: Vec<&str> = stderr.lines().collect();
    match lines[..] {
        _ if status.code() != Some(1) => Err(format!("{status}: {stderr:.400}")),
        [line] if !line.starts_with("error: ") => Err(format!("no error: {line:.400}")),
        [line] if line.len() > LONGEST => Err(format!("a line of {} bytes: {line:.400}", line.len())),
        [line] if line.chars().any(char::is_control) => Err(format!("control characters: {line:?}")),
        [line] if !line.contains(file) => Err(format!("does not name {file}: {line}")),
        [line] if !line.contains(says) => Err(format!("does not say {says}: {line}")),
        [_] => Ok(()),
        _ => Err(format!("{} lines: {stderr:.400}", lines.len())),
    }
}

fn worked(ran: &Ran) -> Result<(), String> {
    let fine = ran.status.success() && !ran.stderr.lines().any(|line| line.starts_with("error: "));
    if fine { Ok(()) } else { Err(format!("{}: {:.400}", ran.status, ran.stderr)) }
}

/// The most that a command took, for a person to read.
#[derive(Default)]
struct Most {
    time: (Duration, String),
    /// As a part of what is allowed.
    memory: (f64, String),
}

fn check_kind(kind: &Kind, command: &Asked, most: &mut Most) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let files = kind.files();
    let length = write(folder.path(), &files);
    let ran = command.run(&folder.path().join(&files[0].0));
    // Of a set of files another one may be at fault.
    let file = if files.len() == 1 { &files[0].0 } else { ".gguf" };
    if command.is_stopped_by(kind) {
        refused(&ran, file, kind.says)?
    } else {
        worked(&ran)?
    }
    let (peak, allowed) = (ran.peak, 4 * length + ROOM);
    let what =
        || format!("{}: vt {}: {:?}, {peak} bytes for a file of {length}", kind.name, command.arguments[0], ran.time);
    let part = peak as f64 / allowed as f64;
    if part > most.memory.0 {
        most.memory = (part, what());
    }
    if ran.time > most.time.0 {
        most.time = (ran.time, what());
    }
    if peak > allowed { Err(format!("{peak} bytes of memory for a file of {length}")) } else { Ok(()) }
}

/// Checks every command on every kind, and prints the slowest, and the one that came closest to the limit of memory.
fn check(kinds: &[Kind]) {
    let mut most = Most::default();
    let mut wrong = Vec::new();
    for (kind, command) in kinds.iter().flat_map(|kind| COMMANDS.iter().map(move |command| (kind, command))) {
        if let Err(found) = check_kind(kind, command, &mut most) {
            wrong.push(format!("{}: vt {}: {found}", kind.name, command.arguments[0]));
        }
    }
    println!("slowest: {}\nlargest: {}", most.time.1, most.memory.1);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! themes {
    ($($theme:ident),+) => {$(
        #[test]
        fn $theme() {
            check(themes::$theme::KINDS);
        }
    )+};
}

themes!(
    alignment,
    arrays,
    bulk,
    data,
    duplicates,
    foreign,
    granite,
    header,
    heads,
    keys,
    metadata_types,
    missing,
    numbers,
    odd,
    offsets,
    sentencepiece,
    shapes,
    sizes,
    special_ids,
    splits,
    strings,
    template,
    tensor_infos,
    tensor_types,
    vocabulary
);

#[test]
fn nothing_is_wrong_with_the_files_that_the_bad_ones_are_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str, file: forge::File| (name.to_owned(), file.bytes());
    let whole = [named("model.gguf", model(2)), named("one-layer.gguf", model(1))];
    let parts: Vec<_> = split_set::files(&model(2)).into_iter().map(|(name, file)| named(&name, file)).collect();
    let files = [&whole[..], &parts].concat();
    write(folder.path(), &files);
    for (name, _) in &files {
        for command in COMMANDS {
            let ran = command.run(&folder.path().join(name));
            assert_eq!(worked(&ran), Ok(()), "{name}: vt {}", command.arguments[0]);
        }
    }
    write(folder.path(), &[named("tokenizer.gguf", tokenizer_only())]);
    for command in COMMANDS.iter().filter(|command| command.needs_no_model()) {
        let ran = command.run(&folder.path().join("tokenizer.gguf"));
        assert_eq!(worked(&ran), Ok(()), "tokenizer.gguf: vt {}", command.arguments[0]);
    }
}

#[test]
fn every_kind_is_another() {
    let kinds = || themes::ALL.iter().flat_map(|(_, kinds)| kinds.iter());
    let names: HashSet<&str> = kinds().map(|kind| kind.name).collect();
    let sentences: HashSet<&str> = kinds().map(|kind| kind.what).collect();
    let mut files: HashSet<Vec<(String, Vec<u8>)>> = kinds().map(Kind::files).collect();
    let count = kinds().count();
    println!("{count} kinds in {} themes", themes::ALL.len());
    assert_eq!((names.len(), sentences.len(), files.len()), (count, count, count));
    let good = [
        vec![("bad.gguf".to_owned(), model(2))],
        vec![("bad.gguf".to_owned(), tokenizer_only())],
        split_set::files(&model(2)),
    ];
    for set in good {
        let set = set.into_iter().map(|(name, file)| (name, file.bytes())).collect();
        assert!(files.insert(set), "a kind has nothing wrong");
    }
    assert!(count >= 120, "{count} kinds");
}
