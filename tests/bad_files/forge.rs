//! Files made byte by byte, independent of vt's writer: also such that no writer would make.

use vt::core::DType;

use crate::alphabet::letter;
use crate::tiny::{blocks, random::Random};

/// The numbers of metadata types in a file.
pub const U32: u32 = 4;
pub const I32: u32 = 5;
pub const F32: u32 = 6;
pub const BOOL: u32 = 7;
pub const STRING: u32 = 8;
pub const ARRAY: u32 = 9;
pub const U64: u32 = 10;
pub const F64: u32 = 12;

/// A metadata value: the number of its type, and its bytes.
pub type Value = (u32, Vec<u8>);

pub fn u32(n: u32) -> Value {
    (U32, n.to_le_bytes().into())
}

pub fn i32(n: i32) -> Value {
    (I32, n.to_le_bytes().into())
}

pub fn u64(n: u64) -> Value {
    (U64, n.to_le_bytes().into())
}

pub fn f32(x: f32) -> Value {
    (F32, x.to_le_bytes().into())
}

pub fn f64(x: f64) -> Value {
    (F64, x.to_le_bytes().into())
}

pub fn bool(x: bool) -> Value {
    (BOOL, vec![x.into()])
}

pub fn string(text: impl AsRef<[u8]>) -> Value {
    (STRING, sized(text.as_ref()))
}

/// An array that claims `n` elements, whatever its bytes are.
pub fn array(elem: u32, n: u64, bytes: impl AsRef<[u8]>) -> Value {
    let mut value = elem.to_le_bytes().to_vec();
    value.extend(n.to_le_bytes());
    value.extend(bytes.as_ref());
    (ARRAY, value)
}

/// An array of numbers.
pub fn array_of(elems: &[Value]) -> Value {
    let kind = elems.first().map_or(U32, |(kind, _)| *kind);
    array(kind, elems.len() as u64, elems.iter().flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<u8>>())
}

pub fn strings<T: AsRef<[u8]>>(texts: &[T]) -> Value {
    let bytes: Vec<u8> = texts.iter().flat_map(|text| sized(text.as_ref())).collect();
    array(STRING, texts.len() as u64, bytes)
}

/// A length, then the bytes.
pub fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

/// A metadata entry, as far as a file states it.
#[derive(Clone)]
pub struct Entry {
    pub key: Vec<u8>,
    pub kind: u32,
    pub value: Vec<u8>,
    /// The length that the key claims, if not its own.
    pub key_len: Option<u64>,
}

/// A tensor info.
#[derive(Clone)]
pub struct Info {
    pub name: Vec<u8>,
    /// The length that the name claims, if not its own.
    pub name_len: Option<u64>,
    /// The number of dimensions that it claims, if not that of `ne`.
    pub rank: Option<u32>,
    /// The fastest dimension first.
    pub ne: Vec<u64>,
    pub kind: u32,
    pub offset: u64,
}

/// A file in its parts.
#[derive(Clone)]
pub struct File {
    pub magic: [u8; 4],
    pub version: u32,
    /// The numbers that the header claims, if not the true ones.
    pub claimed_tensors: Option<u64>,
    pub claimed_entries: Option<u64>,
    pub entries: Vec<Entry>,
    pub infos: Vec<Info>,
    /// What the data are aligned to in truth.
    pub alignment: usize,
    pub data: Vec<u8>,
    /// If set, the file is this and nothing else.
    pub instead: Option<Vec<u8>>,
    /// How many bytes are missing at the end.
    pub cut: usize,
}

impl Default for File {
    fn default() -> Self {
        Self {
            magic: *b"GGUF",
            version: 3,
            claimed_tensors: None,
            claimed_entries: None,
            entries: Vec::new(),
            infos: Vec::new(),
            alignment: 32,
            data: Vec::new(),
            instead: None,
            cut: 0,
        }
    }
}

impl File {
    /// States a metadata entry, in the place of the one with that key if there is one.
    pub fn set(&mut self, key: &str, (kind, value): Value) {
        match self.entries.iter_mut().find(|entry| entry.key == key.as_bytes()) {
            Some(entry) => (entry.kind, entry.value) = (kind, value),
            None => self.push(key, (kind, value)),
        }
    }

    /// Appends a metadata entry, whether or not there is one with that key.
    pub fn push(&mut self, key: impl AsRef<[u8]>, (kind, value): Value) {
        self.entries.push(Entry { key: key.as_ref().into(), kind, value, key_len: None });
    }

    /// Takes a metadata entry out.
    pub fn remove(&mut self, key: &str) {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.key != key.as_bytes());
        assert_ne!(self.entries.len(), before, "no key `{key}`");
    }

    pub fn entry(&mut self, key: &str) -> &mut Entry {
        self.entries.iter_mut().find(|entry| entry.key == key.as_bytes()).expect("a key of the file")
    }

    /// Appends a tensor with its bytes.
    pub fn add(&mut self, name: &str, ne: &[u64], kind: u32, bytes: &[u8]) {
        let (name, ne, offset) = (name.into(), ne.into(), self.data.len() as u64);
        self.infos.push(Info { name, name_len: None, rank: None, ne, kind, offset });
        self.data.extend(bytes);
        self.data.resize(self.data.len().next_multiple_of(self.alignment), 0);
    }

    pub fn info(&mut self, name: &str) -> &mut Info {
        self.infos.iter_mut().find(|info| info.name == name.as_bytes()).expect("a tensor of the file")
    }

    /// Takes a tensor's info out; its bytes stay.
    pub fn remove_tensor(&mut self, name: &str) {
        let before = self.infos.len();
        self.infos.retain(|info| info.name != name.as_bytes());
        assert_ne!(self.infos.len(), before, "no tensor `{name}`");
    }

    /// Ends the file `more` bytes behind a key. What is left is long enough for as many entries as the header counts,
    /// and there are no tensors: the counts would be refused first.
    pub fn cut_behind(&mut self, key: &str, more: usize) {
        self.infos.clear();
        self.push("long", string([b' '; 1000]));
        self.entries.rotate_right(1);
        let head = self.head();
        let at = head.windows(key.len()).position(|window| window == key.as_bytes()).expect("a key of the file");
        self.instead = Some(head[..at + key.len() + more].into());
    }

    /// The header, the metadata and the infos.
    pub fn head(&self) -> Vec<u8> {
        let mut out = self.magic.to_vec();
        out.extend(self.version.to_le_bytes());
        out.extend(self.claimed_tensors.unwrap_or(self.infos.len() as u64).to_le_bytes());
        out.extend(self.claimed_entries.unwrap_or(self.entries.len() as u64).to_le_bytes());
        for entry in &self.entries {
            out.extend(entry.key_len.unwrap_or(entry.key.len() as u64).to_le_bytes());
            out.extend(&entry.key);
            out.extend(entry.kind.to_le_bytes());
            out.extend(&entry.value);
        }
        for info in &self.infos {
            out.extend(info.name_len.unwrap_or(info.name.len() as u64).to_le_bytes());
            out.extend(&info.name);
            out.extend(info.rank.unwrap_or(info.ne.len() as u32).to_le_bytes());
            info.ne.iter().for_each(|n| out.extend(n.to_le_bytes()));
            out.extend(info.kind.to_le_bytes());
            out.extend(info.offset.to_le_bytes());
        }
        out
    }

    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        if let Some(bytes) = &self.instead {
            return bytes.clone();
        }
        let mut out = self.head();
        if !self.data.is_empty() {
            out.resize(out.len().next_multiple_of(self.alignment), 0);
            out.extend(&self.data);
        }
        out.truncate(out.len().saturating_sub(self.cut));
        out
    }
}

/// Elements of a token's vector, of a feed-forward layer, query heads, key/value heads.
pub const DIM: u64 = 32;
pub const FF: u64 = 256;
pub const HEADS: u64 = 2;
pub const KV_HEADS: u64 = 1;
/// Tokens in the vocabulary: the bytes, two merged pairs, three special ones and a spare one.
pub const VOCAB: u64 = 262;
pub const BOS: u32 = 258;
pub const EOS: u32 = 260;

/// A small llama with a tokenizer, a template and several block types: nothing is wrong with it.
pub fn model(layers: u32) -> File {
    let mut file = File::default();
    hyperparameters(&mut file, layers);
    vocabulary(&mut file);
    tensors(&mut file, layers);
    file
}

/// The same tokenizer in a file without tensors.
pub fn tokenizer_only() -> File {
    let mut file = File::default();
    file.set("general.architecture", string("llama"));
    vocabulary(&mut file);
    file
}

fn hyperparameters(file: &mut File, layers: u32) {
    file.set("general.architecture", string("llama"));
    file.set("general.alignment", u32(32));
    for (key, value) in [
        ("block_count", layers),
        ("context_length", 64),
        ("embedding_length", DIM as u32),
        ("feed_forward_length", FF as u32),
        ("attention.head_count", HEADS as u32),
        ("attention.head_count_kv", KV_HEADS as u32),
        ("rope.dimension_count", (DIM / HEADS) as u32),
    ] {
        file.set(&format!("llama.{key}"), u32(value));
    }
    file.set("llama.attention.layer_norm_rms_epsilon", f32(1e-5));
    file.set("llama.rope.freq_base", f32(10_000.0));
}

/// The texts of the tokens.
pub fn tokens() -> Vec<String> {
    let bytes = (0..=255).map(|byte| letter(byte).to_string());
    let others = ["he", "hell", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|spare|>"];
    bytes.chain(others.map(str::to_owned)).collect()
}

/// Renders a conversation in ChatML.
pub const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

fn vocabulary(file: &mut File) {
    let types: Vec<Value> = (0..VOCAB).map(|id| i32(if id < 258 { 1 } else { 3 })).collect();
    file.set("tokenizer.ggml.model", string("gpt2"));
    file.set("tokenizer.ggml.pre", string("gpt-2"));
    file.set("tokenizer.ggml.tokens", strings(&tokens()));
    file.set("tokenizer.ggml.token_type", array_of(&types));
    file.set("tokenizer.ggml.merges", strings(&["h e", "l l", "he ll"]));
    file.set("tokenizer.ggml.bos_token_id", u32(BOS));
    file.set("tokenizer.ggml.eos_token_id", u32(EOS));
    file.set("tokenizer.ggml.add_bos_token", bool(false));
    file.set("tokenizer.chat_template", string(TEMPLATE));
}

fn tensors(file: &mut File, layers: u32) {
    let mut random = Random::new(7);
    let mut matrix = |file: &mut File, name: &str, dtype: DType, [rows, cols]: [u64; 2]| {
        let bytes = blocks::matrix(&mut random, dtype, rows as usize, cols as usize, 0.2);
        file.add(name, &[cols, rows], dtype.gguf_id().expect("a type of files"), &bytes);
    };
    let ones: Vec<u8> = (0..DIM).flat_map(|_| 1f32.to_le_bytes()).collect();
    let kv = DIM / HEADS * KV_HEADS;
    matrix(file, "token_embd.weight", DType::Q8_0, [VOCAB, DIM]);
    file.add("output_norm.weight", &[DIM], 0, &ones);
    for layer in 0..layers {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        let last = if layer == 0 { DType::Q6K } else { DType::Q4K };
        file.add(&name("attn_norm"), &[DIM], 0, &ones);
        matrix(file, &name("attn_q"), DType::Q4_0, [DIM, DIM]);
        matrix(file, &name("attn_k"), DType::F16, [kv, DIM]);
        matrix(file, &name("attn_v"), DType::Q4_1, [kv, DIM]);
        matrix(file, &name("attn_output"), DType::BF16, [DIM, DIM]);
        file.add(&name("ffn_norm"), &[DIM], 0, &ones);
        matrix(file, &name("ffn_gate"), DType::Q5_0, [FF, DIM]);
        matrix(file, &name("ffn_up"), DType::Q5_1, [FF, DIM]);
        matrix(file, &name("ffn_down"), last, [DIM, FF]);
    }
}
