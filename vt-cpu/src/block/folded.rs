//! What a form that holds quants times the scales of their parts has from its type: all but how rows are unpacked.

/// Implements [`WeightBlock`](super::WeightBlock) for such a form of a type, whose products have this bias.
macro_rules! folded_blocks {
    ($folded:ident of $plain:ident, bias $bias:literal) => {
        impl $crate::block::WeightBlock for $folded {
            const DTYPE: vt_core::DType = $plain::DTYPE;
            type Act = <$plain as $crate::block::WeightBlock>::Act;
            const OFFSET: $crate::block::Offset = $plain::OFFSET;
            const FOLDED: bool = true;
            const BIAS: i16 = $bias;
            const MINIMA: usize = $plain::MINIMA;

            #[inline(always)]
            fn decode(block: &[u8], out: &mut [f32]) {
                $plain::decode(block, out);
            }

            #[inline(always)]
            fn unpack(block: &[u8], sub_scales: &$crate::block::SubScales, out: &mut [i16]) {
                $plain::unpack(block, sub_scales, out);
            }

            #[inline(always)]
            fn sub_scales(block: &[u8]) -> $crate::block::SubScales {
                $plain::sub_scales(block)
            }

            #[inline(always)]
            fn scale(block: &[u8]) -> u16 {
                $plain::scale(block)
            }

            #[inline(always)]
            fn offset(block: &[u8]) -> u16 {
                $plain::offset(block)
            }

            #[inline(always)]
            fn minima(block: &[u8]) -> $crate::block::SubScales {
                $plain::minima(block)
            }
        }
    };
}

pub(super) use folded_blocks;
