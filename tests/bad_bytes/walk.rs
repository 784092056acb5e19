//! Everything that the commands do with a file, through the library: one road for tests and fuzzing.

use std::fmt::{self, Display, Write};
use std::sync::Arc;

use vt::core::View;
use vt::core::plan::Sequence;
use vt::gguf::{Gguf, Value};
use vt::models::load::{self, Target};
use vt::models::tokenizer::{EncodeOptions, TextStream, Tokenizer};
use vt::models::{Batch, LoadOptions, Model, ModelError, Runner, Wanted, inspect};

/// What became of a file: a hash of every answer and every message.
pub struct Outcome {
    hash: u64,
    /// How far it came: whether it could be opened, tokenized, and run.
    pub reached: [bool; 3],
}

/// FNV-1a (Fowler, Noll, Vo), fed with what is written to it.
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Ok(())
    }
}

impl Outcome {
    fn new() -> Self {
        Self { hash: 0xcbf2_9ce4_8422_2325, reached: [false; 3] }
    }

    /// A number that two builds agree on if they gave the same answers.
    pub fn digest(&self) -> u64 {
        self.hash
    }

    fn note(&mut self, what: impl Display) {
        let mut fnv = Fnv(self.hash);
        write!(fnv, "{what};").expect("a hash takes any text");
        self.hash = fnv.0;
    }

    /// Notes an answer or a message; whether it was an answer.
    fn result<T, E: Display>(&mut self, result: Result<T, E>) -> Option<T> {
        result.inspect_err(|error| self.note(error)).ok()
    }
}

/// The device that files are run on.
pub fn target() -> Target {
    let cpu = vt::cpu::Config { threads: Some(1), tier: None };
    Target { registry: vt::default_registry(cpu).expect("this machine's kernels"), device: vt::cpu::CPU.to_owned() }
}

/// A file in memory, through everything.
pub fn bytes(target: &Target, bytes: Vec<u8>) -> Outcome {
    opened(target, Gguf::from_bytes(Arc::new(bytes)))
}

/// What a file's reader said, and then everything.
pub fn opened<E: Display>(target: &Target, gguf: Result<Gguf, E>) -> Outcome {
    let mut outcome = Outcome::new();
    if let Some(gguf) = outcome.result(gguf) {
        outcome.reached[0] = true;
        look(&mut outcome, &gguf);
        tokenize(&mut outcome, &gguf);
        outline(&mut outcome, &gguf, target);
        if let Some(logits) = outcome_of_run(&mut outcome, &gguf, target) {
            outcome.reached[2] = true;
            logits.iter().for_each(|bits| outcome.note(bits));
        }
    }
    outcome
}

fn look(outcome: &mut Outcome, gguf: &Gguf) {
    for (key, value) in gguf.metadata().iter() {
        outcome.note(key);
        match value {
            Value::Array(array) => array.iter().take(64).for_each(|element| outcome.note(element)),
            value => outcome.note(value),
        }
    }
    for info in gguf.tensors() {
        outcome.note(format_args!("{info:?}"));
        let tensor = outcome.result(gguf.tensor(info.name()));
        assert!(tensor.is_none_or(|tensor| tensor.storage().len() as u64 == info.bytes()));
    }
}

/// Words of several kinds, special tokens, and bytes that are no text.
const TEXT: &[u8] = b"Hello hell <|im_start|>\n\t1234  caf\xc3\xa9 \xe5\xad\x97\xf0\x9f\x98\x80 \xff\xfe </s>";

fn tokenize(outcome: &mut Outcome, gguf: &Gguf) {
    let Some(vocab) = outcome.result(load::vocab(gguf)) else { return };
    let Some(tokenizer) = outcome.result(Tokenizer::new(vocab)) else { return };
    outcome.reached[1] = true;
    for special in [false, true] {
        let tokens = tokenizer.encode(TEXT, EncodeOptions { add_bos: true, special });
        outcome.note(format_args!("{tokens:?}"));
        assert!(tokens.iter().all(|id| (*id as usize) < tokenizer.len()), "an id that is none");
        let decoded = tokenizer.decode(&tokens, special).expect("the tokenizer's own ids");
        outcome.note(decoded.escape_ascii());
        let mut stream = TextStream::new(special);
        let mut text: String = tokens.iter().map(|id| stream.push(&tokenizer, *id).to_owned()).collect();
        text.push_str(stream.flush());
        assert_eq!(text, String::from_utf8_lossy(&decoded), "the stream shows another text");
    }
}

/// Two tokens a pass, and a context of four.
fn options() -> LoadOptions {
    LoadOptions { rows: 2, wanted: 2, ..LoadOptions::default() }
}

fn outline(outcome: &mut Outcome, gguf: &Gguf, target: &Target) {
    let Some(outline) = outcome.result(inspect(gguf, target, &options())) else { return };
    outcome.note(format_args!("{:?}", outline.hparams));
    outline.tensors.iter().for_each(|used| outcome.note(format_args!("{used:?}")));
    outline.unused.iter().for_each(|name| outcome.note(name));
    if let Some(plan) = outcome.result(outline.plan) {
        outcome.note(plan.arena_bytes());
    }
}

fn outcome_of_run(outcome: &mut Outcome, gguf: &Gguf, target: &Target) -> Option<Vec<u32>> {
    let model = outcome.result(Model::load(gguf, target, &options()))?;
    outcome.result(run(&Arc::new(model)))
}

/// The bits of the logits after two tokens, and after two more.
fn run(model: &Arc<Model>) -> Result<Vec<u32>, ModelError> {
    let mut runner = Runner::new(model)?;
    let mut sequence = model.sequence(4)?;
    let mut all = Vec::new();
    for pass in 0..2 {
        let mut batch = Batch::with_capacity(2);
        batch.add(0, sequence.len(), &[pass, pass + 1], Wanted::All);
        let mut sequences: [&mut Sequence; 1] = [&mut sequence];
        all.extend(bits(runner.forward(&batch, &mut sequences)?));
    }
    Ok(all)
}

/// Any NaN is as good as another.
fn bits(logits: View<'_, f32>) -> Vec<u32> {
    let bits = |x: &f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    (0..logits.rows()).flat_map(|row| logits.row(row).iter().map(bits)).collect()
}
