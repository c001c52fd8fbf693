# SPDX-License-Identifier: MIT
"""Which tests cover a file: of all prefixes of its path the longest counts. What stands here runs for every mutation that
survives so far, so that a row names tests that call the file's code, and no test of whole kernels where a smaller one does."""

RUNTIME = r"^api\.hip_(?!launches_of_anything|many_launches_|threads_|rtc)"
SYMBOLS = RUNTIME + r"|^kernels\.program\.registration"
SOURCES = r"^check\.(report|inlined)|^cli\.prof_(numbers|records)"
LIBRARY = r"^api\.(context|gemm|operands|descriptors)"

COVERING = {
    "sim/check/": r"^check\.(?!clean)",
    "sim/check/written": r"^check\.(?!clean)|^unit\.written",
    "sim/exec/": r"^isa\.|^check\.(waits|lds|global)|^api\.hip_(launch|faults|abi|streams|settings|timing|async)$",
    "sim/exec/lds_conflicts": r"^isa\.lds_conflicts|^api\.hip_lds_conflicts",
    "sim/exec/op_cost": r"^isa\.(schedule|lds_schedules)|^timing\.(?!launches)|^api\.hip_timing",
    "sim/exec/timed": r"^isa\.schedule|^check\.(?!clean)",
    "sim/exec/pending": r"^isa\.|^check\.(?!clean)",
    "sim/exec/memory/": r"^isa\.(row_facts|atomic|lds|buffer|flat|grid|scalar_memory)|^api\.hip_faults",
    "sim/exec/mfma/": r"^isa\.(mfma|row_facts)",
    "sim/exec/scalar/": r"^isa\.(row_facts|scalar|crosslane|polls)|^api\.hip_(faults|launch|async)$",
    "sim/exec/vector/": r"^isa\.(row_facts|valu|crosslane)",
    "sim/exec/vector/dpp": r"^isa\.(valu|crosslane)|^check\.(?!clean)",
    "sim/hip/": RUNTIME,
    "sim/hip/graphs/graph_memcpy": SYMBOLS,
    "sim/hip/memory/symbol": SYMBOLS,
    "sim/hip/modules/fatbin": SYMBOLS,
    "sim/hip/rtc/": r"^api\.hip_(rtc|entry_points)",
    "sim/hip/services/": RUNTIME + r"|^kernels\.program\.(device_heap|printing)",
    "sim/isa/": r"^isa\.|^unit\.isa|^check\.(?!clean)|^api\.hip_(table|faults|launch)$",
    "sim/machine/": r"^unit\.machine|^isa\.lds|^timing\.|^api\.hip_devices",
    "sim/object/": r"^unit\.object|^api\.hip_(modules|abi|faults|launches_of_anything_end)$",
    "sim/object/demangle": SOURCES,
    "sim/object/dwarf_bytes": SOURCES + r"|^unit\.dwarf",
    "sim/object/inlined_calls": SOURCES,
    "sim/object/source": SOURCES + r"|^unit\.source",
    "sim/report/": r"^check\.(report|memory)|^timing\.|^api\.hip_(lds_conflicts|timing|profile|many_launches.*|settings|errors)$|^cli\.(prof_n|prof_r|run|prof_c)",
    "sim/settings/": r"^api\.hip_(settings|devices.*|errors.*)$|^cli\.run",
    "sim/timing/": r"^timing\.|^api\.hip_(timing|profile|many_launches_timing)$|^isa\.schedule",
    "src/": LIBRARY,
    "src/activation/": r"^activation\.",
    "src/attention/": r"^attention\.(api|forward\.d64_64_bf16\.mi355x|deterministic_8\.d64_64_bf16\.mi355x)|^cli\.attention",
    "src/conv/": r"^conv\.",
    "src/core/": LIBRARY + r"|refusals$|^norm\.|^softmax\.(refusals|forward_and_backward\.any)|^quantize\.(any|refusals)",
    "src/experts/": r"^experts\.",
    "src/gemm/": LIBRARY + r"|^cli\.(gemm|tune)",
    "src/gemm_block/": r"^gemm_block\.",
    "src/gemm_mx/": r"^gemm_mx\.",
    "src/grouped/": r"^grouped\.",
    "src/norm/": r"^norm\.",
    "src/quantize/": r"^quantize\.",
    "src/block_scale/": r"^block_scale\.",
    "src/shuffle/": r"^shuffle\.",
    "src/rotary/": r"^rotary\.",
    "src/softmax/": r"^softmax\.",
}
# Tests that need the records of others, or try random inputs for some seconds in the hope of a crash.
LEFT_OUT = r"coverage_page|_ends?$|survive|planted|interrupted|pages_have"


def pattern_of(path):
    """Returns the regular expression for the names of the tests that cover a file, or None."""
    found = [prefix for prefix in COVERING if path.startswith(prefix)]
    return COVERING[max(found, key=len)] if found else None
