//! Running the commands of `vt` on a file, and measuring them.

use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wait4::Wait4;

use crate::kind::Stops;

/// A command that takes a file: its arguments, where `FILE` is the file and `OUT` is one to write, and which parts of
/// the file it needs.
pub struct Asked {
    pub arguments: &'static [&'static str],
    model: bool,
    tokenizer: bool,
    template: bool,
}

const fn asked(arguments: &'static [&'static str], model: bool, tokenizer: bool, template: bool) -> Asked {
    Asked { arguments, model, tokenizer, template }
}

/// The commands that take a file. `inspect` shows whatever can be read, and only warns of the rest.
pub const COMMANDS: &[Asked] = &[
    asked(&["inspect", "FILE"], false, false, false),
    asked(&["tokenize", "FILE", "hello <|im_start|>", "--special"], false, true, false),
    asked(&["detokenize", "FILE", "1,2,258"], false, true, false),
    asked(&["graph", "FILE"], true, false, false),
    asked(&["eval", "FILE", "--tokens", "1,2", "--out", "OUT"], true, false, false),
    asked(&["bench", "FILE", "-p", "2", "-n", "1", "-r", "1"], true, false, false),
    asked(&["run", "FILE", "-p", "hello", "-n", "2", "--temp", "0"], true, true, false),
];

impl Asked {
    /// Whether a kind of bad file must stop it.
    pub fn is_stopped(&self, stops: Stops) -> bool {
        match stops {
            Stops::All => true,
            Stops::Model => self.model,
            Stops::Tokenizer => self.tokenizer,
            Stops::Both => self.model || self.tokenizer,
            Stops::Template => self.template,
        }
    }

    /// Runs it on a file.
    pub fn run(&self, file: &Path) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vt"));
        for argument in self.arguments {
            match *argument {
                "FILE" => command.arg(file),
                "OUT" => command.arg(file.with_extension("npy")),
                text => command.arg(text),
            };
        }
        for variable in ["VT_THREADS", "VT_CPU_TIER", "VT_FUSE", "VT_GGUF_KEEP_QUANT", "VT_CPU_REF"] {
            command.env_remove(variable);
        }
        run(command.stdin(Stdio::null()).stdout(Stdio::null()))
    }
}

/// What a command did.
pub struct Ran {
    pub status: ExitStatus,
    pub stderr: String,
    /// The most memory that was resident, in bytes: the process's own `ru_maxrss`, with its code, its threads, and the
    /// pages of the file that it looked at.
    pub peak: u64,
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
    Ran { status: used.status, stderr: reader.join().unwrap(), peak: used.rusage.maxrss }
}
