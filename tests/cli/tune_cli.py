# SPDX-License-Identifier: MIT
"""`wavetile tune gemm`: it tries kernels, splits and orders; its ranks are in order and the same in every run, its table is what `wavetile gemm` then takes, and every
mistake a user can make is refused. Usage: tune_cli.py WAVETILE WORK_FOLDER"""

import os
import re
import subprocess

from cli import WAVETILE, WORK, check, finish, refused, run, start

SIZE = ["--m", 256, "--n", 200, "--k", 512]
HEADER = "target,type_a,type_b,m,n,k,kernel,window,chunk,parts,cycles"


def ranks(text):
    """Returns (kernel, parts, window, chunk, cycles) of each line of the ranking."""
    return [(f[1], f[2], f[3], f[4], int(f[5])) for f in (line.split() for line in text.splitlines()) if len(f) > 8 and f[1].startswith("gemm_")]


def rows(name):
    with open(os.path.join(WORK, name)) as file:
        return [line.strip() for line in file if not line.startswith("#")]


def test_search():
    first = run("gemm", *SIZE, "--only", "4wave_64", "--tries", 6, "--out", "t.csv")
    check(first.returncode == 0, f"exit code {first.returncode}: {first.stderr}")
    found = ranks(first.stdout)
    check(1 < len(found) <= 6 and [f[4] for f in found] == sorted(f[4] for f in found), f"ranks: {found}")
    check({f[0] for f in found} == {"gemm_4wave_64x64", "gemm_4wave_64x128", "gemm_4wave_64x256"}, f"kernels: {found}")
    check(len(set(found)) == len(found), f"tried twice: {found}")
    again = run("gemm", *SIZE, "--only", "4wave_64", "--tries", 6)
    check(again.stdout == first.stdout, f"another ranking: {again.stdout}")
    check({f[1] for f in found} > {"own"}, f"splits: {found}")
    zero = {"own": "0"}
    kernel, parts, window, chunk, cycles = found[0]
    wanted = f"gfx950,bf16,bf16,256,200,512,{kernel},{zero.get(window, window)},{zero.get(chunk, chunk)},{zero.get(parts, parts)},{cycles}"
    check(rows("t.csv") == [HEADER, wanted], f"table: {rows('t.csv')}, expected {wanted}")
    second = run("gemm", "--m", 64, "--n", 64, "--k", 256, "--dtype", "f8e4m3", "--device", "sim:mi300x", "--only", "4wave_64x64",
                 "--tries", 1, "--out", "t.csv")
    check(second.returncode == 0 and len(ranks(second.stdout)) == 1, f"a second problem: {second}")
    check(len(rows("t.csv")) == 3 and rows("t.csv")[1] == wanted, f"added to: {rows('t.csv')}")
    check(re.fullmatch(r"gfx942,f8e4m3,f8e4m3,64,64,256,gemm_4wave_64x64,0,0,0,\d+", rows("t.csv")[2]), rows("t.csv")[2])


def test_several_kernels():
    """Tunes for rows of 2649 bytes: the library packs A and B first, which no row of a table says."""
    result = run("gemm", "--m", 701, "--n", 1390, "--k", 2649, "--dtype", "f8e4m3", "--device", "sim:mi300x", "--tries", 2, "--out", "s.csv")
    found = ranks(result.stdout)
    check(result.returncode == 0 and len(found) == 2 and found[0][0] == "gemm_chosen", f"ranks: {result}")
    check("s.csv has no new row" in result.stdout and not os.path.exists(os.path.join(WORK, "s.csv")), f"a table: {result.stdout}")


def test_stream():
    """272 tiles for 256 compute units: stream-K shares what another kernel needs a second round for, so it has the least work and is tried first."""
    result = run("gemm", "--m", 4352, "--n", 4096, "--k", 512, "--only", "256x256", "--tries", 1)
    found = ranks(result.stdout)
    check(result.returncode == 0 and [f[0] for f in found] == ["gemm_4wave_stream_256x256"], f"ranks: {result}")


def test_table_is_used():
    """Returns a row that nothing else would choose."""
    with open(os.path.join(WORK, "odd.csv"), "w") as file:
        file.write(HEADER + "\ngfx950,bf16,bf16,256,200,512,gemm_8wave_128x256,3,5,1,0\n")
    words = [WAVETILE, "gemm", *map(str, SIZE), "--dtype", "bf16", "--explain"]
    result = subprocess.run(words, env=dict(os.environ, WT_GEMM_TABLE=os.path.join(WORK, "odd.csv")), cwd=WORK, capture_output=True,
                            text=True)
    check(result.returncode == 0 and "gemm_8wave_128x256" in result.stdout.splitlines()[0] and "tuning table" in result.stdout
          and "windows of 3" in result.stdout, f"explained: {result}")


def test_mistakes():
    refused("what", ["takes \"gemm\""], "attention")
    refused("nothing", ["takes \"gemm\""])
    refused("no k", ["--k is missing"], "gemm", "--m", 1, "--n", 1)
    refused("type", ["--dtype is \"f64\"", "bf16"], "gemm", *SIZE, "--dtype", "f64")
    refused("device", ["--device is \"hip:0\"", "sim:mi355x"], "gemm", *SIZE, "--device", "hip:0")
    refused("chip", ["--device is \"sim:mi999\""], "gemm", *SIZE, "--device", "sim:mi999")
    refused("tries", ["--tries is 65", "64"], "gemm", *SIZE, "--tries", 65)
    refused("no kernel", ["--only is \"nothing\"", "256 x 200 x 512"], "gemm", *SIZE, "--only", "nothing")
    refused("folder", ["nowhere/t.csv"], "gemm", *SIZE, "--out", "nowhere/t.csv")
    with open(os.path.join(WORK, "bad.csv"), "w") as file:
        file.write(HEADER + "\ngfx950,bf16,bf16,1,1,1,gemm_fast,0,0,1,0\n")
    # Refused before the search begins, which would say so on standard error.
    refused("a bad table", ['bad.csv:2: kernel is "gemm_fast"'], "gemm", *SIZE, "--only", "4wave_64x64", "--tries", 1, "--out", "bad.csv")
    refused("a folder", ["--out", "regular file"], "gemm", *SIZE, "--out", ".")
    if os.getuid() != 0:
        os.chmod(os.path.join(WORK, "t.csv"), 0o444)
        refused("a table that cannot be written", ["t.csv", "Permission denied"], "gemm", *SIZE, "--out", "t.csv")
    check(rows("bad.csv")[1].startswith("gfx950,bf16,bf16,1,1,1,gemm_fast"), "a bad table was changed")


start("tune")
test_search()
test_several_kernels()
test_stream()
test_table_is_used()
test_mistakes()
finish()
