//! A kind of bad file.

use crate::forge::{File, model};
use crate::split_set;

/// The commands that a kind stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stops {
    /// None but, if it is an error, `check`.
    Nothing,
    /// All: nothing can be read.
    All,
    /// Those that need the model's numbers or tensors.
    Model,
    /// Those that need the tokenizer.
    Tokenizer,
    /// Those that need the tokenizer, and those that need the model.
    Both,
    /// Those that need the chat template.
    Template,
}

/// How the files of a kind are made.
#[derive(Clone, Copy)]
pub enum Make {
    /// A change to a model.
    Model(fn(&mut File)),
    /// A change to the two files of a split model, each with its name.
    Split(fn(&mut Vec<(String, File)>)),
}

/// A kind of bad file.
pub struct Kind {
    /// A short name.
    pub name: &'static str,
    /// What is wrong with it, in a sentence.
    pub what: &'static str,
    pub stops: Stops,
    /// Whether `check` calls it an error. What may be right, and only vt does not have, it warns of.
    pub is_error: bool,
    /// What the message must say beside the file's name: the key, the tensor, or the part of the file.
    pub says: &'static str,
    pub make: Make,
}

const fn kind(name: &'static str, what: &'static str, stops: Stops, says: &'static str, make: Make) -> Kind {
    Kind { name, what, stops, is_error: true, says, make }
}

/// A change to a model that no command survives.
pub const fn all(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::All, says, Make::Model(make))
}

/// A change to a model that it cannot be computed with.
pub const fn model_only(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Model, says, Make::Model(make))
}

/// A change to a model after which neither its tokenizer nor its tensors can be used.
pub const fn both(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Both, says, Make::Model(make))
}

/// A change to a model that only its tokenizer suffers from.
pub const fn tokenizer(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Tokenizer, says, Make::Model(make))
}

/// A change to a model that only its chat template suffers from.
pub const fn template(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Template, says, Make::Model(make))
}

/// A change to a model that only `check` tells of: no command needs what is wrong.
pub const fn check_only(name: &'static str, what: &'static str, says: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Nothing, says, Make::Model(make))
}

/// A change to a model that looks wrong and is not: every command works.
pub const fn odd(name: &'static str, what: &'static str, make: fn(&mut File)) -> Kind {
    kind(name, what, Stops::Nothing, "", Make::Model(make)).may_be_right()
}

/// A change to a set of files that no command survives.
pub const fn split(
    name: &'static str,
    what: &'static str,
    says: &'static str,
    make: fn(&mut Vec<(String, File)>),
) -> Kind {
    kind(name, what, Stops::All, says, Make::Split(make))
}

/// A change to a set of files that the model cannot be computed with.
pub const fn split_model(
    name: &'static str,
    what: &'static str,
    says: &'static str,
    make: fn(&mut Vec<(String, File)>),
) -> Kind {
    kind(name, what, Stops::Model, says, Make::Split(make))
}

impl Kind {
    /// `check` only warns of it.
    pub const fn may_be_right(self) -> Self {
        Self { is_error: false, ..self }
    }

    /// The files, the one that commands are given first.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let one = |mut file: File, make: fn(&mut File)| {
            make(&mut file);
            vec![("bad.gguf".to_owned(), file)]
        };
        let files = match self.make {
            Make::Model(make) => one(model(2), make),
            Make::Split(make) => {
                let mut files = split_set::files(&model(2));
                make(&mut files);
                files
            }
        };
        files.into_iter().map(|(name, file)| (name, file.bytes())).collect()
    }
}
