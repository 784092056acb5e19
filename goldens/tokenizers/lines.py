"""Texts that are hard to tokenize, the same ones every time."""
import random

# Blocks of code points, and how words are made of them: first, last.
SCRIPTS = {
    "latin": [(0x61, 0x7A), (0x41, 0x5A)],
    "latin-1": [(0xC0, 0xFF), (0x61, 0x7A)],
    "latin-extended": [(0x100, 0x24F), (0x1E00, 0x1EFF), (0x250, 0x2AF), (0xA720, 0xA7FF)],
    "greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "cyrillic": [(0x400, 0x4FF), (0x500, 0x52F)],
    "armenian, georgian": [(0x531, 0x587), (0x10A0, 0x10FF), (0x1C90, 0x1CBF)],
    "hebrew": [(0x591, 0x5F4)],
    "arabic": [(0x600, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF)],
    "devanagari": [(0x900, 0x97F)],
    "bengali, tamil, telugu": [(0x980, 0x9FF), (0xB80, 0xBFF), (0xC00, 0xC7F)],
    "thai, lao, tibetan": [(0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFFF)],
    "khmer, myanmar, ethiopic": [(0x1780, 0x17F9), (0x1000, 0x109F), (0x1200, 0x137F)],
    "cherokee": [(0x13A0, 0x13FF), (0xAB70, 0xABBF)],
    "han": [(0x4E00, 0x9FFF), (0x3400, 0x4DBF)],
    "kana": [(0x3041, 0x30FF), (0xFF66, 0xFF9F)],
    "hangul": [(0xAC00, 0xD7A3), (0x1100, 0x11FF), (0x3131, 0x318E)],
    "full width": [(0xFF01, 0xFF5E)],
    "letters beyond the first plane": [(0x10400, 0x1044F), (0x1D400, 0x1D7FF), (0x20000, 0x2A6DF), (0x1E900, 0x1E95F)],
}
DIGITS = [(0x30, 0x39), (0x660, 0x669), (0x966, 0x96F), (0xFF10, 0xFF19), (0x2160, 0x2188), (0xB2, 0xB9), (0x1D7CE, 0x1D7FF)]
MARKS = [(0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x64B, 0x65F), (0x93A, 0x94F), (0x20D0, 0x20F0), (0xFE00, 0xFE0F)]
SIGNS = [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E), (0xA1, 0xBF), (0x2010, 0x205E), (0x20A0, 0x20BF),
         (0x2190, 0x23FF), (0x2500, 0x27BF), (0x3001, 0x303F), (0xFE30, 0xFE6F)]
CONTROLS = [(0, 0x1F), (0x7F, 0x9F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFD)]
UNASSIGNED = [(0x378, 0x379), (0x530, 0x530), (0xE000, 0xF8FF), (0xFDD0, 0xFDEF), (0x2FE0, 0x2FEF), (0xF0000, 0xF00FF),
              (0x10FFF0, 0x10FFFF), (0x1CCF0, 0x1CCF9), (0x105C0, 0x105FF), (0x3134B, 0x3134F), (0xE0100, 0xE01EF)]
SPACES = ["\t", "\n", "\r", "\r\n", "\n\n", "\v", "\f", " ", "  ", "   ", "    ", "\x85", "\xa0", "\u1680", "\u2003", "\u2009",
          "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", " \n", "\n ", "\t\n", " \u3000", "\u3000 "]
EMOJI = ["😀", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "❤️", "1️⃣", "🧑🏿‍🚀", "☺", "🤷🏻‍♀️", "🫠", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]
CONTRACTIONS = ["s", "t", "re", "ve", "m", "ll", "d", "r", "v", "l", "x", "em", "ſ", "sam", "le"]
PROSE = [
    "Don't you think it's odd that they've gone? We'll see; I'm sure he'd agree, they're late.",
    "DON'T SHOUT, IT'S LATE, WE'LL GO, THEY'VE LEFT, I'M HERE, HE'D KNOW, YOU'RE RIGHT",
    "Die Straße ist naß; Äpfel, Öl und Übermut kosten 1.234,56 € (inkl. MwSt.) – „so ist's“.",
    "L'été dernier, à l'hôtel, j'ai mangé des crêpes où l'on parlait d'œuvres; ça m'a plu: 12 %.",
    "¿Qué pasó ayer? ¡Nada! El niño pidió 3 piñas y 1½ kg de jalapeños.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Это было в 1917 году № 5.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Ὁ θεὸς ἀγάπη ἐστίν.",
    "שָׁלוֹם עוֹלָם, מה שלומך היום? 25% הנחה",
    "السَّلَامُ عَلَيْكُمْ، كيف حالك؟ ١٢٣٤٥ درهم",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है। १२३४",
    "ประเทศไทยมีประชากรมากกว่า ๖๕ ล้านคน และกรุงเทพฯ",
    "人工智能的发展历史可以追溯到1950年代,“图灵测试”是其中之一。《论文》……",
    "日本語のテキストはひらがな、カタカナ、漢字が混ざっています。ｶﾀｶﾅも、１２３も。",
    "대한민국의 수도는 서울입니다. 인구는 약 1,000만 명이며, 한글은 1443년에 만들어졌다.",
    "Tiếng Việt có nhiều dấu thanh: à, ả, ã, á, ạ. Người ta nói thế.",
    "ﬁne ﬂow Ĳssel Ǆungla ŉ ſtrange K Å Ω ℌ ℵ ⅷ ½ ² ₂ ª º",
    "e\u0301a\u0300o\u0308 u\u0308\u0304 \u0301x a\u20dd 1\u20e3 \u200da\u200cb",
]
CODE = [
    "def f(x, *args, **kwargs):\n    \"\"\"Doc.\"\"\"\n\treturn {k: v**2 for k, v in kwargs.items() if k != 'self'}\n",
    "#include <stdio.h>\r\nint main(void) {\r\n    printf(\"%d\\n\", 0x1F);\r\n    return 0; // done\r\n}\r\n",
    "for (let i = 0; i < 1e6; i += 2) { camelCaseName[i] ||= `${i}`; }   \n\n\n\t\t/* end */",
    "SELECT a.id, COUNT(*) AS n FROM t_1 a WHERE a.x >= 10 AND a.y <> 'it''s' GROUP BY 1;",
    "<div class=\"a-b_c\">&nbsp;HTMLParser2XML</div><!-- x -->",
    "fn main() -> Result<(), Box<dyn Error>> { let x: &'static str = \"é\"; Ok(()) }",
    "$ ls -la ~/.config | grep -E '^d' > /dev/null 2>&1; echo $?",
    "{\"key\": [1, 2.5, -3e-10, null, true], \"ключ\": \"\\u00e9\"}",
    "\\frac{1}{2} \\sum_{i=0}^{n} x_i^{2} \\leq \\infty $$E=mc^2$$",
    "https://example.org/a/b?c=d&e=f#g user@example.com 192.168.0.1 2024-01-31T23:59:59Z",
    "XMLHttpRequest iOS eBay McDonald's NASA's GPUs ABCdef aBcDe ÀÉîÕü ПриВЕТ//\n/x",
]
# One of each kind that an expression may tell apart.
KINDS = list("asSrRvVeElLmMdDtTxXzZ019.,'\"$+<=>^`|~!?()[]_-/\\@{}%&*:; \t\n\r\v") + list(
    "éÉßǅʰ字龥龦ࠀ一あア゠ー가힣ힰ퟿ａＡ！～０，．・\u3000、。〃“‘”•…–।۔،ªº²½Ⅷ٣१৳€©→😀\u0301\u0903\u20dd\ufe0f\u200d\u200b\xad\0\x1c\x7f\x85\xa0\u1680\u2003"
    "\u2028\u202f\u0378\ue000\U000f0000\U00010400\U0001d400\U0001d7ce\U00020000\U0001cce0ſK")


class Texts:
    """A source of random texts."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def below(self, limit):
        return int(self.random.random() * limit)

    def one(self, items):
        return items[self.below(len(items))]

    def char(self, blocks):
        first, last = self.one(blocks)
        return chr(first + self.below(last - first + 1))

    def chars(self, blocks, most):
        return "".join(self.char(blocks) for _ in range(1 + self.below(most)))

    def any_char(self):
        code = self.below(0x110000) if self.below(3) == 0 else self.below(0x3200)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def word(self):
        return self.chars(self.one(list(SCRIPTS.values())), 9)

    def space(self):
        return self.one(SPACES)

    def digits(self):
        return self.chars([self.one(DIGITS)], self.one([1, 3, 4, 7, 13])) if self.below(3) else self.chars(DIGITS, 6)

    def contraction(self):
        ending = self.one(CONTRACTIONS)
        ending = self.one([ending, ending.upper(), ending.capitalize(), ending[:1] + ending[1:].upper()])
        return self.one(["'", "'", "'", "’", " '", "''", "\n'"]) + ending

    def kinds(self):
        return "".join(self.one(KINDS) for _ in range(2 + self.below(12)))

    def run(self):
        return self.one(KINDS) * self.one([2, 3, 4, 5, 8, 17])

    def sentence(self):
        return self.one(PROSE)

    def code(self):
        return self.one(CODE)

    def piece(self):
        makers = [self.word] * 4 + [self.space] * 3 + [self.digits, self.contraction, self.kinds, self.kinds, self.run] + [
            lambda: self.chars(SIGNS, 4), lambda: self.chars(MARKS, 3), lambda: self.chars(CONTROLS, 2),
            lambda: self.chars(UNASSIGNED, 2), lambda: self.one(EMOJI), self.any_char,
            lambda: self.one(["'", ".", ",", "/", "-", " ", "\n"])]
        return self.one(makers)()

    def mixture(self):
        return "".join(self.piece() for _ in range(1 + self.below(14)))

    def words(self):
        return self.one([" ", " ", "  ", "\u3000", "\n"]).join(self.word() for _ in range(1 + self.below(8)))

    def cut(self):
        """A part of a sentence or of code."""
        text = self.one(PROSE + CODE)
        start = self.below(len(text))
        return text[start:start + 1 + self.below(60)]

    def of_tokens(self, tokens):
        return "".join(self.one(tokens) for _ in range(1 + self.below(10)))

    def with_special(self, special, tokens):
        parts = [self.one([self.one(special), self.one(special), self.one(special)[: 1 + self.below(8)], self.piece(),
                           self.space(), self.one(tokens)]) for _ in range(2 + self.below(6))]
        return "".join(parts)


def lines(count, tokens=("a",), special=("<s>",), seed=1):
    """`count` texts; some are made of `tokens`, some have `special` ones in them. None has U+0000 alone at its end only."""
    texts = Texts(seed)
    whole = ["", " ", "  ", "\n", "\r\n", "\t", "'", "''", "\0", "a", "é", "字", "😀", *PROSE, *CODE, *KINDS]
    makers = [texts.mixture, texts.mixture, texts.mixture, texts.words, texts.kinds, texts.cut,
              lambda: texts.of_tokens(tokens), lambda: texts.of_tokens(tokens), lambda: texts.with_special(special, tokens)]
    while len(whole) < count:
        whole.append(texts.one(makers)())
    return whole[:count]
