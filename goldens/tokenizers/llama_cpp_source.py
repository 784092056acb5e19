"""What llama.cpp's source says about pre-tokenizers: names, expressions, flags; and its own function that cuts texts."""
import re
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ["unicode.cpp", "unicode.h", "unicode-data.cpp", "unicode-data.h", "llama-vocab.cpp"]


@dataclass(frozen=True)
class PreTokenizer:
    name: str
    expressions: tuple
    ignore_merges: bool
    add_bos: bool


def unpack(package, folder):
    """Takes the files that are needed out of the source package llama_cpp_python-*.tar.gz."""
    with tarfile.open(package) as tar:
        for member in tar:
            if "/vendor/llama.cpp/src/" in member.name and Path(member.name).name in FILES:
                (Path(folder) / Path(member.name).name).write_bytes(tar.extractfile(member).read())


def literals(cpp):
    """The string literals in lines of C++ that are no comments."""
    code = "\n".join(line for line in cpp.split("\n") if not line.strip().startswith("//"))
    escapes = {"n": "\n", "r": "\r", "t": "\t"}
    unescape = lambda text: re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), text)
    return tuple(unescape(text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code))


def pre_tokenizers(folder):
    """All names in llama-vocab.cpp whose words are written in GPT-2's byte alphabet."""
    source = (Path(folder) / "llama-vocab.cpp").read_text()
    cases = source[source.index("struct llm_tokenizer_bpe :"):source.index("struct llm_tokenizer_bpe_session")]
    expressions = {}
    for labels, listed, rest in re.findall(
        r"((?:(?:case LLAMA_VOCAB_PRE_TYPE_\w+|default):\s*)+)(?:\s*//[^\n]*\n)*\s*regex_exprs = \{(.*?)\n *\};(.*?)break;",
        cases, re.S):
        for label in re.findall(r"PRE_TYPE_(\w+)|(default)", labels):
            if "byte_encode = false" not in rest:
                expressions["".join(label).upper()] = literals(listed)
    found = []
    chain = source[source.index('} else if (tokenizer_pre == "default")'):source.index("unknown pre-tokenizer type")]
    for branch in chain.split("} else if (")[1:]:
        names = re.findall(r'tokenizer_pre == "([^"]+)"', branch)
        kind = re.search(r"pre_type = LLAMA_VOCAB_PRE_TYPE_(\w+);", branch)[1]
        flags = ["ignore_merges = true" in branch, "add_bos = true" in branch]
        found += [PreTokenizer(name, expressions[kind], *flags) for name in names if kind in expressions]
    return found


class Splitter:
    """llama.cpp's own splitting of texts into words."""

    def __init__(self, folder):
        program = Path(folder) / "words"
        if not program.exists():
            sources = [HERE / "words.cpp", *(Path(folder) / name for name in FILES[:4] if name.endswith(".cpp"))]
            subprocess.run(["c++", "-std=c++17", "-O2", "-w", f"-I{folder}", "-o", program, *sources], check=True)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def words(self, expressions, texts):
        """For each text the lengths of its words in code points; None for expressions that are not understood."""
        self.process.stdin.write("E " + " ".join(e.encode().hex() for e in expressions) + "\n")
        answers = [self.ask("T " + text.encode().hex()) for text in texts]
        return None if "error" in answers else [[int(length) for length in answer.split()] for answer in answers]

    def classes(self):
        """Runs of code points of the same class: (length, one of ` LMNPSC`)."""
        runs = self.ask("C").rstrip("\t").split("\t")
        return [(int(run.split(" ", 1)[0]), run.split(" ", 1)[1]) for run in runs]
