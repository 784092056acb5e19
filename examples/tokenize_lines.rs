//! Tokenizes many texts with the tokenizer of a GGUF file: `tokenize_lines FILE.gguf`.
//!
//! Standard input has one text a line, in hexadecimal. For each text a line goes to standard output: the ids of the
//! text alone, the ids with special tokens recognised and the file's BOS rule, and the bytes that the former stand for
//! in hexadecimal, with tabs between them.

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use vt_gguf::Gguf;
use vt_models::load;
use vt_models::tokenizer::{EncodeOptions, Tokenizer};

const PLAIN: EncodeOptions = EncodeOptions { add_bos: false, special: false };
const SPECIAL: EncodeOptions = EncodeOptions { add_bos: true, special: true };

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("which file?")?;
    let tokenizer = Tokenizer::new(load::vocab(&Gguf::open(file)?)?)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let text = from_hex(line?.trim())?;
        let plain = tokenizer.encode(&text, PLAIN);
        let special = tokenizer.encode(&text, SPECIAL);
        let back = tokenizer.decode(&plain, true)?;
        writeln!(out, "{}\t{}\t{}", joined(&plain), joined(&special), hex(&back))?;
    }
    Ok(out.flush()?)
}

fn from_hex(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let pairs = text.as_bytes().chunks(2).map(|pair| Ok(u8::from_str_radix(str::from_utf8(pair)?, 16)?));
    pairs.collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn joined(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}
