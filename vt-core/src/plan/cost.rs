//! The work of a plan's steps.

use super::plan::Plan;
use super::step::Step;
use super::{Share, Span};
use crate::Sizes;
use crate::op::{Cost, ValueType, Workload};

impl Plan {
    /// The work of each step of class `schedule` in a pass of these sizes and spans, in the order of
    /// [`ScheduleDescription::steps`](super::ScheduleDescription::steps): what all workers do together, so that a step
    /// which each repeats for itself costs that much more. Empty if there is no such class.
    pub fn costs(&self, schedule: usize, sizes: Sizes, spans: &[Span]) -> Vec<Cost> {
        let Some(schedule) = self.schedules.get(schedule) else { return Vec::new() };
        let steps = schedule.segments().flat_map(|segment| segment.steps.iter().map(move |step| (segment, step)));
        let cost = |step: &Step, workers: usize| {
            let once = self.cost(step, sizes, spans);
            if step.share == Share::Each { once * workers as u64 } else { once }
        };
        steps.map(|(segment, step)| cost(step, segment.workers)).collect()
    }

    fn cost(&self, step: &Step, sizes: Sizes, spans: &[Span]) -> Cost {
        let inputs: Vec<ValueType> = step.inputs.iter().map(|operand| operand.ty.clone()).collect();
        let outputs: Vec<ValueType> = step.outputs.iter().map(|operand| operand.ty.clone()).collect();
        self.program.nodes[step.node].op.cost(&Workload { inputs: &inputs, outputs: &outputs, sizes, spans })
    }
}
