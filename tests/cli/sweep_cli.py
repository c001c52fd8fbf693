# SPDX-License-Identifier: MIT
"""Tests several sizes at once, CSV, JSON and predictions of the commands that run kernels. Usage: sweep_cli.py
WAVETILE WORK_FOLDER"""

import csv
import io
import json

from cli import check, finish, refused, run, start

# hipblaslt-bench prints these first, and in this order, among others.
BENCH = ("transA,transB,grouped_gemm,batch_count,m,n,k,alpha,lda,stride_a,beta,ldb,stride_b,ldc,stride_c,ldd,stride_d,a_type,"
         "b_type,c_type,d_type,compute_type").split(",")
COMMANDS = {  # small runs of every command
    "gemm": ["--m", 40, "--n", 50, "--k", 64],
    "attention": ["--queries", 40, "--head-dim", 64],
    "norm": ["--rows", 5, "--columns", 70],
    "rotary": ["--rows", 5, "--head-dim", 64],
    "softmax": ["--rows", 5, "--columns", 70],
    "cross-entropy": ["--rows", 5, "--columns", 70],
    "quantize": ["--rows", 5, "--columns", 70],
    "dequantize": ["--rows", 5, "--columns", 70],
    "quantize-blocks": ["--rows", 5, "--columns", 96],
    "dequantize-blocks": ["--rows", 5, "--columns", 96],
    "gemm-mx": ["--m", 5, "--n", 40, "--k", 96],
    "gemm-block": ["--m", 5, "--n", 140, "--k", 200],
    "grouped": ["--groups", 2, "--m", 9, "--n", 40, "--k", 64],
    "experts": ["--tokens", 5, "--experts", 4, "--hidden", 40, "--inner", 24],
    "shuffle": ["--of", "scales", "--rows", 5, "--columns", 9],
    "activation": ["--rows", 5, "--columns", 70],
    "conv": ["--n", 1, "--h", 6, "--c", 16, "--k", 24, "--r", 3],
}


def rows(*arguments):
    result = run(*arguments, "--csv")
    check(result.returncode == 0 and result.stderr == "", f"{arguments}: {result.returncode} {result.stderr!r}")
    return list(csv.DictReader(io.StringIO(result.stdout)))


def objects(*arguments):
    result = run(*arguments, "--json")
    check(result.returncode == 0 and result.stderr == "", f"{arguments}: {result.returncode} {result.stderr!r}")
    return json.loads(result.stdout)


def test_sizes():
    got = rows("gemm", "--m", "1:16:x2", "--n", "64:192:+64", "--k", "32", "--no-verify")
    want = [(m, n, 32) for m in (1, 2, 4, 8, 16) for n in (64, 128, 192)]
    check([(int(r["m"]), int(r["n"]), int(r["k"])) for r in got] == want, f"ranges: {got}")
    got = rows("softmax", "--rows", "3,1:5:+3", "--columns", "7,9")
    check([(r["rows"], r["columns"]) for r in got] == [(a, b) for a in ("3", "1", "4") for b in ("7", "9")], f"lists: {got}")
    check(all(r["verdict"] == "correct" for r in got), f"lists: {got}")
    got = rows("attention", "--queries", "16,32", "--head-dim", "64,128", "--heads", 2)
    check([(r["queries"], r["head_dim"], r["verdict"]) for r in got] ==
          [(q, d, "correct") for q in ("16", "32") for d in ("64", "128")], f"attention: {got}")
    got = rows("rotary", "--rows", "4,5", "--heads", "1:4:x4", "--batch", "1,2")
    check(len(got) == 8 and all(r["verdict"] == "correct" for r in got), f"rotary: {got}")
    for text in ("0", "4:2:x2", "1:8:x1", "1:8:x", "1:8:y2", "1:8", "1,", ",1", "", "1:1000:+1", "1 ,2", "4294967296", "1:8:+0"):
        refused(f"sizes {text!r}", [f'--rows is "{text}"', "1:4096:x2"], "softmax", "--rows", text, "--columns", "8")


def test_table():
    """Several runs without --csv or --json print a table: names, and a line for each."""
    result = run("softmax", "--rows", "4,8", "--columns", "16", "--predict")
    lines = result.stdout.splitlines()
    check(result.returncode == 0 and len(lines) == 3 and lines[0].split()[:3] == ["pass", "rows", "columns"], f"{result}")
    check([line.split()[1] for line in lines[1:]] == ["4", "8"] and "correct" in lines[1], f"{result.stdout}")


def test_records():
    for name, size in COMMANDS.items():
        (row,), (entry,) = rows(name, *size), objects(name, *size)
        check(list(row) == list(entry), f"{name}: CSV and JSON have different fields")
        for field, value in entry.items():
            text = row[field]
            same = text == "" if value is None else text == str(value).lower() if isinstance(value, bool) else \
                text == value if isinstance(value, str) else abs(float(text) - value) <= 1e-8 * abs(value)
            check(same or field == "host_seconds", f"{name} {field}: {text!r} in CSV, {value!r} in JSON")
        check(entry["verdict"] == "correct" and entry["instructions"] > 0, f"{name}: {entry}")
        check(entry["predicted_us"] is None, f"{name}: predicted without --predict")
    (row,) = rows("gemm", *COMMANDS["gemm"], "--batch", 3, "--lda", 70, "--stride-b", 0, "--alpha", "0.5")
    check(list(row)[:len(BENCH)] == BENCH, f"columns: {list(row)}")
    check([row[c] for c in BENCH] ==
          ["N", "T", "0", "3", "40", "50", "64", "0.5", "70", "2800", "0", "64", "0", "50", "2000", "50", "2000", "f8_r", "f8_r",
           "bf16_r", "bf16_r", "f32_r"], f"values: {row}")
    refused("both forms", ["--json and --csv"], "softmax", *COMMANDS["softmax"], "--json", "--csv")
    refused("both verdicts", ["--verify and --no-verify"], "softmax", *COMMANDS["softmax"], "--verify", "--no-verify")


def test_broken_sweep():
    """A run that fails ends the sweep; what was written before is whole."""
    result = run("attention", "--queries", "16", "--head-dim", "64,100", "--json")
    check(result.returncode == 2 and "--head-dim is 100" in result.stderr, f"broken sweep: {result}")
    check([x["head_dim"] for x in json.loads(result.stdout)] == [64], f"broken sweep: {result.stdout}")


def test_predictions():
    for name, size in COMMANDS.items():
        (checked,) = objects(name, *size, "--predict")
        check(checked["verdict"] == "correct" and checked["predicted_cycles"] > 100, f"{name}: {checked}")
        check(checked["predicted-GB/s"] > 0, f"{name}: {checked}")
        # The clock lies between 1 and 3 GHz.
        clock = checked["predicted_cycles"] / checked["predicted_us"]
        check(500 < clock < 3000, f"{name}: {clock} MHz")
    (small, large) = objects("gemm", "--m", "512", "--n", "512", "--k", "512,8192", "--dtype", "bf16", "--predict",
                             "--no-verify")
    check(small["verdict"] == "unchecked" and large["predicted_cycles"] > 1.5 * small["predicted_cycles"], f"{small} {large}")
    for x in (small, large):
        rate = 2e-3 * x["m"] * x["n"] * x["k"] / x["predicted_us"]
        check(abs(x["predicted-Gflops"] / rate - 1) < 1e-6, f"rate of {x}")
    (whole,) = objects("gemm", "--m", "512", "--n", "512", "--k", "512", "--dtype", "bf16", "--predict")
    check(abs(whole["predicted_cycles"] / small["predicted_cycles"] - 1) < 0.05, f"{whole} {small}")
    result = run("softmax", *COMMANDS["softmax"], "--predict")
    check("modelled, not measured" in result.stdout, f"a prediction is called one: {result.stdout}")


start()
test_sizes()
test_table()
test_records()
test_broken_sweep()
test_predictions()
finish()
