//! The keys of a file's architecture.

use std::cell::RefCell;
use std::collections::HashSet;

use vt_gguf::{FromValue, Gguf, GgufError, Metadata, Value};

use super::{Problem, foreign};

/// Far above any model, and small enough that sizes made of two of them fit.
pub(super) const MAX_SIZE: usize = 1 << 28;

/// The keys `{arch}.*` of a file, as an architecture reads them: `key` stands for what comes after the dot.
///
/// Files from some writers hold every key there is; a zero then means that the key is absent. What vt cannot compute is
/// collected, so that all of it can be told at once. What an architecture has not read is looked through at the end:
/// keys that change what a model computes must then say that they do not.
pub struct Keys<'a> {
    pub(super) gguf: &'a Gguf,
    meta: Metadata<'a>,
    context: Option<usize>,
    read: RefCell<HashSet<String>>,
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Keys<'a> {
    /// The keys of `gguf`, whose model will see sequences of up to `context` positions; `None`: as many as it was made
    /// for.
    ///
    /// # Errors
    /// If it names no architecture.
    pub fn new(gguf: &'a Gguf, context: Option<usize>) -> Result<Self, GgufError> {
        let meta = gguf.metadata().arch()?;
        Ok(Self { gguf, meta, context, read: RefCell::default(), problems: RefCell::default() })
    }

    /// How many positions sequences may have, and how many they had when the model was first trained.
    ///
    /// # Errors
    /// If `context_length` is missing, or one of the keys not an integer in the range of sizes.
    pub fn context(&self) -> Result<(usize, usize), GgufError> {
        let model = self.size("context_length")?;
        let original = self.optional_size("rope.scaling.original_context_length")?.unwrap_or(model);
        Ok((self.context.unwrap_or(model), original))
    }

    /// A value of any type.
    ///
    /// # Errors
    /// If it is there, but not of that type or range.
    pub fn optional<T: FromValue<'a>>(&self, key: &str) -> Result<Option<T>, GgufError> {
        self.read(key).optional(key)
    }

    /// A value of any type, which must be there.
    ///
    /// # Errors
    /// If it is missing, or not of that type or range.
    pub fn required<T: FromValue<'a>>(&self, key: &str) -> Result<T, GgufError> {
        self.read(key).required(key)
    }

    /// A value of any type for each layer: one for all, or an array of as many.
    ///
    /// # Errors
    /// If it is there, but not of that type, range or length.
    pub fn per_layer<T: FromValue<'a> + Clone>(&self, key: &str, layers: usize) -> Result<Option<Vec<T>>, GgufError> {
        self.read(key).per_layer(key, layers)
    }

    /// Whether a value is an array.
    pub fn is_array(&self, key: &str) -> bool {
        matches!(self.read(key).get(key), Some(Value::Array(_)))
    }

    /// A positive number.
    ///
    /// # Errors
    /// If it is missing, or not an integer in the range of sizes.
    pub fn size(&self, key: &str) -> Result<usize, GgufError> {
        let size = self.required::<usize>(key)?;
        let plausible = (1..=MAX_SIZE).contains(&size);
        if plausible { Ok(size) } else { Err(self.implausible(key, format!("a number from 1 to {MAX_SIZE}"))) }
    }

    /// A positive number that the file may lack.
    ///
    /// # Errors
    /// If it is there, but not an integer in the range of sizes.
    pub fn optional_size(&self, key: &str) -> Result<Option<usize>, GgufError> {
        match self.optional::<usize>(key)? {
            None | Some(0) => Ok(None),
            Some(n) if n <= MAX_SIZE => Ok(Some(n)),
            Some(_) => Err(self.implausible(key, format!("a number up to {MAX_SIZE}"))),
        }
    }

    /// A positive number that is the same in all layers.
    ///
    /// # Errors
    /// If it is missing, differs, or is not an integer in the range of sizes.
    pub fn uniform(&self, key: &str, layers: usize) -> Result<usize, GgufError> {
        self.optional_uniform(key, layers)?.ok_or_else(|| self.implausible(key, "a positive number"))
    }

    /// As [`Keys::uniform`], where the file may lack it.
    ///
    /// # Errors
    /// If it is there and differs, or is not an integer in the range of sizes.
    pub fn optional_uniform(&self, key: &str, layers: usize) -> Result<Option<usize>, GgufError> {
        let Some(values) = self.per_layer::<usize>(key, layers)? else { return Ok(None) };
        match values.split_first() {
            Some((first, rest)) if (1..=MAX_SIZE).contains(first) && rest.iter().all(|v| v == first) => {
                Ok(Some(*first))
            }
            _ => Err(self.implausible(key, "one positive number for all layers")),
        }
    }

    /// A positive float.
    ///
    /// # Errors
    /// If it is missing, or not a finite positive number.
    pub fn float(&self, key: &str) -> Result<f32, GgufError> {
        self.optional_float(key)?.ok_or_else(|| self.implausible(key, "a finite positive number"))
    }

    /// A positive float that the file may lack.
    ///
    /// # Errors
    /// If it is there, but not a finite positive number, also as an f32.
    pub fn optional_float(&self, key: &str) -> Result<Option<f32>, GgufError> {
        // A number of 64 bits that vanishes as an f32 was stated: it is not the 0 that stands for none.
        match self.optional::<f64>(key)?.map(|wide| (wide, wide as f32)) {
            None | Some((0.0, _)) => Ok(None),
            Some((_, x)) if x.is_finite() && x > 0.0 => Ok(Some(x)),
            Some(_) => Err(self.implausible(key, "a finite positive number")),
        }
    }

    /// 1 over a positive float.
    ///
    /// # Errors
    /// If it is missing, or not a finite positive number whose inverse is finite.
    pub fn inverse(&self, key: &str) -> Result<f32, GgufError> {
        self.optional_inverse(key)?.ok_or_else(|| self.implausible(key, "a finite positive number"))
    }

    /// 1 over a positive float that the file may lack.
    ///
    /// # Errors
    /// If it is there, but not a finite positive number whose inverse is finite.
    pub fn optional_inverse(&self, key: &str) -> Result<Option<f32>, GgufError> {
        match self.optional_float(key)?.map(|x| 1.0 / x) {
            Some(inverse) if inverse.is_infinite() => Err(self.implausible(key, "a number whose inverse is finite")),
            inverse => Ok(inverse),
        }
    }

    /// Notes a problem if the file states another number than `value`, which is what vt computes with; 0 is as good as
    /// absent.
    pub fn expect(&self, key: &str, value: f32) {
        let Some(found) = self.read(key).get(key) else { return };
        let number = number(&found);
        let near = |x: f64| (x - f64::from(value)).abs() <= 1e-6 * f64::from(value).abs();
        if !number.is_some_and(|x| x == 0.0 || near(x)) {
            let found = number.map_or_else(|| found.value_type().name().to_owned(), |x| x.to_string());
            self.problem(format!("key `{key}`: expected {value} or none, found {found}"));
        }
    }

    /// Notes a problem if the file states the opposite of `value`.
    pub fn expect_flag(&self, key: &str, value: bool) {
        let Some(found) = self.read(key).get(key) else { return };
        let flag = bool::from_value(found);
        if flag != Some(value) {
            let found = flag.map_or_else(|| found.value_type().name().to_owned(), |flag| flag.to_string());
            self.problem(format!("key `{key}`: expected {value} or none, found {found}"));
        }
    }

    /// Notes something that vt does not have, and that stands in the way.
    pub fn problem(&self, what: impl Into<String>) {
        self.problems.borrow_mut().push(Problem::Unsupported(what.into()));
    }

    /// An error for a value that has the right type but cannot be: `key`'s, with what was expected of it.
    pub fn implausible(&self, key: &str, expected: impl Into<String>) -> GgufError {
        self.meta.implausible(key, expected)
    }

    /// Everything that stands in the way, with what the keys that were not read tell of.
    pub fn finish(self) -> Vec<Problem> {
        foreign::refuse(&self);
        self.problems.into_inner()
    }

    /// Whether the architecture has read a key.
    pub(super) fn was_read(&self, key: &str) -> bool {
        self.read.borrow().contains(key)
    }

    fn read(&self, key: &str) -> Metadata<'a> {
        self.read.borrow_mut().insert(key.to_owned());
        self.meta
    }
}

fn number(value: &Value<'_>) -> Option<f64> {
    value.as_int().map(|n| n as f64).or_else(|| f64::from_value(*value))
}
