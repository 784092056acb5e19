//! A tokenizer for tiny models: GPT-2's bytes, a few merges, and special tokens.

use vt::gguf::{WriteError, Writer};

const MERGES: [&str; 12] = ["t h", "th e", "i n", "a n", "Ġ t", "Ġt he", "e r", "o n", "r e", "Ġ a", "s t", "Ġ s"];
const SPECIAL: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// The tokens that there are at least.
pub const LEAST: usize = 256 + MERGES.len() + SPECIAL.len();
/// The token that starts a text.
pub const BOS: u32 = (256 + MERGES.len()) as u32;
/// The token that ends one.
pub const EOS: u32 = BOS + 2;

/// States a tokenizer of `vocab` tokens, at least [`LEAST`].
pub fn state(writer: &mut Writer<'_>, pre: &str, vocab: usize) -> Result<(), WriteError> {
    let mut tokens: Vec<String> = (0..=255).map(|byte| char_of(byte).to_string()).collect();
    tokens.extend(MERGES.iter().map(|merge| merge.replace(' ', "")));
    let mut types = vec![1i32; tokens.len()];
    tokens.extend(SPECIAL.map(str::to_owned));
    types.extend([3; SPECIAL.len()]);
    tokens.extend((tokens.len()..vocab).map(|id| format!("<|unused{id}|>")));
    types.resize(tokens.len(), 4);
    writer.set("tokenizer.ggml.model", "gpt2")?.set("tokenizer.ggml.pre", pre)?;
    writer.set("tokenizer.ggml.tokens", &*tokens)?.set("tokenizer.ggml.token_type", &*types)?;
    writer.set("tokenizer.ggml.merges", MERGES)?;
    writer.set("tokenizer.ggml.bos_token_id", BOS)?.set("tokenizer.ggml.eos_token_id", EOS)?;
    writer.set("tokenizer.ggml.add_bos_token", false)?.set("tokenizer.chat_template", TEMPLATE)?;
    Ok(())
}

/// The character that stands for a byte: printable ones for themselves, the others count up from U+0100.
fn char_of(byte: u8) -> char {
    let printable = |b: u8| matches!(b, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..);
    if printable(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|b| !printable(*b)).count() as u32;
    char::from_u32(0x100 + before).unwrap()
}
