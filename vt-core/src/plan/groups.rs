//! Groups of ops whose columns are divided alike, so that no barrier is needed between them.

/// Ops that hand columns on to each other.
pub(super) struct Groups {
    parent: Vec<usize>,
    cols: Vec<usize>,
    /// Columns of a part, by group root, for the root's own columns.
    grain: Vec<usize>,
    /// Whether every member has the root's columns. Otherwise each has as many whole parts.
    alike: Vec<bool>,
}

impl Groups {
    /// Every op in a group of its own: its columns and the grain in which they may be cut.
    pub(super) fn new(ops: impl Iterator<Item = (usize, usize)>) -> Self {
        let (cols, grain): (Vec<usize>, Vec<usize>) = ops.map(|(cols, grain)| (cols, grain.max(1))).unzip();
        Self { parent: (0..cols.len()).collect(), alike: vec![true; cols.len()], cols, grain }
    }

    fn root(&self, mut op: usize) -> usize {
        while self.parent[op] != op {
            op = self.parent[op];
        }
        op
    }

    /// Divides the groups of two ops alike, if that leaves several parts, for half of the workers at least. Heads are
    /// what leaves few parts, and projections to few heads are small.
    pub(super) fn join(&mut self, a: usize, b: usize, workers: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.cols[a] == 0 || self.cols[b] == 0 {
            return;
        }
        let alike = self.alike[a] && self.alike[b] && self.cols[a] == self.cols[b];
        let grain = if alike { lcm(self.grain[a], self.grain[b]) } else { self.common_grain(a, b) };
        let Some(grain) = grain else { return };
        let parts = self.cols[a].div_ceil(grain);
        if parts < 2 || parts.div_ceil(workers) * workers > 2 * parts {
            return;
        }
        self.parent[b] = a;
        self.grain[a] = grain;
        self.alike[a] = alike;
    }

    /// The grain of `a`'s columns at which both have the same number of whole parts.
    fn common_grain(&self, a: usize, b: usize) -> Option<usize> {
        let whole = |n: usize| self.cols[n].is_multiple_of(self.grain[n]).then(|| self.cols[n] / self.grain[n]);
        Some(self.cols[a] / gcd(whole(a)?, whole(b)?))
    }

    /// The grain in which an op's columns are cut: a multiple of its own.
    pub(super) fn grain(&self, op: usize) -> usize {
        let root = self.root(op);
        if self.alike[root] { self.grain[root] } else { self.cols[op] / (self.cols[root] / self.grain[root]) }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple; `None` if it does not fit.
fn lcm(a: usize, b: usize) -> Option<usize> {
    (a / gcd(a, b)).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_columns_take_the_common_multiple() {
        let mut g = Groups::new([(96, 16), (96, 24)].into_iter());
        g.join(0, 1, 2);
        assert_eq!((g.grain(0), g.grain(1)), (48, 48));
    }

    #[test]
    fn other_columns_take_as_many_parts() {
        let mut g = Groups::new([(64, 16), (2, 1), (128, 1)].into_iter());
        g.join(0, 1, 2);
        g.join(1, 2, 2);
        assert_eq!((g.grain(0), g.grain(1), g.grain(2)), (32, 1, 64));
    }

    #[test]
    fn too_few_parts_are_not_joined() {
        let mut g = Groups::new([(64, 16), (1, 1), (7, 2)].into_iter());
        g.join(0, 1, 4);
        g.join(0, 2, 1);
        assert_eq!((g.grain(0), g.grain(1), g.grain(2)), (16, 1, 2));
    }

    #[test]
    fn half_of_the_workers_must_have_a_part() {
        let grains = |parts: usize, workers| {
            let mut g = Groups::new([(parts * 8, 8), (parts * 8, 4)].into_iter());
            g.join(0, 1, workers);
            (g.grain(0), g.grain(1))
        };
        assert_eq!(grains(1, 1), (8, 4), "one part is no division");
        assert_eq!((grains(2, 1), grains(2, 2), grains(2, 4)), ((8, 8), (8, 8), (8, 8)));
        assert_eq!(grains(2, 5), (8, 4), "three of five would idle");
        assert_eq!((grains(3, 5), grains(5, 4), grains(3, 7)), ((8, 8), (8, 8), (8, 4)));
    }

    #[test]
    fn what_cannot_be_divided_alike_stays_apart() {
        let joined = |a, b| {
            let mut g = Groups::new([a, b].into_iter());
            g.join(0, 1, 1);
            g.root(0) == g.root(1)
        };
        assert!(joined((96, 16), (96, 24)) && joined((96, 16), (12, 2)) && joined((90, 16), (90, 16)));
        assert!(!joined((0, 1), (0, 1)) && !joined((8, 1), (0, 1)) && !joined((0, 1), (8, 1)));
        assert!(!joined((90, 16), (45, 5)) && !joined((45, 5), (90, 16)), "parts are not whole");
        assert!(!joined((usize::MAX, usize::MAX - 1), (usize::MAX, usize::MAX - 2)));
    }

    /// Once a group has members of other widths, one with the root's own columns has as many parts as all.
    #[test]
    fn every_member_of_a_group_has_as_many_whole_parts() {
        let ops = [(64, 4), (32, 8), (64, 16), (128, 2), (64, 32)];
        for first in 0..ops.len() {
            let mut g = Groups::new(ops.into_iter());
            (0..ops.len()).for_each(|op| g.join(first, op, 2));
            let parts = ops[0].0 / g.grain(0);
            for (op, (cols, grain)) in ops.into_iter().enumerate() {
                assert_eq!(
                    (cols % g.grain(op), g.grain(op) % grain, cols / g.grain(op)),
                    (0, 0, parts),
                    "{first} {op}"
                );
            }
            assert_eq!(parts, 2);
        }
    }
}
