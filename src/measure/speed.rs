//! Speeds beside limits.

use vt_core::op::{Arithmetic, Cost};
use vt_cpu::Limits;

/// The limit that work comes up against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Reading memory.
    Read,
    /// Multiplying and adding f32.
    Floats,
    /// Multiplying and adding bf16.
    Bf16,
    /// Dot products of bytes.
    Bytes,
}

impl Bound {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Read => "read",
            Bound::Floats => "f32",
            Bound::Bf16 => "bf16",
            Bound::Bytes => "8-bit",
        }
    }
}

/// How fast work was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Bytes a second.
    pub bytes: f64,
    /// Operations a second.
    pub operations: f64,
    /// Which limit applies: of reading and computing the one that would take longer (Williams, Waterman and Patterson,
    /// "Roofline", 2009).
    pub bound: Bound,
    /// The part of that limit that was reached. Above 1 where operands come from caches.
    pub share: f64,
}

impl Speed {
    /// The speed of work that took so many seconds; `None` if there was no work or no time.
    pub fn new(cost: Cost, seconds: f64, limits: &Limits) -> Option<Self> {
        if seconds <= 0.0 || (cost.bytes == 0 && cost.operations == 0) {
            return None;
        }
        let (bytes, operations) = (cost.bytes as f64 / seconds, cost.operations as f64 / seconds);
        let (peak, name) = match cost.arithmetic {
            Arithmetic::Floats => (None, Bound::Floats),
            Arithmetic::Bf16 => (limits.bf16, Bound::Bf16),
            Arithmetic::Bytes => (limits.bytes, Bound::Bytes),
        };
        // Without an instruction for them, floats stand in.
        let (peak, name) = peak.map_or((limits.floats, Bound::Floats), |peak| (peak, name));
        let (reading, computing) = (bytes / limits.read, operations / peak);
        let (bound, share) = if computing > reading { (name, computing) } else { (Bound::Read, reading) };
        Some(Self { bytes, operations, bound, share })
    }
}

#[cfg(test)]
mod tests {
    use vt_cpu::TierName;

    use super::*;

    const LIMITS: Limits = Limits {
        tier: TierName::Portable,
        threads: 2,
        read: 10.0,
        floats: 100.0,
        bf16: Some(200.0),
        bytes: Some(400.0),
    };

    fn speed(bytes: u64, operations: u64, arithmetic: Arithmetic, limits: &Limits) -> Option<Speed> {
        Speed::new(Cost { bytes, operations, arithmetic }, 2.0, limits)
    }

    #[test]
    fn the_limit_is_the_one_that_takes_longer() {
        let read = Speed { bytes: 5.0, operations: 40.0, bound: Bound::Read, share: 0.5 };
        assert_eq!(speed(10, 80, Arithmetic::Floats, &LIMITS), Some(read));
        let floats = Speed { bytes: 5.0, operations: 80.0, bound: Bound::Floats, share: 0.8 };
        assert_eq!(speed(10, 160, Arithmetic::Floats, &LIMITS), Some(floats));
        assert_eq!(speed(10, 160, Arithmetic::Bytes, &LIMITS).map(|s| s.bound), Some(Bound::Read));
        let bytes = Speed { bytes: 5.0, operations: 300.0, bound: Bound::Bytes, share: 0.75 };
        assert_eq!(speed(10, 600, Arithmetic::Bytes, &LIMITS), Some(bytes));
        let bf16 = Speed { bytes: 5.0, operations: 300.0, bound: Bound::Bf16, share: 1.5 };
        assert_eq!(speed(10, 600, Arithmetic::Bf16, &LIMITS), Some(bf16));
        let stand_in = Limits { bf16: None, bytes: None, ..LIMITS };
        assert_eq!(speed(10, 160, Arithmetic::Bytes, &stand_in), Some(floats));
        assert_eq!(speed(10, 160, Arithmetic::Bf16, &stand_in), Some(floats));
    }

    #[test]
    fn nothing_has_no_speed() {
        assert_eq!(speed(0, 0, Arithmetic::Floats, &LIMITS), None);
        assert_eq!(Speed::new(Cost { bytes: 1, ..Cost::default() }, 0.0, &LIMITS), None);
    }
}
