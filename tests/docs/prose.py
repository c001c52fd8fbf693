#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds comments and pages to the rules of plain English that a program can check (CONTRIBUTING.md, "Prose").

usage: prose.py REPOSITORY
Reads every file that git tracks, or, outside a git checkout, every source and page. Prints FILE:LINE and the rule for each
breach, and fails if there is one.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import verbless  # noqa: E402

SOURCES = (".c", ".h", ".hip", ".s", ".js")
SCRIPTS = (".py", ".cmake", "CMakeLists.txt", "dev", ".sh")
PAGES = (".md",)
# Written by a program or compared with other people's files: not our sentences.
GENERATED = ("docs/hip-calls.md", "docs/isa-coverage.md", "tests/docs/prose.py")

# A comment, with everything that is a string or a character left alone.
C_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
RULES = [
    (re.compile(r"(?:^|(?<=[.:;!?] ))Of (?!course\b)\S"), 'a sentence opens with "Of ..."'),
    (re.compile(r"(?:^|(?<=[.:;!?] ))Those\b"), 'a sentence opens with "Those ..."'),
    (re.compile(r"\bThe one or the other\b"), '"The one or the other" needs naming both'),
    (re.compile(r"(?<![\w.`\"/])[Ww]orkgroups?(?![\w(`\"])"), 'the spelling is "work-group"'),
    (re.compile(r"\brooms?\b", re.I), '"room" is a "folder", a "module" or "space"'),
    (re.compile(r"\bwork-groups? that stays?\b", re.I), 'work-groups that stay are "persistent"'),
    (re.compile(r"\b(?:a|each|per|every|one|the) turns? (?:of the|in the|through the) (?:\w+ )?loop\b", re.I), 'a turn of a loop is an "iteration"'),
]

VERBLESS = ("Memory that host and device share.", "The same for any x and y.", "Which keys the queries of a tile see.",
            "How many columns a tile has: all of them, or as many as are asked for.", "Called when a wave ends.",
            "A value that the lanes share and that is not needed for a while.", "Whether a wave reads or writes it.",
            "It ends. One sequence of a batch: where its rows begin, and how many there are.",
            "The tile as its host lays it out.", "An integer of a field, as the mode rounds it.",
            "Loads of rows with any stride: no byte between them is read.")
WITH_VERB = ("Returns memory that host and device share.", "Which byte an MFMA takes is known while compiling.",
             "Only the device knows how many rows a group has, and so how many tiles.", "Wave 1 reads what wave 2 copies.",
             "Where rows are short, the waves that read them wait.", "Both read 64 bytes (Salmon et al. 2011).", "scope: wave.",
             "Tiles of any shape lie in LDS.", "The smaller the tile, the more of them there are.",
             "A word such as this in a table is none.", "Takes the rows as they lie.", "MI355X: the rate of its source.",
             "Where rows are of any length: no byte between them is read.", "It is as long as the others are.")


def tracked(root):
    try:
        out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout
        return out.splitlines()
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith((".git", "build"))]
            found += [os.path.relpath(os.path.join(folder, f), root) for f in files]
        return sorted(found)


def comments_of_c(text):
    """(line, comment, whether it stands above code) for each comment.

    // comments on lines of their own that follow each other are one, as are one behind code and its next lines; a rule
    "---- title" is one by itself.
    """
    last_line, last_column, joined = None, None, None
    for token in C_TOKENS.finditer(text):
        word = token.group()
        if not word.startswith(("//", "/*")):
            continue
        line = text.count("\n", 0, token.start()) + 1
        begin = text.rfind("\n", 0, token.start()) + 1
        own, column = text[begin : token.start()].strip() == "", token.start() - begin
        body = word[2:].strip() if word.startswith("//") else word[2:-2].strip()
        body = body.replace("SPDX-License-Identifier: MIT", "")
        follows = joined and own and word.startswith("//") and line == last_line + 1 and column == last_column
        if follows and body and not body.startswith("--") and not joined[1].startswith("--"):
            joined[1] = (joined[1] + " " + body).strip()
        else:
            if joined:
                yield tuple(joined)
            joined = [line, body, own]
        last_line, last_column = line, column
    if joined:
        yield tuple(joined)


def comments_of_script(text):
    """(line, comment, True) for each comment and docstring; lines of comments that follow each other are one."""
    begin, words = 0, []
    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        body = stripped.lstrip("# ") if stripped.startswith("#") and not stripped.startswith("#!") else ""
        if body and not words:
            begin = number
        if body:
            words.append(body)
        elif words:
            yield begin, " ".join(words), True
            words = []
    for docstring in re.finditer(r'"""(.*?)"""', text, re.S):
        yield text.count("\n", 0, docstring.start()) + 1, " ".join(docstring[1].split()), True


def paragraphs(text):
    """(line, paragraph, whether it is one of whole sentences) without code blocks, tables' rules and inline code."""
    fenced, begin, words, whole = False, 0, [], True
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced or line.startswith("    ") and not words or not line.strip():
            if words:
                yield begin, " ".join(words), whole
            words = []
            continue
        item = re.match(r"\s*(?:[-*]|\d+\.|\|)\s+(.*)", line)
        if item and words:
            yield begin, " ".join(words), whole
            words = []
        if not words:
            begin, whole = number, not item and not re.match(r"[#|<!>]|\*\*", line)
        words.append(re.sub(r"`[^`]*`", "`code`", item.group(1) if item else line.strip()))


def texts_of(path, text):
    if path.endswith(SOURCES):
        return comments_of_c(text)
    if path.endswith(PAGES):
        return paragraphs(text)
    return comments_of_script(text)


def breaches(path, text):
    for line, sentences, whole in texts_of(path, text):
        for pattern, rule in RULES:
            found = pattern.search(sentences)
            if found:
                yield f"{path}:{line}: {rule}: ...{sentences[max(0, found.start() - 20) : found.end() + 40]}..."
        for sentence in verbless.verbless_sentences(sentences) if whole else ():
            yield f"{path}:{line}: a sentence without a verb (that tests/docs/verbless.py knows): {sentence}"


def check_itself():
    """Each rule finds what it is for, and lets the right sentence pass."""
    wrong = ["// Of the rows, the last.", "// It ends. Those of a wave are kept.", "// The one or the other.", "// a workgroup waits",
             "// no room", "// Work-groups that stay", "// each turn of the loop"]
    right = ["// It is the last of the rows.", "// The waves' are kept. Of course they are.", '// `workgroup_x` is "workgroup"', "// It is the turn of wave 1."]
    for (pattern, rule), text in zip(RULES, wrong):
        assert any(rule in b for b in breaches("x.c", text)), f"not found: {text}"
    assert list(breaches("x.c", "int x;  // bytes\n// Of the rows, the last.")), "after a comment behind code"
    assert list(breaches("x.py", 'def f():\n    """Of the rows, the last."""')), "in a docstring"
    for text in right:
        assert not list(breaches("x.c", text)), f"refused: {text}"
    assert not list(breaches("x.c", 'const char *s = "// Of a string";'))
    for text in VERBLESS:
        assert any("without a verb" in b for b in breaches("x.c", f"// {text}\nint x;")), f"not found: {text}"
    for text in WITH_VERB:
        assert not list(breaches("x.c", f"// {text}\nint x;")), f"refused: {text}"
    assert not list(breaches("x.c", "int x;  // bytes of a row, of which some are read.\n        // all of it.\nint y;"))
    assert not list(breaches("x.md", "- An item without a verb.\n\n| a table | of cells. |\n"))
    assert list(breaches("x.md", "A paragraph without a verb.\n"))


def main():
    check_itself()
    root = sys.argv[1]
    found, files = [], 0
    for path in tracked(root):
        if path in GENERATED or not path.endswith(SOURCES + SCRIPTS + PAGES):
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        files += 1
        found += breaches(path, text)
    print("\n".join(found))
    if files < 500:
        sys.exit(f"only {files} files were read")
    if found:
        sys.exit(f"{len(found)} sentences break a rule of CONTRIBUTING.md, \"Prose\"")
    print(f"{files} files keep the rules of plain English")


main()
