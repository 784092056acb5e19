//! The weights: all of them are read, in pieces.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use vt_gguf::{Gguf, TensorInfo};

use super::finding::{Findings, shown};
use super::numbers::Bad;
use super::scales;

/// The most bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// Finds the weights and scales that are NaN or infinite.
///
/// `asked` is the file that whoever asks knows the findings are of.
pub(super) fn validate(gguf: &Gguf, asked: &Path, findings: &mut Findings, progress: &mut dyn FnMut(u64, u64)) {
    let total = gguf.tensors().map(|tensor| tensor.bytes()).fold(0, u64::saturating_add);
    let mut done = 0u64;
    let mut strange = Vec::new();
    for (number, path) in gguf.files().enumerate() {
        let mut tensors = gguf.tensors().filter(|tensor| tensor.shard() == number);
        let mut read = |bytes| {
            done = done.saturating_add(bytes);
            progress(done, total);
        };
        let result = File::open(path).and_then(|mut file| {
            tensors.try_for_each(|tensor| {
                let bad = scan(&mut file, &tensor, &mut read)?;
                strange.extend(bad.first.map(|first| message(&tensor, bad.count, first)));
                Ok(())
            })
        });
        if let Err(error) = result {
            let what = format!("the weights cannot be read: {}", reason(&error));
            if Path::new(path) == asked {
                findings.error(what);
            } else {
                findings.error(format!("{}: {what}", shown(path.as_bytes())));
            }
        }
    }
    findings.warnings("tensors have numbers that are not finite", strange);
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        // The reader has found it long enough.
        io::ErrorKind::UnexpectedEof => "the file became shorter while it was read".to_owned(),
        _ => error.to_string(),
    }
}

fn message(tensor: &TensorInfo<'_>, count: u64, first: u64) -> String {
    let name = shown(tensor.name().as_bytes());
    let numbers = if tensor.tensor_type().block_elems() > 1 { "scales of blocks" } else { "weights" };
    let all = tensor.bytes() / tensor.tensor_type().block_bytes() * scales::of(tensor.tensor_type()).len() as u64;
    format!("tensor `{name}`: {count} of {all} {numbers} are NaN or infinite, the first at byte {first}")
}

/// The numbers of a tensor that are not finite; `first` counts from the start of the file.
fn scan(file: &mut File, tensor: &TensorInfo<'_>, read: &mut dyn FnMut(u64)) -> io::Result<Bad> {
    let numbers = scales::of(tensor.tensor_type());
    let mut bad = Bad::default();
    if numbers.is_empty() {
        read(tensor.bytes());
        return Ok(bad);
    }
    let block = tensor.tensor_type().block_bytes();
    let piece = PIECE / block * block;
    let mut buffer = vec![0; tensor.bytes().min(piece) as usize];
    let (mut at, end) = (tensor.offset(), tensor.offset() + tensor.bytes());
    file.seek(SeekFrom::Start(at))?;
    while at < end {
        let bytes = buffer.get_mut(..(end - at).min(piece) as usize).unwrap_or_default();
        file.read_exact(bytes)?;
        for (encoding, place) in numbers {
            bad.add(encoding.find(bytes, block as usize, *place), at);
        }
        at += bytes.len() as u64;
        read(bytes.len() as u64);
    }
    Ok(bad)
}
