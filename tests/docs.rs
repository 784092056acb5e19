//! The code in the guides is code that is built and run.

use std::fs;
use std::path::Path;

/// A guide, and the file that its Rust code is in.
const GUIDES: &[(&str, &str)] = &[("docs/adding-a-backend.md", "examples/own_backend.rs")];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// The contents of the page's fences that start with ```` ```rust ````.
fn rust_blocks(page: &str) -> Vec<&str> {
    let after_fences = page.split("```rust\n").skip(1);
    after_fences.map(|rest| rest.split("```").next().expect("a split has a first part")).collect()
}

#[test]
fn code_of_guides_is_in_the_file_that_is_run() {
    for (page, file) in GUIDES {
        let (text, code) = (read(page), read(file));
        let blocks = rust_blocks(&text);
        assert!(blocks.len() > 3, "{page}: {} blocks", blocks.len());
        for block in blocks {
            assert!(code.contains(block), "{page}: not in {file}:\n{block}");
        }
    }
}
