//! Every sampler from its definition, in f64 and over the whole vocabulary: an excluded token has logit minus infinity.

use crate::sample::{LogitBias, LogitsProcessor, MinP, Penalties, SamplerConfig, Temperature, TopK, TopP};

/// A sampler and its settings.
#[derive(Clone, Debug)]
pub enum Step {
    Bias(Vec<(u32, f32)>),
    Penalties { last_n: usize, repeat: f32, presence: f32, frequency: f32 },
    TopK(usize),
    TopP(f32),
    MinP(f32),
    Temperature(f32),
}

impl Step {
    /// The sampler under test.
    pub fn processor(&self) -> Box<dyn LogitsProcessor> {
        match self {
            Step::Bias(biases) => Box::new(LogitBias::new(biases).unwrap()),
            Step::Penalties { last_n, repeat, presence, frequency } => {
                Box::new(Penalties::new(*last_n, *repeat, *presence, *frequency).unwrap())
            }
            Step::TopK(k) => Box::new(TopK::new(*k)),
            Step::TopP(p) => Box::new(TopP::new(*p).unwrap()),
            Step::MinP(p) => Box::new(MinP::new(*p).unwrap()),
            Step::Temperature(t) => Box::new(Temperature::new(*t).unwrap()),
        }
    }

    fn apply(&self, logits: &mut [f64], history: &[u32]) {
        match self {
            Step::Bias(biases) => biases.iter().for_each(|(id, bias)| logits[*id as usize] += f64::from(*bias)),
            Step::Penalties { last_n, repeat, presence, frequency } => {
                let recent = &history[history.len().saturating_sub(*last_n)..];
                for (id, logit) in (0..).zip(logits) {
                    let count = recent.iter().filter(|token| **token == id).count();
                    if count > 0 {
                        let factor = f64::from(*repeat);
                        *logit *= if *logit > 0.0 { 1.0 / factor } else { factor };
                        *logit -= f64::from(*presence) + f64::from(*frequency) * count as f64;
                    }
                }
            }
            Step::TopK(k) => exclude(logits, order(logits).into_iter().skip(if *k == 0 { usize::MAX } else { *k })),
            Step::TopP(p) => exclude(logits, outside_nucleus(logits, f64::from(*p))),
            Step::MinP(p) => {
                let probabilities = softmax(logits);
                let least = f64::from(*p) * probabilities.iter().copied().fold(0.0, f64::max);
                exclude(logits, (0..logits.len()).filter(|id| probabilities[*id] < least));
            }
            Step::Temperature(t) => logits.iter_mut().for_each(|logit| *logit /= f64::from(*t)),
        }
    }
}

/// The documented order of the default chain.
pub fn steps(config: &SamplerConfig) -> Vec<Step> {
    vec![
        Step::Bias(config.logit_bias.clone()),
        Step::Penalties {
            last_n: config.repeat_last_n,
            repeat: config.repeat_penalty,
            presence: config.presence_penalty,
            frequency: config.frequency_penalty,
        },
        Step::TopK(config.top_k),
        Step::TopP(config.top_p),
        Step::MinP(config.min_p),
        Step::Temperature(config.temperature),
    ]
}

/// The logits that a chain leaves.
pub fn logits(logits: &[f32], history: &[u32], steps: &[Step]) -> Vec<f64> {
    let mut logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
    steps.iter().for_each(|step| step.apply(&mut logits, history));
    logits
}

/// The distribution that a chain defines.
pub fn distribution(given: &[f32], history: &[u32], steps: &[Step]) -> Vec<f64> {
    softmax(&logits(given, history, steps))
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// All tokens, the largest logit first, of equals the lower id.
fn order(logits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|a, b| logits[*b].partial_cmp(&logits[*a]).unwrap().then(a.cmp(b)));
    order
}

/// The tokens that are not needed to reach probability `p`.
fn outside_nucleus(logits: &[f64], p: f64) -> Vec<usize> {
    let probabilities = softmax(logits);
    let (mut sum, mut outside) = (0.0, Vec::new());
    for (rank, id) in order(logits).into_iter().enumerate() {
        if p < 1.0 && rank > 0 && sum >= p {
            outside.push(id);
        }
        sum += probabilities[id];
    }
    outside
}

fn exclude(logits: &mut [f64], ids: impl IntoIterator<Item = usize>) {
    let ids: Vec<usize> = ids.into_iter().collect();
    ids.into_iter().for_each(|id| logits[id] = f64::NEG_INFINITY);
}
