#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the GEMM ladder on both simulated chips at one shape and prints, per rung, the wave-instructions the device executes
# and the host's seconds, as ratios to the first rung of this run. Nothing here is a time of a GPU.
set -euo pipefail
build=${1:-build}
size=${2:-512}
wavetile=$build/bin/wavetile

printf 'FP8 GEMM (gemm_pc: BF16), M = N = K = %s; ratios are rung 01 / this rung, measured in this run\n\n' "$size"
printf '%-8s %-34s %16s %10s %12s %10s\n' device kernel instructions ratio 'host seconds' ratio
for device in mi355x mi300x; do
  first_instructions='' first_seconds=''
  for kernel in gemm_01_naive gemm_02_lds_tiled gemm_03_matrix_core gemm_04_vector_loads gemm_05_direct_to_lds \
                gemm_06_swizzle gemm_07_double_buffer_unswizzled gemm_07_double_buffer gemm_08_multi_wave_128x128_8 \
                gemm_08_multi_wave_256x256_8 gemm_08_multi_wave_256x256_16 gemm_09_ping_pong gemm_10_interleave \
                gemm_pc_4p8c gemm_pc_4p12c; do
    dtype=f8e4m3
    [[ $kernel != gemm_pc_* ]] || dtype=bf16
    report=$("$wavetile" gemm --m "$size" --n "$size" --k "$size" --dtype "$dtype" --kernel "$kernel" --device "sim:$device")
    instructions=$(sed -n 's/^ *executed *\([0-9]*\) instructions.*/\1/p' <<<"$report")
    seconds=$(sed -n 's/^ *host seconds *\([0-9.]*\) run.*/\1/p' <<<"$report")
    : "${first_instructions:=$instructions}" "${first_seconds:=$seconds}"
    awk -v d="$device" -v k="$kernel" -v i="$instructions" -v fi="$first_instructions" -v s="$seconds" -v fs="$first_seconds" \
      'BEGIN { printf "%-8s %-34s %16d %10.1f %12.2f %10.1f\n", d, k, i, fi / i, s, (s > 0 ? fs / s : 0) }'
  done
done
