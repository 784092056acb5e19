//! What the environment says about files.

use std::env;
use std::ffi::OsString;

use thiserror::Error;

/// Switches that decide where weights live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `VT_GGUF_KEEP_QUANT`: weights stay in the blocks of their file. On unless turned off.
    pub keep_quant: bool,
    /// `VT_CPU_REF`: all weights are decoded to f32, the exact reference. Off unless turned on; wins over the other.
    pub cpu_ref: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { keep_quant: true, cpu_ref: false }
    }
}

/// A variable of the environment has a value that it cannot have.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{variable}: expected 0, off, false, 1, on or true, found `{found}`")]
pub struct ConfigError {
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub found: String,
}

impl Config {
    /// The switches as the environment has them.
    ///
    /// # Errors
    /// If a variable is set to anything but a switch's values.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_vars(|name| env::var_os(name))
    }

    /// The switches as `vars` has them.
    ///
    /// # Errors
    /// As [`Config::from_env`].
    pub fn from_vars(vars: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let default = Self::default();
        let switch = |variable, default| vars(variable).map_or(Ok(default), |value| parse(variable, value));
        Ok(Self {
            keep_quant: switch("VT_GGUF_KEEP_QUANT", default.keep_quant)?,
            cpu_ref: switch("VT_CPU_REF", default.cpu_ref)?,
        })
    }
}

fn parse(variable: &'static str, value: OsString) -> Result<bool, ConfigError> {
    match value.to_str() {
        Some("0" | "off" | "false") => Ok(false),
        Some("1" | "on" | "true") => Ok(true),
        _ => Err(ConfigError { variable, found: value.to_string_lossy().into_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> Result<Config, ConfigError> {
        Config::from_vars(|asked| (asked == name).then(|| value.into()))
    }

    #[test]
    fn unset_is_the_default() {
        let config = Config::from_vars(|_| None).unwrap();
        assert_eq!(config, Config { keep_quant: true, cpu_ref: false });
        assert_eq!(config, Config::default());
    }

    #[test]
    fn each_variable_sets_its_switch() {
        for (value, on) in [("0", false), ("off", false), ("false", false), ("1", true), ("on", true), ("true", true)] {
            assert_eq!(with("VT_GGUF_KEEP_QUANT", value), Ok(Config { keep_quant: on, cpu_ref: false }));
            assert_eq!(with("VT_CPU_REF", value), Ok(Config { keep_quant: true, cpu_ref: on }));
        }
    }

    #[test]
    fn another_value_is_an_error_that_names_it() {
        for name in ["VT_GGUF_KEEP_QUANT", "VT_CPU_REF"] {
            for value in ["", "yes", "2", "ON", " 1"] {
                assert_eq!(with(name, value), Err(ConfigError { variable: name, found: value.into() }));
            }
        }
        let message = with("VT_CPU_REF", "yes").unwrap_err().to_string();
        assert_eq!(message, "VT_CPU_REF: expected 0, off, false, 1, on or true, found `yes`");
    }
}
