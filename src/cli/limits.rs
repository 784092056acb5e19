//! The machine's limits, as commands measure and show them.

use serde_json::{Value, json};
use vt::measure::{Bound, Speed};
use vt_cpu::Limits;

use super::progress::Progress;
use super::stop::Stop;

/// Measures them, which takes a while.
pub(super) fn measure(cpu: vt_cpu::Config) -> Result<Limits, Stop> {
    let progress = Progress::new();
    progress.doing("measuring what this machine can do");
    let limits = Limits::measure(cpu)?;
    progress.end();
    Ok(limits)
}

pub(super) fn json(limits: &Limits) -> Value {
    json!({
        "tier": limits.tier.name(),
        "threads": limits.threads,
        "read_gb_s": limits.read / 1e9,
        "f32_gop_s": limits.floats / 1e9,
        "bf16_gop_s": limits.bf16.map(|rate| rate / 1e9),
        "8bit_gop_s": limits.bytes.map(|rate| rate / 1e9),
    })
}

/// All in a line.
pub(super) fn line(limits: &Limits) -> String {
    let other = |bound: Bound, rate: Option<f64>| match rate {
        Some(rate) => format!("{} {:.1} GOP/s", bound.name(), rate / 1e9),
        None => format!("{} as f32", bound.name()),
    };
    let (bf16, bytes) = (other(Bound::Bf16, limits.bf16), other(Bound::Bytes, limits.bytes));
    format!(
        "limits of {} with {} threads: {} {:.1} GB/s, {} {:.1} GOP/s, {bf16}, {bytes}",
        limits.tier,
        limits.threads,
        Bound::Read.name(),
        limits.read / 1e9,
        Bound::Floats.name(),
        limits.floats / 1e9,
    )
}

/// The heads of [`cells`].
pub(super) const HEADS: &str = "    GB/s    GOP/s    of limit";

/// A speed in the columns of a table. What is not a multiple of its bytes has no operations.
pub(super) fn cells(speed: Option<Speed>) -> String {
    let Some(speed) = speed else { return String::new() };
    let operations = if speed.operations > 0.0 { format!("{:.1}", speed.operations / 1e9) } else { String::new() };
    let share = format!("{:.0} % {}", speed.share * 100.0, speed.bound.name());
    format!("{:>8.1} {operations:>8} {share:>11}", speed.bytes / 1e9)
}

/// Adds a speed to an object; what is not known is null.
pub(super) fn add_json(speed: Option<Speed>, object: &mut Value) {
    object["gb_s"] = json!(speed.map(|s| s.bytes / 1e9));
    object["gop_s"] = json!(speed.map(|s| s.operations / 1e9));
    object["limit"] = json!(speed.map(|s| s.bound.name()));
    object["limit_share"] = json!(speed.map(|s| s.share));
}
