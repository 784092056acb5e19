//! The commands of a conversation.

use std::path::PathBuf;

/// What `/help` shows.
pub(super) const HELP: &str = "\
/help           this list
/clear          forget the conversation, but for the system message
/system TEXT    say this first from now on; without TEXT nothing
/undo           take the last question and its answer back
/retry          answer the last question again
/save FILE      write the conversation to a file, as JSON
/load FILE      go on with a conversation from a file
/stats          what the last answer took, and how full the context is
/exit           leave; so do /quit, /bye and Ctrl-D
A line that ends in \\ goes on in the next one; Ctrl-C there drops them all. A space in front of / makes a question of it.";

/// A line that is no question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Clear,
    System(Option<String>),
    Undo,
    Retry,
    Save(PathBuf),
    Load(PathBuf),
    Stats,
    Exit,
}

impl Command {
    /// The command of a line that starts with `/`; `None` for other lines.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let line = line.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Some(Self::named(name, rest.trim()))
    }

    fn named(name: &str, rest: &str) -> Result<Self, String> {
        let file = || if rest.is_empty() { Err(format!("/{name} needs a file")) } else { Ok(rest.into()) };
        let command = match name {
            "system" => return Ok(Self::System((!rest.is_empty()).then(|| rest.to_owned()))),
            "save" => return Ok(Self::Save(file()?)),
            "load" => return Ok(Self::Load(file()?)),
            "help" | "?" => Self::Help,
            "clear" => Self::Clear,
            "undo" => Self::Undo,
            "retry" | "regen" => Self::Retry,
            "stats" => Self::Stats,
            "exit" | "quit" | "bye" => Self::Exit,
            _ => return Err(format!("/{name} is no command; /help lists them")),
        };
        if rest.is_empty() { Ok(command) } else { Err(format!("/{name} takes nothing more, found `{rest}`")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_names_and_some_take_a_text() {
        let parsed = |line| Command::parse(line).unwrap().unwrap();
        assert_eq!(parsed("/?"), Command::Help);
        assert_eq!(parsed("/clear "), Command::Clear);
        assert_eq!(parsed("/system  Be brief. "), Command::System(Some("Be brief.".to_owned())));
        assert_eq!(parsed("/system\nBe\nbrief."), Command::System(Some("Be\nbrief.".to_owned())));
        assert_eq!(parsed("/system"), Command::System(None));
        assert_eq!(parsed("/regen"), Command::Retry);
        assert_eq!(parsed("/save a b.json"), Command::Save("a b.json".into()));
        assert_eq!([parsed("/quit"), parsed("/bye")], [Command::Exit, Command::Exit]);
        for line in ["/nothing", "/", "/save", "/load ", "/undo it"] {
            assert!(Command::parse(line).unwrap().is_err(), "{line}");
        }
        assert_eq!([Command::parse(" /exit"), Command::parse("")], [None, None]);
    }
}
