//! A template compiled for minijinja's machine, where everything is paid for.
//!
//! Instructions that compare or join values become calls of [`super::operators`]. Those that make values are followed
//! by such calls, so that no value that a template can keep is deeper than the stack allows or looks through others.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::machinery::{CodeGenerator, Instruction, Instructions, eval, make_string_output, parse};
use minijinja::{AutoEscape, Environment, Error, Value};

use super::compare;
use super::environment::syntax;
use super::operators::{CHANGED, CONCAT, COPIED, CYCLE, HELD, KEY, MAP, SETTLED};

const NAME: &str = "chat";

/// Filters whose values are texts, numbers, or parts of what they are given.
const PLAIN_FILTERS: [&str; 24] = [
    "abs",
    "attr",
    "capitalize",
    "count",
    "d",
    "default",
    "e",
    "escape",
    "first",
    "float",
    "format",
    "indent",
    "int",
    "join",
    "last",
    "length",
    "lower",
    "replace",
    "round",
    "string",
    "title",
    "tojson",
    "trim",
    "upper",
];

/// Filters whose values are lists of parts of what they are given.
const FLAT_FILTERS: [&str; 8] = ["list", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique"];

/// A compiled template.
pub(super) struct Program<'source> {
    instructions: Instructions<'source>,
    blocks: BTreeMap<&'source str, Instructions<'source>>,
}

impl<'source> Program<'source> {
    /// The program of a template's source.
    pub fn new(source: &'source str) -> Result<Self, Error> {
        let tree = parse(source, NAME, syntax()?)?;
        let mut generator = CodeGenerator::new(NAME, source);
        generator.compile_stmt(&tree);
        let (instructions, blocks) = generator.finish();
        let blocks = blocks.into_iter().map(|(name, block)| (name, guarded(block)));
        Ok(Self { instructions: guarded(instructions), blocks: blocks.collect() })
    }

    /// What it writes.
    pub fn run(&self, env: &'source Environment<'source>, variables: Value) -> Result<String, Error> {
        let mut text = String::new();
        let mut out = make_string_output(&mut text);
        eval(env, &self.instructions, variables, &self.blocks, &mut out, AutoEscape::None)?;
        drop(out);
        Ok(text)
    }
}

/// The instructions with calls in place of some and between others.
fn guarded(old: Instructions<'_>) -> Instructions<'_> {
    let all: Vec<&Instruction<'_>> = (0..).map_while(|at| old.get(at)).collect();
    let targets: BTreeSet<u32> = all.iter().filter_map(|instruction| target(instruction)).collect();
    let constant = |at: u32| {
        let before = at.checked_sub(1).and_then(|before| old.get(before));
        matches!(before, Some(Instruction::LoadConst(_))) && !targets.contains(&at)
    };
    let new: Vec<Option<Vec<Instruction<'_>>>> =
        (0..).zip(&all).map(|(at, instruction)| replaced(instruction, constant(at))).collect();
    // What has nothing to guard stays, as it may be marked as a block that another template has to fill.
    if new.iter().all(Option::is_none) { old } else { rebuilt(&old, new) }
}

/// What takes an instruction's place, if not itself; `constant` if the value on top of the stack is written out.
fn replaced<'source>(old: &Instruction<'source>, constant: bool) -> Option<Vec<Instruction<'source>>> {
    use Instruction as I;
    let call = |name, count| I::CallFunction(name, Some(count));
    Some(match old {
        I::Eq => vec![call("==", 2)],
        I::Ne => vec![call("!=", 2)],
        I::Lt => vec![call("<", 2)],
        I::Lte => vec![call("<=", 2)],
        I::Gt => vec![call(">", 2)],
        I::Gte => vec![call(">=", 2)],
        I::In => vec![call("in()", 2)],
        I::StringConcat => vec![call(CONCAT, 2)],
        I::CompareAndPreserve(operator) => {
            let name = format!("{operator:?}");
            let comparison = compare::ALL.into_iter().find(|comparison| comparison.instruction == name)?;
            vec![call(comparison.chained, 2), I::UnpackList(2)]
        }
        I::BuildMap(pairs) => vec![call(MAP, u16::try_from(pairs.checked_mul(2)?).ok()?)],
        I::GetItem if !constant => vec![call(KEY, 1), old.clone()],
        I::SetAttr(_) => vec![I::Swap, call(HELD, 1), I::Swap, old.clone()],
        I::Add | I::Mul | I::Slice => vec![old.clone(), call(COPIED, 1)],
        I::ApplyFilter(name, ..) if PLAIN_FILTERS.contains(name) => return None,
        I::ApplyFilter(name, ..) if FLAT_FILTERS.contains(name) => vec![old.clone(), call(COPIED, 1)],
        I::CallMethod("changed", count) => vec![I::CallFunction(CHANGED, *count)],
        I::CallMethod("cycle", count) => vec![I::CallFunction(CYCLE, *count)],
        I::BuildList(Some(0)) | I::BuildTuple(Some(0)) | I::BuildKwargs(0) => return None,
        I::BuildList(_)
        | I::BuildTuple(_)
        | I::BuildKwargs(_)
        | I::MergeKwargs(_)
        | I::ApplyFilter(..)
        | I::CallFunction(..)
        | I::CallMethod(..)
        | I::CallObject(_) => vec![old.clone(), call(SETTLED, 1)],
        _ => return None,
    })
}

/// Where an instruction may go on.
fn target(instruction: &Instruction<'_>) -> Option<u32> {
    use Instruction as I;
    match instruction {
        I::Jump(at) | I::JumpIfFalse(at) | I::JumpIfFalseOrPop(at) | I::JumpIfTrueOrPop(at) => Some(*at),
        I::Iterate(at) | I::BuildMacro(_, at, _) => Some(*at),
        _ => None,
    }
}

/// An instruction that goes on elsewhere.
fn aimed<'source>(instruction: Instruction<'source>, at: u32) -> Instruction<'source> {
    use Instruction as I;
    match instruction {
        I::Jump(_) => I::Jump(at),
        I::JumpIfFalse(_) => I::JumpIfFalse(at),
        I::JumpIfFalseOrPop(_) => I::JumpIfFalseOrPop(at),
        I::JumpIfTrueOrPop(_) => I::JumpIfTrueOrPop(at),
        I::Iterate(_) => I::Iterate(at),
        I::BuildMacro(name, _, flags) => I::BuildMacro(name, at, flags),
        other => other,
    }
}

/// The instructions with others in place of some, each where its line was.
fn rebuilt<'source>(
    old: &Instructions<'source>,
    replaced: Vec<Option<Vec<Instruction<'source>>>>,
) -> Instructions<'source> {
    let mut places = vec![0];
    let mut end = 0;
    for instead in &replaced {
        end += instead.as_ref().map_or(1, Vec::len) as u32;
        places.push(end);
    }
    let place = |at: u32| places.get(at as usize).copied().unwrap_or(at);
    let mut new = Instructions::new(old.name(), old.source());
    for (at, instead) in (0..).zip(replaced) {
        for instruction in instead.unwrap_or_else(|| old.get(at).cloned().into_iter().collect()) {
            let aim = target(&instruction).map(place);
            let instruction = if let Some(aim) = aim { aimed(instruction, aim) } else { instruction };
            match (old.get_span(at), old.get_line(at)) {
                (Some(span), _) => new.add_with_span(instruction, span),
                (None, Some(line)) => new.add_with_line(instruction, line as u16),
                (None, None) => new.add(instruction),
            };
        }
    }
    new
}
