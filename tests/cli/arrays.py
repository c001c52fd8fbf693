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


def philox_words(rows, words, seed):
    """Returns the first words of each row of the words of Philox4x32-10 (Salmon et al. 2011): the counters are (word / 4, row, 0, 0), the key the seed."""
    column, row = np.meshgrid(np.arange((words + 3) // 4, dtype=np.uint64), np.arange(rows, dtype=np.uint64))
    low = np.uint64(0xFFFFFFFF)
    counter = [column, row, np.zeros_like(row), np.zeros_like(row)]
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [(second >> np.uint64(32)) ^ counter[1] ^ np.uint64(keys[0]), second & low,
                   (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(keys[1]), first & low]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.ascontiguousarray(np.stack(counter, axis=2).astype("<u4").reshape(rows, -1)[:, :words])
