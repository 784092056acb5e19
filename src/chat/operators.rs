//! What compiled templates call besides and in place of minijinja's instructions ([`super::program`]).

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Tuple, Value};
use minijinja::{Environment, Error, ErrorKind, State};

use super::settle::{check_held, copied, settled};
use super::weigh::{check_depth, weigh, weigh_objects};
use super::{compare, python};

/// What follows an expression whose value may be lazy, but is no deeper than what it is made of.
pub(super) const COPIED: &str = "(copied)";
/// What follows an expression whose value may be deeper than what it is made of, too.
pub(super) const SETTLED: &str = "(settled)";
/// What looks at a value before it goes into a namespace.
pub(super) const HELD: &str = "(held)";
/// What looks at a value that something is looked up by.
pub(super) const KEY: &str = "(key)";
/// A map of keys and values.
pub(super) const MAP: &str = "{}";
/// The operator `~`.
pub(super) const CONCAT: &str = "~";
/// A loop's method `changed`.
pub(super) const CHANGED: &str = "loop.changed";
/// A loop's method `cycle`.
pub(super) const CYCLE: &str = "loop.cycle";

/// What is called.
type Call = dyn Fn(&mut State<'_, '_>, &[Value]) -> Result<Value, Error> + Send + Sync;

/// A function that is given its arguments as they are.
struct Function(Box<Call>);

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        self.0(state, args)
    }
}

/// Adds them, under names that no template can say.
pub(super) fn add(env: &mut Environment<'_>) {
    one(env, COPIED, copied);
    one(env, SETTLED, settled);
    one(env, HELD, |state, value| check_held(state, value).map(|()| value.clone()));
    one(env, KEY, |state, value| weigh(state, value).map(|()| value.clone()));
    two(env, CONCAT, |state, a, b| python::joined(state, [a, b]));
    for compare::Comparison { function, chained, holds, .. } in compare::ALL {
        two(env, function, move |state, a, b| holds(state, a, b).map(Value::from));
        two(env, chained, move |state, a, b| Ok(Tuple::from([holds(state, a, b)?.into(), b.clone()]).into()));
    }
    any(env, MAP, map);
    any(env, CHANGED, changed);
    any(env, CYCLE, cycle);
}

/// Adds a function of any arguments.
fn any(
    env: &mut Environment<'_>,
    name: &'static str,
    call: impl Fn(&mut State<'_, '_>, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
) {
    env.add_global(name, Value::from_object(Function(Box::new(call))));
}

/// Adds a function of one value.
fn one(env: &mut Environment<'_>, name: &'static str, call: fn(&State<'_, '_>, &Value) -> Result<Value, Error>) {
    any(env, name, move |state, args| match args {
        [value] => call(state, value),
        _ => Err(ErrorKind::MissingArgument.into()),
    });
}

/// Adds a function of two values.
fn two(
    env: &mut Environment<'_>,
    name: &'static str,
    call: impl Fn(&State<'_, '_>, &Value, &Value) -> Result<Value, Error> + Send + Sync + 'static,
) {
    any(env, name, move |state, args| match args {
        [a, b] => call(state, a, b),
        _ => Err(ErrorKind::MissingArgument.into()),
    });
}

/// A map of keys, each followed by its value.
fn map(state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
    let pairs = args.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
    weigh_objects(state, pairs.clone().map(|(key, _)| key))?;
    let map = Value::from_pairs(pairs.map(|(key, value)| (key.clone(), value.clone())));
    check_depth(state, &map)?;
    Ok(map)
}

/// `loop.changed`, which compares its arguments with those of the last time, and keeps them.
fn changed(state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
    let Some((value, args)) = args.split_first() else { return Err(ErrorKind::MissingArgument.into()) };
    for arg in args {
        check_held(state, arg)?;
        weigh(state, arg)?;
    }
    value.call_method(state, "changed", args)
}

/// `loop.cycle`, which takes at least one argument.
fn cycle(state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
    match args {
        [] | [_] => Err(Error::new(ErrorKind::MissingArgument, "cycle: no items to go through")),
        [value, args @ ..] => value.call_method(state, "cycle", args),
    }
}
