# SPDX-License-Identifier: MIT
"""Reads the headers under include/ as the reference shows them: declarations with the comments that stand before them.

A comment belongs to the declarations that follow it without an empty line between them. A paragraph of a comment that begins
with "scope:" or another field holds facts about an operation, separated by semicolons. What a declaration does not say is taken
from its struct, and then from the comment at the top of the file."""
import re

FIELDS = ("scope", "operands", "leaves", "waits", "LDS", "registers", "chips")
SCOPES = ("lane", "wave", "team", "work-group")
WAITS = ("nobody", "compiler", "caller", "as")
CHIPS = ("both", "gfx942", "gfx950")
OPENING, CLOSING = "([{", ")]}"


class Refused(Exception):
    pass


class Item:
    """One declaration, or several that are written alike: what it is, its names, its text, its comment and its members."""

    def __init__(self, kind, names, text, comment, line):
        self.kind, self.names, self.text, self.line = kind, names, text, line
        self.prose, self.facts = comment
        self.members, self.is_operation, self.section = [], False, None


class Header:
    def __init__(self, name, prose, facts, items):
        self.name, self.prose, self.facts, self.items = name, prose, facts, items


def split_comment(lines, where):
    """The prose of a comment as lines without slashes, and the facts in it."""
    prose, facts, paragraph = [], {}, []
    for line in [*(re.sub(r"^\s*// ?", "", text) for text in lines), ""]:
        if line.strip():
            paragraph.append(line)
            continue
        first = paragraph[0].split(":")[0] if paragraph else ""
        if first in FIELDS:
            for part in " ".join(text.strip() for text in paragraph).split(";"):
                name, colon, value = part.strip().partition(":")
                if name not in FIELDS or not colon or not value.strip():
                    raise Refused(f"{where}: '{part.strip()}' is no fact: write 'name: value' with one of {', '.join(FIELDS)}")
                facts[name] = value.strip()
        elif paragraph:
            prose += [*paragraph, ""]
        paragraph = []
    return prose[:-1], facts


def skip_text(text, at):
    """Past the comment, string or character at this place, or the same place."""
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if text[at] in "\"'" and not (text[at] == "'" and at and text[at - 1].isalnum()):
        end = at + 1
        while text[end] != text[at]:
            end += 2 if text[end] == "\\" else 1
        return end + 1
    return at


def top_level(text):
    """(place, character) outside comments, strings and brackets. Brackets themselves are at the level that they stand at."""
    depth, at = 0, 0
    while at < len(text):
        past = skip_text(text, at)
        if past != at:
            at = past
            continue
        if text[at] in CLOSING:
            depth -= 1
        if depth == 0:
            yield at, text[at]
        if text[at] in OPENING:
            depth += 1
        at += 1


def without_template(text):
    """The declaration after its `template <...>`s and what they require."""
    rest = text.lstrip()
    while rest.startswith(("template", "requires")):
        if rest.startswith("requires"):
            rest = rest[re.search(r"\b(WT_\w+|constexpr|consteval|struct|using)\b", rest).start():]
            continue
        angles = 0
        for at, character in top_level(rest):
            angles += (character == "<") - (character == ">")
            if character == ">" and angles == 0:
                rest = rest[at + 1:].lstrip()
                break
    return rest


def end_of_declaration(text):
    """The length of the declaration that the text begins with."""
    rest = without_template(text)
    skipped = len(text) - len(rest)
    is_type = re.match(r"(typedef\s+)?(struct|enum|union|class)\b", rest)
    seen_equals = False
    for at, character in top_level(rest):
        if character == "=" and not re.search(r"operator=*$", rest[:at]):
            seen_equals = True
        if character == ";":
            return skipped + at + 1
        if character == "}" and not is_type and not seen_equals:
            return skipped + at + 1
    raise Refused(f"a declaration has no end: {text[:80]!r}")


def classify(text):
    """(kind, names) of a declaration; no names for a specialization, a guide or an assertion."""
    rest = without_template(text)
    if rest.startswith(("static_assert", "friend")):
        return "none", []
    match = re.match(r"typedef\s+(struct|enum)\s+(\w+)", rest)
    if match:
        return match[1], [match[2]]
    match = re.match(r"(struct|enum class|enum|union)\s+(?:__attribute__\(\(.*?\)\)\s*)?(\w+)\s*(<)?", rest)
    if match:
        return match[1], [] if match[3] else [match[2]]
    match = re.match(r"(using|concept)\s+(\w+)\s*=", rest)
    if match:
        return match[1], [match[2]]
    head = "".join(character for _, character in top_level(rest))
    head = re.sub(r"__attribute__\(\)|alignas\(\)", "", head)
    plain = head
    while re.search(r"<[^<>]*>", plain):
        plain = re.sub(r"<[^<>]*>", "", plain)
    function = re.match(r"[^=(]*?(operator\(\)|operator[^\s(]+|[\w~]+)\s*\(", plain)
    if function:
        if re.match(r"[\w ]+\(\)\s*->", plain):
            return "none", []  # a deduction guide
        return "function", [function[1]]
    names = []
    for number, part in enumerate(split_commas(head.rstrip(";"))):
        declared = re.split(r"[=\[{]", part)[0].strip()
        if declared.endswith(">"):
            return "none", []
        names.append(re.search(r"(\w+)$", declared)[1])
    return "variable", names


def split_commas(text):
    """The parts between commas that stand outside of all brackets."""
    parts, angles, last = [], 0, 0
    for at, character in top_level(text):
        angles += (character == "<") - (character == ">")
        if character == "," and angles <= 0:
            parts.append(text[last:at])
            last = at + 1
    return [*parts, text[last:]]


def signature(text):
    """A function's declaration without its body."""
    rest = without_template(text)
    skipped = len(text) - len(rest)
    closed = False
    for at, character in top_level(rest):
        closed = closed or character == ")"
        if character == "{" or (closed and character == ":" and rest[at - 1] != ":" and rest[at + 1:at + 2] != ":"):
            return text[:skipped + at].rstrip() + ";"
    return text


def without_margin(text, margin):
    first, *rest = text.split("\n")
    return "\n".join([first, *(line[margin:] if not line[:margin].strip() else line.lstrip() for line in rest)])


def expand(macro, arguments):
    """A macro's body with these arguments."""
    parameters, body = macro
    for parameter, argument in zip(parameters, arguments):
        body = re.sub(rf"(?<!#)#{parameter}\b", f'"{argument}"', body)
        body = re.sub(rf"\b{parameter}(?=##)|(?<=##){parameter}\b|\b{parameter}\b", argument, body)
    return body.replace("##", "")


def macros_of(text):
    """The function-like macros of a header: name -> (parameters, body)."""
    macros = {}
    for define in re.finditer(r"^#\s*define (WT_\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", text, re.MULTILINE):
        macros[define[1]] = ([name.strip() for name in define[2].split(",")], re.sub(r"\s*\\\n", "\n", define[3]))
    return macros


class Reader:
    def __init__(self, name, text, macros):
        self.name, self.text, self.macros, self.defined = name, text, {**macros, **macros_of(text)}, {}

    def where(self, at):
        return f"{self.name}:{self.text.count(chr(10), 0, at) + 1}"

    def header(self):
        lines = self.text.split("\n")
        first = 1 if "SPDX" in lines[0] else 0
        last = first
        while lines[last].startswith("//"):
            last += 1
        prose, facts = split_comment(lines[first:last], f"{self.name}:1")
        items = self.declarations(self.text, sum(len(line) + 1 for line in lines[:last]), self.name)
        return Header(self.name, prose, facts, [item for item in items if not item.hidden])

    def declarations(self, text, at, where, inside=None):
        """The items of a namespace or, `inside` one, of a struct."""
        items, comment, namespaces, section = [], [], [], None
        hidden, after_comment, began = False, -1, None  # where a comment goes on, and the line of its beginning
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end].strip()
            number = text.count("\n", 0, at) + 1
            if not line:
                comment, began = [], None
            elif line.startswith("// ----"):
                section, comment, began = line[7:].strip(), [], None
            elif line.startswith("//"):
                if at != after_comment:
                    comment, began = [], number
                comment, after_comment = [*comment, line], end + 1
            elif line.startswith("#"):
                while text[end - 1] == "\\":
                    end = text.index("\n", end + 1)
                define = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?\s*(.*)", text[at:end], re.DOTALL)
                if define and not define[1].endswith("_H"):
                    known = define[1] in self.defined  # another branch of a condition has defined it
                    self.defined[define[1]] = comment
                    inner = re.search(rf"#undef {define[1]}\b", text) or any("detail" in name for name in namespaces)
                    if not inner and not known:
                        shown = f"#define {define[1]}{define[2] or ''}"
                        if define[1].endswith("_LIST") or re.fullmatch(r"\w+", define[3]):
                            shown = text[at:end].strip()  # a list or a number is what one looks for
                        items.append(self.item("macro", [define[1]], shown, comment, number, hidden, section, began))
            elif re.match(r"(inline )?namespace\b|extern \"C\" \{", line):
                namespaces.append(line)
            elif line.startswith("}"):
                namespaces = namespaces[:-1]
            elif inside and re.match(r"(private|protected|public):", line):
                hidden = not line.startswith("public")
            elif re.match(r"WT_[A-Z_]+\(", line) and line.split("(")[0] in self.macros:
                name = line.split("(")[0]
                begin = text.index("(", at)
                closed = next(at for at, character in top_level(text[begin:]) if character == ")")
                end = text.find("\n", begin + closed)
                end = len(text) if end < 0 else end
                arguments = [part.strip() for part in split_commas(text[begin + 1:begin + closed])]
                own = comment or self.defined.get(name, [])
                generated = Reader(self.name, expand(self.macros[name], arguments), self.macros)
                for item in generated.declarations(generated.text, 0, where, inside):
                    item.prose, item.facts = split_comment(own, f"{self.name}:{number}")
                    item.line, item.group, item.macro = number, (name, tuple(own)), f"{name}{arguments}"
                    item.text = re.sub(r"\s+", " ", item.text).replace("> WT_", ">\nWT_", 1)
                    item.hidden = hidden or any("detail" in part for part in namespaces)
                    item.namespace = "::".join(re.findall(r"\bnamespace ([\w:]+)", " ".join(namespaces)))
                    items.append(item)
            else:
                begin = at + len(text[at:end]) - len(text[at:end].lstrip())
                length = end_of_declaration(text[begin:])
                declared = text[begin:begin + length]
                end = text.find("\n", begin + length)
                end = len(text) if end < 0 else end
                trailing = text[begin + length:end].strip()
                if trailing.startswith("//"):  # goes on in the lines below, in the same column
                    column = text.index("//", begin + length) - text.rindex("\n", 0, begin + length) - 1
                    more = re.compile(rf"\n {{{column}}}//(.*)").match(text, end)
                    while more:
                        trailing, end = trailing + more[1], more.end()
                        more = re.compile(rf"\n {{{column}}}//(.*)").match(text, end)
                kind, names = classify(declared)
                unseen = hidden or any("detail" in name for name in namespaces)
                if kind != "none":
                    shown = declared if kind != "function" else signature(declared)
                    if trailing.startswith("//"):
                        shown += "  " + trailing
                    item = self.item(kind, names, without_margin(shown, begin - at), comment, number, unseen, section, began)
                    item.is_operation = kind == "function" and bool(re.search(r"\bWT_DEVICE\b", shown))
                    item.namespace = "::".join(re.findall(r"\bnamespace ([\w:]+)", " ".join(namespaces)))
                    if kind in ("struct", "union") and "{" in declared and names:
                        body = declared[declared.index("{") + 1:declared.rindex("}")]
                        item.members = [m for m in self.declarations(body, 0, where, inside=names[0]) if not m.hidden]
                        item.head = without_margin(declared[:declared.index("{")].rstrip(), begin - at)
                        item.tail = declared[declared.rindex("}"):]
                    items.append(item)
            at = end + 1
        return items

    def item(self, kind, names, shown, comment, number, hidden, section, began=None):
        item = Item(kind, names, shown, split_comment(comment, f"{self.name}:{number}"), number)
        item.hidden, item.section, item.group = hidden, section, began
        item.macro, item.namespace = None, ""
        return item


def read(name, text, macros=None):
    """A header; `macros` are those of the headers that it may include."""
    return Reader(name, text, macros or {}).header()


def facts_of(header, item, owner=None):
    """The facts of an item. A member keeps no registers unless it says so: those of its struct are said once, of the struct."""
    inherited = {**header.facts, **owner.facts} if owner else header.facts
    if owner and "registers" in inherited:
        inherited = {**inherited, "registers": "none"}
    return {**inherited, **item.facts}


def check(header):
    """Refuses a header of which some public name has no comment, or some operation lacks a fact."""
    for item in header.items:
        for owner, member in [(None, item), *((item, inner) for inner in item.members)]:
            if not member.names:
                continue
            name = f"{owner.names[0]}::{member.names[0]}" if owner else member.names[0]
            where = f"{header.name}: {name}"
            needs_prose = owner is None or (member.is_operation and not member.names[0].startswith("operator"))
            if needs_prose and not member.prose:
                raise Refused(f"{where} has no comment: say above it what it does")
            if not member.is_operation and not (member.facts and owner is None):
                continue
            facts = facts_of(header, member, owner)
            for field in FIELDS:
                if field not in facts:
                    raise Refused(f"{where} does not say its '{field}': add a paragraph 'scope: ...; operands: ...; leaves: ...; "
                                  "waits: ...; LDS: ...; registers: ...; chips: ...' to its comment")
            if facts["scope"] not in SCOPES:
                raise Refused(f"{where} has the scope '{facts['scope']}': choose one of {', '.join(SCOPES)}")
            if re.split(r"[ ,]", facts["waits"])[0] not in WAITS:
                raise Refused(f"{where} says that '{facts['waits']}' waits: begin with one of {', '.join(WAITS)}")
            if facts["chips"] not in CHIPS:
                raise Refused(f"{where} has the chips '{facts['chips']}': choose one of {', '.join(CHIPS)}")
            if not re.search(r"none|vmcnt|lgkmcnt|list|micro-op|outstanding", facts["leaves"]):
                raise Refused(f"{where} leaves '{facts['leaves']}': name vmcnt, lgkmcnt or none")
