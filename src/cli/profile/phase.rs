//! The times of a phase: passes of one kind.

use std::time::Duration;

use vt::measure::Speed;
use vt_core::DType;
use vt_core::op::Cost;
use vt_core::plan::{Activity, Event, StepDescription};
use vt_cpu::Limits;

/// Passes of one kind.
pub(super) struct Phase {
    pub name: &'static str,
    pub tokens: usize,
    pub passes: usize,
    /// The time from the beginnings of passes to their ends.
    pub elapsed: Duration,
    /// All workers' time at barriers.
    pub waiting: Duration,
    /// In the order of the first pass.
    pub kernels: Vec<KernelTime>,
    workers: u32,
}

/// What a kernel took for an op with weights of a type.
pub(super) struct KernelTime {
    pub op: &'static str,
    pub kernel: String,
    pub weight: Option<DType>,
    pub calls: usize,
    /// All workers' time.
    pub time: Duration,
    /// In each call the time of the worker that took longest.
    pub longest: Duration,
    pub cost: Cost,
}

impl KernelTime {
    pub(super) fn speed(&self, limits: &Limits) -> Option<Speed> {
        Speed::new(self.cost, self.longest.as_secs_f64(), limits)
    }
}

impl Phase {
    pub(super) fn new(name: &'static str, workers: usize) -> Self {
        let (elapsed, waiting, workers) = (Duration::ZERO, Duration::ZERO, u32::try_from(workers).unwrap_or(u32::MAX));
        Self { name, tokens: 0, passes: 0, elapsed, waiting, kernels: Vec::new(), workers }
    }

    /// Adds a pass of so many tokens, with the steps of its class and their costs.
    pub(super) fn add(
        &mut self,
        tokens: usize,
        elapsed: Duration,
        events: &[Event],
        steps: &[StepDescription],
        costs: &[Cost],
    ) {
        self.tokens += tokens;
        self.passes += 1;
        self.elapsed += elapsed;
        let mut times = vec![(Duration::ZERO, Duration::ZERO); steps.len()];
        for event in events {
            let time = event.end - event.start;
            match (event.activity, times.get_mut(event.step)) {
                (Activity::Computing, Some((sum, longest))) => {
                    *sum += time;
                    *longest = time.max(*longest);
                }
                _ => self.waiting += time,
            }
        }
        for ((step, cost), (sum, longest)) in steps.iter().zip(costs).zip(times) {
            let kernel = self.kernel(step);
            kernel.calls += 1;
            kernel.time += sum;
            kernel.longest += longest;
            kernel.cost = kernel.cost + *cost;
        }
    }

    fn kernel(&mut self, step: &StepDescription) -> &mut KernelTime {
        let same = |k: &KernelTime| (k.op, &k.kernel, k.weight) == (step.op, &step.kernel, step.weight);
        let at = self.kernels.iter().position(same).unwrap_or_else(|| {
            let StepDescription { op, kernel, weight, .. } = step;
            let (time, longest, cost) = (Duration::ZERO, Duration::ZERO, Cost::default());
            let (kernel, weight) = (kernel.clone(), *weight);
            self.kernels.push(KernelTime { op, kernel, weight, calls: 0, time, longest, cost });
            self.kernels.len() - 1
        });
        &mut self.kernels[at]
    }

    /// The kernels, the one that takes most time first.
    pub(super) fn by_time(&self) -> Vec<&KernelTime> {
        let mut kernels: Vec<&KernelTime> = self.kernels.iter().collect();
        kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.time));
        kernels
    }

    /// The time that all workers have.
    pub(super) fn available(&self) -> Duration {
        self.elapsed * self.workers
    }

    /// What is left of it: beginning and ending passes.
    pub(super) fn other(&self) -> Duration {
        let computing: Duration = self.kernels.iter().map(|kernel| kernel.time).sum();
        self.available().saturating_sub(computing + self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use vt_core::plan::Share;

    use super::*;

    fn step(op: &'static str, weight: Option<DType>) -> StepDescription {
        let (kernel, device, share) = (format!("{op}-kernel"), "cpu", Share::Each);
        let (inputs, outputs) = (Vec::new(), Vec::new());
        let (epoch, barrier, fallback, in_place) = (0, false, false, None);
        StepDescription { op, kernel, device, share, epoch, barrier, fallback, weight, inputs, outputs, in_place }
    }

    #[test]
    fn times_add_up() {
        let start = Instant::now();
        let event = |step, worker, activity, from: u64, to: u64| {
            let at = |ms| start + Duration::from_millis(ms);
            Event { schedule: 0, step, worker, activity, start: at(from), end: at(to) }
        };
        let events = [
            event(0, 0, Activity::Computing, 1, 3),
            event(1, 0, Activity::Computing, 3, 4),
            event(2, 0, Activity::Waiting, 4, 9),
            event(2, 0, Activity::Computing, 9, 10),
            event(0, 1, Activity::Computing, 2, 8),
            event(1, 1, Activity::Computing, 8, 9),
            event(2, 1, Activity::Waiting, 9, 9),
            event(2, 1, Activity::Computing, 9, 11),
        ];
        let steps = [step("a", Some(DType::F32)), step("b", None), step("a", Some(DType::F32))];
        let costs = [1, 10, 100].map(|bytes| Cost { bytes, ..Cost::default() });
        let mut phase = Phase::new("prompt", 2);
        phase.add(4, Duration::from_millis(12), &events, &steps, &costs);
        phase.add(3, Duration::from_millis(12), &events, &steps, &costs);
        let ms = Duration::from_millis;
        assert_eq!((phase.tokens, phase.passes, phase.elapsed), (7, 2, ms(24)));
        let found: Vec<_> = phase.by_time().iter().map(|k| (k.op, k.calls, k.time, k.longest, k.cost.bytes)).collect();
        assert_eq!(found, [("a", 4, ms(22), ms(16), 202), ("b", 2, ms(4), ms(2), 20)]);
        assert_eq!((phase.waiting, phase.available(), phase.other()), (ms(10), ms(48), ms(12)));
    }
}
