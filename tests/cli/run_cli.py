# SPDX-License-Identifier: MIT
"""`wavetile run`: the program's exit status and signals come through, the line at the end says what was done, options become
settings, devices come in the order that the program was compiled for, and mistakes are refused before the program starts.
Usage: run_cli.py WAVETILE WORK_FOLDER C_COMPILER"""

import json
import os
import re
import signal
import subprocess
import sys
import time

from cli import WAVETILE, WORK, check, finish, refused, run, start

COMPILER = sys.argv[3]
PROGRAM = r"""
#include <hip/hip_runtime.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void add(int *x) { atomicAdd(x, 1); }
__global__ void race(int *x) {
  __shared__ int shared[128];
  shared[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = shared[127 - threadIdx.x];
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *x;
  hipDeviceProp_t p;
  if (hipGetDeviceProperties(&p, 0) || hipHostMalloc((void **)&x, 1024, 0)) return 3;
  std::printf("%s\n", p.gcnArchName);
  x[0] = 0;
  if (!strcmp(what, "race")) race<<<1, 128>>>(x);
  else if (strcmp(what, "none")) add<<<2, 64>>>(x);
  if (hipDeviceSynchronize()) return 4;
  if (!strcmp(what, "leave")) fflush(stdout), _exit(5);
  if (!strcmp(what, "signal")) fflush(stdout), raise(SIGTERM);
  if (!strcmp(what, "fault")) add<<<1, 64>>>((int *)64), x[0] = 128 * (hipDeviceSynchronize() != 0);
  if (!strcmp(what, "wait")) std::puts("ready"), fflush(stdout), pause();
  return strcmp(what, "race") && strcmp(what, "none") && x[0] != 128 ? 6 : 0;
}
"""
MODULE = r"""
#include <hip/hip_runtime_api.h>
int main(int argc, char **argv) {
  hipModule_t module;
  (void)argc;
  return hipModuleLoad(&module, argv[1]) == hipErrorNoBinaryForGpu ? 9 : 0;
}
"""
KERNEL = '#include <wavetile_device.h>\nWT_KERNEL(64) one(float *out) { out[wt::lane_id()] = 1; }\n'
STUB = r"""
#include <stdio.h>
#include <stdlib.h>
int hipRuntimeGetVersion(int *v);
int hipRuntimeGetVersion(int *v) {
  printf("stub, GPU %s\n", getenv("HIP_VISIBLE_DEVICES"));
  return *v = 0;
}
"""
ASKS = r"""
#include <hip/hip_runtime_api.h>
int main(void) { int v; return hipRuntimeGetVersion(&v); }
"""
LINE = re.compile(r"wavetile run: (?P<devices>.*?), schedule (?P<schedule>\S+): (?P<launches>\d+) launch(?:es)?, (?P<groups>\d+) "
                  r"work-groups?, (?P<instructions>\d+) wave-instructions?(?P<rest>.*)")


def compile_all():
    for name, text in {"p.hip": PROGRAM, "module.c": MODULE, "kernel.hip": KERNEL, "stub.c": STUB, "asks.c": ASKS}.items():
        with open(os.path.join(WORK, name), "w") as file:
            file.write(text)
    for words in (["p.hip", "-o", "both"], ["--offload-arch=gfx942", "p.hip", "-o", "only942"],
                  ["--offload-arch=gfx950", "p.hip", "-o", "only950"], ["--offload-arch=gfx9-4-generic", "p.hip", "-o", "generic"],
                  ["--offload-compress", "--offload-arch=gfx942", "p.hip", "-o", "packed942"],
                  ["module.c", "-o", "module"], ["asks.c", "-o", "asks"],
                  ["--kernel", "--offload-arch=gfx942", "kernel.hip", "-o", "kernel942.co"],
                  ["--kernel", "--offload-arch=gfx950", "kernel.hip", "-o", "kernel950.co"]):
        made = subprocess.run([WAVETILE, "hipcc", *words], cwd=WORK, capture_output=True, text=True)
        check(made.returncode == 0, f"{words}: {made.stderr}")


def ran(name, *words, code=0, **environment):
    """Runs; returns what was printed and the parts of the line at the end."""
    result = run(*words, **environment)
    check(result.returncode == code, f"{name}: exit code {result.returncode}, expected {code}: {result.stderr}")
    line = LINE.match(result.stderr.strip().splitlines()[-1]) if result.stderr.strip() else None
    check(line, f"{name}: {result.stderr}")
    return result, line.groupdict() if line else dict.fromkeys(("devices", "schedule", "launches", "groups", "instructions", "rest"), "")


def devices():
    """Device 0 is one that the program was compiled for, unless the user says otherwise."""
    for program, words, environment, arch in (
            ("both", [], {}, "gfx950"), ("generic", [], {}, "gfx950"), ("only950", [], {}, "gfx950"), ("only942", [], {}, "gfx942"),
            ("packed942", [], {}, "gfx942"), ("both", ["--device", "sim:mi300x"], {}, "gfx942"),
            ("both", ["--device=MI300X,sim:mi355x"], {}, "gfx942"), ("both", [], {"WT_SIM_DEVICES": "mi300x"}, "gfx942"),
            ("both", ["--device", "mi355x"], {"WT_SIM_DEVICES": "mi300x"}, "gfx950")):
        name = f"{program} {words} {environment}"
        result, line = ran(name, *words, "./" + program, **environment)
        chip = {"gfx942": "mi300x", "gfx950": "mi355x"}[arch]
        check(result.stdout.startswith(arch) and line["devices"] == f"{chip} ({arch})", f"{name}: {result}")
    for program, device, remedy in (("only942", "mi355x", "mi300x"), ("only950", "mi300x", "mi355x")):
        wrong = run("--device", device, "./" + program)
        check(wrong.returncode in (4, 6), f"{program} on {device}: {wrong}")
        check(f"choose a device for it with WT_SIM_DEVICES={remedy} or wavetile run --device sim:{remedy}" in wrong.stderr, wrong.stderr)
        check(wrong.stderr.endswith("launched no kernel on a simulated device\n"), wrong.stderr)
    for file, device, remedy in (("kernel942.co", "mi355x", "mi300x"), ("kernel950.co", "mi300x", "mi355x")):
        wrong = run("--device", device, "./module", file)
        check(wrong.returncode == 9 and f"wavetile run --device sim:{remedy}" in wrong.stderr, f"{file} on {device}: {wrong}")


def statuses():
    _, line = ran("one launch", "./both")
    check((line["launches"], line["groups"], line["schedule"], line["rest"]) == ("1", "2", "late", ""), str(line))
    _, left = ran("a program that leaves by _exit", "./both", "leave", code=5)
    check(left["instructions"] == line["instructions"], f"{left} {line}")
    _, ended = ran("a program that a signal ends", "./both", "signal", code=-signal.SIGTERM)
    check(ended["instructions"] == line["instructions"], f"{ended} {line}")
    _, several = ran("two programs of a script", "sh", "-c", "./both; ./only942 leave", code=5)
    check(several["launches"] == "2" and several["devices"] == "mi355x (gfx950) and mi300x (gfx942)", str(several))
    _, fault = ran("a launch that fails", "./both", "fault")
    check(fault["launches"] == "2" and "; 1 launch failed" in fault["rest"], str(fault))
    none = run("./both", "none")
    check(none.returncode == 0 and none.stderr == "wavetile run: ./both launched no kernel on a simulated device\n", str(none))
    other = run("--", "sh", "-c", "exit 7")
    check(other.returncode == 7 and "sh made no HIP call" in other.stderr and "ldd sh" in other.stderr, str(other))
    quiet = run("--quiet", "./both")
    check(quiet.returncode == 0 and quiet.stderr == "", str(quiet))
    # Arguments of the program that look like options are the program's.
    check(run("sh", "-c", 'test "$1" = --check', "sh", "--check").returncode == 0, "arguments after the program")


def signals():
    """A signal from another process reaches the program, whose end is told all the same."""
    process = subprocess.Popen([WAVETILE, "run", "./both", "wait"], cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.stdout.readline() not in ("ready\n", ""):
        pass
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    check(process.returncode == -signal.SIGTERM, f"status {process.returncode} after {time.monotonic() - begin} s")
    check(LINE.match(said.strip()), said)


def settings():
    _, line = ran("schedule", "--schedule", "random:5", "./both", WT_SIM_SCHEDULE="early")
    check(line["schedule"] == "random:5", str(line))
    _, line = ran("schedule of the environment", "./both", WT_SIM_SCHEDULE="early")
    check(line["schedule"] == "early", str(line))
    result, line = ran("timing", "--timing", "./both")
    check("predicted, not measured: " in result.stderr, result.stderr)
    predicted = re.fullmatch(r"; predicted ([\d.]+) ns, not measured", line["rest"])
    told = re.search(r"cycles, ([\d.]+) us", result.stderr)
    check(predicted and told and abs(float(predicted[1]) / 1000 - float(told[1])) <= 0.006, f"{line}: {result.stderr}")
    _, line = ran("check without a finding", "--check=strict", "--threads", "1", "./both")
    check(line["rest"] == "; check mode found 0 errors and 0 places that depend on timing", str(line))
    result, line = ran("check that reports", "--check", "./both", "race")
    errors = re.search(r"found (\d+) errors? ", line["rest"])
    check("wavetile check: " in result.stderr and errors and int(errors[1]) > 0, str(line))
    ran("check that fails", "--check=fail", "./both", "race", code=70)
    ran("report", "--report", "found.json", "./both", "race")
    with open(os.path.join(WORK, "found.json")) as file:
        check(errors and json.load(file)["errors"] == int(errors[1]), "the report has as many errors as the line")


def gpus():
    """Another runtime in ROCm's place is preloaded, whatever the program was linked with."""
    os.makedirs(os.path.join(WORK, "rocm", "lib"))
    library = os.path.join(WORK, "rocm", "lib", "libamdhip64.so")
    made = subprocess.run([COMPILER, "-shared", "-fPIC", "stub.c", "-o", library], cwd=WORK, capture_output=True, text=True)
    check(made.returncode == 0, made.stderr)
    for variable in ("ROCM_PATH", "WT_ROCM_PATH"):
        result = run("--device", "hip:2", "./asks", **{variable: os.path.join(WORK, "rocm")})
        check((result.returncode, result.stdout) == (0, "stub, GPU 2\n"), str(result))
        check(result.stderr == "wavetile run: hip:2 of ROCm's runtime; nothing was simulated\n", result.stderr)
    refused("a setting without meaning", ["--schedule", "hip:0"], "--device", "hip:0", "--schedule", "late", "./asks")
    refused("no ROCm", ["/nowhere/lib/libamdhip64.so", "WT_ROCM_PATH"], "--device", "hip:0", "./asks", WT_ROCM_PATH="/nowhere")
    os.remove(library)
    linked = subprocess.run(["ldd", "asks"], cwd=WORK, capture_output=True, text=True).stdout
    os.symlink(re.search(r"libamdhip64\S* => (\S+)", linked)[1], library)
    refused("a simulated runtime", ["is a simulated runtime"], "--device", "hip:0", "./asks", ROCM_PATH=os.path.join(WORK, "rocm"))


def mistakes():
    refused("no program", ["name the program"])
    refused("only options", ["name the program"], "--check")
    refused("no such program", ['"./nothere"', "No such file"], "./nothere")
    refused("unknown option", ["--chekc", "--check"], "--chekc", "./both")
    refused("wrong schedule", ["--schedule=tmied", "did you mean timed?"], "--schedule", "tmied", "./both")
    refused("wrong check", ["--check=fial", "did you mean fail?"], "--check=fial", "./both")
    refused("random without a seed", ["--schedule=random", "did you mean random:SEED?"], "--schedule", "random", "./both")
    refused("a value apart from its option", ['the program to run is "fail"; did you mean --check=fail?'], "--check", "fail", "./both")
    refused("a mode apart from its option", ["did you mean --timing=only?"], "--timing", "only", "./both")
    refused("wrong timing", ["--timing=dei", "die"], "--timing=dei", "./both")
    refused("wrong device", ["--device=mi999", "mi355x, mi300x"], "--device", "sim:mi999", "./both")
    refused("wrong GPU", ["hip:x", "hip:0"], "--device", "hip:x", "./both")
    refused("wrong threads", ["--threads"], "--threads", "0", "./both")
    refused("folder of the report", ["--report", "nowhere"], "--report", "/nowhere/x.json", "./both")
    refused("wrong setting of the environment", ["WT_SIM_TIMNIG", "WT_SIM_TIMING"], "./both", WT_SIM_TIMNIG="1")


start("run")
compile_all()
devices()
statuses()
signals()
settings()
gpus()
mistakes()
finish()
