//! How many threads a team has unless told otherwise.

use std::collections::BTreeSet;

/// A team's size unless told otherwise: one thread for each physical core that this process may run on, but no more
/// than the container's CPU quota. At least 1. Where the system does not tell which CPUs share a core (all but Linux),
/// each counts as one.
pub fn default_threads() -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    physical_cores().map_or(cpus, |cores| cores.min(cpus)).max(1)
}

/// The cores that this process may run on, as Linux states them.
fn physical_cores() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let siblings = |cpu| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        std::fs::read_to_string(path).ok()
    };
    count_cores(&allowed_cpus(&status)?, siblings)
}

/// The affinity mask in `/proc/self/status`.
fn allowed_cpus(status: &str) -> Option<BTreeSet<u16>> {
    parse_list(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?)
}

/// How many cores the CPUs lie on. `siblings` tells, as a list, which CPUs are on the core of the one given.
fn count_cores(cpus: &BTreeSet<u16>, siblings: impl Fn(u16) -> Option<String>) -> Option<usize> {
    let first = |&cpu| parse_list(&siblings(cpu)?)?.first().copied();
    let cores: Option<BTreeSet<u16>> = cpus.iter().map(first).collect();
    cores.map(|cores| cores.len()).filter(|&n| n > 0)
}

/// The numbers of a list as Linux writes them: `0-3,8,10-11`. Any ranges fit in memory: there are 65,536 numbers.
fn parse_list(text: &str) -> Option<BTreeSet<u16>> {
    let mut numbers = BTreeSet::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<u16>().ok()?..=last.parse().ok()?);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u16]) -> Option<BTreeSet<u16>> {
        Some(numbers.iter().copied().collect())
    }

    #[test]
    fn lists_are_read_as_linux_writes_them() {
        assert_eq!(parse_list("0-3,8,10-11\n"), set(&[0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(parse_list(" 7"), set(&[7]));
        for bad in ["", "a", "1-", "-1", "1,,2", "0-99999999999", "1-2-3"] {
            assert_eq!(parse_list(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_affinity_mask_is_the_list_not_the_bits() {
        let status = "Name:\tvt\nCpus_allowed:\tff\nCpus_allowed_list:\t2-3,6\nMems_allowed_list:\t0\n";
        assert_eq!(allowed_cpus(status), set(&[2, 3, 6]));
        assert_eq!(allowed_cpus("Name:\tvt\n"), None);
    }

    #[test]
    fn cpus_on_one_core_count_once() {
        // Four cores, CPU n and n + 4 on each.
        let pairs = |cpu: u16| Some(format!("{},{}\n", cpu % 4, cpu % 4 + 4));
        let count = |cpus: &[u16]| count_cores(&set(cpus)?, pairs);
        assert_eq!(count(&[0, 1, 2, 3, 4, 5, 6, 7]), Some(4));
        assert_eq!(count(&[1, 5]), Some(1));
        assert_eq!(count(&[4, 5, 3]), Some(3));
        assert_eq!(count(&[]), None);
    }

    #[test]
    fn without_the_topology_there_is_no_answer() {
        assert_eq!(count_cores(&set(&[0, 1]).unwrap(), |cpu| (cpu == 0).then(|| "0-1".to_owned())), None);
        assert_eq!(count_cores(&set(&[0]).unwrap(), |_| Some("zero".to_owned())), None);
    }

    #[test]
    fn the_default_is_within_what_the_system_grants() {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
        assert!((1..=cpus).contains(&default_threads()));
    }
}
