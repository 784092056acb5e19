//! A backend for tests: plain kernels, devices with several threads, and one with memory of its own.
#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

mod elementwise;
mod matrix;
pub mod model;
mod ops;
mod private;
mod state;
mod threads;

use std::sync::Arc;

use vt_core::Registry;
use vt_core::kernel::Cut;
use vt_core::op::{
    Add, Attend, Dequantize, Embed, KvAppend, MatmulBt, Mul, Quantize, RmsNorm, Silu, SiluMul, TakeRows,
};
use vt_core::registry::Builder;

pub use ops::RunningSum;
pub use private::{Private, register_private};
pub use threads::{Crew, Threads};

/// A plain kernel of any toy op.
#[derive(Clone, Copy, Debug)]
pub struct Toy {
    pub name: &'static str,
    pub priority: i32,
    pub cut: Cut,
    pub in_place: bool,
    pub scratch: usize,
}

impl Toy {
    pub const fn new(cut: Cut) -> Self {
        Self { name: "toy", priority: 0, cut, in_place: false, scratch: 0 }
    }

    pub const fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }
}

/// How the toy kernels are cut: styles that differ in which barriers they need.
pub fn register(b: &mut Builder, device: &'static str, style: usize) {
    register_kernels(b, device, style);
    model::register_fusion(b);
}

/// The kernels alone, for a second device.
pub fn register_kernels(b: &mut Builder, device: &'static str, style: usize) {
    let cheap = [Cut::either(1, 1).or_each(true), Cut::rows(1).cyclic(), Cut::cols(2), Cut::either(2, 4)][style % 4];
    let rows = [Cut::rows(1).or_each(true), Cut::rows(2), Cut::whole(), Cut::rows(1).cyclic()][style % 4];
    let wide = [Cut::either(1, 2), Cut::cols(3), Cut::rows(1), Cut::cols(4)][style % 4];
    let state = [Cut::cols(1), Cut::whole()][style / 2 % 2];
    b.kernel::<Add>(device, Toy::new(cheap).in_place());
    b.kernel::<Mul>(device, Toy::new(cheap));
    b.kernel::<Silu>(device, Toy::new(cheap).in_place());
    b.kernel::<SiluMul>(device, Toy::new(cheap).in_place());
    b.kernel::<RmsNorm>(device, Toy { scratch: 40, ..Toy::new(rows).in_place() });
    b.kernel::<MatmulBt>(device, Toy::new(wide));
    b.kernel::<TakeRows>(device, Toy::new(wide));
    b.kernel::<Embed>(device, Toy::new(rows));
    b.kernel::<Quantize>(device, Toy::new(if style == 2 { Cut::cols(32) } else { rows }));
    b.kernel::<Dequantize>(device, Toy::new(rows));
    b.kernel::<KvAppend>(device, Toy::new(state));
    b.kernel::<Attend>(device, Toy::new(Cut::either(1, 1)));
    b.kernel::<RunningSum>(device, Toy::new(Cut::cols(1)));
}

/// A registry with one device, `toy`.
pub fn registry(workers: usize, style: usize) -> Arc<Registry> {
    let device = |b: &mut Builder| {
        b.device(Arc::new(Threads { name: "toy", workers }));
        register(b, "toy", style);
    };
    Arc::new(Registry::builder().with(device).build().unwrap())
}
