# SPDX-License-Identifier: MIT
"""The table by which refusals of the C API speak of options (tools/core/api_failed.c) has every member of a descriptor that is an
option of the command on it, and nothing that is no member or no option. Usage: option_names.py WAVETILE WORK_FOLDER SOURCE"""

import pathlib
import re
import sys

from cli import check, finish, run, start

SOURCE = pathlib.Path(sys.argv[3])
DESCRIPTORS = {  # of each command
    "gemm": ["wt_gemm_desc"],
    "attention": ["wt_attention_desc"],
    "norm": ["wt_norm_desc", "wt_norm_backward_desc"],
    "rotary": ["wt_rotary_desc"],
    "softmax": ["wt_softmax_desc"],
    "cross-entropy": ["wt_cross_entropy_desc"],
    "quantize": ["wt_quantize_desc"],
    "dequantize": ["wt_quantize_desc"],
    "quantize-blocks": ["wt_block_scale_desc"],
    "dequantize-blocks": ["wt_block_scale_desc"],
    "gemm-mx": ["wt_gemm_mx_desc"],
    "gemm-block": ["wt_gemm_block_desc"],
    "grouped": ["wt_grouped_desc"],
    "experts": ["wt_experts_desc", "wt_experts_route_desc"],
    "activation": ["wt_activation_desc"],
    "conv": ["wt_conv_desc"],
    "shuffle": ["wt_shuffle_scales_desc", "wt_shuffle_weights_desc"],
}


def members():
    """Returns the members of every struct of the C API."""
    found = {}
    for header in [SOURCE / "include/wavetile.h", *(SOURCE / "include/wavetile").glob("*.h")]:
        text = re.sub(r"//[^\n]*", "", header.read_text())
        for body, name in re.findall(r"^typedef struct \w+ \{(.*?)^\} (\w+);", text, re.MULTILINE | re.DOTALL):
            declared = [part for declaration in body.split(";") for part in declaration.split(",") if part.strip()]
            found[name] = {re.sub(r"\[.*", "", part).split()[-1].lstrip("*") for part in declared}
    return found


def table():
    text = (SOURCE / "tools/core/api_failed.c").read_text()
    return dict(re.findall(r'\{"([\w.]+)", "--([\w-]+)"\}', text))


def options_of(command):
    return set(re.findall(r"--([a-z][a-z0-9-]*)", run(command, "--help").stdout))


def test_table():
    named, of_struct = table(), members()
    options = {command: options_of(command) for command in DESCRIPTORS}
    every_option, every_member = set().union(*options.values()), set().union(*of_struct.values())
    check(len(named) > 100 and len(every_member) > 150, f"{len(named)} rows, {len(every_member)} members")
    for command, structs in DESCRIPTORS.items():
        for member in sorted(set().union(*(of_struct[struct] for struct in structs))):
            if member.replace("_", "-") in options[command]:
                check(member in named, f"--{member.replace('_', '-')} of {command} is a member, and the table has none of its name")
    for member, option in named.items():
        check(member.split(".")[-1] in every_member, f"{member} is no member of a descriptor")
        check(option in every_option, f"--{option}, for {member}, is no option")


start()
test_table()
finish()
