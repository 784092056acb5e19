//! Lists the files of `goldens/` as a table of bytes, so that checks need no path when they run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("goldens");
    println!("cargo:rerun-if-changed=goldens");
    let mut table = String::from("&[\n");
    for op in sorted(&root)?.iter().filter(|f| f.join("reference.py").is_file()) {
        let _ = writeln!(table, "({:?}, &[", name(op));
        for case in sorted(op)?.iter().filter(|f| f.is_dir() && !name(f).starts_with('_')) {
            let _ = writeln!(table, "({:?}, &[", name(case));
            for file in sorted(case)? {
                let _ = writeln!(table, "({:?}, include_bytes!({:?})),", name(&file), file.display().to_string());
            }
            table.push_str("]),\n");
        }
        table.push_str("]),\n");
    }
    table.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("goldens.rs"), table)
}

/// What is in a folder, by name; nothing if there is no such folder.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
