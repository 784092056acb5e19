//! What this machine can do at most, measured: what profiles and benchmarks are held against.
//!
//! ```no_run
//! let limits = vt_cpu::Limits::measure(vt_cpu::Config::default())?;
//! println!("{:.1} GB/s", limits.read / 1e9);
//! # Ok::<(), vt_cpu::LimitsError>(())
//! ```

mod arithmetic;
mod reading;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;
use vt_core::RunError;
use vt_core::plan::{DeviceError, Member, Team};

use crate::arch::Portable;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon};
use crate::team::Threads;
use crate::{CPU, Config, ConfigError, TierName};
use arithmetic::Peak;
use reading::{Line, READERS};

/// What the threads of a team can do together, per second: the best of a few tries, since other programs can only slow
/// them down. Measuring takes less than three seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The tier whose instructions were measured: the best one, or the one of the configuration.
    pub tier: TierName,
    /// The number of threads.
    pub threads: usize,
    /// Bytes that are read from memory, in several streams and far more than caches hold.
    pub read: f64,
    /// Multiplications and additions of f32, fused where the tier can.
    pub floats: f64,
    /// Multiplications and additions in products of bf16; `None` if the tier has no instruction for them that vt uses.
    pub bf16: Option<f64>,
    /// Multiplications and additions in dot products of bytes; `None` if the tier has no instruction for them that vt
    /// uses.
    pub bytes: Option<f64>,
}

/// The limits could not be measured.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LimitsError {
    /// The CPU cannot be set up like this.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The threads cannot be started, or have not enough memory.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Limits {
    /// Measures them, on a team of threads as the configuration says.
    ///
    /// # Errors
    /// If the configuration is impossible, threads cannot be started, or there is not enough memory.
    pub fn measure(config: Config) -> Result<Self, LimitsError> {
        let team = config.team()?;
        let tier = config.tier.or(TierName::available().last()).unwrap_or(TierName::Portable);
        let best = match tier {
            #[cfg(target_arch = "x86_64")]
            TierName::Amx if let Some(amx) = Amx::new() => best(amx, &team),
            #[cfg(target_arch = "x86_64")]
            TierName::Avx512 if let Some(avx512) = Avx512::new() => best(avx512, &team),
            #[cfg(target_arch = "x86_64")]
            TierName::Avx2 if let Some(avx2) = Avx2::new() => best(avx2, &team),
            #[cfg(target_arch = "aarch64")]
            TierName::I8mm if let Some(i8mm) = I8mm::new() => best(i8mm, &team),
            #[cfg(target_arch = "aarch64")]
            TierName::Dotprod if let Some(dotprod) = Dotprod::new() => best(dotprod, &team),
            #[cfg(target_arch = "aarch64")]
            TierName::Neon if let Some(neon) = Neon::new() => best(neon, &team),
            _ => best(Portable, &team),
        }?;
        let known = |rate: f64| Some(rate).filter(|rate| *rate > 0.0);
        let (bf16, bytes) = (known(best.bf16), known(best.bytes));
        Ok(Self { tier, threads: team.size(), read: best.read, floats: best.floats, bf16, bytes })
    }
}

/// How long each try goes on, and how many there are.
const WINDOW: Duration = Duration::from_millis(100);
const TRIES: usize = 3;

/// Rates of the whole team.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    read: f64,
    floats: f64,
    bf16: f64,
    bytes: f64,
}

/// The best rates of a tier: each the best of its tries, in which all workers are at it at the same time.
fn best<T: Peak>(tier: T, team: &Threads) -> Result<Rates, RunError> {
    let tries = Mutex::new([Rates::default(); TRIES * READERS]);
    team.run(&|member| {
        let lines = reading::lines(member.size()).map_err(|_| no_memory())?;
        for number in 0..TRIES * READERS {
            let rates = own_rates(tier, member, &lines, number)?;
            let sum = &mut tries.lock().unwrap_or_else(PoisonError::into_inner)[number];
            sum.read += rates.read;
            sum.floats += rates.floats;
            sum.bf16 += rates.bf16;
            sum.bytes += rates.bytes;
        }
        Ok(())
    })?;
    let tries = tries.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(tries.iter().fold(Rates::default(), |best, rates| Rates {
        read: best.read.max(rates.read),
        floats: best.floats.max(rates.floats),
        bf16: best.bf16.max(rates.bf16),
        bytes: best.bytes.max(rates.bytes),
    }))
}

/// What one worker reaches in a try. There are more ways to read than to compute.
fn own_rates<T: Peak>(tier: T, member: Member<'_>, lines: &[Line], number: usize) -> Result<Rates, RunError> {
    let mut rates = Rates { read: rate(member, || reading::read(tier, lines, number % READERS))?, ..Rates::default() };
    if number < TRIES {
        rates.floats = rate(member, || tier.multiply_add())?;
        rates.bf16 = rate(member, || tier.multiply_add_bf16())?;
        rates.bytes = rate(member, || tier.dot_bytes())?;
    }
    Ok(rates)
}

/// Work per second; `work` tells how much it did.
fn rate(member: Member<'_>, mut work: impl FnMut() -> u64) -> Result<f64, RunError> {
    member.wait().map_err(|_| RunError::Poisoned)?;
    let start = Instant::now();
    let mut done = work();
    while done > 0 && start.elapsed() < WINDOW {
        done += work();
    }
    Ok(done as f64 / start.elapsed().as_secs_f64())
}

fn no_memory() -> RunError {
    DeviceError { device: CPU, message: "not enough memory to measure how fast it is read".to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tier_has_limits() {
        for tier in TierName::available() {
            let limits = Limits::measure(Config { threads: Some(2), tier: Some(tier) }).unwrap();
            assert_eq!((limits.tier, limits.threads), (tier, 2));
            assert_eq!(limits.bytes.is_some(), tier != TierName::Portable);
            for rate in [limits.read, limits.floats, limits.bf16.unwrap_or(1.0), limits.bytes.unwrap_or(1.0)] {
                assert!(rate.is_finite() && rate > 0.0, "{limits:?}");
            }
        }
    }

    #[test]
    fn an_impossible_team_has_none() {
        let error = Limits::measure(Config { threads: Some(0), tier: None }).unwrap_err();
        assert!(error.to_string().starts_with("threads: expected 1 to"), "{error}");
    }

    /// A sleep is no shorter than it says.
    #[test]
    fn a_rate_is_work_by_time() {
        let team = Threads::new(1).unwrap();
        let found = Mutex::new(0.0);
        team.run(&|member| {
            let work = || {
                std::thread::sleep(Duration::from_millis(1));
                1
            };
            *found.lock().unwrap() = rate(member, work)?;
            assert_eq!(rate(member, || 0)?, 0.0);
            Ok(())
        })
        .unwrap();
        let found = found.into_inner().unwrap();
        assert!(found > 0.0 && found <= 1000.0, "{found}");
    }
}
