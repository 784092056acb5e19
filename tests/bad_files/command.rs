//! Running the commands of `vt` on a file, and measuring them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wait4::Wait4;

use crate::kind::{Kind, Stops};

/// A command that takes a file: its arguments, where `FILE` is the file, `OUT` one to write and `IDS` one of ids, and
/// what it needs.
pub struct Asked {
    pub arguments: &'static [&'static str],
    needs: Needs,
}

/// What a command needs of a file beside the container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    Model,
    Tokenizer,
    ModelAndTokenizer,
    /// The chat template, the model and the tokenizer.
    Template,
    /// Everything that there is must be right.
    AllRight,
}

const fn asked(needs: Needs, arguments: &'static [&'static str]) -> Asked {
    Asked { arguments, needs }
}

/// The commands that take a file. `inspect` shows whatever can be read, and only warns of the rest.
pub const COMMANDS: &[Asked] = &[
    asked(Needs::Nothing, &["inspect", "FILE"]),
    asked(Needs::AllRight, &["check", "FILE"]),
    asked(Needs::Tokenizer, &["tokenize", "FILE", "hello <|im_start|>", "--special"]),
    asked(Needs::Tokenizer, &["detokenize", "FILE", "1,2,258"]),
    asked(Needs::Model, &["graph", "FILE"]),
    asked(Needs::Model, &["eval", "FILE", "--tokens", "1,2", "--out", "OUT"]),
    asked(Needs::Model, &["perplexity", "FILE", "--tokens-file", "IDS", "-c", "2"]),
    asked(Needs::Model, &["bench", "FILE", "-p", "2", "-n", "1", "-r", "1"]),
    asked(Needs::ModelAndTokenizer, &["run", "FILE", "-p", "hello", "-n", "2", "--temp", "0"]),
    asked(Needs::Template, &["chat", "FILE", "-n", "2", "--temp", "0"]),
];

impl Asked {
    /// Whether a kind of bad file must stop it.
    pub fn is_stopped_by(&self, kind: &Kind) -> bool {
        match self.needs {
            Needs::Nothing => kind.stops == Stops::All,
            Needs::Model => matches!(kind.stops, Stops::All | Stops::Model | Stops::Both),
            Needs::Tokenizer => matches!(kind.stops, Stops::All | Stops::Tokenizer | Stops::Both),
            Needs::ModelAndTokenizer => !matches!(kind.stops, Stops::Nothing | Stops::Template),
            Needs::Template => kind.stops != Stops::Nothing,
            Needs::AllRight => kind.is_error,
        }
    }

    /// Whether it works on a file without a model.
    pub fn needs_no_model(&self) -> bool {
        matches!(self.needs, Needs::Nothing | Needs::Tokenizer | Needs::AllRight)
    }

    /// Runs it on a file.
    pub fn run(&self, file: &Path) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vt"));
        for argument in self.arguments {
            match *argument {
                "FILE" => command.arg(file),
                "OUT" => command.arg(file.with_extension("npy")),
                "IDS" => command.arg(file.with_file_name(IDS)),
                text => command.arg(text),
            };
        }
        for variable in ["VT_THREADS", "VT_CPU_TIER", "VT_FUSE", "VT_GGUF_KEEP_QUANT", "VT_CPU_REF"] {
            command.env_remove(variable);
        }
        // What is asked in a conversation; no other command reads it.
        let input = File::open(file.with_file_name(IDS)).unwrap();
        run(command.stdin(input).stdout(Stdio::null()))
    }
}

/// The file of token ids beside a model.
pub const IDS: &str = "ids";

/// What a command did.
pub struct Ran {
    pub status: ExitStatus,
    pub stderr: String,
    /// The most memory that was resident, in bytes: the process's own `ru_maxrss`, with its code, its threads, and the
    /// pages of the file that it looked at; or what this process had held before it started the other, if that is more.
    pub peak: u64,
    /// The time that it computed, on all threads.
    pub time: Duration,
}

/// Far more than any command takes on files of a few megabytes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn run(command: &mut Command) -> Ran {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let (done, end) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        pipe.read_to_end(&mut said).unwrap();
        // Nobody waits any more if this took too long.
        let _ = done.send(());
        String::from_utf8(said).unwrap()
    });
    // The pipe ends when the process does.
    if end.recv_timeout(PATIENCE).is_err() {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("{command:?} runs and runs");
    }
    let used = child.wait4().unwrap();
    let (status, rusage) = (used.status, used.rusage);
    Ran { status, stderr: reader.join().unwrap(), peak: rusage.maxrss, time: rusage.utime + rusage.stime }
}
