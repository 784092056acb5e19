//! Activations, gated ones too: all that they do not share is a name, an equation and operands.

/// Declares an op without attributes: `"name": Type("input", ..)`, with its equation and operands as its docs. It takes
/// f32 inputs of one shape and gives the same; each element depends on the same element of the inputs.
macro_rules! activation {
    ($(#[$doc:meta])* $name:literal: $op:ident($($input:literal),+)) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $op;

        impl $crate::op::Op for $op {
            const NAME: &'static str = $name;
            const INPUTS: &'static [&'static str] = &[$($input),+];
            const TOLERANCE: $crate::op::Tolerance =
                $crate::op::Tolerance::Close { absolute: 1e-37, relative: 1e-6 };

            fn infer(&self, inputs: &$crate::op::Inputs<'_>) -> Result<$crate::op::Outs, $crate::OpError> {
                $crate::op::elementwise::infer_alike(inputs, Self::INPUTS.len())
            }

            fn in_place(&self) -> &'static [(usize, usize)] {
                $crate::op::elementwise::overwrites(Self::INPUTS.len())
            }

            fn cases() -> Vec<$crate::op::Case<Self>> {
                $crate::op::elementwise::cases_alike($op, Self::INPUTS.len())
            }

            fn benches() -> Vec<$crate::op::Case<Self>> {
                $crate::op::elementwise::benches_alike($op, Self::INPUTS.len())
            }
        }
    };
}

pub(super) use activation;
