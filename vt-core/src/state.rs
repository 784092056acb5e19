//! The kinds of state that a sequence carries from pass to pass.

use std::fmt;

use crate::DType;

/// What a piece of state holds, once per sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateSpec {
    /// A key row and a value row per position and head, each head's rows together: keys `[heads, positions, key_dim]`,
    /// values `[heads, positions, value_dim]`.
    KvRows {
        /// Key/value heads.
        heads: usize,
        /// Elements of a key.
        key_dim: usize,
        /// Elements of a value.
        value_dim: usize,
        /// The type of the keys: f16 or f32.
        key: DType,
        /// The type of the values: f16 or f32.
        value: DType,
    },
    /// A row per position, for all heads, that is a key and begins with its value (multi-head latent attention,
    /// DeepSeek-V2, 2024): `[positions, key_dim]`.
    LatentRows {
        /// Elements of a row.
        key_dim: usize,
        /// How many of them are the value: at most `key_dim`.
        value_dim: usize,
        /// The type of the rows: f16 or f32.
        dtype: DType,
    },
    /// Recurrent state of fixed size: `rows` rows of `cols` f32, zero at the start.
    Fixed {
        /// Rows; a kernel's tile may be cut between them.
        rows: usize,
        /// Elements of a row.
        cols: usize,
    },
}

/// Keys and values by position, however they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvShape {
    /// Key/value heads.
    pub heads: usize,
    /// Elements of a key.
    pub key_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// The type of the keys.
    pub key: DType,
    /// The type of the values.
    pub value: DType,
}

impl StateSpec {
    /// The keys and values that the state holds; `None` for recurrent state, and for values that are longer than the keys
    /// that they should be the start of.
    pub fn kv(&self) -> Option<KvShape> {
        match *self {
            StateSpec::KvRows { heads, key_dim, value_dim, key, value } => {
                Some(KvShape { heads, key_dim, value_dim, key, value })
            }
            StateSpec::LatentRows { key_dim, value_dim, dtype } if value_dim <= key_dim => {
                Some(KvShape { heads: 1, key_dim, value_dim, key: dtype, value: dtype })
            }
            StateSpec::LatentRows { .. } | StateSpec::Fixed { .. } => None,
        }
    }

    /// The number of parts that workers may share out: heads, or rows.
    pub fn parts(&self) -> usize {
        match self {
            StateSpec::KvRows { heads, .. } => *heads,
            StateSpec::LatentRows { .. } => 1,
            StateSpec::Fixed { rows, .. } => *rows,
        }
    }

    /// The bytes that a sequence of `positions` positions reserves. `None` if they do not fit.
    pub fn bytes(&self, positions: usize) -> Option<usize> {
        match *self {
            StateSpec::KvRows { heads, key_dim, value_dim, key, value } => {
                let row =
                    key_dim.checked_mul(key.block_bytes())?.checked_add(value_dim.checked_mul(value.block_bytes())?)?;
                heads.checked_mul(positions)?.checked_mul(row)
            }
            StateSpec::LatentRows { key_dim, dtype, .. } => {
                positions.checked_mul(key_dim.checked_mul(dtype.block_bytes())?)
            }
            StateSpec::Fixed { rows, cols } => rows.checked_mul(cols)?.checked_mul(size_of::<f32>()),
        }
    }
}

impl fmt::Display for StateSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateSpec::KvRows { heads, key_dim, value_dim, key, value } => {
                write!(f, "kv rows {heads} x ({key} {key_dim}, {value} {value_dim})")
            }
            StateSpec::LatentRows { key_dim, value_dim, dtype } => {
                write!(f, "latent rows {dtype} {key_dim}, of which {value_dim} are values")
            }
            StateSpec::Fixed { rows, cols } => write!(f, "fixed state f32 [{rows}, {cols}]"),
        }
    }
}
