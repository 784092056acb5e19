//! What was found.

use std::collections::HashSet;
use std::fmt;

use vt_gguf::GgufError;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file is wrong.
    Error,
    /// The file is strange, or beyond vt.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// Something that is wrong or strange in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is: one line that names the key or the tensor, what was expected and what was found.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.what)
    }
}

/// Everything that was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The findings, in the order of the file's parts.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The findings of that severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// Whether there are no errors.
    pub fn is_ok(&self) -> bool {
        self.of(Severity::Error).next().is_none()
    }
}

/// How many findings of one kind are listed one by one.
const LISTED: usize = 20;

/// The findings on their way into a report.
#[derive(Debug, Default)]
pub(super) struct Findings {
    all: Vec<Finding>,
    /// The same, to be looked up in: a file can have hundreds of thousands of faults.
    told: HashSet<Finding>,
    /// The metadata keys that were found wrong.
    keys: HashSet<String>,
}

impl Findings {
    pub fn error(&mut self, what: impl fmt::Display) {
        self.add(Severity::Error, &what);
    }

    pub fn warning(&mut self, what: impl fmt::Display) {
        self.add(Severity::Warning, &what);
    }

    /// Warnings of one kind: a file can hold millions, so only the first are listed.
    pub fn warnings<W: fmt::Display>(&mut self, kind: &str, all: impl IntoIterator<Item = W>) {
        let mut all = all.into_iter();
        all.by_ref().take(LISTED).for_each(|what| self.warning(what));
        match all.count() {
            0 => {}
            more => self.warning(format!("{more} more {kind}")),
        }
    }

    /// An error of the metadata, once a key.
    pub fn key_error(&mut self, error: GgufError) {
        if error.fault.key().is_none_or(|key| self.keys.insert(key.to_owned())) {
            self.error(error.fault);
        }
    }

    /// The number of errors so far.
    pub fn errors(&self) -> usize {
        self.all.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    pub fn report(self) -> Report {
        Report { findings: self.all }
    }

    /// Once: a model is refused for keys that were found wrong before.
    fn add(&mut self, severity: Severity, what: &dyn fmt::Display) {
        let finding = Finding { severity, what: what.to_string().chars().map(vt_gguf::printable).collect() };
        if self.told.insert(finding.clone()) {
            self.all.push(finding);
        }
    }
}

/// A file's text as a finding may repeat it: not too long.
pub(super) fn shown(text: &[u8]) -> String {
    const SHOWN: usize = 80;
    let head = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(text)).into_owned();
    if text.len() > SHOWN { head + "..." } else { head }
}
