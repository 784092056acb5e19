//! Writes the files that fuzzing starts from: `seeds FOLDER` makes `FOLDER/reader`, `FOLDER/tokenizer` and
//! `FOLDER/template`.

#[path = "../../../tests/bad_files/alphabet.rs"]
mod alphabet;
#[path = "../../../tests/bad_files/forge.rs"]
#[allow(dead_code, reason = "only the files without faults are used")]
mod forge;
#[path = "../../../tests/tiny/mod.rs"]
mod tiny;

use std::fs;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).ok_or_else(|| io::Error::other("usage: seeds FOLDER"))?;
    let folder = Path::new(&folder);
    let tiny = ["llama-q8_0", "qwen2-q5_0"].map(|name| (name, tiny::find(name).file()));
    let forged = [("model", forge::model(1).bytes()), ("tokenizer", forge::tokenizer_only().bytes())];
    let files: Vec<_> = forged.into_iter().chain(tiny).collect();
    write(&folder.join("reader"), files.iter().map(|(name, bytes)| (*name, bytes.as_slice())))?;
    write(&folder.join("tokenizer"), TEXTS.iter().map(|(name, text)| (*name, text.as_bytes())))?;
    write(&folder.join("template"), TEMPLATES.iter().map(|(name, text)| (*name, text.as_bytes())))
}

fn write<'a>(folder: &Path, seeds: impl Iterator<Item = (&'a str, &'a [u8])>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in seeds {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

const TEXTS: [(&str, &str); 4] = [
    ("words", "Hello, world! It's 12345 o'clock.\n\n\tfn main() { }\r\n"),
    (
        "scripts",
        "\u{5b57}\u{3042}\u{d55c} \u{627}\u{644}\u{639} \u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{1f600}\u{200d}\u{1f468}",
    ),
    ("special", "<|im_start|>user\nhello<|im_end|><|endoftext|></s><s>\u{2581}a"),
    ("bytes", "\u{0}\u{1}\u{7f}\u{80}\u{feff}\u{fffd}\u{2028}"),
];

const TEMPLATES: [(&str, &str); 4] = [
    ("chatml", forge::TEMPLATE),
    ("loop", "{% for i in range(10) %}{{ loop.index }}{{ messages[i].content | trim }}{% endfor %}"),
    ("macro", "{% macro f(x) %}{{ x | upper }}{% if x %}{{ f(x[1:]) }}{% endif %}{% endmacro %}{{ f('abc') }}"),
    ("methods", "{{ messages[0]['content'].split(' ')[-1].strip().lower() }}{{ raise_exception('no') }}"),
];
