# SPDX-License-Identifier: MIT
"""Reads the headers under include/ as the reference shows them: declarations with the comments that stand before them.

A comment belongs to the declarations that follow it without an empty line between them. A paragraph of a comment that begins
with "scope:" or another field holds facts about an operation, separated by semicolons. What a declaration does not say is taken
from its struct, and then from the comment at the top of the file."""
import re

from cpp_text import classify, end_of_declaration, expand, macros_of, signature, split_commas, top_level, without_margin

FIELDS = ("scope", "operands", "leaves", "waits", "LDS", "registers", "chips")
SCOPES = ("lane", "wave", "team", "work-group")
WAITS = ("nobody", "compiler", "caller", "as")
CHIPS = ("both", "gfx942", "gfx950")


class Refused(Exception):
    pass


class Item:
    """Describes one declaration: what it is, its names, its text, its comment and its members.

    group: the same for items under one comment; macro: the use of a macro that has made the item, else None."""

    def __init__(self, kind, names, text):
        self.kind, self.names, self.text = kind, names, text
        self.prose, self.facts, self.group, self.section = [], {}, None, None
        self.namespace, self.macro, self.hidden = "", None, False
        self.is_operation = kind == "function" and bool(re.search(r"\bWT_DEVICE\b", text))
        self.members, self.head, self.tail = [], "", ""


class Header:
    def __init__(self, name, prose, facts, items):
        self.name, self.prose, self.facts, self.items = name, prose, facts, items


def split_comment(lines, where):
    """Returns the prose of a comment as lines without slashes, and the facts in it."""
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


def line_end(text, at):
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class Scope:
    """Reads the items of a file or, `inside` one, of a struct, line by line; a declaration may take several."""

    def __init__(self, name, text, macros, inside=None):
        self.name, self.text, self.macros, self.inside = name, text, macros, inside
        self.items, self.defined = [], {}  # macros defined here -> their comments
        self.comment, self.began, self.goes_on_at = [], None, -1  # where the comment began, and where it may go on
        self.namespaces, self.section, self.is_private = [], None, False

    def read(self, at=0):
        while at < len(self.text):
            end = line_end(self.text, at)
            at = self.take(at, end, self.text[at:end].strip()) + 1
        return self.items

    def take(self, at, end, line):
        """Takes what begins at `at`, and returns where its last line ends."""
        if not line:
            self.comment, self.began = [], None
        elif line.startswith("// ----"):
            self.section, self.comment, self.began = line[7:].strip(), [], None
        elif line.startswith("//"):
            self.take_comment(at, end, line)
        elif line.startswith("#"):
            return self.take_directive(at, end)
        elif re.match(r"(inline )?namespace\b|extern \"C\" \{", line):
            self.namespaces.append(line)
        elif line.startswith("}"):
            self.namespaces.pop()
        elif self.inside and re.match(r"(private|protected|public):", line):
            self.is_private = not line.startswith("public")
        elif re.match(r"WT_[A-Z_]+\(", line) and line.split("(")[0] in self.macros:
            return self.take_macro_use(at, line.split("(")[0])
        else:
            return self.take_declaration(at + len(self.text[at:end]) - len(self.text[at:end].lstrip()), at)
        return end

    def take_comment(self, at, end, line):
        if at != self.goes_on_at:
            self.comment, self.began = [], at
        self.comment, self.goes_on_at = [*self.comment, line], end + 1

    def take_directive(self, at, end):
        while self.text[end - 1] == "\\":
            end = line_end(self.text, end + 1)
        define = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?\s*(.*)", self.text[at:end], re.DOTALL)
        if not define or define[1].endswith("_H"):
            return end
        is_shown = define[1] not in self.defined and not re.search(rf"#undef {define[1]}\b", self.text)
        self.defined[define[1]] = self.comment
        if is_shown and not self.is_detail():
            # A list or a number is what one looks for; any other body is not.
            whole = define[1].endswith("_LIST") or re.fullmatch(r"\w+", define[3])
            self.add(Item("macro", [define[1]], self.text[at:end].strip() if whole else f"#define {define[1]}{define[2] or ''}"))
        return end

    def take_macro_use(self, at, macro):
        begin = self.text.index("(", at)
        closed = begin + next(at for at, character in top_level(self.text[begin:]) if character == ")")
        arguments = [part.strip() for part in split_commas(self.text[begin + 1:closed])]
        comment = self.comment or self.defined.get(macro, [])
        for item in Scope(self.name, expand(self.macros[macro], arguments), self.macros, self.inside).read():
            item.text = re.sub(r"\s+", " ", item.text).replace("> WT_", ">\nWT_", 1)
            self.add(item, comment)
            item.group, item.macro = (macro, tuple(comment)), f"{macro}{arguments}"
        return line_end(self.text, closed)

    def take_declaration(self, begin, line_begin):
        close = begin + end_of_declaration(self.text[begin:])
        declared, end = self.text[begin:close], line_end(self.text, close)
        trailing, end = self.trailing_comment(close, end)
        kind, names = classify(declared)
        if declared.startswith("__asm__"):
            kind, names = "assembly", []  # it declares nothing
        if kind == "none":
            return end
        margin = begin - line_begin
        item = Item(kind, names, without_margin(signature(declared) if kind == "function" else declared, margin) + trailing)
        if kind in ("struct", "union") and "{" in declared and names:
            first, last = declared.index("{"), declared.rindex("}")
            members = Scope(self.name, declared[first + 1:last], self.macros, inside=names[0]).read()
            item.members = [member for member in members if not member.hidden]
            item.head, item.tail = without_margin(declared[:first].rstrip(), margin), declared[last:]
        self.add(item)
        return end

    def trailing_comment(self, close, end):
        """Returns the comment behind a declaration, which may go on in the lines below in the same column, and its end."""
        comment = self.text[close:end].strip()
        if not comment.startswith("//"):
            return "", end
        column = self.text.index("//", close) - self.text.rindex("\n", 0, close) - 1
        below = re.compile(rf"\n {{{column}}}//(.*)")
        while more := below.match(self.text, end):
            comment, end = comment + more[1], more.end()
        return "  " + comment, end

    def is_detail(self):
        return any("detail" in name for name in self.namespaces)

    def add(self, item, comment=None):
        item.prose, item.facts = split_comment(self.comment if comment is None else comment, f"{self.name}: {item.names}")
        item.group, item.section = self.began, self.section
        item.namespace = "::".join(re.findall(r"\bnamespace ([\w:]+)", " ".join(self.namespaces)))
        item.hidden = self.is_private or self.is_detail()
        self.items.append(item)


def read(name, text, macros=None):
    """Describes a header; `macros` are those of the headers that it may include."""
    lines = text.split("\n")
    first = last = 1 if "SPDX" in lines[0] else 0
    while lines[last].startswith("//"):
        last += 1
    prose, facts = split_comment(lines[first:last], name)
    scope = Scope(name, text, {**(macros or {}), **macros_of(text)})
    items = scope.read(sum(len(line) + 1 for line in lines[:last]))
    return Header(name, prose, facts, [item for item in items if not item.hidden])


def facts_of(header, item, owner=None):
    """Returns the facts of an item. A member keeps no registers unless it says so: the struct says once what it takes itself."""
    inherited = {**header.facts, **owner.facts} if owner else header.facts
    if owner and "registers" in inherited:
        inherited = {**inherited, "registers": "none"}
    return {**inherited, **item.facts}


def check_facts(where, facts):
    for field in FIELDS:
        if field not in facts:
            raise Refused(f"{where} does not say its '{field}': add a paragraph 'scope: ...; operands: ...; leaves: ...; waits: ...; "
                          "LDS: ...; registers: ...; chips: ...' to its comment")
    if facts["scope"] not in SCOPES:
        raise Refused(f"{where} has the scope '{facts['scope']}': choose one of {', '.join(SCOPES)}")
    if re.split(r"[ ,]", facts["waits"])[0] not in WAITS:
        raise Refused(f"{where} says that '{facts['waits']}' waits: begin with one of {', '.join(WAITS)}")
    if facts["chips"] not in CHIPS:
        raise Refused(f"{where} has the chips '{facts['chips']}': choose one of {', '.join(CHIPS)}")
    if not re.search(r"none|vmcnt|lgkmcnt|list|micro-op|outstanding", facts["leaves"]):
        raise Refused(f"{where} leaves '{facts['leaves']}': name vmcnt, lgkmcnt or none")


def check(header):
    """Refuses a header of which some public name has no comment, or some operation lacks a fact."""
    for item in filter(lambda item: item.names, header.items):
        if not item.prose:
            raise Refused(f"{header.name}: {item.names[0]} has no comment: say above it what it does")
        if item.is_operation or item.facts:
            check_facts(f"{header.name}: {item.names[0]}", facts_of(header, item))
        for member in filter(lambda member: member.is_operation, item.members):
            where = f"{header.name}: {item.names[0]}::{member.names[0]}"
            if not member.prose and not member.names[0].startswith("operator"):
                raise Refused(f"{where} has no comment: say above it what it does")
            check_facts(where, facts_of(header, member, item))
