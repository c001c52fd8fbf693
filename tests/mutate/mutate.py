#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one operator, constant, condition or statement of a C file at a time and says which changes no test notices.

usage: mutate.py [--sample N] [--seed S] [--from I] [--seconds T] [PATH[:LINE]...]

The changes are made in a copy of the checkout, build-mutate/, with a build folder of its own. See docs/mutation.md.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import covering
import mutations

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SOURCE = os.path.join(ROOT, "build-mutate")
TIMES = os.path.join(SOURCE, "build", "test_times.json")  # of the tests that pass without a mutation
BUILD = os.path.join(SOURCE, "build")  # placed as in a checkout, so that ccache knows the kernels
JOBS = int(os.environ.get("WT_JOBS", os.cpu_count()))
# A mutated program may loop: it gets this many seconds and this many times what the unchanged one takes.
SECONDS, FACTOR = 10, 5

CAUGHT, SURVIVED, TIMED_OUT, INVALID, SAME = "caught", "survived", "timed out", "does not compile", "same machine code"


def die(sentence):
    """Ends the program with a sentence."""
    sys.exit("mutate: " + sentence)


def run(*command, **options):
    """Returns the finished command, with what it printed."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def write(path, text):
    """Writes the file unless it has this text already, so that ninja builds no more than what has changed."""
    if not os.path.exists(path) or open(path, "rb").read() != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)


def copy_sources():
    """Makes build-mutate/ equal to the checkout, with what is not committed yet."""
    listed = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z")
    names = {n for n in listed.stdout.split("\0") if os.path.isfile(os.path.join(ROOT, n))}
    if listed.returncode or not names:
        die("the checkout is no git repository, whose list of files is needed")
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [f for f in folders if folder != SOURCE or f != "build"]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, SOURCE) not in names:
                os.remove(path)
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as file:
            write(os.path.join(SOURCE, name), file.read())
        shutil.copymode(os.path.join(ROOT, name), os.path.join(SOURCE, name))


def configure():
    """Configures the copy as `./dev build` does, so that ccache has what is not mutated; but many programs are linked often."""
    linker = [f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld=lld" for kind in ("EXE", "SHARED") if shutil.which("ld.lld")]
    made = run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", BUILD, "-DWT_KERNELS=all", "-DWT_CHECK_KERNELS_ONCE=ON", *linker)
    if made.returncode:
        die("cmake failed:\n" + made.stdout)


def ninja(*targets, environment=None):
    """Builds targets and returns what ninja says."""
    return run("ninja", "-C", BUILD, "-j", str(JOBS), "--quiet", *targets, env={**os.environ, **(environment or {})})


@dataclass
class Test:
    """Describes a test of the suite as CTest does."""
    name: str
    command: list
    environment: dict
    directory: str
    may_fail: bool
    skip_code: int
    seconds: float = 0
    caught: Counter = field(default_factory=Counter)  # by folder of what it caught
    targets: set = field(default_factory=set)

    def passes(self, limit, stop=None):
        """Returns whether the test passes; None if it has not ended after that many seconds, or when `stop` is set."""
        with subprocess.Popen(self.command, cwd=self.directory, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            end = time.monotonic() + limit
            while (code := process.poll()) is None:
                if time.monotonic() > end or stop and stop.is_set():
                    os.killpg(process.pid, signal.SIGKILL)
                    return None
                time.sleep(0.02)
        return (code not in (0, self.skip_code)) if self.may_fail else code in (0, self.skip_code)


def programs():
    """Returns what ninja builds for each test. CTest does not say the command of a test whose program is not built yet."""
    known = {line.split(":")[0] for line in run("ninja", "-C", BUILD, "-t", "targets", "all").stdout.splitlines()}
    needed = {}
    for path in glob.glob(BUILD + "/**/CTestTestfile.cmake", recursive=True):
        with open(path, encoding="utf-8") as file:
            for name, command in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", file.read(), re.M):
                words = re.findall(r'"([^"]*)"', command)
                needed[name] = {os.path.relpath(word, BUILD) for word in words if word.startswith(BUILD)} & known
    return needed


def covering_tests(patterns, measure):
    """The tests with names that match one of the patterns, built; `measure` says which of them pass, and sets their times."""
    chosen = {name: targets for name, targets in programs().items()
              if any(re.search(p, name) for p in patterns) and not re.search(covering.LEFT_OUT, name)}
    if not chosen:
        die("no test has a name that matches what tests/mutate/covering.py says")
    built = ninja("-k", "0", *sorted(set().union(*chosen.values())))
    if built.returncode:
        print("mutate: some tests cannot be built and are left out:\n" + built.stdout[-2000:], file=sys.stderr)
        chosen = {name: targets for name, targets in chosen.items() if ninja(*targets).returncode == 0}
    tests = []
    for test in json.loads(run("ctest", "--test-dir", BUILD, "--show-only=json-v1").stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if test["name"] in chosen:
            environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
            tests.append(Test(test["name"], test.get("command", ["false"]), environment, properties.get("WORKING_DIRECTORY", BUILD),
                              properties.get("WILL_FAIL", False), properties.get("SKIP_RETURN_CODE", 0), targets=chosen[test["name"]]))
    return measure(tests)


def tests_of(path, tests):
    """Returns the tests that cover a file."""
    pattern = covering.pattern_of(path)
    return [test for test in tests if pattern and re.search(pattern, test.name)]


def measured(test):
    """Returns whether the test passes without a mutation, and how long it takes."""
    start = time.monotonic()
    passes = test.passes(300)
    test.seconds = time.monotonic() - start
    return passes


def passing_before(tests):
    """Returns the tests that passed when they were last measured."""
    if not os.path.exists(TIMES):
        die("no earlier run has measured the tests; leave out --from")
    with open(TIMES, encoding="utf-8") as file:
        known = json.load(file)
    for test in tests:
        test.seconds = known.get(test.name, 0)
    return [test for test in tests if test.name in known]


def passing(tests):
    """Returns the tests that pass without a mutation."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(measured, tests))
    for test, passes in zip(tests, results):
        if not passes:
            print(f"mutate: {test.name} fails without a mutation and is left out", file=sys.stderr)
    tests = [test for test, passes in zip(tests, results) if passes]
    with open(TIMES, "w", encoding="utf-8") as file:
        json.dump({test.name: test.seconds for test in tests}, file)
    return tests


@dataclass
class Trial:
    """Describes a mutation of a file and what came of it."""
    path: str
    mutation: mutations.Mutation
    text: str
    result: str = ""
    by: str = ""

    def place(self):
        """FILE:LINE"""
        return f"{self.path}:{self.text.count(chr(10), 0, self.mutation.begin) + 1}"

    def change(self):
        """Returns the line before and after; for more than one line, the first."""
        line = self.text.count("\n", 0, self.mutation.begin)
        before, after = self.text.split("\n")[line], self.mutation.apply(self.text).split("\n")[line]
        return [" ".join(text.split()).rstrip("\\ ") for text in (before, after)]


def find_files(paths):
    """Returns (file, line or 0) for every C file below the paths."""
    for path in paths:
        name, _, line = path.partition(":")
        full = os.path.join(SOURCE, os.path.relpath(os.path.realpath(name), ROOT))
        found = [full] if full.endswith(".c") and os.path.isfile(full) else glob.glob(full + "/**/*.c", recursive=True)
        if not found or line and not line.isdigit():
            die(f"{path} names no C file of the checkout; PATH is a folder, a file or FILE:LINE")
        for file in sorted(found):
            yield os.path.relpath(file, SOURCE), int(line or 0)


def draw(paths, sample, seed):
    """A sample of all mutations below the paths, in random order: a place is drawn first, then what it becomes."""
    places = []
    for path, line in find_files(paths):
        with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
            text = file.read()
        for alternatives in mutations.mutations_of(text):
            if line in (0, text.count("\n", 0, alternatives[0].begin) + 1):
                places.append((path, text, alternatives))
    choose = random.Random(seed)
    if len(places) <= sample:
        return len(places), [Trial(path, mutation, text) for path, text, alternatives in places for mutation in alternatives]
    drawn = choose.sample(places, sample)
    return len(places), [Trial(path, choose.choice(alternatives), text) for path, text, alternatives in drawn]


def objects_of():
    """Returns the objects that are compiled from each file: the vector code is compiled more than once."""
    objects = {}
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            objects.setdefault(os.path.relpath(entry["file"], SOURCE), []).append(re.search(r" -o (\S+)", entry["command"])[1])
    return objects


def contents(objects):
    """Returns what the objects hold."""
    return [open(os.path.join(BUILD, name), "rb").read() for name in objects]


def try_tests(tests, folder):
    """(result, name of the test that noticed), after as many tests at a time as there are jobs."""
    order = iter(tests)
    running, stop = {}, threading.Event()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        noticed = None
        while True:
            while noticed is None and len(running) < JOBS and (test := next(order, None)):
                running[pool.submit(test.passes, SECONDS + FACTOR * test.seconds, stop)] = test
            if not running:
                return noticed or (SURVIVED, "")
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                test = running.pop(future)
                if not future.result() and noticed is None:
                    stop.set()
                    test.caught[folder] += 1
                    noticed = (CAUGHT if future.result() is False else TIMED_OUT, test.name)


def build_and_try(tests, folder, environment):
    """Links and runs few tests at first, and more when these notice nothing: what noticed most in the folder, then what is quick."""
    order, batch = sorted(tests, key=lambda t: (-t.caught[folder], t.seconds)), 2
    while order:
        now, order, batch = order[:batch], order[batch:], 3 * batch
        targets = sorted(set().union(*(t.targets for t in now)))
        built = ninja(*targets, environment=environment)
        if built.returncode:
            built = ninja(*targets, environment=environment)  # what fails once may be the machine's fault
        if built.returncode:
            # A program that takes part in the build fails, or a function is missing.
            lines = built.stdout.splitlines()
            return CAUGHT, "the build: " + next((l for l in lines if l.startswith("FAILED")), lines[-1] if lines else "no output")
        result, by = try_tests(now, folder)
        if result != SURVIVED:
            return result, by
    return SURVIVED, ""


def try_mutation(trial, objects, unchanged, tests):
    """Applies one mutation, builds and tests it, and puts the file back."""
    path = os.path.join(SOURCE, trial.path)
    environment = {"CCACHE_READONLY": "1"}  # what a mutant compiles to is not worth keeping
    try:
        write(path, trial.mutation.apply(trial.text).encode())
        if ninja(*objects, environment=environment).returncode:
            trial.result = INVALID
        elif contents(objects) == unchanged:
            trial.result = SAME
        else:
            trial.result, trial.by = build_and_try(tests, os.path.dirname(trial.path), environment)
    finally:
        write(path, trial.text.encode())


def report(trials, places, seed):
    """Prints the score, and the survivors."""
    trials = sorted((t for t in trials if t.result), key=lambda t: (t.path, t.mutation.begin))
    count = Counter(trial.result for trial in trials)
    caught = count[CAUGHT] + count[TIMED_OUT]
    valid = caught + count[SURVIVED]
    print(f"\nseed {seed}, {len(trials)} mutations of {places} places: " + ", ".join(f"{n} {what}" for what, n in count.most_common()))
    if valid:
        print(f"{caught} of {valid} that change the machine code are noticed: {100 * caught / valid:.1f} %")
    for trial in trials:
        if trial.result == SURVIVED:
            before, after = trial.change()
            print(f"\n{trial.place()}: {trial.mutation.kind}\n  - {before}\n  + {after}")


def main():
    """Draws, tries and reports."""
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sample", type=int, default=50, metavar="N", help="how many places to draw (default 50)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31), metavar="S", help="draws the same sample again")
    parser.add_argument("--from", type=int, default=1, metavar="I", dest="first", help="goes on with the sample's place I, where it was interrupted")
    parser.add_argument("--seconds", type=float, default=300, metavar="T", help="leaves out tests that take longer")
    parser.add_argument("paths", nargs="*", default=["sim", "src"], metavar="PATH", help="a folder, a file or FILE:LINE (default sim and src)")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it may be ignored, by the tests as well
    copy_sources()
    places, trials = draw(options.paths, options.sample, options.seed)
    if not trials:
        die(f"there is nothing to mutate in {' '.join(options.paths)}")
    uncovered = sorted({t.path for t in trials if not covering.pattern_of(t.path)})
    if uncovered:
        die(f"tests/mutate/covering.py names no tests for {', '.join(uncovered)}")
    print(f"seed {options.seed}: {len(trials)} mutations of {places} places; building what the tests need", flush=True)
    configure()
    objects = objects_of()
    patterns = {covering.pattern_of(t.path) for t in trials}
    tests = covering_tests(patterns, passing_before if options.first > 1 else passing)
    tests = [test for test in tests if test.seconds <= options.seconds]
    print(f"{len(tests)} tests take {sum(t.seconds for t in tests):.0f} seconds", flush=True)
    unchanged = {}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for i, trial in list(enumerate(trials))[options.first - 1 :]:
            names = objects[trial.path]
            if trial.path not in unchanged:
                if ninja(*names).returncode:
                    die(f"{trial.path} does not compile without a mutation")
                unchanged[trial.path] = contents(names)
            try_mutation(trial, names, unchanged[trial.path], tests_of(trial.path, tests))
            print(f"[{i + 1}/{len(trials)}] {trial.place()}: {' => '.join(trial.change())}: {trial.result}{trial.by and ' by ' + trial.by}", flush=True)
    except KeyboardInterrupt:
        print("interrupted; this is what was tried:")
    report(trials, places, options.seed)


main()
