# SPDX-License-Identifier: MIT
"""`wavetile hipcc`: programs and kernels that it compiles run on both simulated devices, clang's options and exit status pass
through, it finds its parts beside itself, and every part that is missing is named. Usage: hipcc_cli.py WAVETILE WORK_FOLDER
HIP_INCLUDE"""

import os
import shutil
import subprocess
import sys

from cli import WAVETILE, WORK, check, finish, refused, run, start

HIP_INCLUDE = sys.argv[3]
PROGRAM = r"""
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sinf(x[i]) * by + FACTOR;
}
int main(int argc, char **argv) {
  const int n = 1000;
  float *x;
  if (hipSetDevice(argc > 1 ? atoi(argv[1]) : 0) || hipHostMalloc((void **)&x, n * sizeof *x, 0)) return 3;
  for (int i = 0; i < n; ++i) x[i] = 0;
  scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
  if (hipDeviceSynchronize()) return 4;
  for (int i = 0; i < n; ++i)
    if (x[i] != FACTOR) return 5;
  std::puts("scaled");
  return 0;
}
"""
KERNEL = r"""
#include <wavetile_device.h>
WT_KERNEL(64) numbers(float *out, int n) {
  if (wt::lane_id() < n) out[wt::lane_id()] = 3.0f * wt::lane_id();
}
"""
HOST = r"""
#include <hip/hip_runtime_api.h>
#include <stdio.h>
int main(int argc, char **argv) {
  float *out;
  int n = 64, wrong = 0;
  hipModule_t module;
  hipFunction_t function;
  void *arguments[] = {&out, &n};
  if (hipSetDevice(argv[1][0] - '0') || hipModuleLoad(&module, argv[2])) return 3;
  if (hipModuleGetFunction(&function, module, "numbers") || hipHostMalloc((void **)&out, n * sizeof *out, 0)) return 4;
  if (hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL)) return 5;
  if (hipDeviceSynchronize()) return 6;
  for (int i = 0; i < n; ++i) wrong += out[i] != 3.0f * i;
  return wrong ? 7 : argc == 3 ? 0 : 8;
}
"""


def write(name, text):
    path = os.path.join(WORK, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def execute(program, *arguments):
    env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    env["WT_SIM_DEVICES"] = "mi355x,mi300x"
    return subprocess.run([os.path.join(WORK, program), *arguments], cwd=WORK, env=env, capture_output=True, text=True)


def compiles(name, *arguments, **environment):
    result = run(*arguments, **environment)
    check(result.returncode == 0, f"{name}: exit code {result.returncode}: {result.stderr}")
    check("warning" not in result.stderr, f"{name}: {result.stderr}")
    return result


def programs():
    write("program.hip", PROGRAM)
    made = compiles("one step", "program.hip", "-o", "program", "-DFACTOR=5.0f", "-v")
    check(made.stderr.count("\n") == 1 and "--offload-arch=gfx942" in made.stderr and "-O3" in made.stderr, made.stderr)
    for device in "01":
        ran = execute("program", device)
        check((ran.returncode, ran.stdout) == (0, "scaled\n"), f"device {device}: {ran}")
    # The command that -v prints is the whole command.
    again = subprocess.run(made.stderr.replace("-o program", "-o again"), shell=True, cwd=WORK, capture_output=True, text=True)
    check(again.returncode == 0 and execute("again", "0").stdout == "scaled\n", f"the printed command: {again.stderr}")
    compiles("object", "-c", "-D", "FACTOR=1.0f", "program.hip", "-O1", "-g", "-std=c++20")
    with open(os.path.join(WORK, "program.o"), "rb") as file:
        check(b"wavetile\0" in file.read(), "an object tells which headers it was compiled with (hip_note.h)")
    compiles("linking", "program.o", "-o", "linked")
    check(execute("linked", "1").stdout == "scaled\n", "an object compiled before")
    write("odd name's.cpp", PROGRAM)
    odd = compiles("a file's name with a blank", "odd name's.cpp", "-DFACTOR=0.0f", "-o", "odd", "-v", "--offload-arch=gfx942")
    check("'odd name'\\''s.cpp'" in odd.stderr and "gfx950" not in odd.stderr, odd.stderr)
    check(execute("odd", "1").stdout == "scaled\n", "one target")
    compiles("relocatable object", "-fgpu-rdc", "-c", "program.hip", "-DFACTOR=2.0f", "-o", "rdc.o")
    compiles("device code linked with the program", "-fgpu-rdc", "rdc.o", "-o", "rdc")
    check(execute("rdc", "0").stdout == "scaled\n", "device code linked with the program")
    broken = run("-c", "program.hip", "-DFACTOR=nonsense")
    check(broken.returncode == 1 and "nonsense" in broken.stderr, f"clang's errors and exit status: {broken}")
    version = run("--version")
    check(version.returncode == 0 and "clang" in version.stdout, f"options for clang alone: {version}")


def kernels():
    write("numbers.hip", KERNEL)
    write("host.c", HOST)
    compiles("C", "host.c", "-o", "host", "-Wall", "-Werror")
    compiles("both targets", "--kernel", "numbers.hip")
    compiles("one target", "--kernel", "--offload-arch", "gfx950", "numbers.hip", "-o", "one.co", "-Wall", "-Wextra", "-Werror")
    with open(os.path.join(WORK, "numbers.co"), "rb") as both, open(os.path.join(WORK, "one.co"), "rb") as one:
        check(both.read(24) == b"__CLANG_OFFLOAD_BUNDLE__", "several targets are a bundle")
        check(one.read(4) == b"\x7fELF", "one target is a code object")
    for device, file in (("0", "numbers.co"), ("1", "numbers.co"), ("0", "one.co")):
        ran = execute("host", device, file)
        check(ran.returncode == 0, f"{file} on device {device}: {ran}")
    # As ROCm's hipcc takes it: code objects of a file of HIP.
    write("plain.hip", "#include <hip/hip_runtime.h>\nextern \"C\" __global__ void numbers(float *out, int n) {\n"
                       "  if (threadIdx.x < n) out[threadIdx.x] = 3.0f * threadIdx.x;\n}\n")
    compiles("code objects alone", "--genco", "--offload-arch=gfx950", "--offload-arch=gfx942", "plain.hip", "-o", "plain.co")
    for device in "01":
        check(execute("host", device, "plain.co").returncode == 0, f"--genco, device {device}")
    wrong = execute("host", "1", "one.co")
    check(wrong.returncode == 3 and "gfx950" in wrong.stderr, f"a code object for another device: {wrong}")
    compiles("assembly", "--kernel", "--offload-arch=gfx942", "-S", "numbers.hip")
    with open(os.path.join(WORK, "numbers.s")) as assembly:
        check("amdgcn-amd-amdhsa--gfx942" in assembly.read(), "assembly")
    for name, words, file, target in (("by default", ["-MD"], "numbers.d", "numbers.co"),
                                      ("named", ["-MMD", "-MF", "x.dep", "-MT", "goal", "-o", "out.co"], "x.dep", "goal")):
        compiles("dependencies " + name, "--kernel", *words, "numbers.hip")
        with open(os.path.join(WORK, file)) as dependencies:
            rule = dependencies.read()
        check(rule.startswith(target + ":") and "numbers.hip" in rule, f"{name}: {rule}")
        check(("wavetile_device.h" in rule) == ("-MD" in words), f"{name}, headers of the system: {rule}")
    check("numbers" in compiles("preprocessed", "--kernel", "-E", "numbers.hip", "--offload-arch=gfx950").stdout, "-E")


def machine_code():
    """`wavetile isa FILE` shows the kernels of what --kernel made."""
    start("isa", keep=True)
    for file, target, shown in (("numbers.co", [], ["gfx950", "gfx942"]), ("numbers.co", ["--target", "gfx942"], ["gfx942"]),
                                ("./one.co", [], ["gfx950"])):
        result = run(file, *target)
        titles = [line for line in result.stdout.splitlines() if line.startswith("numbers (")]
        check(result.returncode == 0 and titles == [f"numbers ({chip})" for chip in shown], f"{file} {target}: {result}")
    refused("a target that the file does not have", ["--target is gfx942, but one.co has code for gfx950; pass that"], "one.co", "--target", "gfx942")
    refused("a kernel that the file does not have", ["one.co", '"number"', "did you mean numbers?"], "one.co", "number")
    refused("a target that the file does not have", ["gfx950", "gfx942"], "one.co", "--target", "gfx942")
    refused("no such file", ['cannot read "none.co"'], "none.co")
    refused("no code object", [], "numbers.hip")
    refused("two kernels", ['"b" is one word too many'], "a", "b")
    start("hipcc", keep=True)


def places():
    """Headers are found from the command's own place, and a ROCm tree that is named is taken."""
    prefix = os.path.join(WORK, "prefix")
    os.makedirs(os.path.join(prefix, "bin"))
    shutil.copy(WAVETILE, os.path.join(prefix, "bin"))
    moved = [os.path.join(prefix, "bin", "wavetile"), "hipcc", "--kernel", "--offload-arch=gfx950", "numbers.hip"]
    result = subprocess.run(moved, cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 1 and f"no wavetile_device.h in {prefix}/include" in result.stderr, result.stderr)
    os.symlink(os.path.join(os.path.dirname(os.path.dirname(WAVETILE)), "include"), os.path.join(prefix, "include"))
    result = subprocess.run([*moved, "-v"], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 0 and f"{prefix}/include" in result.stderr, result.stderr)

    flags = run("-v", "-c", "program.hip", "-DFACTOR=1.0f").stderr.split()
    library = [f.split("=")[1] for f in flags if f.startswith(("--hip-device-lib-path=", "--rocm-device-lib-path="))][0]
    tree = os.path.join(WORK, "rocm")
    refused("no tree", ["--rocm", "rocm/include/hip/hip_runtime.h", "/opt/rocm"], "--rocm", tree, "program.hip")
    refused("no tree by variable", ["ROCM_PATH is"], "program.hip", ROCM_PATH=tree)
    os.makedirs(os.path.join(tree, "include"))
    os.symlink(os.path.join(HIP_INCLUDE, "hip"), os.path.join(tree, "include", "hip"))
    refused("no device library", ["device library", "amdgcn/bitcode"], "--rocm=" + tree, "program.hip")
    os.makedirs(os.path.join(tree, "amdgcn"))
    os.symlink(library, os.path.join(tree, "amdgcn", "bitcode"))
    for name, words, environment in (("option", ["--rocm", tree], {}), ("variable", [], {"ROCM_PATH": tree})):
        made = compiles("tree by " + name, *words, "-v", "program.hip", "-DFACTOR=4.0f", "-o", "by_" + name, **environment)
        check(f"--rocm-path={tree}" in made.stderr and f"-isystem {tree}/include" in made.stderr, made.stderr)
        check(execute("by_" + name, "0").stdout == "scaled\n", "tree by " + name)
    # This is a clang of the tree that has no linker beside it.
    def program(name):
        os.chmod(write("rocm/llvm/bin/" + name, "#!/bin/sh\nexit 9\n"), 0o755)

    program("clang++")
    refused("no lld", ["llvm/bin/clang++", "lld", "install lld-22"], "--rocm", tree, "program.hip", code=1, PATH="/nowhere")
    program("lld")
    refused("no bundler", ["clang-offload-bundler", "install clang-tools-22"], "--rocm", tree, "program.hip", code=1, PATH="/nowhere")
    program("clang-offload-bundler")
    check(run("--rocm", tree, "program.hip").returncode == 9, "the exit status of the tree's clang")


def mistakes():
    refused("nothing", ["name a file"])
    refused("nothing but options", ["name a file"], "--kernel")
    refused("unknown target", ["gfx90a", "gfx942", "gfx950"], "--offload-arch=gfx90a", "program.hip")
    refused("one unknown target of two", ["gfx9420"], "--offload-arch=gfx950,gfx9420", "program.hip")
    refused("target without a name", ["--offload-arch needs a value"], "program.hip", "--offload-arch")
    refused("no such clang", ["--clang", "/nowhere/clang++"], "--clang", "/nowhere/clang++", "program.hip")
    refused("two kernel files", ["--kernel", "2 are named"], "--kernel", "numbers.hip", "program.hip")


start("hipcc")
programs()
kernels()
machine_code()
places()
mistakes()
finish()
