# SPDX-License-Identifier: MIT
"""Holds when the transformer of examples/transformer computes what its formulas say: every tensor is compared with float64,
computed here from the parameters that the program wrote, and the gradients of the formulas here with differences of their
own loss. The same bits come out of a second run in another order of execution. Usage: transformer.py PROGRAM FOLDER"""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from checks import check, finish  # noqa: E402

program, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def run(schedule):
    out = folder / schedule.replace(":", "_")
    out.mkdir(parents=True, exist_ok=True)
    result = subprocess.run([program, out], env=dict(os.environ, WT_SIM_SCHEDULE=schedule), capture_output=True, text=True)
    check(result.returncode == 0, f"{program} failed: {result.stderr}")
    return {path.stem: np.load(path) for path in out.glob("*.npy")}


got = run("late")
again = run("random:7")
for name in got:
    check(got[name].tobytes() == again[name].tobytes(), f"{name} depends on the order of execution")

# ---- the formulas of transformer.h
SEQUENCES, HEADS, KV_HEADS, DIM, EPSILON, THETA = 2, 4, 2, 64, 1e-5, 10000.0
ROWS = got["x0"].shape[0]
LENGTH, GROUP, HIDDEN = ROWS // SEQUENCES, HEADS // KV_HEADS, got["wd"].shape[1]
source = (pathlib.Path(__file__).parents[2] / "examples/transformer/transformer.h").read_text()
SCALE = float(re.search(r"#define LOSS_SCALE ([0-9.]+)f", source).group(1))
PARAMETERS = ("norm1", "wqkv", "wo", "norm2", "wgu", "wd", "norm3", "wout")


def norm(x, weight):
    rstd = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return x * rstd * weight, rstd


def norm_backward(dy, x, weight, rstd):
    n = x * rstd
    g = dy * weight
    return rstd * (g - n * (g * n).mean(-1, keepdims=True)), (dy * n).sum(0, keepdims=True)


def rotated(x, sign):
    """Heads of (row, head, DIM): pairs i and DIM / 2 + i turn by the position times theta^(-2i / DIM)."""
    angle = np.tile(np.arange(LENGTH), SEQUENCES)[:, None, None] * THETA ** (-np.arange(0, DIM, 2) / DIM)
    c, s = np.cos(angle), sign * np.sin(angle)
    low, high = x[..., :DIM // 2], x[..., DIM // 2:]
    return np.concatenate([low * c - high * s, low * s + high * c], -1)


def heads(x, count):
    """Returns (rows, count * DIM) as (sequence, head, position, DIM)."""
    return x.reshape(SEQUENCES, LENGTH, count, DIM).transpose(0, 2, 1, 3)


def rows(x):
    return x.transpose(0, 2, 1, 3).reshape(ROWS, -1)


def forward(p, x0, labels):
    t = {}
    t["h1"], t["rstd1"] = norm(x0, p["norm1"])
    qkv = t["h1"] @ p["wqkv"].T
    turning = (HEADS + KV_HEADS) * DIM
    qk = rotated(qkv[:, :turning].reshape(ROWS, -1, DIM), 1).reshape(ROWS, -1)
    t["qkv"] = np.concatenate([qk, qkv[:, turning:]], -1)
    q, k, v = (heads(part, n) for part, n in zip(np.split(t["qkv"], [HEADS * DIM, turning], -1), (HEADS, KV_HEADS, KV_HEADS)))
    k, v = (np.repeat(x, GROUP, 1) for x in (k, v))
    scores = np.where(np.tri(LENGTH, dtype=bool), q @ k.swapaxes(-1, -2) / np.sqrt(DIM), -np.inf)
    largest = scores.max(-1, keepdims=True)
    total = np.exp(scores - largest).sum(-1, keepdims=True)
    t["weights"] = np.exp(scores - largest) / total
    t["lse"] = (largest + np.log(total)).reshape(SEQUENCES * HEADS, LENGTH)
    t["o"] = rows(t["weights"] @ v)
    t["x1"] = x0 + t["o"] @ p["wo"].T
    t["h2"], t["rstd2"] = norm(t["x1"], p["norm2"])
    t["gu"] = t["h2"] @ p["wgu"].T
    gate, up = t["gu"][:, :HIDDEN], t["gu"][:, HIDDEN:]
    t["a"] = gate / (1 + np.exp(-gate)) * up
    t["x2"] = t["x1"] + t["a"] @ p["wd"].T
    t["h3"], t["rstd3"] = norm(t["x2"], p["norm3"])
    t["logits"] = t["h3"] @ p["wout"].T
    shifted = t["logits"] - t["logits"].max(-1, keepdims=True)
    t["losses"] = (np.log(np.exp(shifted).sum(-1)) - shifted[np.arange(ROWS), labels])[None]
    t["loss"] = t["losses"].mean()[None, None]
    return t


def backward(p, x0, labels, t):
    d = {}
    probabilities = np.exp(t["logits"] - t["logits"].max(-1, keepdims=True))
    probabilities /= probabilities.sum(-1, keepdims=True)
    probabilities[np.arange(ROWS), labels] -= 1
    d["dlogits"] = probabilities / ROWS * SCALE
    d["dwout"], d["dh3"] = d["dlogits"].T @ t["h3"], d["dlogits"] @ p["wout"]
    d["dx2"], d["dnorm3"] = norm_backward(d["dh3"], t["x2"], p["norm3"], t["rstd3"])
    d["dwd"], d["da"] = d["dx2"].T @ t["a"], d["dx2"] @ p["wd"]
    gate, up = t["gu"][:, :HIDDEN], t["gu"][:, HIDDEN:]
    s = 1 / (1 + np.exp(-gate))
    d["dgu"] = np.concatenate([d["da"] * up * s * (1 + gate * (1 - s)), d["da"] * gate * s], -1)
    d["dwgu"], d["dh2"] = d["dgu"].T @ t["h2"], d["dgu"] @ p["wgu"]
    through, d["dnorm2"] = norm_backward(d["dh2"], t["x1"], p["norm2"], t["rstd2"])
    d["dx1"] = d["dx2"] + through
    d["dwo"], d["dout"] = d["dx1"].T @ t["o"], d["dx1"] @ p["wo"]
    turning = (HEADS + KV_HEADS) * DIM
    q, k, v = (heads(part, n) for part, n in zip(np.split(t["qkv"], [HEADS * DIM, turning], -1), (HEADS, KV_HEADS, KV_HEADS)))
    k, v = (np.repeat(x, GROUP, 1) for x in (k, v))
    dout, w = heads(d["dout"], HEADS), t["weights"]
    dv = w.swapaxes(-1, -2) @ dout
    ds = w * (dout @ v.swapaxes(-1, -2) - (dout * heads(t["o"], HEADS)).sum(-1, keepdims=True)) / np.sqrt(DIM)
    dq, dk = ds @ k, ds.swapaxes(-1, -2) @ q
    dk, dv = (x.reshape(SEQUENCES, KV_HEADS, GROUP, LENGTH, DIM).sum(2) for x in (dk, dv))
    dqk = np.concatenate([rows(dq), rows(dk)], -1).reshape(ROWS, -1, DIM)
    d["dqkv"] = np.concatenate([rotated(dqk, -1).reshape(ROWS, -1), rows(dv)], -1)
    d["dwqkv"], d["dh1"] = d["dqkv"].T @ t["h1"], d["dqkv"] @ p["wqkv"]
    through, d["dnorm1"] = norm_backward(d["dh1"], x0, p["norm1"], t["rstd1"])
    d["dx0"] = d["dx1"] + through
    return d


parameters = {name: got[name].astype(np.float64) for name in PARAMETERS}
x0, labels = got["x0"].astype(np.float64), got["next"][0]
want = forward(parameters, x0, labels)
loss = want["loss"][0, 0]
want |= backward(parameters, x0, labels, want)

# ---- the gradients here are derivatives of the loss here
rng = np.random.default_rng(5)
for name in PARAMETERS:
    direction = rng.standard_normal(parameters[name].shape)
    step = 1e-5
    above, below = (forward(parameters | {name: parameters[name] + sign * step * direction}, x0, labels)["loss"][0, 0]
                    for sign in (1, -1))
    slope = (want["d" + name] * direction).sum() / SCALE
    check(abs((above - below) / (2 * step) - slope) <= 1e-6 * max(1, abs(slope)), f"d{name} here is not the derivative")

# ---- the program's tensors. Each stored F16 tensor rounds by 2^-11 of an element or less, and a product passes its factors'
# relative errors on; so the relative error of a whole tensor is at most 2^-11 for each rounding before it. Residual sums and
# norms only pass errors on. The longest way, to dwqkv, has 29 of them, P and dS among them.
most_roundings = {"h1": 1, "qkv": 3, "lse": 3, "o": 5, "x1": 7, "h2": 8, "gu": 9, "a": 10, "x2": 12, "h3": 13, "logits": 14}
ROUNDINGS = 30
for name in want:
    if name == "weights":
        continue
    bound = most_roundings.get(name, ROUNDINGS) * 2.0 ** -11
    error = np.linalg.norm(got[name].astype(np.float64).reshape(want[name].shape) - want[name]) / np.linalg.norm(want[name])
    check(error <= bound, f"{name} is off by {error:.2e} of itself, more than {bound:.2e}")
    print(f"{name:8} {error:.1e} of {bound:.1e}")
check(abs(got["loss"][0, 0] - loss) < 2e-3 * loss, f"the loss is {got['loss'][0, 0]}, not {loss}")

finish()
