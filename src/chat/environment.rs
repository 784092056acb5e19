//! The environment that templates run in: that of Hugging Face's transformers (`chat_template_utils`).

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State};
use minijinja_contrib::globals;
use thiserror::Error;

use super::{compare, filters, json, methods, operators, python, weighed};

/// How deep macros and other nested calls may go.
const RECURSION: usize = 100;

/// An environment without templates.
pub(super) fn environment() -> Result<Environment<'static>, Error> {
    let mut env = Environment::new();
    env.set_debug(false);
    env.set_syntax(syntax()?);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_recursion_limit(RECURSION);
    env.set_formatter(print);
    env.set_unknown_method_callback(methods::call);
    env.remove_global("debug");
    env.add_function("raise_exception", raise_exception);
    env.add_function("cycler", |items: Rest<Value>| plain(&items.0).and_then(|()| globals::cycler(items.0)));
    env.add_function("joiner", |text: Option<Value>| plain(text.as_slice()).map(|()| globals::joiner(text)));
    env.add_filter("tojson", json::tojson);
    weighed::add(&mut env);
    filters::add(&mut env);
    compare::add_tests(&mut env);
    operators::add(&mut env);
    Ok(env)
}

/// The syntax of templates.
pub(super) fn syntax() -> Result<SyntaxConfig, Error> {
    SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()
}

/// Refuses values that hold others: what these are kept in cannot be looked into.
fn plain(values: &[Value]) -> Result<(), Error> {
    match values.iter().find(|value| value.as_object().is_some()) {
        Some(value) => Err(Error::new(ErrorKind::InvalidOperation, format!("expected text, found a {}", value.kind()))),
        None => Ok(()),
    }
}

/// Prints a value as Python does.
fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) => Ok(out.write_str(text)?),
        None => Ok(out.write_str(&python::text(state, value)?)?),
    }
}

/// What `raise_exception` said, on its way through an [`Error`].
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Raised(String);

impl Raised {
    /// What a template raised, if that is why it failed.
    pub(super) fn of(error: &Error) -> Option<&str> {
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            if let Some(raised) = error.downcast_ref::<Self>() {
                return Some(&raised.0);
            }
            cause = error.source();
        }
        None
    }
}

fn raise_exception(state: &State<'_, '_>, message: &Value) -> Result<Value, Error> {
    let message = python::text(state, message)?;
    Err(Error::new(ErrorKind::InvalidOperation, "raise_exception").with_source(Raised(message)))
}
