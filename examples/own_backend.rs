//! A backend in one file: a device of its own with a kernel of one op, held to the goldens, which runs a model.
//!
//! `cargo run --release --example own_backend [MODEL.gguf]`; docs/adding-a-backend.md explains it step by step.

use std::error::Error;
use std::sync::Arc;

use vt::core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt::core::op::RmsNorm;
use vt::core::plan::{Args, Fallback, Segment, Solo};
use vt::core::registry::{Builder, Device};
use vt::core::{Registry, RunError, View};
use vt::gguf::Gguf;
use vt::models::load::Target;
use vt::models::{LoadOptions, Model, Runner, Wanted};

/// The device's name.
const NEAR: &str = "near";

/// A device that works in the host's memory, with one worker: the thread that runs the plan.
#[derive(Debug)]
struct Near;

impl Device for Near {
    fn name(&self) -> &'static str {
        NEAR
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &Solo)
    }
}

/// Root-mean-square norms of whole rows, with sums in f64.
struct NearRmsNorm;

impl Kernel<RmsNorm> for NearRmsNorm {
    fn name(&self) -> String {
        "near-rms_norm".to_owned()
    }

    /// Norms per head are left to the reference device, which the plan then says.
    fn supports(&self, _: &RmsNorm, call: &Call<'_>) -> Support {
        let weight = call.input(1).map_or(0, |weight| weight.cols());
        Support::when(weight == call.cols(), || format!("groups of {weight} of {} elements", call.cols()))
    }

    /// By rows, if the device had more workers.
    fn cut(&self, _: &RmsNorm, _: &Call<'_>) -> Cut {
        Cut::rows(1)
    }

    /// A tile needs its own rows of `x`, and all of the weight.
    fn need(&self, _: &RmsNorm, input: usize) -> Need {
        if input == 0 { Need::Rows } else { Need::All }
    }

    fn run(&self, op: &RmsNorm, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, weight) = (io.input::<f32>(0), io.input::<f32>(1));
        let mut out = io.output::<f32>(0);
        for row in 0..out.rows() {
            normalize(x.row(row), weight.row(0), op.eps, out.row_mut(row));
        }
        Ok(())
    }
}

/// `out = x / sqrt(mean(x^2) + eps) * weight`
fn normalize(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    let squares: f64 = x.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let scale = 1.0 / (squares / x.len() as f64 + f64::from(eps)).sqrt();
    for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
        *out = (f64::from(*x) * scale * f64::from(*weight)) as f32;
    }
}

/// Enters the device and its kernels in a registry.
fn register(builder: &mut Builder) {
    builder.device(Arc::new(Near));
    builder.kernel::<RmsNorm>(NEAR, NearRmsNorm);
}

fn registry() -> Result<Arc<Registry>, Box<dyn Error>> {
    let cpu = vt::cpu::Config::default().backend()?;
    Ok(Arc::new(Registry::builder().with(vt::ops::register).with(cpu).with(register).build()?))
}

/// Replays the goldens of every op that the device has a kernel of.
fn hold_to_the_goldens(registry: &Arc<Registry>) -> Result<(), Box<dyn Error>> {
    let report = vt::check::check_device(registry, NEAR);
    println!("{report}");
    if report.is_ok() { Ok(()) } else { Err("a kernel is wrong".into()) }
}

/// The likeliest token after a prompt, with the model on a device and what that lacks on the reference.
fn likeliest(registry: &Arc<Registry>, gguf: &Gguf, device: &str, prompt: &[u32]) -> Result<usize, Box<dyn Error>> {
    let target = Target { registry: Arc::clone(registry), device: device.to_owned() };
    let options = LoadOptions { fallback: Fallback::Reference, ..LoadOptions::default() };
    let model = Arc::new(Model::load(gguf, &target, &options)?);
    for fallback in model.plan().fallbacks() {
        let missing = &fallback.missing;
        println!(
            "{device} lacks {} of ({}): {} times on {}",
            missing.op, missing.inputs, missing.count, fallback.device
        );
    }
    let mut runner = Runner::new(&model)?;
    let mut sequence = model.sequence(prompt.len())?;
    let mut found = 0;
    runner.feed(&mut sequence, prompt, Wanted::Last, usize::MAX, |_, logits| found = largest(logits))?;
    Ok(found)
}

fn largest(logits: View<'_, f32>) -> usize {
    let row = logits.row(logits.rows() - 1);
    (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry()?;
    hold_to_the_goldens(&registry)?;
    let Some(path) = std::env::args_os().nth(1) else { return Ok(()) };
    let (gguf, prompt) = (Gguf::open(path)?, [1, 2, 3]);
    let near = likeliest(&registry, &gguf, NEAR, &prompt)?;
    let cpu = likeliest(&registry, &gguf, vt::cpu::CPU, &prompt)?;
    println!("likeliest token after {prompt:?}: {near} on {NEAR}, {cpu} on the CPU");
    Ok(())
}
