//! The results in llama-bench's forms.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use vt_gguf::Gguf;
use vt_models::load::Target;

use crate::cli::model::{ModelArgs, ROWS};
use crate::cli::stop::Stop;
use crate::cli::{json_text, text};

/// What the rows have in common.
pub(super) struct About {
    file: String,
    kind: String,
    bytes: u64,
    params: u64,
    threads: usize,
    cache: [&'static str; 2],
    first_token: Duration,
}

/// A test.
pub(super) struct Row {
    pub prompt: usize,
    pub generate: usize,
    pub depth: usize,
    pub time: SystemTime,
    pub samples: Vec<Duration>,
}

impl About {
    pub(super) fn new(args: &ModelArgs, gguf: &Gguf, target: &Target, first_token: Duration) -> Self {
        let params = gguf.tensors().map(|t| t.shape().iter().map(|n| *n as u64).product::<u64>()).sum();
        let workers = target.registry.devices().iter().find(|d| d.name() == target.device).map(|d| d.workers());
        let cache = args.cache();
        Self {
            file: gguf.files().next().unwrap_or_default().to_owned(),
            kind: kind(gguf, params),
            bytes: gguf.tensors().map(|t| t.bytes()).sum(),
            params,
            threads: workers.unwrap_or(1),
            cache: [cache.key.name(), cache.value.name()],
            first_token,
        }
    }
}

/// Architecture, size and the type that most bytes have: `llama 134.52 M q4_1`.
fn kind(gguf: &Gguf, params: u64) -> String {
    let architecture = gguf.metadata().architecture().unwrap_or("unknown");
    let mut types: Vec<(&str, u64)> = Vec::new();
    for tensor in gguf.tensors() {
        let name = tensor.tensor_type().name();
        match types.iter_mut().find(|(n, _)| *n == name) {
            Some((_, bytes)) => *bytes += tensor.bytes(),
            None => types.push((name, tensor.bytes())),
        }
    }
    let most = types.iter().max_by_key(|(_, bytes)| *bytes).map_or("", |(name, _)| name);
    format!("{architecture} {} {most}", count(params))
}

fn count(params: u64) -> String {
    let (unit, name) = if params < 1_000_000_000 { (1e6, "M") } else { (1e9, "B") };
    format!("{:.2} {name}", params as f64 / unit)
}

impl Row {
    fn tokens(&self) -> usize {
        self.prompt + self.generate
    }

    fn name(&self) -> String {
        let test = if self.generate == 0 { format!("pp{}", self.prompt) } else { format!("tg{}", self.generate) };
        if self.depth == 0 { test } else { format!("{test} @ d{}", self.depth) }
    }

    fn nanoseconds(&self) -> Vec<f64> {
        self.samples.iter().map(|s| s.as_nanos() as f64).collect()
    }

    /// Tokens per second.
    fn speeds(&self) -> Vec<f64> {
        self.samples.iter().map(|s| self.tokens() as f64 / s.as_secs_f64()).collect()
    }

    fn json(&self, about: &About) -> Value {
        let (ns, ts) = (self.nanoseconds(), self.speeds());
        let ((avg_ns, stddev_ns), (avg_ts, stddev_ts)) = (mean_and_deviation(&ns), mean_and_deviation(&ts));
        let samples_ns: Vec<u64> = ns.iter().map(|ns| *ns as u64).collect();
        json!({
            "build_commit": env!("CARGO_PKG_VERSION"),
            "cpu_info": cpu_name(),
            "backends": "CPU",
            "model_filename": about.file,
            "model_type": about.kind,
            "model_size": about.bytes,
            "model_n_params": about.params,
            "n_batch": ROWS,
            "n_ubatch": ROWS,
            "n_threads": about.threads,
            "type_k": about.cache[0],
            "type_v": about.cache[1],
            "n_prompt": self.prompt,
            "n_gen": self.generate,
            "n_depth": self.depth,
            "test_time": utc(self.time),
            "avg_ns": avg_ns as u64,
            "stddev_ns": stddev_ns as u64,
            "avg_ts": avg_ts,
            "stddev_ts": stddev_ts,
            "samples_ns": samples_ns,
            "samples_ts": ts,
            "first_token_s": about.first_token.as_secs_f64(),
        })
    }
}

/// The mean, and the deviation of the samples from it.
fn mean_and_deviation(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

/// A list with an object for each row.
pub(super) fn json(about: &About, rows: &[Row]) -> Result<(), Stop> {
    let rows: Vec<Value> = rows.iter().map(|row| row.json(about)).collect();
    Ok(text::show(json_text::lines(&Value::Array(rows)).as_bytes())?)
}

/// A table in Markdown.
pub(super) fn table(about: &About, rows: &[Row]) -> Result<(), Stop> {
    let mut out = String::new();
    let mut line = |cells: [&str; 7]| {
        let [model, size, params, backend, threads, test, speed] = cells;
        out += &format!(
            "| {model:<30} | {size:>10} | {params:>10} | {backend:<10} | {threads:>7} | {test:>15} | {speed:>20} |\n"
        );
    };
    line(["model", "size", "params", "backend", "threads", "test", "t/s"]);
    let dashes = ["-".repeat(30), "-".repeat(9) + ":", "-".repeat(10), "-".repeat(6) + ":"];
    let [wide, right, ten, seven] = &dashes;
    line([wide, right, right, ten, seven, &("-".repeat(14) + ":"), &("-".repeat(19) + ":")]);
    let size = format!("{:.2} MiB", about.bytes as f64 / (1 << 20) as f64);
    for row in rows {
        let (mean, deviation) = mean_and_deviation(&row.speeds());
        let speed = format!("{mean:.2} ± {deviation:.2}");
        line([&about.kind, &size, &count(about.params), "CPU", &about.threads.to_string(), &row.name(), &speed]);
    }
    Ok(text::show(out.as_bytes())?)
}

/// The processor's name, where Linux tells it.
fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned()
}

/// A time as `2026-01-31T12:00:00Z`. Dates are counted from a 1 March, so that the leap day is the last of a year
/// (Hinnant, "chrono-compatible low-level date algorithms").
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn the_deviation_is_that_of_samples() {
        assert_eq!(mean_and_deviation(&[2.0, 4.0, 4.0, 6.0]), (4.0, (8.0f64 / 3.0).sqrt()));
        assert_eq!(mean_and_deviation(&[3.0]), (3.0, 0.0));
    }

    #[test]
    fn speeds_are_tokens_by_seconds() {
        let samples = vec![Duration::from_millis(500)];
        let row = Row { prompt: 0, generate: 8, depth: 4, time: UNIX_EPOCH, samples };
        assert_eq!((row.speeds(), row.name()), (vec![16.0], "tg8 @ d4".to_owned()));
    }
}
