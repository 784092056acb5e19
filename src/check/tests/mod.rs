//! Tests with toy devices and toy kernels.

mod blessing;
mod decompositions;
mod kernels;
mod outside;
mod rules;
mod states;

use std::sync::Arc;

use vt_core::RunError;
use vt_core::kernel::{Call, Io, Kernel, KernelError, Support};
use vt_core::op::{Add, KvAppend, Op, TakeRows};
use vt_core::plan::{Args, Segment, Solo};
use vt_core::registry::{Builder, Device, Registry};
use vt_cpu::CPU;

use super::{Outcome, Report};

#[derive(Debug)]
struct ToyDevice(&'static str);

impl Device for ToyDevice {
    fn name(&self) -> &'static str {
        self.0
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &Solo)
    }
}

/// A kernel made of its parts.
struct Toy<O> {
    name: &'static str,
    priority: i32,
    takes: fn(&Call<'_>) -> Support,
    run: fn(&O, &mut Io<'_>) -> Result<(), KernelError>,
}

impl<O: Op> Toy<O> {
    fn new(name: &'static str, priority: i32, run: fn(&O, &mut Io<'_>) -> Result<(), KernelError>) -> Self {
        Self { name, priority, takes: |_| Support::Yes, run }
    }
}

impl<O: Op> Kernel<O> for Toy<O> {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn supports(&self, _: &O, call: &Call<'_>) -> Support {
        (self.takes)(call)
    }

    fn run(&self, op: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        (self.run)(op, io)
    }
}

fn take_rows(_: &TakeRows, io: &mut Io<'_>) -> Result<(), KernelError> {
    let (x, rows, mut out) = (io.input::<f32>(0), io.input::<i32>(1), io.output::<f32>(0));
    (0..out.rows()).for_each(|r| out.row_mut(r).copy_from_slice(x.row(rows.row(r)[0] as usize)));
    Ok(())
}

fn add(_: &Add, io: &mut Io<'_>) -> Result<(), KernelError> {
    let (a, b, mut out) = (io.input::<f32>(0), io.input::<f32>(1), io.output::<f32>(0));
    for r in 0..out.rows() {
        let pairs = a.row(r).iter().zip(b.row(if b.rows() == 1 { 0 } else { r }));
        out.row_mut(r).iter_mut().zip(pairs).for_each(|(o, (a, b))| *o = a + b);
    }
    Ok(())
}

/// Wrong in one element: the last of row 1.
fn wrong_add(_: &Add, io: &mut Io<'_>) -> Result<(), KernelError> {
    let (a, b, mut out) = (io.input::<f32>(0), io.input::<f32>(1), io.output::<f32>(0));
    for r in 0..out.rows() {
        let pairs = a.row(r).iter().zip(b.row(if b.rows() == 1 { 0 } else { r }));
        out.row_mut(r).iter_mut().zip(pairs).for_each(|(o, (a, b))| *o = a + b);
        if let (1, Some(last)) = (r, out.row_mut(r).last_mut()) {
            *last += 1.0;
        }
    }
    Ok(())
}

fn silu(io: &mut Io<'_>, factor: f64) -> Result<(), KernelError> {
    let (x, mut out) = (io.input::<f32>(0), io.output::<f32>(0));
    for r in 0..out.rows() {
        let pairs = out.row_mut(r).iter_mut().zip(x.row(r));
        pairs.for_each(|(o, x)| *o = (factor * f64::from(*x) / (1.0 + f64::from(-x).exp())) as f32);
    }
    Ok(())
}

/// Writes caches of f32.
fn kv_append(_: &KvAppend, io: &mut Io<'_>) -> Result<(), KernelError> {
    let (keys, values) = (io.input::<f32>(1), io.input::<f32>(2));
    let (sequences, positions) = (io.input::<i32>(3), io.input::<i32>(4));
    for row in 0..keys.rows() {
        let mut cache = io.kv_mut(0, sequences.row(row)[0] as usize);
        let (heads, position) = (cache.heads(), positions.row(row)[0] as usize);
        for head in heads.clone() {
            let part = |all: &[f32], dim: usize| all[head * dim..][..dim].to_vec();
            let (key_dim, value_dim) = (keys.cols() / heads.end, values.cols() / heads.end);
            cache.key_mut::<f32>(head, position).copy_from_slice(&part(keys.row(row), key_dim));
            cache.value_mut::<f32>(head, position).copy_from_slice(&part(values.row(row), value_dim));
        }
    }
    Ok(())
}

fn f32_cache(call: &Call<'_>) -> Support {
    let f16 = call.inputs.iter().any(|i| i.to_string().contains("f16"));
    Support::when(!f16, || "an f16 cache")
}

fn registry(register: impl FnOnce(&mut Builder)) -> Arc<Registry> {
    let devices = |b: &mut Builder| {
        b.device(Arc::new(ToyDevice(CPU)));
        b.device(Arc::new(ToyDevice("toy")));
    };
    Arc::new(Registry::builder().with(devices).with(register).build().unwrap())
}

/// The outcomes of an op's kernel, by case.
fn outcomes<'a>(report: &'a Report, op: &str, kernel: &str) -> Vec<(&'a str, &'a Outcome)> {
    let mine = report.checks.iter().filter(|c| c.op == op && c.kernel == kernel);
    mine.map(|c| (c.case.as_str(), &c.outcome)).collect()
}
