//! Holding a result to a tolerance.

use half::{bf16, f16};
use vt_core::DType;
use vt_core::op::Tolerance;

use super::array::NamedArray;
use super::digest::canonical;
use super::report::{Failure, Worst};
use crate::npy::{Array, Kind};

/// Whether `found` is as near to `expected` as the tolerance wants: in float64; blocks in their bytes where these must be
/// equal, otherwise in the numbers that they stand for.
pub(super) fn compare(tolerance: Tolerance, expected: &Array, found: &NamedArray) -> Result<(), Failure> {
    if expected.shape() != found.array.shape() {
        let (e, f) = (expected.shape(), found.array.shape());
        return Err(Failure::Golden(format!("{}: the golden has shape {e:?}, the result {f:?}", found.name)));
    }
    let (expected, found_numbers) = match (expected.as_f64(), expected.kind()) {
        (Some(numbers), _) => (numbers, numbers_of(found.dtype, found.array.data())),
        (None, Kind::U8) if found.dtype.is_block() => {
            let numbers = if tolerance == Tolerance::Exact { bytes } else { decoded };
            (numbers(found.dtype, expected), numbers(found.dtype, &found.array))
        }
        _ => return Err(Failure::Golden(format!("{}: the golden is not in float64, nor bytes", found.name))),
    };
    let rounded = round_to(found.dtype, &expected);
    match worst(tolerance, &expected, &rounded, &found_numbers) {
        None => Ok(()),
        Some(mut worst) => {
            worst.output.clone_from(&found.name);
            Err(Failure::Element(worst))
        }
    }
}

/// The bytes of blocks as numbers.
fn bytes(dtype: DType, array: &Array) -> Vec<f64> {
    canonical(dtype, array.data()).into_iter().map(f64::from).collect()
}

/// The numbers that activation blocks stand for: multiples of their scale.
fn decoded(dtype: DType, array: &Array) -> Vec<f64> {
    let (scale, quants) = match dtype {
        DType::Q8_0 => (DType::F16, 2),
        DType::Q8_1 => (DType::F32, 8),
        _ => (DType::F32, 4),
    };
    let numbers = |block: &[u8]| {
        let scale = block.get(..scale.block_bytes()).and_then(|b| number(scale, b)).unwrap_or(f64::NAN);
        let quants = block.get(quants..quants + dtype.block_elems()).unwrap_or_default();
        quants.iter().map(|q| scale * f64::from(*q as i8)).collect::<Vec<_>>()
    };
    array.data().chunks_exact(dtype.block_bytes()).flat_map(numbers).collect()
}

/// The elements of a type that is not a block type.
pub(super) fn numbers_of(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(dtype.block_bytes()).map(|b| number(dtype, b).unwrap_or(f64::NAN)).collect()
}

/// One little-endian element; `None` of a block type, or of too few bytes.
pub(super) fn number(dtype: DType, bytes: &[u8]) -> Option<f64> {
    Some(match dtype {
        DType::F32 => f32::from_le_bytes(*bytes.first_chunk()?).into(),
        DType::F64 => f64::from_le_bytes(*bytes.first_chunk()?),
        DType::F16 => f16::from_le_bytes(*bytes.first_chunk()?).to_f64(),
        DType::BF16 => bf16::from_le_bytes(*bytes.first_chunk()?).to_f64(),
        DType::I8 => i8::from_le_bytes(*bytes.first_chunk()?).into(),
        DType::I16 => i16::from_le_bytes(*bytes.first_chunk()?).into(),
        DType::I32 => i32::from_le_bytes(*bytes.first_chunk()?).into(),
        DType::I64 => i64::from_le_bytes(*bytes.first_chunk()?) as f64,
        _ => return None,
    })
}

/// The exact numbers rounded to the result's type, where that is a float type.
fn round_to(dtype: DType, exact: &[f64]) -> Vec<f64> {
    let round = |x: f64| match dtype {
        DType::F32 => f64::from(x as f32),
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::BF16 => bf16::from_f64(x).to_f64(),
        _ => x,
    };
    exact.iter().map(|x| round(*x)).collect()
}

/// The element that is farthest off, if the tolerance is not kept. `rounded` is what an exact kernel would give.
fn worst(tolerance: Tolerance, expected: &[f64], rounded: &[f64], found: &[f64]) -> Option<Worst> {
    let errors = || expected.iter().zip(rounded).zip(found).map(|((e, r), f)| error(*e, *r, *f));
    let at = |index: usize, error: f64, allowed: f64| {
        let pick = |list: &[f64]| list.get(index).copied().unwrap_or(f64::NAN);
        Worst { output: String::new(), index, expected: pick(expected), found: pick(found), error, allowed }
    };
    match tolerance {
        Tolerance::Exact => {
            let index = rounded.iter().zip(found).position(|(r, f)| !same(*r, *f))?;
            Some(at(index, errors().nth(index).unwrap_or(f64::NAN), 0.0))
        }
        Tolerance::Close { absolute, relative } => {
            let limit = |e: f64| absolute + if e.is_finite() { relative * e.abs() } else { 0.0 };
            let excess = errors().zip(expected).map(|(error, e)| error - limit(*e));
            let (index, excess) = largest(excess)?;
            let limit = expected.get(index).map_or(0.0, |e| limit(*e));
            (excess > 0.0).then(|| at(index, errors().nth(index).unwrap_or(excess), limit))
        }
        Tolerance::Nmse(limit) => {
            let (index, _) = largest(errors())?;
            // Not `sum`, which is -0 where nothing is finite.
            let norm = expected.iter().filter(|e| e.is_finite()).fold(0.0, |norm, e| norm + e * e);
            let squares: f64 = errors().map(|e| e * e).sum();
            let nmse = if squares == 0.0 { 0.0 } else { squares / norm };
            (nmse > limit).then(|| at(index, nmse, limit))
        }
    }
}

/// The same number: zeros by their sign, a NaN as any NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// How far `found` is off: 0 where both are NaN or the same infinity, infinite where only one is.
fn error(expected: f64, rounded: f64, found: f64) -> f64 {
    if same(rounded, found) && !rounded.is_finite() {
        return 0.0;
    }
    let difference = (expected - found).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

fn largest(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tolerance: Tolerance, expected: &[f64], found: &[f32]) -> Option<Worst> {
        let bytes = found.iter().flat_map(|x| x.to_le_bytes()).collect();
        let found = NamedArray::new("out".to_owned(), DType::F32, &[found.len()], bytes).unwrap();
        let data = expected.iter().flat_map(|x| x.to_le_bytes()).collect();
        let expected = Array::new(Kind::F64, &[expected.len()], data).unwrap();
        match compare(tolerance, &expected, &found) {
            Ok(()) => None,
            Err(Failure::Element(worst)) => Some(worst),
            Err(other) => panic!("{other}"),
        }
    }

    const CLOSE: Tolerance = Tolerance::Close { absolute: 0.5, relative: 0.1 };

    #[test]
    fn close_is_absolute_and_relative() {
        assert_eq!(check(CLOSE, &[0.0, 10.0, -10.0], &[0.5, 11.5, -8.5]), None);
        let worst = check(CLOSE, &[0.0, 10.0, -10.0], &[0.5, 11.75, -8.5]).unwrap();
        assert_eq!((worst.index, worst.expected, worst.found, worst.error), (1, 10.0, 11.75, 1.75));
        assert_eq!(worst.output, "out");
    }

    #[test]
    fn exact_is_the_rounded_number_and_its_sign() {
        assert_eq!(check(Tolerance::Exact, &[0.1, -0.0, f64::NAN], &[0.1, -0.0, -f32::NAN]), None);
        assert_eq!(check(Tolerance::Exact, &[1.0, -0.0], &[1.0, 0.0]).unwrap().index, 1);
        assert!(check(Tolerance::Exact, &[0.1], &[0.100_000_01]).is_some());
    }

    #[test]
    fn nmse_is_over_all_elements() {
        let limit = Tolerance::Nmse(0.01);
        assert_eq!(check(limit, &[3.0, 4.0], &[3.5, 4.0]), None);
        let worst = check(limit, &[3.0, 4.0], &[3.0, 4.75]).unwrap();
        assert_eq!((worst.index, worst.error), (1, 0.0225));
        assert_eq!(check(limit, &[0.0], &[0.0]), None);
        assert!(check(limit, &[0.0], &[1e-9]).is_some());
        assert_eq!(check(limit, &[], &[]), None);
    }

    #[test]
    fn what_is_not_finite_must_agree() {
        for tolerance in [Tolerance::Exact, CLOSE, Tolerance::Nmse(0.5)] {
            assert_eq!(check(tolerance, &[f64::NAN, 1.0], &[f32::NAN, 1.0]), None);
            assert_eq!(check(tolerance, &[1e300, 1.0], &[f32::INFINITY, 1.0]), None);
            let pairs = [(f64::NAN, 1.0), (1.0, f32::NAN), (f64::INFINITY, 1.0), (1.0, f32::INFINITY)];
            assert!(check(tolerance, &[f64::NAN], &[1.0]).is_some(), "{tolerance:?}: nothing is finite");
            for (e, f) in pairs.into_iter().chain([(f64::INFINITY, f32::NEG_INFINITY), (f64::NAN, f32::INFINITY)]) {
                assert!(check(tolerance, &[e, 1.0], &[f, 1.0]).is_some(), "{tolerance:?} {e} {f}");
            }
        }
    }

    #[test]
    fn blocks_are_compared_by_their_bytes() {
        let block = |q: u8| [&(-f32::NAN).to_le_bytes()[..], &[q; 288]].concat();
        let found = |q| NamedArray::new("out".to_owned(), DType::Q8K, &[1, 256], block(q)).unwrap();
        let golden = Array::new(Kind::U8, &[1, 292], [&f32::NAN.to_le_bytes()[..], &[1; 288]].concat()).unwrap();
        assert_eq!(compare(Tolerance::Exact, &golden, &found(1)), Ok(()));
        let Err(Failure::Element(worst)) = compare(Tolerance::Exact, &golden, &found(2)) else { panic!() };
        assert_eq!((worst.index, worst.expected, worst.found), (4, 1.0, 2.0));
        let shorter = Array::new(Kind::U8, &[292], golden.data().to_vec()).unwrap();
        assert!(matches!(compare(Tolerance::Exact, &shorter, &found(1)), Err(Failure::Golden(_))));
    }

    /// -1 and 0 are neighbours, though their bytes are not; sums are not numbers of their own.
    #[test]
    fn blocks_that_need_not_be_equal_are_compared_by_their_numbers() {
        for dtype in [DType::Q8_0, DType::Q8_1, DType::Q8K] {
            let head = |d: f32| match dtype {
                DType::Q8_0 => f16::from_f32(d).to_le_bytes().to_vec(),
                DType::Q8_1 => [d, d].map(f32::to_le_bytes).concat(),
                _ => d.to_le_bytes().to_vec(),
            };
            let block = |d: f32, first: i8| {
                let mut block = [head(d), vec![100; dtype.block_elems()]].concat();
                block[head(d).len()] = first as u8;
                block.resize(dtype.block_bytes(), 0);
                NamedArray::new("out".to_owned(), dtype, &[1, dtype.block_elems()], block).unwrap()
            };
            let near = |a: NamedArray, b: NamedArray| compare(Tolerance::Nmse(1e-5), &a.array, &b).is_ok();
            assert!(near(block(0.5, -1), block(0.5, 0)), "{dtype}");
            assert!(!near(block(0.5, 10), block(0.5, 20)), "{dtype}");
            assert!(!near(block(0.5, 0), block(0.51, 0)), "{dtype}");
            assert!(near(block(f32::NAN, 0), block(f32::NAN, 0)), "{dtype}");
            assert!(!near(block(f32::NAN, 0), block(0.5, 0)), "{dtype}");
        }
    }
}
