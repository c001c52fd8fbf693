# SPDX-License-Identifier: MIT
"""`wavetile bench binaries`: a case is the same launch as one made through HIP, and its prediction the same whatever is predicted
beside it; errors by group against what is computed here; arguments in their places and of their fill; every mistake a user can make.
Usage: binaries_cli.py WAVETILE WORK_FOLDER"""

import csv
import json
import os
import subprocess

from cli import WAVETILE, WORK, check, finish, refused, run, start

# Each work-group loops as often as the arguments say: the instructions executed, and so the cycles, tell what the kernel has read.
SOURCE = """
#include <wavetile_device.h>
struct loops { char first; short second; int third; long fourth; float fifth; double sixth; const unsigned *list; };
WT_KERNEL(64) spin(loops l, unsigned *out) {
  const int times = l.first + l.second + l.third + int(l.fourth) + int(l.fifth) + int(l.sixth) + l.list[wt::workgroup_x()];
  unsigned *own = out + 64 * wt::workgroup_x() + __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  unsigned sum = *own;
  for (int i = 0; i < times; ++i) { sum += i; asm volatile("s_nop 15" : "+v"(sum)); }
  *own = sum;
}
struct numbers { unsigned *out; int times; };
WT_KERNEL(64) padded(numbers n) {
  for (int i = 0; i < n.times; ++i) asm volatile("s_nop 15");
  *n.out = n.times;
}
"""


def arguments(first=0, second=0, third=0, fourth=0, fifth=0.0, sixth=0.0, fill="zeros"):
    return [{"i8": first}, {"i16": second}, {"i32": third}, {"i64": fourth}, {"f32": fifth}, {"f64": sixth},
            {"name": "list", "buffer": 4096, "fill": fill}, {"buffer": 65536}]


def case(name, args=None, **changes):
    base = {"name": name, "group": "spins", "code_object": "spin.co", "kernel": "spin", "grid": [1], "block": [64],
            "arguments": args or arguments(third=100)}
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def document(cases, **changes):
    return {"format": "wavetile-cases", "version": 1, "defaults": {"chip": "mi355x"}, "cases": cases, **changes}


def write(name, content):
    with open(os.path.join(WORK, name), "w") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def predicted(*options, file="cases.json"):
    result = run("--cases", file, "--csv", *options)
    check(result.returncode == 0, f"{file} {options}: {result.stderr}")
    return list(csv.DictReader(result.stdout.splitlines()))


def test_arguments():
    """A hundred iterations are a hundred, whichever argument asks for them."""
    cases = [case("third"), case("first", arguments(first=100)), case("second", arguments(second=100)), case("fourth", arguments(fourth=100)),
             case("fifth", arguments(fifth=100.0)), case("sixth", arguments(sixth=100.0)), case("negative", arguments(first=-28, third=128)),
             case("list", arguments(fill={"u32": 100})), case("none", arguments(third=0)),
             case("placed", [{"at": 4, "i32": 100}, {"at": 32, "buffer": 64}, {"buffer": 256}])]
    write("cases.json", document(cases))
    rows = predicted("--jobs", "2")
    cycles = {row["name"]: float(row["cycles"]) for row in rows}
    check([row["name"] for row in rows] == [c["name"] for c in cases], f"order: {rows}")
    same = {name: value for name, value in cycles.items() if name != "none"}
    check(len(set(same.values())) == 1, f"the same loop by another argument: {same}")
    check(cycles["third"] - cycles["none"] > 100 * 16, f"100 iterations of 16 cycles: {cycles}")
    # An unsigned number that no signed one holds, of which the kernel takes the lower half.
    wide = [{"at": 8, "u64": "0xffffffff00000064"}, {"at": 32, "buffer": 64}, {"buffer": 256}]
    decimal = [{"at": 8, "u64": "18446744069414584420"}, *wide[1:]]
    signed = [{"at": 8, "i64": -4294967196}, *wide[1:]]
    write("wide.json", document([case("wide", wide), case("decimal", decimal), case("signed", signed)]))
    cycles_of_wide = {float(row["cycles"]) for row in predicted(file="wide.json")}
    check(cycles_of_wide == {cycles["third"]}, f"numbers of 64 bits: {cycles_of_wide}")
    # Work-group 199 of 200 finds 199 in a list of counts; 16-bit counts look like 65536 * (2 i + 1) + 2 i.
    write("count.json", document([case("counted", arguments(fill={"count": "u32"}), grid=[200]),
                                    case("ones", arguments(fill={"u32": 199}), grid=[200])]))
    counted, ones = (float(row["cycles"]) for row in predicted(file="count.json"))
    check(0.9 * ones < counted <= ones, f"as long as the longest loop: {counted} and {ones}")


def test_padding():
    """A struct's padding at the end may be left out, an argument may not."""
    out, times = {"buffer": 256}, {"i32": 100}
    write("padded.json", document([case("whole", [out, times, {"i32": 0}], kernel="padded"), case("members", [out, times], kernel="padded")]))
    whole, members = (row["cycles"] for row in predicted(file="padded.json"))
    check(whole == members, f"without the padding: {members} cycles, with it {whole}")
    write("padded.json", document([case("short", [out], kernel="padded")]))
    result = run("--cases", "padded.json")
    check(result.returncode == 2 and "short: the arguments have 8 bytes, and those of kernel padded have 16" in result.stderr, f"{result}")


def test_groups():
    measured = {"a": 2.0, "b": 4.0, "c": 8.0}
    cases = [case(name, measured_us=us, group="one" if name != "c" else "two", role="choose" if name == "a" else "compare")
             for name, us in measured.items()] + [case("d")]
    write("groups.json", document(cases))
    rows = {row["name"]: row for row in predicted(file="groups.json")}
    us = float(rows["a"]["predicted_us"])
    for name, value in measured.items():
        check(abs(float(rows[name]["error_percent"]) - 100 * (us / value - 1)) < 1e-3, f"{name}: {rows[name]}")
    check(rows["d"]["error_percent"] == "" and rows["d"]["measured_us"] == "", f"without a measurement: {rows['d']}")
    table = run("--cases", "groups.json").stdout.splitlines()
    errors = [line.split() for line in table[table.index("errors of the predicted time") + 2:] if line]
    wanted = {("choose", "one"): "a", ("compare", "one"): "b", ("compare", "two"): "c"}
    check([(e[4], e[5]) for e in errors[:3]] == list(wanted), f"groups: {errors}")
    for e, name in zip(errors, wanted.values()):
        error = 100 * (us / measured[name] - 1)
        check(e[0] == "1" and e[6] == name and all(abs(float(value) - wanted_value) < 0.01 * abs(error)
                                                   for value, wanted_value in zip(e[1:4], (abs(error), error, error))), f"{name}: {e}")
    objects = json.loads(run("--cases", "groups.json", "--json").stdout)
    check([o["name"] for o in objects] == list("abcd") and objects[3]["measured_us"] is None, f"JSON: {objects}")
    check([row["name"] for row in predicted("--role", "choose", file="groups.json")] == ["a"], "only those of a role")
    check([row["name"] for row in predicted("--only", "two", file="groups.json")] == ["c"], "only those of a group")


def test_keep():
    cases = [case("short"), case("long", arguments(third=200))]
    write("keep.json", document(cases))
    first = run("--cases", "keep.json", "--keep", "kept", "--csv")
    again = run("--cases", "keep.json", "--keep", "kept", "--csv")
    check(again.stdout == first.stdout and again.stderr == "", f"kept: {again}")
    write("keep.json", document([cases[0], case("long", arguments(third=300))]))
    changed = run("--cases", "keep.json", "--keep", "kept", "--csv")
    check("2 of 2" in changed.stderr and "1 of 2" not in changed.stderr, f"another launch is predicted anew: {changed.stderr}")
    write("other", "no\ttabs\n")
    refused("kept", ["other:1", "delete"], "--cases", "keep.json", "--keep", "other")


def test_memory():
    size = 1 << 20
    args = [{"at": 4, "i32": 100}, {"at": 32, "buffer": size}, {"buffer": size}]
    write("memory.json", document([case("cold", args, grid=[2048]), case("warm", args, grid=[2048], memory="warm")]))
    cold, warm = predicted(file="memory.json")
    check(float(cold["hbm_bytes_read"]) > float(warm["hbm_bytes_read"]) and float(cold["cycles"]) > float(warm["cycles"]), f"{cold} {warm}")


def test_failures():
    """A case that fails is reported, and the others are predicted."""
    write("failing.json", document([case("good"), case("bad", [{"at": 4, "i32": 100}, {"at": 32, "u64": 0}, {"buffer": 256}]), case("last")]))
    result = run("--cases", "failing.json", "--csv")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    check(result.returncode == 1 and "bad" in result.stderr, f"a fault: {result}")
    check([bool(row["cycles"]) for row in rows] == [True, False, True], f"the others: {rows}")


def test_mistakes():
    def bad(name, words, cases):
        write("bad.json", document(cases))
        refused(name, ["bad.json", *words], "--cases", "bad.json")

    refused("no file named", ["--cases is missing"])
    refused("no file", ["nowhere.json cannot be read: No such file or directory; pass"], "--cases", "nowhere.json")
    write("bad.json", "{")
    refused("no JSON", ["bad.json", "line 1"], "--cases", "bad.json")
    write("bad.json", json.dumps(document([case("a", [{"u64": 1 << 63}])])))
    refused("too much for a number", ["bad.json", "line 1", "2^63", "text"], "--cases", "bad.json")
    write("bad.json", document([case("a")], defaults={"chip": "mi355x", "gird": [1]}))
    refused("unknown default", ["bad.json: the defaults have a member \"gird\"", "did you mean", "grid"], "--cases", "bad.json")
    write("bad.json", document([case("a")], version=2))
    refused("another version", ["wavetile-cases"], "--cases", "bad.json")
    bad("no cases", ["no cases"], [])
    bad("no object", ["case 2"], [case("a"), 5])
    bad("unknown member", ["case 1", "\"gird\"", "did you mean", "grid"], [case("a", gird=[1])])
    for member in ("name", "group", "code_object", "kernel", "grid", "block", "arguments"):
        changed = case("a")
        del changed[member]
        bad(member, ["case 1", f"\"{member}\" is missing"], [changed])
    for member, value in (("chip", "mi999"), ("code_object", "none.co"), ("grid", [0]), ("grid", [1, 1, 1, 1]), ("grid", 4), ("block", [1025]),
                          ("lds", -1), ("arguments", {}), ("memory", "hot"), ("measured_us", 0), ("measured_us", "1"), ("role", "fit"),
                          ("name", ""), ("source", 5)):
        bad(member, ["case 1", f"\"{member}\""], [{**case("a"), member: value}])
    for argument in ({}, {"u32": 1, "i32": 1}, {"u32": 1, "fill": "zeros"}, {"buffer": -1}, {"buffer": 6, "fill": {"u32": 1}},
                     {"buffer": 8, "fill": {"count": "f32"}}, {"buffer": 8, "fill": "ones"}, {"u8": 256}, {"i8": -129}, {"u32": 0.5},
                     {"f32": 1e39}, {"f32": "1"}, {"u64": -1}, {"u64": "-1"}, {"u64": "0x"}, {"u64": "1e3"},
                     {"u64": "0x10000000000000000"}, {"u64": "18446744073709551616"}, {"i64": "1"}, {"at": 5000, "u8": 1}, {"typo": 1}):
        bad(str(argument), ["case 1"], [case("a", [argument])])
    bad("going back", ["\"at\" is 4"], [case("a", [{"u64": 1}, {"at": 4, "u32": 1}])])
    write("good.json", document([case("a")]))
    refused("role", ["--role is \"fit\""], "--cases", "good.json", "--role", "fit")
    refused("nothing left", ["--only"], "--cases", "good.json", "--only", "zzz")
    refused("two forms", ["--json and --csv"], "--cases", "good.json", "--json", "--csv")
    for jobs in ("0", "257"):
        refused("jobs", [f"--jobs is \"{jobs}\"", "1 to 256"], "--cases", "good.json", "--jobs", jobs)
    write("text.co", "no code object")
    for name, changes, words in (("no kernel", {"kernel": "spun"}, ["spin.co has no kernel \"spun\""]),
                                 ("few arguments", {"arguments": [{"at": 4, "i32": 100}]},
                                  ["a: the arguments have 8 bytes, and those of kernel spin have 48; add"]),
                                 ("no code object", {"code_object": "text.co"}, ["text.co is no code object for gfx950"])):
        write("bad.json", document([case("a", **changes)]))
        result = run("--cases", "bad.json")
        check(result.returncode == 2 and words[0] in result.stderr.splitlines()[-1] and not result.stdout, f"{name}: {result}")


start("bench", "binaries")
write("spin.hip", SOURCE)
subprocess.run([WAVETILE, "hipcc", "--kernel", "spin.hip", "-o", "spin.co"], cwd=WORK, check=True)
test_arguments()
test_padding()
test_groups()
test_keep()
test_memory()
test_failures()
test_mistakes()
finish()
