//! The code in the guides is code that is built and run.

use std::fs;
use std::path::Path;

/// A guide, and the files that its Rust and Python code is in.
const GUIDES: &[(&str, &[&str])] = &[
    ("docs/adding-a-backend.md", &["examples/own_backend.rs"]),
    (
        "docs/adding-a-model.md",
        &[
            "vt-models/src/arch/olmo2.rs",
            "vt-models/src/arch/mod.rs",
            "vt-models/src/blocks/scaled.rs",
            "tests/tiny/special.rs",
            "tests/tiny/list.rs",
        ],
    ),
    (
        "docs/adding-an-op.md",
        &["vt-core/src/op/gelu.rs", "vt-ops/src/gelu.rs", "vt-cpu/src/ops/gelu.rs", "goldens/gelu/reference.py"],
    ),
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// The contents of the page's fences that start with ```` ```rust ```` or ```` ```python ````.
fn code_blocks(page: &str) -> Vec<&str> {
    let fences = page.split("```").skip(1).step_by(2);
    fences.filter_map(|fence| fence.strip_prefix("rust\n").or(fence.strip_prefix("python\n"))).collect()
}

#[test]
fn code_of_guides_is_in_the_file_that_is_run() {
    for (page, files) in GUIDES {
        let text = read(page);
        let code: Vec<String> = files.iter().map(|file| read(file)).collect();
        let blocks = code_blocks(&text);
        assert!(blocks.len() > 3, "{page}: {} blocks", blocks.len());
        for block in blocks {
            assert!(code.iter().any(|file| file.contains(block)), "{page}: not in {files:?}:\n{block}");
        }
    }
}
