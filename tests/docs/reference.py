# SPDX-License-Identifier: MIT
"""Holds when the pages of docs/reference are what the headers' comments say, when every public name that the compiler finds in the
headers has an entry, and when the reader refuses a name without a comment and an operation that lacks a fact.

reference.py SOURCE COMPILER"""
import pathlib
import re
import subprocess
import sys

root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path[:0] = [str(root / "docs/reference"), str(root / "tests")]
sys.dont_write_bytecode = True
import generate  # noqa: E402
import header_reader  # noqa: E402
from checks import check, finish  # noqa: E402

# The pages are as committed.
for name, text in generate.all_pages().items():
    page = root / "docs/reference" / name
    check(page.exists() and page.read_text() == text,
          f"docs/reference/{name} is not what the headers say: run docs/reference/generate.py")

# The compiler's own list of what is declared. Names that begin with a capital letter are template parameters; those of a concept's
# requirement are listed as if they were declared beside it.
required = {name for path in root.glob("include/**/*.h")
            for parameters in re.findall(r"\bconcept \w+ = requires\(([^)]*)\)", path.read_text())
            for name in re.findall(r"(\w+)(?:,|$)", parameters)}
entries = {name for _, _, headers in generate.documented_pages() for header in headers for item in header.items
           for name in item.names}
for target in ("gfx950", "gfx942"):
    printed = subprocess.run([compiler, "-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib",
                              "-std=c++20", f"-I{root / 'include'}", "-fsyntax-only", "-H", "-Xclang", "-ast-list",
                              str(root / "include/wavetile_device.h")], capture_output=True, text=True, check=True)
    names = set()
    for line in printed.stdout.splitlines():
        match = re.fullmatch(r"(?:wt(?:::(?:sched|target|kind|dpp))?::)([a-z]\w*)", line) or re.fullmatch(r"(wt_\w+)", line)
        if match and match[1] not in ("sched", "target", "kind", "dpp", "detail"):
            names.add(match[1])
    check(len(names) > 300, f"the compiler lists only {len(names)} names for {target}")
    for name in sorted(names - entries - required):
        check(False, f"{name} is public and has no entry in docs/reference: give it a comment where it is declared")
# That list is of all device headers: the umbrella brings each of them.
brought = {pathlib.Path(line.lstrip(". ")).resolve() for line in printed.stderr.splitlines() if line.startswith(".")}
for path in [*root.glob("include/tiles/*.h"), *root.glob("include/ops/**/*.h"), *root.glob("include/sched/*.h")]:
    check(path.resolve() in brought, f"wavetile_device.h does not bring {path.relative_to(root)}")

# The reader refuses these, with the words that say so.
GOOD = """// SPDX-License-Identifier: MIT
// A header.
namespace wt {

// Does it.
//
// scope: wave; operands: rt; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class T>
WT_DEVICE void work(T &tile) {
  static_assert(sizeof(T) > 4, "braces } in text");
}

}  // namespace wt
"""


def refusal_of(text):
    try:
        header_reader.check(header_reader.read("x.h", text))
    except header_reader.Refused as refusal:
        return str(refusal)
    return ""


check(refusal_of(GOOD) == "", f"the reader refuses what is complete: {refusal_of(GOOD)}")
check([item.names for item in header_reader.read("x.h", GOOD).items] == [["work"]], "the reader does not find the one function")
with_assembly = GOOD + '// Notes it.\n__asm__(".pushsection .note\\n\\t"\n        ".popsection");\n'
check([name for item in header_reader.read("x.h", with_assembly).items for name in item.names] == ["work"],
      "the reader takes assembly for a public name")
facts = GOOD[GOOD.index("// scope"):GOOD.index("\ntemplate")]
for field in header_reader.FIELDS:
    less = "// " + "; ".join(part for part in facts[3:].split("; ") if not part.startswith(field + ":"))
    words = refusal_of(GOOD.replace(facts, less))
    check(f"work does not say its '{field}'" in words, f"an operation without {field} is not refused by name: {words!r}")
for wrong, words in ((("scope: wave", "scope: planet"), "scope 'planet'"), (("waits: nobody", "waits: somebody"), "'somebody' waits"),
                     (("chips: both", "chips: gfx90a"), "chips 'gfx90a'"), (("leaves: none", "leaves: dust"), "leaves 'dust'"),
                     (("LDS: none", "LSD: none"), "is no fact"), (("// Does it.\n//\n", ""), "work has no comment")):
    check(words in refusal_of(GOOD.replace(*wrong)), f"{wrong[1] or 'no comment'!r} is not refused: {refusal_of(GOOD.replace(*wrong))!r}")

finish()
