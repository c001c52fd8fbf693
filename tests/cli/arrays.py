# SPDX-License-Identifier: MIT
"""Has what the tests of commands on .npy files share: writing and reading them, and the numbers of the types that the
device has."""

import os

import numpy as np

from cli import WORK, check

DEVICES = ("sim:mi355x", "sim:mi300x")
ROUNDOFF = {"f32": 2.0**-24, "bf16": 2.0**-8, "f16": 2.0**-11}

FORMATS = {  # (dtype, device): mantissa bits, bias, largest
    ("f8e4m3", "sim:mi355x"): (3, 7, 448.0),
    ("f8e5m2", "sim:mi355x"): (2, 15, 57344.0),
    ("f8e4m3", "sim:mi300x"): (3, 8, 240.0),
    ("f8e5m2", "sim:mi300x"): (2, 16, 57344.0),
}


def save(name, array):
    np.save(os.path.join(WORK, name), array)
    return name


def load(name):
    """Returns the array of a file, which is removed."""
    path = os.path.join(WORK, name)
    check(os.path.exists(path), f"{name} is missing")
    array = np.load(path) if os.path.exists(path) else np.full((1,), np.nan)
    if os.path.exists(path):
        os.remove(path)
    return array


def rounded(array, dtype):
    """Returns the nearest numbers of a type, ties to even, in float64."""
    single = np.asarray(array, np.float32)
    if dtype == "f16":
        return single.astype(np.float16).astype(np.float64)
    if dtype == "bf16":
        bits = single.view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    return single.astype(np.float64)


def fp8_values(dtype, device):
    """Returns all non-negative numbers of an FP8 encoding in the order of their codes, by the formula of the
    specifications."""
    mantissa_bits, bias, largest = FORMATS[dtype, device]
    steps = 1 << mantissa_bits
    values = [m / steps * 2.0 ** (1 - bias) for m in range(steps)]
    values += [(1 + m / steps) * 2.0 ** (e - bias) for e in range(1, 33) for m in range(steps)]
    return np.array([v for v in values if v <= largest])


def fp8_codes(scaled, values):
    """Returns the codes, without signs, of the nearest FP8 numbers, ties to even; beyond the last, the last."""
    wanted = np.minimum(np.abs(scaled).astype(np.float64), values[-1])
    above = np.clip(np.searchsorted(values, wanted), 1, len(values) - 1)
    low, high = values[above - 1], values[above]
    nearer_high = (wanted - low > high - wanted) | ((wanted - low == high - wanted) & (above % 2 == 0))
    return np.where(nearer_high, above, above - 1)
