//! The kinds of bad file: one file a theme. `odd` has files that are not bad.

pub mod alignment;
pub mod arrays;
pub mod bulk;
pub mod data;
pub mod duplicates;
pub mod foreign;
pub mod granite;
pub mod header;
pub mod heads;
pub mod keys;
pub mod metadata_types;
pub mod missing;
pub mod numbers;
pub mod odd;
pub mod offsets;
pub mod sentencepiece;
pub mod shapes;
pub mod sizes;
pub mod special_ids;
pub mod splits;
pub mod strings;
pub mod template;
pub mod tensor_infos;
pub mod tensor_types;
pub mod vocabulary;

use crate::kind::Kind;

/// Every theme with its kinds.
pub const ALL: &[(&str, &[Kind])] = &[
    ("alignment", alignment::KINDS),
    ("arrays", arrays::KINDS),
    ("bulk", bulk::KINDS),
    ("data", data::KINDS),
    ("duplicates", duplicates::KINDS),
    ("foreign", foreign::KINDS),
    ("granite", granite::KINDS),
    ("header", header::KINDS),
    ("heads", heads::KINDS),
    ("keys", keys::KINDS),
    ("metadata types", metadata_types::KINDS),
    ("missing", missing::KINDS),
    ("numbers", numbers::KINDS),
    ("offsets", offsets::KINDS),
    ("SentencePiece", sentencepiece::KINDS),
    ("shapes", shapes::KINDS),
    ("sizes", sizes::KINDS),
    ("special ids", special_ids::KINDS),
    ("splits", splits::KINDS),
    ("strings", strings::KINDS),
    ("template", template::KINDS),
    ("tensor infos", tensor_infos::KINDS),
    ("tensor types", tensor_types::KINDS),
    ("vocabulary", vocabulary::KINDS),
];
