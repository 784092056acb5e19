//! Conversion between half and single precision, inlined: a library's would leave the tier's compiled text.

/// The value of the half-precision bits `h`, exactly (IEEE 754 binary16 to binary32). NaN stays NaN.
#[inline(always)]
pub fn f16_to_f32(h: u16) -> f32 {
    let magnitude = u32::from(h & 0x7fff);
    let rebias = if magnitude >= 0x7c00 { 224 << 23 } else { 112 << 23 };
    let normal = (magnitude << 13) + rebias;
    // A subnormal half counts units of 2^-24, the last place of a number in 0.5..1.
    let subnormal = (f32::from_bits(0x3f00_0000 | magnitude) - 0.5).to_bits();
    let bits = if magnitude < 0x0400 { subnormal } else { normal };
    f32::from_bits(bits | (u32::from(h & 0x8000) << 16))
}

/// The half-precision bits nearest to `x`, ties to even (IEEE 754 binary32 to binary16).
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u16 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    let half = if magnitude > 0x7f80_0000 {
        0x7e00
    } else if magnitude >= 0x4780_0000 {
        0x7c00
    } else if magnitude < 0x3880_0000 {
        // Adding 0.5 rounds to units of 2^-24, a subnormal half's last place.
        ((f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000) as u16
    } else {
        let to_even = 0x0fff + ((magnitude >> 13) & 1);
        ((magnitude - (112 << 23) + to_even) >> 13) as u16
    };
    sign | half
}
