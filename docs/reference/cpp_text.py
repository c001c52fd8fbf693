# SPDX-License-Identifier: MIT
"""Takes declarations of C and C++ apart as text, as far as the headers under include/ need: where one ends, what it declares, its
signature, and what a macro makes of its arguments."""
import re

OPENING, CLOSING = "([{", ")]}"


class Unreadable(Exception):
    pass


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
    """Returns the declaration after its `template <...>`s and what they require."""
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
    """Returns the length of the declaration that the text begins with."""
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
    raise Unreadable(f"a declaration has no end: {text[:80]!r}")


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
    """Returns the parts between commas that stand outside of all brackets."""
    parts, angles, last = [], 0, 0
    for at, character in top_level(text):
        angles += (character == "<") - (character == ">")
        if character == "," and angles <= 0:
            parts.append(text[last:at])
            last = at + 1
    return [*parts, text[last:]]


def signature(text):
    """Returns a function's declaration without its body."""
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
    """Returns a macro's body with these arguments."""
    parameters, body = macro
    for parameter, argument in zip(parameters, arguments):
        body = re.sub(rf"(?<!#)#{parameter}\b", f'"{argument}"', body)
        body = re.sub(rf"\b{parameter}(?=##)|(?<=##){parameter}\b|\b{parameter}\b", argument, body)
    return body.replace("##", "")


def macros_of(text):
    """Returns the function-like macros of a header: name -> (parameters, body)."""
    macros = {}
    for define in re.finditer(r"^#\s*define (WT_\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", text, re.MULTILINE):
        macros[define[1]] = ([name.strip() for name in define[2].split(",")], re.sub(r"\s*\\\n", "\n", define[3]))
    return macros
