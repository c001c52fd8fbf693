# SPDX-License-Identifier: MIT
"""Makes the mutations of a C file: each changes one operator, constant, condition or statement.

Comments, strings and preprocessor lines stay as they are, except for the body of a #define, which may be a table. The sources
are formatted by clang-format, and so an operator between two operands is one with white space on both sides.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!+*/%&|^-]=|&&|\|\||##?|\S)",
    re.S,
)
# This is a directive with its continued lines. What it names, up to the parameters of a macro, is no code.
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)]*\))?")

BINARY = {
    "relation": {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)},
    "arithmetic": {"+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*",), "%": ("/",), "+=": ("-=",), "-=": ("+=",), "*=": ("+=",), "/=": ("*=",)},
    "bits": {"&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",), "&=": ("|=",), "|=": ("&=",), "^=": ("|=",), "<<=": (">>=",), ">>=": ("<<=",)},
    "logic": {"&&": ("||",), "||": ("&&",)},
}
BINARY_OF = {old: (kind, new) for kind, signs in BINARY.items() for old, new in signs.items()}
UNARY = {"++": ("arithmetic", ("--",)), "--": ("arithmetic", ("++",)), "!": ("logic", ("",)), "~": ("bits", ("",))}

INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)")
FLOAT = re.compile(r"(\d+\.\d*)([fF]?)")
# A statement that begins with one of these words declares, controls or leaves; without a `return` little else compiles.
KEPT_WORDS = set("if else for while do switch case default return goto struct enum union typedef static const extern sizeof "
                 "static_assert _Static_assert".split())


@dataclass(frozen=True)
class Mutation:
    """`text[begin:end]` becomes `new`."""
    kind: str
    begin: int
    end: int
    new: str

    def apply(self, text):
        """Returns the mutated text, in which every other line keeps its number."""
        return text[: self.begin] + self.new + text[self.end :]


def code_tokens(text):
    """Returns matches of TOKEN that are code."""
    directives = {}
    for directive in DIRECTIVE.finditer(text):
        head = DEFINE.match(directive.group())
        directives[directive.start()] = directive.start() + head.end() if head else directive.end()
    at = 0
    starts = iter(sorted(directives))
    start = next(starts, len(text))
    while token := TOKEN.search(text, at):
        while token.start() > start and at > start:
            start = next(starts, len(text))
        if start <= token.start():
            at = directives[start]
            start = next(starts, len(text))
            continue
        at = token.end()
        if not token["skip"] and token.group() != "\\":
            yield token


def of_number(word):
    """Returns the neighbours of a constant. A word such as 32_64 in a table is none."""
    if match := INTEGER.fullmatch(word):
        digits, suffix = match.groups()
        value = int(digits, 0 if digits[:2] in ("0x", "0X") else 8 if re.fullmatch("0[0-7]+", digits) else 10)
        form = hex if digits[:2] in ("0x", "0X") else str
        return [form(near) + suffix for near in (value + 1, value - 1) if near >= 0]
    if match := FLOAT.fullmatch(word):
        return [f"{float(match[1]) + 1}{match[2]}", f"{float(match[1]) - 1}{match[2]}"]
    return []


def closing(tokens, i):
    """Returns the index of the bracket that closes tokens[i], or None."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[j].group(), 0)
        if depth == 0:
            return j
    return None


def length_of_array(tokens, i):
    """Returns whether the number tokens[i] is the length in the declaration of an array: a longer one changes no result."""
    near = [token.group() for token in tokens[max(0, i - 3) : i + 2]]
    return len(near) == 5 and near[2] == "[" and near[4] == "]" and tokens[i - 2]["word"] and (
        near[0] == "*" or bool(tokens[i - 3]["word"]) and near[0] not in KEPT_WORDS)


def statement_end(tokens, i, in_row):
    """Returns the end of the expression statement that begins with tokens[i], or None. In a table's row the last one
    ends with a bracket."""
    word, sign = tokens[i]["word"], tokens[i].group()
    if not word and sign not in ("*", "++", "--", "(") or sign in KEPT_WORDS or i + 2 >= len(tokens):
        return None
    after = tokens[i + 1].group()
    if word and (tokens[i + 1]["word"] or after == ":" or after == "*" and tokens[i + 1].end() == tokens[i + 2].start()):
        return None  # a declaration or a label
    acts = sign in ("break", "continue")
    while i < len(tokens):
        sign = tokens[i].group()
        if sign == ";" or sign == ")" and in_row:
            return tokens[i].start() if acts else None
        if sign in ")]}":
            return None
        if sign in "([{":
            acts |= sign == "(" and bool(tokens[i - 1]["word"])
            i = closing(tokens, i)
            if i is None:
                return None
        acts |= sign in ("=", "++", "--") or sign[-1] == "=" and sign not in ("==", "!=", "<=", ">=")
        i += 1
    return None


def statements(text, tokens):
    """Removes statements, and negates conditions of `if`."""
    rows = [match.span() for match in DIRECTIVE.finditer(text)]
    ends, headers = set(), set()  # closing brackets after which a statement begins; what stands in the brackets of a `for`
    for i, token in enumerate(tokens[:-1]):
        sign = token.group()
        if sign in ("if", "for", "while", "switch") and tokens[i + 1].group() == "(":
            end = closing(tokens, i + 1)
            if end is None:
                continue
            ends.add(end)
            if sign == "for":
                headers.update(range(i, end))
            if sign == "if":
                condition = text[tokens[i + 1].end() : tokens[end].start()]
                yield Mutation("condition", tokens[i + 1].end(), tokens[end].start(), f"!({condition})")
        if (sign in (";", "{", "}", "else") or i in ends) and i not in headers:
            begin = tokens[i + 1].start()
            row = next((row for row in rows if row[0] < begin < row[1]), None)
            if row is None and text[begin - 1] == "\n" or row and token.start() < row[0]:
                continue  # not in a function
            end = statement_end(tokens, i + 1, row is not None)
            if end is not None and (row is None or end < row[1]):
                yield Mutation("statement", begin, end, re.sub(r"[^\n\\]|\\(?!\n)", "", text[begin:end]))


def mutations_of(text):
    """Returns all mutations of a C file's text, as lists: the alternatives for each place."""
    tokens = list(code_tokens(text))
    for i, token in enumerate(tokens):
        sign, begin, end = token.group(), token.start(), token.end()
        if token["number"] and not length_of_array(tokens, i):
            new, kind = of_number(sign), "constant"
        elif sign in BINARY_OF and text[begin - 1].isspace() and text[end : end + 1].isspace():
            kind, new = BINARY_OF[sign]
        elif sign in UNARY and not text[end : end + 1].isspace() or sign in ("++", "--"):
            kind, new = UNARY[sign]
        else:
            continue
        if new:
            yield [Mutation(kind, begin, end, n) for n in new]
    for mutation in statements(text, tokens):
        yield [mutation]
