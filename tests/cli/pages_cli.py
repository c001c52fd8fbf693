# SPDX-License-Identifier: MIT
"""The manual page and the completions know every subcommand and option that --help prints, and what reads them is content.

Usage: pages_cli.py WAVETILE FOLDER (of wavetile.1, wavetile.bash and _wavetile) SIMULATOR.md
"""
import os
import re
import shutil
import subprocess
import sys

WAVETILE, FOLDER, SIMULATOR = sys.argv[1:4]
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("failed:", what)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def options_of(*words):
    """Returns options and what follows their names in --help: "" for flags, " " before a value, "[" before one that
    may be left out."""
    text = run(WAVETILE, *words, "--help", env=dict(os.environ, COLUMNS="200")).stdout
    found = dict()
    for line in text.splitlines():
        match = re.match(r"  --([a-z0-9-]+)( \S+|\[=\S+)?(  |$)", line)
        if match:
            found[match[1]] = (match[2] or "")[:1]
    return text, found


def all_subcommands():
    names = re.findall(r"^  ([a-z][a-z0-9-]*) ", run(WAVETILE, "--help").stdout, re.M)
    tree = dict()
    for name in names:
        text, options = options_of(name)
        tree[name] = [("", options)]
        for word in dict.fromkeys(re.findall(rf"wavetile {name} ([a-z]+)[ \n]", text)):
            other, more = options_of(name, word)
            tree[name].append((word, more if other != text else dict()))
    return tree


def check_man(tree):
    page = read("wavetile.1").replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS wavetile ([^\n]+)\n(.*?)(?=^\.SS |^\.SH )", page, re.M | re.S))
    rendered = None
    if shutil.which("groff") or shutil.which("mandoc"):
        command = ["groff", "-man", "-ww", "-Tascii", "-P-c"] if shutil.which("groff") else ["mandoc", "-T", "ascii", "-W", "warning"]
        result = run(*command, os.path.join(FOLDER, "wavetile.1"))
        check(result.returncode == 0 and not result.stderr, f"{command[0]} says: {result.stderr}")
        rendered = re.sub(r".\x08", "", result.stdout)
    else:
        print("neither groff nor mandoc is installed: the page is not rendered")
    check(re.search(r"^\.TH WAVETILE 1 ", page, re.M), "the page has no title")
    for name, entries in tree.items():
        for word, options in entries:
            section = sections.get(f"{name} {word}".strip(), "")
            check(section or not options, f"the manual page has no section on wavetile {name} {word}")
            for option, before_value in options.items():
                end = {"": chr(10), " ": " ", "[": r"\\fI\["}[before_value]
                check(re.search(rf"^\.TP\n\\fB--{option}\\fR{end}", section, re.M),
                      f"the manual page does not have wavetile {name} {word} --{option}")
                check(rendered is None or f"--{option}" in rendered, f"the rendered page does not have --{option}")


def check_settings():
    """The manual page names every setting that docs/simulator.md explains, with its values and what it does, and no other."""
    page = read("wavetile.1").replace("\\-", "-")
    listed = dict(re.findall(r"^\.TP\n\\fB(WT_SIM_\w+)\\fR=\\fI(.*)\\fR\n\\&\S.* \(default: \S.*\)$", page, re.M))
    with open(SIMULATOR, encoding="utf-8") as file:
        explained = set(re.findall(r"`(WT_SIM_[A-Z_]*[A-Z])[`=]", file.read()))
    check(set(listed) == explained, f"on one page alone: {sorted(set(listed) ^ explained)}")
    check(listed.get("WT_SIM_CHECK") == "0, 1, fail, strict", "the manual page has other values of WT_SIM_CHECK")
    check(listed.get("WT_SIM_THREADS") == "a whole number from 1 on", "the manual page has other values of WT_SIM_THREADS")
    check("(null)" not in page, "a setting has no text")


def complete(*words):
    """Returns what bash offers for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"source {FOLDER}/wavetile.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _wavetile; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    result = run("bash", "--norc", "-c", script, cwd=FOLDER)
    check(result.returncode == 0, f"completing {words}: {result.stderr}")
    return result.stdout.split()


def check_bash(tree):
    check(set(complete("wavetile", "")) == set(tree) | {"--help", "--version", "--page"}, "bash offers other subcommands")
    check(set(complete("wavetile", "--page", "")) == {"man", "bash", "zsh"}, "bash offers other pages")
    for name, entries in tree.items():
        options = {option for _, table in entries for option in table}
        check(set(complete("wavetile", name, "--")) == {f"--{option}" for option in options}, f"bash offers other options of {name}")
        words = {word for word, _ in entries if word}
        check(not words or set(complete("wavetile", name, "")) == words, f"bash offers other words after {name}")
    check(complete("wavetile", "gemm", "--a", "wavetile.b") == ["wavetile.bash"], "bash offers no file after an option that takes one")
    check(complete("wavetile", "gemm", "--a", "=", "wavetile.b") == ["wavetile.bash"], "bash offers no file after --a=")
    check("--verify" not in complete("wavetile", "gemm", "--out", ""), "bash offers options as the value of an option")
    check("bash" in complete("wavetile", "prof", "--", "bas"), "bash offers no program after prof --")
    check("bash" in complete("wavetile", "run", "--device", "sim:mi355x", "--check", "bas"), "bash offers no program after run")
    check(complete("wavetile", "run", "bash", "wavetile.b") == ["wavetile.bash"], "bash offers no file to a program")
    check("--quiet" not in complete("wavetile", "run", "bash", "--"), "bash offers options of run to a program")


def check_zsh(tree):
    text = read("_wavetile")
    check(text.startswith("#compdef wavetile\n"), "zsh does not take the file for a completion")
    if shutil.which("zsh"):
        result = run("zsh", "-n", os.path.join(FOLDER, "_wavetile"))
        check(result.returncode == 0 and not result.stderr, f"zsh says: {result.stderr}")
    for name, entries in tree.items():
        check(re.search(rf"^    '{name}:", text, re.M), f"zsh does not know {name}")
        case = re.search(rf"^    {name}\)\n(.*?) ;;$", text, re.M | re.S)
        for word, options in entries:
            check(not word or case and re.search(rf"'1:word:\([^)]*\b{word}\b", case[1]), f"zsh does not know {name} {word}")
            for option, before_value in options.items():
                end = {"": "[", " ": "=[", "[": "=-["}[before_value]
                check(case and f"'--{option}{end}" in case[1], f"zsh does not know {name} --{option}")


def check_mistakes():
    for words in (("--page",), ("--page", "html")):
        result = run(WAVETILE, *words)
        check(result.returncode == 2 and "pass man, bash or zsh" in result.stderr, f"{words}: {result.stderr}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([WAVETILE, "--page", "man"], stdout=full, stderr=subprocess.PIPE, check=False)
        check(result.returncode == 1, "a page that cannot be written is an error")


found = all_subcommands()
count = sum(len(options) for entries in found.values() for _, options in entries)
check(len(found) >= 10 and count >= 100, f"--help lists {len(found)} subcommands with {count} options")
check_man(found)
check_settings()
check_bash(found)
check_zsh(found)
check_mistakes()
print(f"{len(found)} subcommands with {count} options, {failures} failures")
sys.exit(failures != 0)
