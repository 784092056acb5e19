//! Filters that differ from jinja2's, or that minijinja does not have.

use minijinja::value::Value;
use minijinja::{Environment, Error, State};

use super::python;

/// Adds them.
pub(super) fn add(env: &mut Environment<'_>) {
    env.add_filter("string", string);
}

/// `value | string`
fn string(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    python::text(state, value)
}
