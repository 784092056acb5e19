//! Filters that are minijinja's, but pay first for all that they look at.

use minijinja::value::{Kwargs, Rest, Value, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, State, filters};

use super::bounded::Bounded;
use super::python;
use super::weigh::{weigh_objects, weigh_often};

/// Puts them in place of minijinja's, and takes away what jinja2 has not.
pub(super) fn add(env: &mut Environment<'_>) {
    paid(env, "sort", Value::from_function(filters::sort), sorting);
    paid(env, "unique", Value::from_function(filters::unique), sorting);
    paid(env, "min", Value::from_function(filters::min), sorting);
    paid(env, "max", Value::from_function(filters::max), sorting);
    paid(env, "groupby", Value::from_function(filters::groupby), sorting);
    paid(env, "dictsort", Value::from_function(filters::dictsort), sorting);
    paid(env, "attr", Value::from_function(filters::attr), reading);
    paid(env, "upper", Value::from_function(filters::upper), reading);
    paid(env, "lower", Value::from_function(filters::lower), reading);
    paid(env, "title", Value::from_function(filters::title), reading);
    paid(env, "capitalize", Value::from_function(filters::capitalize), reading);
    paid(env, "format", Value::from_function(filters::format), reading);
    paid(env, "map", Value::from_function(filters::map), repeating);
    paid(env, "select", Value::from_function(filters::select), repeating);
    paid(env, "reject", Value::from_function(filters::reject), repeating);
    paid(env, "selectattr", Value::from_function(filters::selectattr), repeating);
    paid(env, "rejectattr", Value::from_function(filters::rejectattr), repeating);
    paid(env, "sum", Value::from_function(filters::sum), summing);
    env.add_filter("join", join);
    env.add_filter("replace", replace);
    ["bool", "chain", "lines", "pprint", "split", "zip"].into_iter().for_each(|name| env.remove_filter(name));
    ["endingwith", "startingwith"].into_iter().for_each(|name| env.remove_test(name));
}

/// What is paid before a filter runs.
type Price = fn(&State<'_, '_>, &[Value]) -> Result<(), Error>;

/// Adds a filter that is paid before it runs.
fn paid(env: &mut Environment<'_>, name: &'static str, filter: Value, price: Price) {
    env.add_filter(name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
        let args: Vec<Value> = args.0.into_iter().map(Value::from).collect();
        price(state, &args)?;
        filter.call(state, &args)
    });
}

/// Each item of a list is compared with some others.
fn sorting(state: &State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let list = args.first().cloned().unwrap_or_default();
    let others = usize::BITS - list.len().unwrap_or(0).leading_zeros();
    weigh_often(state, &list, others.max(1).into())
}

/// Everything is read, or written as text.
fn reading(state: &State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    weigh_objects(state, args)
}

/// What is given besides a list is used for each item.
fn repeating(state: &State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let Some((list, others)) = args.split_first() else { return Ok(()) };
    let times = list.len().unwrap_or(1) as u64;
    others.iter().filter(|arg| arg.as_object().is_some()).try_for_each(|arg| weigh_often(state, arg, times))
}

/// How many lists minijinja adds up before it copies them.
const ADDED_UP: usize = 32;

/// What is added up is copied now and then.
fn summing(state: &State<'_, '_>, args: &[Value]) -> Result<(), Error> {
    let copies = args.first().and_then(Value::len).unwrap_or(0) / ADDED_UP + 1;
    args.iter().try_for_each(|arg| weigh_often(state, arg, copies as u64))
}

/// `value | join(d='', attribute=None)`
fn join(
    state: &mut State<'_, '_>,
    values: &Value,
    separator: Option<Value>,
    attribute: Option<Value>,
    named: Kwargs,
) -> Result<Value, Error> {
    let separator = separator.or(named.get("d")?).unwrap_or_else(|| "".into());
    let attribute = attribute.or(named.get("attribute")?).filter(|attribute| !attribute.is_none());
    named.assert_all_used()?;
    let values = match attribute {
        Some(name) => {
            let named: Kwargs = [("attribute", name), ("default", "".into())].into_iter().collect();
            state.apply_filter("map", &[values.clone(), named.into()])?
        }
        None => values.clone(),
    };
    let mut out = Bounded::new(state);
    let mut written = Ok(());
    for (i, item) in values.try_iter()?.checked().enumerate() {
        state.consume_fuel(1)?;
        let item = item?;
        written = written.and_then(|()| if i == 0 { Ok(()) } else { python::write_str(&mut out, &separator) });
        written = written.and_then(|()| python::write_str(&mut out, &item));
    }
    out.finish(written.map_err(|_| python::TOO_DEEP)).map(Value::from)
}

/// `value | replace(old, new, count=None)`
fn replace(state: &State<'_, '_>, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args: Vec<Value> = args.0.into_iter().map(Value::from).collect();
    let (value, old, new, count, named): (&Value, &Value, &Value, Option<Value>, Kwargs) = from_args(&args)?;
    let count = count.or(named.get("count")?).filter(|count| !count.is_none()).map(i64::try_from).transpose()?;
    named.assert_all_used()?;
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let (text, old, new) = (python::text(state, value)?, python::text(state, old)?, python::text(state, new)?);
    let mut out = Bounded::new(state);
    let mut done = 0;
    for (at, found) in text.match_indices(&old).take(count) {
        out.push(&text[done..at])?;
        out.push(&new)?;
        done = at + found.len();
    }
    out.push(&text[done..])?;
    out.finish(Ok(()))
}
