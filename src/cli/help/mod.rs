//! What `--help` says beyond the arguments: what each command is for, and how it is used.

mod lessons;

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use super::Cli;
use lessons::{GROUPS, Lesson, SESSION, STATUS};

/// vt's arguments, with what help says of them.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    for lesson in GROUPS.iter().flat_map(|(_, lessons)| *lessons) {
        // The list may know commands that this build lacks.
        if let Some(about) = about(&command, lesson.command) {
            command = command.mut_subcommand(lesson.command, |command| {
                command
                    .long_about(format!("{about}\n\n{}", wrapped(lesson.about)))
                    .after_long_help(format!("Examples:\n{}", lesson.examples))
            });
        }
    }
    for name in ["tokenize", "detokenize"] {
        command = command.mut_subcommand(name, |command| command.mut_args(without_effect));
    }
    let groups = groups(&command);
    command
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
        ))
        .after_help(SESSION)
        .after_long_help(format!("{SESSION}\n\n{STATUS}"))
}

/// What every command takes, but makes no difference where nothing is computed, is not shown.
fn without_effect(arg: Arg) -> Arg {
    let hidden = ["threads", "cache_type_k", "cache_type_v"].contains(&arg.get_id().as_str());
    arg.hide(hidden)
}

/// What a command says of itself in a line.
fn about(command: &Command, name: &str) -> Option<String> {
    Some(command.find_subcommand(name)?.get_about()?.to_string())
}

/// The commands, group by group; what is in no group comes last.
fn groups(command: &Command) -> String {
    let mut out = String::new();
    let mut group = |title: &str, names: &[&str]| {
        let lines = names.iter().filter_map(|name| Some((*name, about(command, name)?)));
        let lines: Vec<String> = lines.map(|(name, about)| format!("  {name:<12} {}", first_line(&about))).collect();
        if !lines.is_empty() {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{title}:\n{}\n", lines.join("\n"));
        }
    };
    let names = |lessons: &[Lesson]| lessons.iter().map(|lesson| lesson.command).collect::<Vec<_>>();
    GROUPS.iter().for_each(|(title, lessons)| group(title, &names(lessons)));
    let known: Vec<&str> = GROUPS.iter().flat_map(|(_, lessons)| names(lessons)).collect();
    let others: Vec<&str> = command.get_subcommands().map(Command::get_name).filter(|n| !known.contains(n)).collect();
    group("Others", &others);
    out
}

/// Text in lines that fit most terminals.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 90;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

fn first_line(about: &str) -> &str {
    about.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_a_group_and_has_examples_that_name_it() {
        let command = command();
        let help = command.clone().render_long_help().to_string();
        assert!(!help.contains("Others:") && help.contains("A first session:") && help.contains("Exit status:"));
        for sub in command.get_subcommands() {
            let name = sub.get_name();
            assert!(help.contains(&format!("\n  {name} ")), "{name}");
            let help = sub.clone().render_long_help().to_string();
            assert!(help.contains("Examples:") && help.contains(&format!("vt {name}")), "{name}: {help}");
        }
    }

    #[test]
    fn every_example_is_understood() {
        let command = command();
        for lesson in GROUPS.iter().flat_map(|(_, lessons)| *lessons) {
            let start = format!("vt {}", lesson.command);
            let lines = lesson.examples.lines().filter_map(|line| Some(&line[line.find(&start)?..]));
            for line in lines.filter(|_| command.find_subcommand(lesson.command).is_some()) {
                let matches = command.clone().try_get_matches_from(words(line));
                assert!(matches.is_ok(), "{line}: {}", matches.unwrap_err());
            }
        }
    }

    /// The words of a shell's command, up to where it ends.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for c in line.chars() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, ' ') => words.push(String::new()),
                (None, '|' | '<' | '>' | '&' | ';') => break,
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }
}
