//! How the CPU backend is set up.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;
use vt_core::registry::Builder;

use crate::arch::Portable;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512, Avx512Bf16};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon};
use crate::device::Cpu;
use crate::ops;
use crate::team::{BadThreadCount, Threads, default_threads};

/// A tier's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TierName {
    /// The target's baseline.
    Portable,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 with VBMI, VNNI and GFNI.
    Avx512,
    /// The same, and tiles of bytes.
    Amx,
    /// NEON.
    Neon,
    /// NEON with dot products of bytes.
    Dotprod,
    /// NEON with products of matrices of bytes.
    I8mm,
}

impl TierName {
    /// Every tier, of each architecture the slowest first.
    pub const ALL: [TierName; 7] = [
        TierName::Portable,
        TierName::Avx2,
        TierName::Avx512,
        TierName::Amx,
        TierName::Neon,
        TierName::Dotprod,
        TierName::I8mm,
    ];

    /// The name as `VT_CPU_TIER` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            TierName::Portable => "portable",
            TierName::Avx2 => "avx2",
            TierName::Avx512 => "avx512",
            TierName::Amx => "amx",
            TierName::Neon => "neon",
            TierName::Dotprod => "dotprod",
            TierName::I8mm => "i8mm",
        }
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            TierName::Portable => true,
            #[cfg(target_arch = "x86_64")]
            TierName::Avx2 => Avx2::new().is_some(),
            #[cfg(target_arch = "x86_64")]
            TierName::Avx512 => Avx512::new().is_some(),
            #[cfg(target_arch = "x86_64")]
            TierName::Amx => Amx::new().is_some(),
            #[cfg(target_arch = "aarch64")]
            TierName::Neon => Neon::new().is_some(),
            #[cfg(target_arch = "aarch64")]
            TierName::Dotprod => Dotprod::new().is_some(),
            #[cfg(target_arch = "aarch64")]
            TierName::I8mm => I8mm::new().is_some(),
            // Those of other architectures.
            _ => false,
        }
    }

    /// The tiers that this machine has.
    pub fn available() -> impl Iterator<Item = TierName> {
        Self::ALL.into_iter().filter(|t| t.is_available())
    }
}

impl fmt::Display for TierName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TierName {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let known = Self::ALL.into_iter().find(|t| t.name() == name);
        known.ok_or_else(|| ConfigError::UnknownTier { found: name.to_owned() })
    }
}

/// The CPU backend cannot be set up like this.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no such tier.
    #[error("expected a tier (portable, avx2, avx512, amx, neon, dotprod or i8mm), found `{found}`")]
    UnknownTier {
        /// What was asked for.
        found: String,
    },
    /// This machine lacks the tier.
    #[error("this machine lacks the tier {tier}; it has: {}", names())]
    MissingTier {
        /// The tier.
        tier: TierName,
    },
    /// The number of threads is 0 or too large.
    #[error(transparent)]
    Threads(#[from] BadThreadCount),
}

fn names() -> String {
    TierName::available().map(TierName::name).collect::<Vec<_>>().join(", ")
}

/// How the CPU backend is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The number of threads; the machine's cores unless given.
    pub threads: Option<usize>,
    /// The only tier whose kernels are registered, with `amx` those of AVX-512 too, and with `dotprod` and `i8mm` NEON's for
    /// what they have none for; all that the machine has unless given.
    pub tier: Option<TierName>,
}

impl Config {
    /// The registration of the CPU and its kernels: `Registry::builder().with(config.backend()?)`.
    ///
    /// # Errors
    /// If the machine lacks the tier, or the number of threads is impossible.
    pub fn backend(self) -> Result<impl FnOnce(&mut Builder), ConfigError> {
        let (threads, tier) = (self.team()?, self.tier);
        Ok(move |builder: &mut Builder| register(builder, threads, tier))
    }

    /// A team of the threads, if the machine has the tier.
    pub(crate) fn team(self) -> Result<Threads, ConfigError> {
        if let Some(tier) = self.tier.filter(|t| !t.is_available()) {
            return Err(ConfigError::MissingTier { tier });
        }
        Ok(Threads::new(self.threads.unwrap_or_else(default_threads))?)
    }
}

/// Not generic and not inlined, so that the kernels are compiled here, once, and not in every crate and test that sets
/// up a backend, with that crate's optimizations.
#[inline(never)]
fn register(builder: &mut Builder, threads: Threads, only: Option<TierName>) {
    let wanted = |tier| only.is_none_or(|only| only == tier);
    builder.device(Arc::new(Cpu::new(threads)));
    if wanted(TierName::Portable) {
        ops::register(builder, Portable);
    }
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx2) = Avx2::new().filter(|_| wanted(TierName::Avx2)) {
            ops::register(builder, avx2);
        }
        if let Some(avx512) = Avx512::new().filter(|_| wanted(TierName::Avx512) || wanted(TierName::Amx)) {
            ops::register(builder, avx512);
            Avx512Bf16::new().into_iter().for_each(|isa| ops::register_pairs(builder, isa));
        }
        // Beside those of the tier below, which it has as well.
        if let Some(amx) = Amx::new().filter(|_| wanted(TierName::Amx)) {
            ops::register_blocks(builder, amx);
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        if let Some(neon) = Neon::new().filter(|_| only.is_none_or(|only| only >= TierName::Neon)) {
            ops::register(builder, neon);
        }
        if let Some(dotprod) = Dotprod::new().filter(|_| wanted(TierName::Dotprod)) {
            ops::register_blocks(builder, dotprod);
        }
        if let Some(i8mm) = I8mm::new().filter(|_| wanted(TierName::I8mm)) {
            ops::register_blocks(builder, i8mm);
        }
    }
}
