//! Choices of experts, by expert.

use std::ops::Range;

use vt_core::View;
use vt_core::kernel::KernelError;

/// The places of a table `[T, K]` of experts, place t * K + k, expert by expert: those of each ascend.
#[derive(Debug)]
pub struct Groups<'a> {
    /// Where the places of an expert start; one more than there are experts.
    starts: &'a [i32],
    places: &'a [i32],
}

/// The i32 elements of scratch for as many places and experts.
pub fn groups_scratch(places: usize, experts: usize) -> usize {
    places + experts + 2
}

impl<'a> Groups<'a> {
    /// The places of `chosen`, whose numbers are below `experts`.
    ///
    /// # Errors
    /// If one is not.
    ///
    /// # Panics
    /// If `scratch` is shorter than [`groups_scratch`] says.
    pub fn new(chosen: View<'_, i32>, experts: usize, scratch: &'a mut [i32]) -> Result<Self, KernelError> {
        let count = chosen.rows() * chosen.cols();
        let (starts, rest) = scratch.split_at_mut(experts + 2);
        let places = &mut rest[..count];
        if i32::try_from(count).is_err() {
            return Err(KernelError::Other(format!("{count} rows of experts are too many").into()));
        }
        starts.fill(0);
        for row in 0..chosen.rows() {
            for expert in chosen.row(row) {
                starts[index(row, *expert, experts)? + 2] += 1;
            }
        }
        for expert in 2..starts.len() {
            starts[expert] += starts[expert - 1];
        }
        // Each start is now its successor's, and moves to its own place as places are put in.
        for row in 0..chosen.rows() {
            for (k, expert) in chosen.row(row).iter().enumerate() {
                let next = &mut starts[index(row, *expert, experts)? + 1];
                places[*next as usize] = (row * chosen.cols() + k) as i32;
                *next += 1;
            }
        }
        Ok(Self { starts: &starts[..=experts], places })
    }

    /// The places of an expert.
    pub fn of(&self, expert: usize) -> &'a [i32] {
        &self.places[self.range(expert)]
    }

    /// The first expert from `expert` on that has a place.
    pub fn first_from(&self, expert: usize) -> Option<usize> {
        (expert..self.starts.len() - 1).find(|e| !self.range(*e).is_empty())
    }

    fn range(&self, expert: usize) -> Range<usize> {
        self.starts[expert] as usize..self.starts[expert + 1] as usize
    }
}

fn index(row: usize, expert: i32, limit: usize) -> Result<usize, KernelError> {
    let error = KernelError::Id { input: "experts", row, id: expert.into(), limit };
    usize::try_from(expert).ok().filter(|e| *e < limit).ok_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_its_experts() {
        let chosen = [3, 1, 0, 3, 3, 1, 5, 5];
        let mut scratch = [77; 8 + 6 + 2];
        assert_eq!(groups_scratch(8, 6), scratch.len());
        let groups = Groups::new(View::new(&chosen, 4, 2, 2), 6, &mut scratch).unwrap();
        let of: Vec<&[i32]> = (0..6).map(|e| groups.of(e)).collect();
        assert_eq!(of, [&[2][..], &[1, 5], &[], &[0, 3, 4], &[], &[6, 7]]);
        let next: Vec<Option<usize>> = (0..7).map(|e| groups.first_from(e)).collect();
        assert_eq!(next, [Some(0), Some(1), Some(3), Some(3), Some(5), Some(5), None]);
    }

    #[test]
    fn no_rows_have_no_places_and_an_expert_that_is_not_there_is_an_error() {
        let mut scratch = [9; 5];
        let groups = Groups::new(View::new(&[], 0, 2, 2), 3, &mut scratch).unwrap();
        assert!((0..3).all(|e| groups.of(e).is_empty()) && groups.first_from(0).is_none());
        for expert in [3, -1, i32::MIN, i32::MAX] {
            let error = Groups::new(View::new(&[0, 2, 1, expert], 2, 2, 2), 3, &mut [0; 9]).unwrap_err();
            assert_eq!(error, KernelError::Id { input: "experts", row: 1, id: expert.into(), limit: 3 });
        }
    }
}
