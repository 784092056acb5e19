//! Writes the tiny models that the model goldens are about, and the tokens that they are asked: `tiny_models FOLDER`.

#[path = "../tests/tiny/mod.rs"]
mod tiny;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("which folder?")?);
    for (seed, model) in (1..).zip(tiny::ALL) {
        fs::write(folder.join(model.name).with_extension("gguf"), model.file())?;
        let tokens = serde_json::to_vec(&tiny::tokens(seed, 12))?;
        fs::write(folder.join(model.name).with_extension("json"), tokens)?;
    }
    Ok(())
}
