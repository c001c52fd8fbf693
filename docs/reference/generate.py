#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the pages of this folder from the comments of the headers under include/.

generate.py [--check]    --check writes nothing and fails when a page is not what the headers say now"""
import pathlib
import re
import sys

from cpp_text import Unreadable, macros_of
from header_reader import FIELDS, Refused, check, facts_of, read

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"

# page, title, what its headers are, the headers in order
PAGES = (
    ("tiles", "Tiles", "The headers of `include/tiles` say what data is: element types, layouts, swizzles, and tiles in registers, "
     "in LDS and in global memory.", ("tiles/*.h",)),
    ("ops", "Operations on tiles", "The headers of `include/ops` say what a wave, or a work-group, does to tiles: it multiplies, "
     "loads, stores, maps, reduces and converts them.", ("ops/*.h",)),
    ("isa", "Single instructions", "The headers of `include/ops/isa` wrap single instructions. No other header uses builtins of the "
     "device (`__builtin_amdgcn_*`) or inline assembly.", ("ops/isa/*.h",)),
    ("sched", "Schedules", "The headers of `include/sched` say when and where operations run: pipelines with derived waits, "
     "interleaving, ping-pong, roles of waves and the order of the grid.", ("sched/*.h",)),
    ("c-api", "C API", "The headers of the C API need no HIP header and no device compiler. They declare the calls of the library "
     "(`wavetile.h`), and those that the simulated runtime adds to HIP (`wavetile_sim.h`).",
     ("wavetile.h", "wavetile/*.h", "wavetile_sim.h")),
)
MARK = "<!-- docs/reference/generate.py writes this page from the comments in include/: edit those. -->\n\n"
MEANINGS = (
    ("scope", "who must call the operation together: each `lane` for itself, all lanes of a `wave`, the threads of a `team` "
     "(ops/team.h), or all waves of a `work-group`"),
    ("operands", "the tiles, vectors or values that it takes, and their layouts"),
    ("leaves", "the counter of the wave that still counts its memory operations when the call returns: `vmcnt` for global memory "
     "and copies to LDS, `lgkmcnt` for LDS"),
    ("waits", "who waits for that counter: the `compiler` before it uses the result, the `caller` by `wait_vmem`, `wait_lds` or "
     "`barrier`, or `nobody` because nothing depends on it before the kernel ends"),
    ("LDS", "the LDS that it occupies or accesses"),
    ("registers", "the vector registers per lane, unless it says scalar, that it keeps beyond its operands"),
    ("chips", "the chips that have it"),
)


def escaped(text):
    """Returns prose as Markdown. What stands between backquotes is code already."""
    parts = text.split("`")
    for at in range(0, len(parts), 2):
        part = parts[at].replace("\\", "\\\\").replace("<", "&lt;").replace("*", "\\*")
        parts[at] = re.sub(r"\b_|_\b|(?<=_)_", r"\\_", part)
    return "`".join(parts)


def markdown(prose):
    """Returns lines of a comment as Markdown: lines that begin with two spaces are code."""
    blocks, kind = [], None
    for line in prose:
        new = "code" if line.startswith("  ") and kind != "item" else "text" if line.strip() else None
        if new == "text" and re.match(r"(-|\d+\.) ", line):
            blocks.append([])
            new = "item"
        elif new != kind and not (new == "text" and kind == "item"):
            blocks.append([])
        elif new == "text" and kind == "item":
            new = "item"
        if new:
            blocks[-1].append((new, line))
        kind = new
    out = []
    for block in filter(None, blocks):
        if block[0][0] == "code":
            out.append("```text\n" + "\n".join(line[2:] for _, line in block) + "\n```\n")
        else:
            out.append(escaped(" ".join(line.strip() for _, line in block)) + "\n")
    return "\n".join(out)


def is_shown(item):
    return bool(item.names)


def groups_of(items):
    """Holds items under one comment, in order."""
    groups = []
    for item in filter(is_shown, items):
        if groups and item.group is not None and item.group == groups[-1][0].group:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def names_of(group):
    return list(dict.fromkeys(name for item in group for name in item.names))


def anchor(header, group):
    """Returns the name of a place in a page: the header's, the first name's, and a number for other groups of that name."""
    alike = [other for other in groups_of(header.items) if names_of(other)[0] == names_of(group)[0]]
    number = next(at for at, other in enumerate(alike) if other[0] is group[0])
    name = re.sub(r"\W+", "-", f"{header.name.removesuffix('.h')}-{names_of(group)[0]}").strip("-")
    return name + (f"-{number + 1}" if number else "")


def shortened(text):
    """Returns a constant's long value as its beginning and its end."""
    lines = text.split("\n")
    is_long = len(lines) > 8 and "=" in lines[0] and not text.startswith("#")
    return lines[0] + "\n    ...\n" + lines[-1] if is_long else text


def commented(member):
    return "".join(f"  // {line}".rstrip() + "\n" for line in member.prose)


def synopsis(item):
    """Returns a declaration as the page shows it. A struct shows its public members with their comments."""
    if not item.members:
        return shortened(item.text)
    out = [item.head + " {\n"]
    last = None
    for member in item.members:
        if member.group is None or member.group != last:
            out.append(("\n" if len(out) > 1 and member.prose else "") + commented(member))
        last = member.group
        text = member.head + " { ... };" if member.members else shortened(member.text)
        out.append("".join(f"  {line}".rstrip() + "\n" for line in text.split("\n")))
    return "".join(out) + item.tail


def fact_sentence(facts):
    words = [f"**{field}** {escaped(facts[field])}" for field in FIELDS]
    return "; ".join(words) + "\n"


def operations_of(header, group):
    """(names as shown, facts) of the operations of a group: functions, structs that say what they take, and members of structs."""
    if group[0].is_operation or group[0].facts:
        yield names_of(group), facts_of(header, group[0])
    for item in group:
        # What a constructor takes is said of its struct.
        for inner in groups_of([m for m in item.members if m.is_operation and m.names[0] != item.names[0]]):
            yield [f"{item.names[0]}::{name}" for name in names_of(inner)], facts_of(header, inner[0], item)


def row(names, facts, fields):
    return "| " + " | ".join([names, *(escaped(facts[field]).replace("|", "\\|") for field in fields)]) + " |\n"


def table(rows, fields):
    return "| operation | " + " | ".join(fields) + " |\n|" + "---|" * (len(fields) + 1) + "\n" + "".join(rows) + "\n"


def declarations(group):
    """Returns the code of an entry. What a macro generates is shown for its first use."""
    shown = [item for item in group if item.macro is None or item.macro == group[0].macro]
    others = "The other names are declared alike.\n\n" if len(shown) < len(group) else ""
    # A name of the headers is in wt unless this says otherwise.
    inside = f"// in namespace {group[0].namespace}\n" if group[0].namespace not in ("", "wt") else ""
    return "```cpp\n" + inside + "\n".join(synopsis(item) for item in shown) + "\n```\n\n" + others


def entry(header, group):
    out = f'<a id="{anchor(header, group)}"></a>\n### {", ".join(f"`{name}`" for name in names_of(group))}\n\n'
    out += declarations(group) + markdown(group[0].prose) + "\n"
    operations = list(operations_of(header, group))
    if group[0].is_operation:
        out += fact_sentence(operations[0][1]) + "\n"
        operations = operations[1:]
    if operations:
        out += table([row(", ".join(f"`{name}`" for name in names), facts, FIELDS) for names, facts in operations], FIELDS)
    return out


def section_of(header):
    out = f'## [{header.name}](../../include/{header.name})\n\n{markdown(header.prose)}\n'
    section = None
    for group in groups_of(header.items):
        if group[0].section and group[0].section != section:
            section = group[0].section
            out += f"*{escaped(section)}*\n\n"
        out += entry(header, group)
    return out


def page_of(title, about, headers):
    contents = "".join(f"- [{h.name}](#{re.sub(r'[^a-z0-9_-]', '', h.name.lower())})\n" for h in headers if h.items)
    return (f"{MARK}# {title}\n\n{about} [What the fields of an operation mean](README.md).\n\n{contents}\n"
            + "".join(section_of(header) for header in headers if header.items))


def operations_page(pages):
    out = (f"{MARK}# Every operation\n\nThe table shows every operation of the device headers with its scope, its operands, the counter "
           "that it leaves outstanding and who waits for it, the LDS and the registers that it takes, and the chips that have it. "
           "[What the columns mean](README.md).\n\n")
    for name, title, headers in pages:
        rows = []
        for header in headers:
            for group in groups_of(header.items):
                for names, facts in operations_of(header, group):
                    link = f"{name}.md#{anchor(header, group)}"
                    rows.append((header.name, row(", ".join(f"[`{n}`]({link})" for n in names), facts, FIELDS)))
        if rows:
            out += f"## {title}\n\n"
            for header in dict.fromkeys(name for name, _ in rows):
                out += f"### {header}\n\n" + table([text for name, text in rows if name == header], FIELDS)
    return out


def index_page(pages):
    out = (f"{MARK}# Reference\n\nThese pages list every public name of the headers, with what stands in the headers' comments. "
           "A name of the device headers is in namespace `wt` unless its entry says otherwise.\n\n")
    for (name, title, about, _) in PAGES:
        out += f"- [{title}]({name}.md): {about}\n"
    out += "- [Every operation](operations.md): one table of scope, operands, counters, LDS, registers and chips.\n\n"
    out += "## What the fields of an operation mean\n\n"
    out += "".join(f"- **{field}**: {meaning}.\n" for field, meaning in MEANINGS)
    out += "\n## Names\n\n| name | header |\n|---|---|\n"
    rows = []
    for name, _, headers in pages:
        for header in headers:
            for group in groups_of(header.items):
                for one in names_of(group):
                    rows.append((one.lower(), one, f"{name}.md#{anchor(header, group)}", header.name))
    for _, one, link, header in sorted(set(rows)):
        out += f"| [`{one}`]({link}) | {header} |\n"
    return out


def documented_pages():
    """Returns all pages as (page, title, headers); refuses a header with a gap."""
    pages, macros = [], {}
    for path in INCLUDE.glob("**/*.h"):
        macros.update(macros_of(path.read_text()))
    for name, title, _, patterns in PAGES:
        headers = []
        for pattern in patterns:
            for path in sorted(INCLUDE.glob(pattern)):
                headers.append(read(str(path.relative_to(INCLUDE)), path.read_text(), macros))
                check(headers[-1])
        pages.append((name, title, headers))
    return pages


def all_pages():
    pages = documented_pages()
    texts = {"README.md": index_page(pages), "operations.md": operations_page(pages)}
    for (name, title, about, _), (_, _, headers) in zip(PAGES, pages):
        texts[f"{name}.md"] = page_of(title, about, headers)
    return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in texts.items()}


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(f"{' '.join(arguments)} is not known: the only option is --check")
    try:
        texts = all_pages()
    except (Refused, Unreadable) as refusal:
        sys.exit(str(refusal))
    stale = [name for name, text in texts.items() if not (HERE / name).exists() or (HERE / name).read_text() != text]
    if not arguments:
        for name in stale:
            (HERE / name).write_text(texts[name])
    elif stale:
        sys.exit(f"{', '.join(stale)} in docs/reference are not what the headers say: run docs/reference/generate.py")


if __name__ == "__main__":
    main(sys.argv[1:])
