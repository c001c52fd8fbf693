# SPDX-License-Identifier: MIT
"""Tests the page of `wavetile prof --html` in headless Chromium: it draws without an error and without the network,
and shows what the run's numbers say. It is skipped where no Chromium is installed. Usage: prof_page.py WAVETILE
WORK_FOLDER
ORDINARY_PROGRAM PROF_LINES PROF_LINES_SOURCE PROF_LINES_OBJECT..."""

import html
import json
import os
import re
import shutil
import subprocess
import sys

from cli import WAVETILE, WORK, check, finish, run, start

ORDINARY, LINES, LINES_SOURCE, LINES_OBJECT = map(os.path.abspath, sys.argv[3:7])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Run before the page's own script: notes errors, and what it asks of the network.
WATCH = """<script>
addEventListener('error', e => document.documentElement.dataset.error = e.message);
addEventListener('load', () => document.documentElement.dataset.loaded = performance.getEntriesByType('resource').map(r => r.name).join(' '));
</script>"""
# Run after it: goes through all kernels, moves the timeline, and counts what is painted on it.
USE = """<script>
const rows = document.querySelectorAll('#kernels tbody tr');
for (const row of rows) row.click();
if (rows.length) rows[0].click();
const canvas = byId('timeline'), pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
const colours = new Set();
for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
const box = canvas.getBoundingClientRect();
for (let x = 80; x < box.width; ++x)
  canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + 34}));
document.documentElement.dataset.view = `${view.from} ${view.to}`;
byId('zoom_in').click();
byId('zoom_out').click();
byId('zoom_all').click();
document.documentElement.dataset.colours = [...colours].join(' ');
document.documentElement.dataset.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
</script></body>"""


def browse(page):
    """The page's document after its scripts have run."""
    profile = os.path.join(WORK, "browser")
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1600",
             f"--user-data-dir={profile}", "--virtual-time-budget=10000", "--dump-dom", "file://" + page]
    result = subprocess.run(words, capture_output=True, text=True, timeout=240, env=dict(os.environ, HOME=WORK))
    shutil.rmtree(profile, ignore_errors=True)
    return result.stdout


def draw(*arguments):
    """Writes a page with the watching scripts in it; gives its data and its document."""
    result = run("--html", "page.html", *arguments)
    check(result.returncode == 0, result.stderr)
    path = os.path.join(WORK, "page.html")
    with open(path) as file:
        page = file.read()
    with open(path, "w") as file:
        file.write(page.replace("<head>", "<head>" + WATCH, 1).replace("</body>", USE))
    data = json.loads(re.search(r'<script id="run" type="application/json">(.*?)</script>', page, re.S).group(1))
    return data, browse(path)


def noted(document, name):
    found = re.search(rf'<html[^>]* data-{name}="([^"]*)"', document)
    return found and found.group(1)


def check_roofline(data, document):
    """Tests a roof for each level and for each pipe with a peak, a point for each level of the first kernel and one
    for each other kernel."""
    picture = re.search(r'<svg id="roofline".*?</svg>', document, re.S).group(0)
    kernel, others = data["kernels"][0], data["kernels"][1:]
    pipes = sum(kernel[group]["peak_flops_per_second"] > 0 for group in ("matrix", "vector"))
    marks = {name: picture.count(f'class="{name}"') for name in ("roof", "mine", "other")}
    check(marks["roof"] == 4 + pipes, f"{marks['roof']} roofs, expected {4 + pipes}")
    flops = kernel["roofline"]["flops"] > 0
    mine = sum(flops and level["flops_per_byte"] > 0 for level in kernel["memory_levels"])
    check(marks["mine"] == mine, f"{marks['mine']} points, expected {mine}")
    other = sum(k["roofline"]["flops"] > 0 and any(l["flops_per_byte"] > 0 for l in k["memory_levels"]) for k in others)
    check(marks["other"] == other, f"{marks['other']} other points, expected {other}")
    check("NaN" not in picture and "Infinity" not in picture, "a place in the roofline is no number")
    levels = re.search(r'<table id="levels">(.*?)</table>', document, re.S).group(1)
    check([name in levels for name in ("L1 (TCP)", "L2", "LLC", "HBM")] == [True] * 4, "the table of levels")
    check(f"The nearest roof is {kernel['roofline']['bound_by']}, " in document, "the roof that binds is not named")


def check_source(kernel, document):
    section = re.search(r'<section id="source_section"(.*?)>', document).group(1)
    check(("hidden" in section) == (kernel["source"] is None), f"source lines: {section!r}, {kernel['source'] is not None}")
    if kernel["source"] is None:
        return
    own, files = kernel["source"]["files"][kernel["source"]["own"]], kernel["source"]["files"]
    table = re.search(r'<table id="source".*?>(.*?)</table>', document, re.S).group(1)
    hot = table.count('class="hot"')
    check(hot == len(own["lines"]), f"{hot} lines with cycles, expected {len(own['lines'])}")
    check(document.count("<option ") == len(files), "the files to choose from")
    with open(LINES_SOURCE) as file:
        text = file.read().splitlines()
    for line in own["lines"]:
        words = html.escape(text[line["line"] - 1], quote=False)
        check(f">{words}</td>" in table, f"line {line['line']} is not shown: {words!r}")


def check_drawn(data, document):
    check(f'data-ready="{len(data["kernels"])}"' in document, f"the page did not get ready: {document[:300]!r}")
    check(noted(document, "error") is None, f"an error: {noted(document, 'error')}")
    check(noted(document, "loaded") == "", f"the page loaded {noted(document, 'loaded')!r}")
    check(noted(document, "overflow") == "0", f"the page is {noted(document, 'overflow')} pixels too wide")
    kernel = data["kernels"][0]
    listing = re.search(r'<table id="listing".*?>(.*?)</table>', document, re.S).group(1)
    check_roofline(data, document)
    check_source(kernel, document)
    check(listing.count("<tr>") == 1 + len(kernel["loop"]["instructions"]), "the listing has a row for each instruction")
    check("predicted by the timing model, not measured" in document, "it says predicted")
    for advice in kernel["limited_by"]:
        check(f"{advice['resource']}: " in document, f"{advice['resource']} is not named")
    painted = {int(c) for c in (noted(document, "colours") or "0").split()}
    units = {"MFMA": 0xe69f00, "LDS": 0x009e73, "VALU": 0x56b4e9}
    begin, end = (float(w) for w in (noted(document, "view") or "0 0").split())
    check(begin < end, "the timeline shows no time")
    shown = {kernel["timeline"]["ops"][s[2]][1] for s in kernel["timeline"]["slices"] if s[4] == 0 and begin <= s[0] and s[1] <= end - 4}
    check(shown, "the timeline shows nothing")
    for unit, colour in units.items():
        if unit in shown:
            check(colour in painted, f"{unit} is not in the timeline")


if not CHROMIUM:
    print("skipped: no Chromium is installed; the Debian package is chromium")
    sys.exit(77)
start("prof")
check_drawn(*draw("--", WAVETILE, "gemm", "--m", 256, "--n", 512, "--k", 1024, "--dtype", "bf16", "--kernel", "gemm_8wave_128x128", "--no-verify"))
check_drawn(*draw("--", ORDINARY))
check_drawn(*draw("--", LINES, LINES_OBJECT, 0, "lines", 8, 64, 50))
finish()
