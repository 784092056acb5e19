//! Elementary functions of vt's own, so that no result depends on a platform's libm.
//!
//! The defined results of ops are made of them: a kernel elsewhere that promises the same bits calls them too. Each is
//! a fixed sequence of IEEE operations without branches, so that a loop over it vectorizes.

mod angle;
mod exp;
mod gelu;
mod sigmoid;
mod softplus;
mod tanh;
#[cfg(test)]
pub(crate) mod testing;

pub use angle::{exp_f64, ln_f64, sin_cos_f64};
pub use exp::exp;
pub use gelu::gelu;
pub use sigmoid::{sigmoid, silu};
pub use softplus::softplus;
pub use tanh::{softcap, tanh};
