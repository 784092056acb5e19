//! What the environment says.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use thiserror::Error;
use vt_cpu::TierName;

use crate::pull::address;

/// The environment, read once and passed along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `VT_THREADS` and `VT_CPU_TIER`.
    pub cpu: vt_cpu::Config,
    /// Whether ops are fused: on unless `VT_FUSE` turns it off.
    pub fuse: bool,
    /// The folder of pulled models: `VT_MODELS`, or `vt` in the user's folder for caches; `None` if neither is known.
    pub models: Option<PathBuf>,
    /// `HF_ENDPOINT`: the hub of models, unless it is the usual one.
    pub hub: Option<String>,
    /// Where weights live.
    pub gguf: vt_gguf::Config,
}

/// A variable of the environment has a value that it cannot have.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Any but the tier and the switches for weights.
    #[error("{variable}: expected {expected}, found `{found}`")]
    Value {
        /// The variable.
        variable: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The tier.
    #[error("VT_CPU_TIER: {0}")]
    Tier(vt_cpu::ConfigError),
    /// A switch for weights.
    #[error(transparent)]
    Gguf(#[from] vt_gguf::ConfigError),
}

impl Config {
    /// What the environment says.
    ///
    /// # Errors
    /// If a variable has a value that it cannot have. Whether this machine has the tier is not asked.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_vars(|name| env::var_os(name))
    }

    /// What `vars` says.
    ///
    /// # Errors
    /// As [`Config::from_env`].
    pub fn from_vars(vars: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        Ok(Self {
            cpu: vt_cpu::Config { threads: threads(&vars)?, tier: tier(&vars)? },
            fuse: fuse(&vars)?,
            models: models(&vars),
            hub: hub(&vars)?,
            gguf: vt_gguf::Config::from_vars(&vars)?,
        })
    }
}

type Vars<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn threads(vars: Vars<'_>) -> Result<Option<usize>, ConfigError> {
    let variable = "VT_THREADS";
    let Some(value) = vars(variable) else { return Ok(None) };
    let number = value.to_str().and_then(|v| v.parse().ok());
    let wrong = || ConfigError::Value { variable, expected: "a number", found: text(&value) };
    number.map(Some).ok_or_else(wrong)
}

fn tier(vars: Vars<'_>) -> Result<Option<TierName>, ConfigError> {
    vars("VT_CPU_TIER").map(|value| text(&value).parse()).transpose().map_err(ConfigError::Tier)
}

fn fuse(vars: Vars<'_>) -> Result<bool, ConfigError> {
    let variable = "VT_FUSE";
    let Some(value) = vars(variable) else { return Ok(true) };
    match value.to_str() {
        Some("0" | "off" | "false") => Ok(false),
        Some("1" | "on" | "true") => Ok(true),
        _ => {
            let expected = "0, off, false, 1, on or true";
            Err(ConfigError::Value { variable, expected, found: text(&value) })
        }
    }
}

/// An empty variable is one that is not set: it names no folder.
fn models(vars: Vars<'_>) -> Option<PathBuf> {
    let given = vars("VT_MODELS").filter(|folder| !folder.is_empty());
    given.map(PathBuf::from).or_else(|| Some(cache_folder(vars)?.join("vt")))
}

/// As for every program that loads from the hub, an empty variable is one that is not set.
fn hub(vars: Vars<'_>) -> Result<Option<String>, ConfigError> {
    let variable = "HF_ENDPOINT";
    let Some(value) = vars(variable).filter(|value| !value.is_empty()) else { return Ok(None) };
    let hub = value.to_str().filter(|value| address(value).is_some());
    let expected = "an address with http:// or https:// and a host";
    let wrong = || ConfigError::Value { variable, expected, found: text(&value) };
    hub.map(|hub| Some(hub.to_owned())).ok_or_else(wrong)
}

/// The user's folder for caches, as each system has it.
fn cache_folder(vars: Vars<'_>) -> Option<PathBuf> {
    let folder = |name| vars(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    let below_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(below_home)))
}

fn text(value: &OsString) -> String {
    value.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_vars(|asked| vars.iter().find(|(name, _)| *name == asked).map(|(_, value)| value.into()))
    }

    #[test]
    fn unset_is_the_default() {
        let config = with(&[]).unwrap();
        assert_eq!((config.cpu, config.fuse, config.models), (vt_cpu::Config::default(), true, None));
        assert_eq!((config.hub, with(&[("HF_ENDPOINT", "")]).unwrap().hub), (None, None));
        assert_eq!(config.gguf, vt_gguf::Config::default());
    }

    #[test]
    fn each_variable_has_its_effect() {
        let config = with(&[("VT_THREADS", "3"), ("VT_CPU_TIER", "portable"), ("VT_FUSE", "0"), ("VT_CPU_REF", "1")]);
        let config = config.unwrap();
        assert_eq!(config.cpu, vt_cpu::Config { threads: Some(3), tier: Some(TierName::Portable) });
        assert!(!config.fuse && config.gguf.cpu_ref);
        assert_eq!(with(&[("HF_ENDPOINT", "http://h:1/")]).unwrap().hub.as_deref(), Some("http://h:1/"));
        assert_eq!(with(&[("VT_MODELS", "there"), ("HOME", "/h")]).unwrap().models, Some("there".into()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn models_are_below_the_folder_for_caches() {
        assert_eq!(with(&[("HOME", "/h")]).unwrap().models, Some("/h/.cache/vt".into()));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]).unwrap().models, Some("/c/vt".into()));
        assert_eq!(with(&[("HOME", "/h"), ("VT_MODELS", "")]).unwrap().models, Some("/h/.cache/vt".into()));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]).unwrap().models, Some("/h/.cache/vt".into()));
    }

    #[test]
    fn other_values_are_errors_that_name_the_variable() {
        for (variable, value) in [
            ("VT_THREADS", "two"),
            ("VT_THREADS", "-1"),
            ("VT_CPU_TIER", "sse"),
            ("VT_FUSE", "yes"),
            ("VT_GGUF_KEEP_QUANT", "2"),
            ("HF_ENDPOINT", "h:1"),
            ("HF_ENDPOINT", "http://"),
            ("HF_ENDPOINT", "http://:80"),
            ("HF_ENDPOINT", "https://h:port"),
            ("HF_ENDPOINT", "ftp://h"),
            ("HF_ENDPOINT", "http://h/?q"),
        ] {
            let message = with(&[(variable, value)]).unwrap_err().to_string();
            assert!(message.starts_with(variable) && message.ends_with(&format!("found `{value}`")), "{message}");
        }
    }
}
