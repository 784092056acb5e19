//! How tokens are chosen, for the commands that generate.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use vt_models::sample::SamplerConfig;

use super::stop::Stop;

/// What the settings are of, in the order of [`SamplerConfig::processors`].
const HEADING: &str = "Sampling, in this order: logit-bias, penalties, top-k, top-p, min-p, temp";

/// How tokens are chosen.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = HEADING)]
pub(super) struct SamplingArgs {
    /// Where the random numbers start [default: each time elsewhere]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Divides the logits; 0 always takes the largest one, the lowest id on ties
    #[arg(long, value_name = "T", default_value_t = SamplerConfig::default().temperature)]
    temp: f32,
    /// How many of the largest logits may be chosen; 0 for all
    #[arg(long, value_name = "K", default_value_t = SamplerConfig::default().top_k)]
    top_k: usize,
    /// The most probable tokens are kept whose probabilities reach this sum
    #[arg(long, value_name = "P", default_value_t = SamplerConfig::default().top_p)]
    top_p: f32,
    /// The least probability, as a part of the largest one
    #[arg(long, value_name = "P", default_value_t = SamplerConfig::default().min_p)]
    min_p: f32,
    /// Divides the positive logits of recent tokens and multiplies the others; 1 for off
    #[arg(long, value_name = "R", default_value_t = SamplerConfig::default().repeat_penalty)]
    repeat_penalty: f32,
    /// How many of the last tokens are recent, those of the prompt included
    #[arg(long, value_name = "N", default_value_t = SamplerConfig::default().repeat_last_n)]
    repeat_last_n: usize,
    /// Taken off the logits of recent tokens
    #[arg(long, value_name = "P", default_value_t = SamplerConfig::default().presence_penalty)]
    presence_penalty: f32,
    /// Taken off the logits of recent tokens, once for each time
    #[arg(long, value_name = "P", default_value_t = SamplerConfig::default().frequency_penalty)]
    frequency_penalty: f32,
    /// Adds B to the logit of token ID; `ID:-inf` excludes it; may be repeated
    #[arg(long, value_name = "ID:B")]
    logit_bias: Vec<Bias>,
}

impl SamplingArgs {
    /// The settings of a sampler. Without a seed each call draws one.
    pub(super) fn config(&self) -> Result<SamplerConfig, Stop> {
        let config = SamplerConfig {
            temperature: self.temp,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            repeat_penalty: self.repeat_penalty,
            repeat_last_n: self.repeat_last_n,
            presence_penalty: self.presence_penalty,
            frequency_penalty: self.frequency_penalty,
            logit_bias: self.logit_bias.iter().map(|bias| (bias.id, bias.bias)).collect(),
            seed: self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        };
        config.validate().map_err(Stop::usage)?;
        Ok(config)
    }
}

/// A token and what is added to its logit: `ID:B`, or llama.cpp's `ID+B` and `ID-B`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bias {
    id: u32,
    bias: f32,
}

/// A word that is no [`Bias`].
#[derive(Debug)]
struct BadBias;

impl fmt::Display for BadBias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a token id and what is added to its logit, as in 15043:1.5 or 15043:-inf")
    }
}

impl std::error::Error for BadBias {}

impl FromStr for Bias {
    type Err = BadBias;

    fn from_str(text: &str) -> Result<Self, BadBias> {
        let end = text.find(|c: char| !c.is_ascii_digit()).ok_or(BadBias)?;
        let (id, rest) = text.split_at(end);
        let number = match rest.strip_prefix(':') {
            Some(number) => number,
            None if rest.starts_with(['+', '-']) => rest,
            None => return Err(BadBias),
        };
        Ok(Self { id: id.parse().map_err(|_| BadBias)?, bias: number.parse().map_err(|_| BadBias)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_help_is_that_of_the_chain() {
        let config = SamplerConfig { logit_bias: vec![(1, 1.0)], repeat_penalty: 2.0, ..SamplerConfig::default() };
        let chain: Vec<String> = config.processors().unwrap().iter().map(|part| format!("{part:?}")).collect();
        let named = HEADING.split_once(": ").unwrap().1.split(", ");
        let types = named.map(|name| match name {
            "logit-bias" => "LogitBias",
            "penalties" => "Penalties",
            "top-k" => "TopK",
            "top-p" => "TopP",
            "min-p" => "MinP",
            "temp" => "Temperature",
            name => panic!("{name}"),
        });
        let types: Vec<&str> = types.collect();
        assert_eq!(types.len(), chain.len());
        assert!(types.iter().zip(&chain).all(|(name, part)| part.starts_with(name)), "{chain:?}");
    }

    #[test]
    fn biases_have_two_spellings() {
        let inf = f32::NEG_INFINITY;
        let good = [("7:1.5", 1.5), ("7:-1", -1.0), ("7:-inf", inf), ("7+2", 2.0), ("7-2e-1", -0.2), ("7-inf", inf)];
        for (text, bias) in good {
            assert_eq!(text.parse::<Bias>().ok(), Some(Bias { id: 7, bias }), "{text}");
        }
        for bad in ["", "7", ":1", "+1", "-1:1", "7:", "7:x", "7=1", "7--1", "7+-1", "4294967296:1", "7 :1", "7,8:1"] {
            assert!(bad.parse::<Bias>().is_err(), "{bad}");
        }
    }
}
