//! Every pre-tokenizer by its names, with what the names imply besides: llama.cpp's table.
//!
//! Names that imply more than this are not here: `jina-v2-es`, `jina-v2-de`, `jina-v2-code` and `modern-bert`, whose
//! mask tokens take the spaces around them.

use super::pass::Pass;
use super::{
    DEFAULT, PreTokenizer, bloom, deepseek, deepseek3, default, falcon, gpt2, gpt4o, llama3, minicpm5, qwen2, qwen35,
    smollm,
};

pub(super) static PRE_TOKENIZERS: [PreTokenizer; 20] = [
    plain(&[DEFAULT], default::PASSES),
    plain(
        &[
            "gpt-2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "gigachat",
            "exaone4",
            "a.x-4.0",
            "mellum",
            "jina-es",
            "jina-de",
            "jina-v1-en",
            "roberta-bpe",
        ],
        gpt2::PASSES,
    ),
    PreTokenizer {
        names: &[
            "llama-bpe",
            "llama3",
            "llama-v3",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
            "jina-v5-nano",
        ],
        passes: llama3::PASSES,
        ignore_merges: true,
        add_bos: true,
    },
    whole_words(&["glm4", "glm5"], llama3::PASSES),
    plain(&["chatglm-bpe", "dbrx", "smaug-bpe"], llama3::PASSES),
    whole_words(&["minicpm5"], minicpm5::PASSES),
    plain(
        &[
            "qwen2",
            "deepseek-r1-qwen",
            "stablelm2",
            "hunyuan",
            "megrez",
            "grok-2",
            "solar-open",
            "kormo",
            "f2llmv2",
            "bailingmoe",
            "bailingmoe2",
            "llada-moe",
        ],
        qwen2::PASSES,
    ),
    plain(&["qwen35"], qwen35::PASSES),
    plain(&["laguna"], qwen2::LAGUNA),
    plain(&["seed-coder"], qwen2::SEED_CODER),
    plain(&["ufakzeka"], qwen2::UFAKZEKA),
    plain(
        &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"],
        smollm::PASSES,
    ),
    plain(&["deepseek-llm"], deepseek::LLM),
    plain(&["deepseek-coder"], deepseek::CODER),
    plain(&["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"], deepseek3::PASSES),
    plain(&["falcon"], falcon::PASSES),
    plain(&["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"], gpt4o::PASSES),
    PreTokenizer { names: &["tekken"], passes: gpt4o::TEKKEN, ignore_merges: true, add_bos: true },
    plain(&["poro-chat", "bloom", "gpt3-finnish"], bloom::PASSES),
    plain(&["viking"], bloom::VIKING),
];

const fn plain(names: &'static [&'static str], passes: &'static [Pass]) -> PreTokenizer {
    PreTokenizer { names, passes, ignore_merges: false, add_bos: false }
}

const fn whole_words(names: &'static [&'static str], passes: &'static [Pass]) -> PreTokenizer {
    PreTokenizer { names, passes, ignore_merges: true, add_bos: false }
}
