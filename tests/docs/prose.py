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

SOURCES = (".c", ".h", ".hip", ".s", ".js")
SCRIPTS = (".py", ".cmake", "CMakeLists.txt", "dev", ".sh")
PAGES = (".md",)
# Written by a program or compared with other people's files: not our sentences.
GENERATED = ("docs/hip-calls.md", "docs/isa-coverage.md", "tests/docs/prose.py")

# A comment, with everything that is a string or a character left alone.
C_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
RULES = [
    (re.compile(r"(?:^|(?<=[.:;!?] ))Of (?!course\b)[a-z]"), 'a sentence opens with "Of ..."'),
    (re.compile(r"(?:^|(?<=[.:;!?] ))Those (?:of|that|which|who)\b"), 'a sentence opens with "Those ..."'),
    (re.compile(r"\bThe one or the other\b"), '"The one or the other" needs naming both'),
    (re.compile(r"(?<![\w.`\"/])[Ww]orkgroups?(?![\w(`\"])"), 'the spelling is "work-group"'),
    (re.compile(r"\brooms?\b", re.I), '"room" is a "folder", a "module" or "space"'),
    (re.compile(r"\bwork-groups? that stays?\b", re.I), 'work-groups that stay are "persistent"'),
    (re.compile(r"\b(?:a|each|per|every|one|the) turns? (?:of the|in the|through the) (?:\w+ )?loop\b", re.I), 'a turn of a loop is an "iteration"'),
]


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
    """(line, comment) for each comment; // comments on lines of their own that follow each other are one."""
    last_line, last_own, joined = None, False, None
    for token in C_TOKENS.finditer(text):
        word = token.group()
        if not word.startswith(("//", "/*")):
            continue
        line = text.count("\n", 0, token.start()) + 1
        own = text[text.rfind("\n", 0, token.start()) + 1 : token.start()].strip() == ""
        body = word[2:].strip() if word.startswith("//") else word[2:-2].strip()
        if joined and own and last_own and word.startswith("//") and line == last_line + 1 and body:
            joined[1] += " " + body
        else:
            if joined:
                yield tuple(joined)
            joined = [line, body]
        last_line, last_own = line, own
    if joined:
        yield tuple(joined)


def comments_of_script(text):
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("#") and not stripped.startswith("#!"):
            yield number, stripped.lstrip("# ")
    for docstring in re.finditer(r'"""(.*?)"""', text, re.S):
        yield text.count("\n", 0, docstring.start()) + 1, " ".join(docstring[1].split())


def paragraphs(text):
    """(line, paragraph) without code blocks, tables' rules and inline code."""
    fenced, begin, words = False, 0, []
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced or line.startswith("    ") and not words or not line.strip():
            if words:
                yield begin, " ".join(words)
            words = []
            continue
        item = re.match(r"\s*(?:[-*]|\d+\.|\|)\s+(.*)", line)
        if item and words:
            yield begin, " ".join(words)
            words = []
        if not words:
            begin = number
        words.append(re.sub(r"`[^`]*`", "`code`", item.group(1) if item else line.strip()))


def texts_of(path, text):
    if path.endswith(SOURCES):
        return comments_of_c(text)
    if path.endswith(PAGES):
        return paragraphs(text)
    return comments_of_script(text)


def breaches(path, text):
    for line, sentences in texts_of(path, text):
        for pattern, rule in RULES:
            found = pattern.search(sentences)
            if found:
                yield f"{path}:{line}: {rule}: ...{sentences[max(0, found.start() - 20) : found.end() + 40]}..."


def check_itself():
    """Each rule finds what it is for, and lets the right sentence pass."""
    wrong = ["// Of the rows, the last.", "// It ends. Those of a wave are kept.", "// The one or the other.", "// a workgroup waits",
             "// no room", "// Work-groups that stay", "// each turn of the loop"]
    right = ["// The last of the rows.", "// The waves' are kept. Of course.", '// `workgroup_x` is "workgroup"', "// It is the turn of wave 1."]
    for (pattern, rule), text in zip(RULES, wrong):
        assert any(rule in b for b in breaches("x.c", text)), f"not found: {text}"
    assert list(breaches("x.c", "int x;  // bytes\n// Of the rows, the last.")), "after a comment behind code"
    assert list(breaches("x.py", 'def f():\n    """Of the rows, the last."""')), "in a docstring"
    for text in right:
        assert not list(breaches("x.c", text)), f"refused: {text}"
    assert not list(breaches("x.c", 'const char *s = "// Of a string";'))


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
