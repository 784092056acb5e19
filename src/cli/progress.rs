//! What is being done, on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often it is drawn.
const TICK: Duration = Duration::from_millis(100);

/// A line at the bottom of standard error that tells what is being done, if that is a terminal. It goes when it is
/// dropped.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Self(bar)
    }

    /// Something whose end is not known.
    pub(super) fn doing(&self, what: &str) {
        self.0.set_style(ProgressStyle::default_spinner());
        self.0.set_message(what.to_owned());
    }

    /// Something of which so many bytes are done.
    pub(super) fn bytes(&self, what: &str, done: u64, total: u64) {
        self.part(what, done, total, "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}");
    }

    /// Something of which so many steps are done.
    pub(super) fn steps(&self, what: &str, done: u64, total: u64) {
        self.part(what, done, total, "{msg} {bar:30} {pos}/{len}");
    }

    /// Ends it before it is dropped.
    pub(super) fn end(self) {}

    fn part(&self, what: &str, done: u64, total: u64, template: &str) {
        if self.0.is_hidden() {
            return;
        }
        if self.0.length() != Some(total) || self.0.message() != what {
            let style = ProgressStyle::with_template(template);
            self.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.0.set_length(total);
            self.0.set_message(what.to_owned());
        }
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
