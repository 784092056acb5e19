//! A plan as people look at it.

use super::Share;
use super::assemble::Schedule;
use super::assign::FallbackInfo;
use super::plan::Plan;
use super::step::{Part, Place, Segment, Step};
use crate::graph::FusionCounts;
use crate::{DType, Sizes};

/// What a plan does.
#[derive(Clone, Debug)]
pub struct Description {
    /// The device that it was made for.
    pub device: &'static str,
    /// The schedules, one a class of passes.
    pub schedules: Vec<ScheduleDescription>,
    /// The bytes of all arenas.
    pub arena_bytes: usize,
    /// The bytes of scratch memory of all workers.
    pub scratch_bytes: usize,
    /// How often each fusion was applied, and how often it was left alone.
    pub fusions: FusionCounts,
    /// The ops that another device computes, and why.
    pub fallbacks: Vec<FallbackInfo>,
}

/// What is done in passes of one class.
#[derive(Clone, Debug)]
pub struct ScheduleDescription {
    /// The largest pass of the class.
    pub sizes: Sizes,
    /// The steps in their order.
    pub steps: Vec<StepDescription>,
    /// How often the workers wait for each other, the ends of segments not counted.
    pub barriers: usize,
    /// The segments: parallel regions that are entered.
    pub segments: usize,
    /// The copies between memories.
    pub copies: usize,
    /// The bytes of arenas that the class uses.
    pub arena_bytes: usize,
}

/// A step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDescription {
    /// The op.
    pub op: &'static str,
    /// The kernel.
    pub kernel: String,
    /// The device that runs it.
    pub device: &'static str,
    /// How workers share it.
    pub share: Share,
    /// What lies between two barriers, or in different segments, has different numbers.
    pub epoch: usize,
    /// Whether workers wait for each other before it.
    pub barrier: bool,
    /// Whether another device than the plan's runs it, because that has no kernel.
    pub fallback: bool,
    /// The type of its weights, of the first if there are several.
    pub weight: Option<DType>,
    /// The types of its inputs.
    pub inputs: Vec<String>,
    /// The types of its outputs.
    pub outputs: Vec<String>,
    /// The input whose memory the first output takes over.
    pub in_place: Option<usize>,
}

impl Plan {
    /// What the plan does, for people and for tests that count.
    pub fn describe(&self) -> Description {
        let workers = self.program.workers.iter().copied().max().unwrap_or(1);
        Description {
            device: self.device_name(self.device),
            schedules: self.schedules.iter().map(|s| self.describe_schedule(s)).collect(),
            arena_bytes: self.arena_bytes(),
            scratch_bytes: self.scratch * workers,
            fusions: self.fusions().clone(),
            fallbacks: self.fallbacks().to_vec(),
        }
    }

    fn describe_schedule(&self, schedule: &Schedule) -> ScheduleDescription {
        let segments: Vec<&Segment> = schedule.segments().collect();
        let step = |segment: &Segment, step: &Step| self.describe_step(segment, step);
        let steps: Vec<_> = segments.iter().flat_map(|g| g.steps.iter().map(|s| step(g, s))).collect();
        ScheduleDescription {
            sizes: schedule.sizes,
            barriers: steps.iter().filter(|s| s.barrier).count(),
            steps,
            segments: segments.len(),
            copies: schedule.parts.iter().filter(|p| matches!(p, Part::Copy(_))).count(),
            arena_bytes: schedule.layout.arenas.iter().sum(),
        }
    }

    fn describe_step(&self, segment: &Segment, step: &Step) -> StepDescription {
        StepDescription {
            op: step.op,
            kernel: step.bound.kernel().to_owned(),
            device: self.device_name(segment.device),
            share: step.share,
            epoch: step.epoch,
            barrier: step.barrier,
            fallback: step.fallback,
            weight: step.inputs.iter().find(|o| matches!(o.place, Place::Weight(_))).map(|o| o.dtype),
            inputs: step.inputs.iter().map(|o| o.ty.to_string()).collect(),
            outputs: step.outputs.iter().map(|o| o.ty.to_string()).collect(),
            in_place: step.in_place,
        }
    }

    fn device_name(&self, device: usize) -> &'static str {
        self.registry.devices()[device].name()
    }
}
