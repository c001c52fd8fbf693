// SPDX-License-Identifier: MIT
// Lists the sweeps of `wavetile bench cliffs`: sizes at and beside multiples of the kernels' tiles, blocks
// and shapes of rows, gaps behind rows, and addresses.
#include "bench/cliffs.h"

#define AROUND_TILES "16 17 32 33 64 65 96 128 129 192 256 257 384 512 513 768 1024"
#define GAPS "0 64 32 16 8 4 2 1 3"
#define TRANSPOSED_ROWS "512 513 514 516 520 528 1024 1025"
#define ROWS_OF_INPUT                                                                                      \
  "1 2 4 8 16 17 32 33 48 64 65 96 100 128 129 192 256 257 384 512 513 768 1000 1024 1025 1536 2048 2049 " \
  "3072 4096 4097 6144 8192"
#define ROW_LENGTHS "64 65 128 129 256 512 1000 1024 1025 2048 2049 4096 4097 8192 8193 16384 16385"
#define LONG_ROWS "16384 16385 32768 32769 65536 65537 131072 131073 163840 163841"
#define ROW_COUNTS "1 2 4 8 16 17 64 65 256 257 512 513 1024 1025 2048 2049 4096"
#define KERNELS_OF_ROWS(family, kernel, columns, gaps, addresses)                                       \
  {family "-columns", family, kernel, "bf16", "1024x#", columns, CLIFF_ALWAYS, CLIFF_BOTH},             \
      {family "-rows", family, kernel, "bf16", "#x4096", ROW_COUNTS, CLIFF_ALWAYS, CLIFF_BOTH},         \
      {family "-gap", family, kernel, "bf16", "1024x4096 pad=#", gaps, CLIFF_ALWAYS, CLIFF_BOTH}, {     \
    family "-address", family, kernel, "bf16", "1024x4096 shift=#", addresses, CLIFF_ALWAYS, CLIFF_BOTH \
  }

const cliff_sweep cliff_sweeps[] = {
    {"gemm-m", "gemm", "gemm_chosen", "bf16", "#x1024x1024", "1 2 4 8 " AROUND_TILES, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-n", "gemm", "gemm_chosen", "bf16", "512x#x1024", AROUND_TILES " 1025", CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-k", "gemm", "gemm_chosen", "bf16", "512x1024x#",
     "16 32 33 64 65 96 128 129 192 256 257 384 512 513 514 520 768 1000 1024 1025 1026 1028 1032 1088",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-square", "gemm", "gemm_chosen", "bf16", "#x#x#",
     "64 128 192 256 257 320 384 448 512 513 640 768 1000 1024", CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-gap-a", "gemm", "gemm_chosen", "bf16", "512x1024x1024 pad_a=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-gap-b", "gemm", "gemm_chosen", "bf16", "512x1024x1024 pad_b=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-gap-c", "gemm", "gemm_chosen", "bf16", "512x1024x1024 pad_c=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-address", "gemm", "gemm_chosen", "bf16", "512x1024x1024 shift=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-trans-a", "gemm", "gemm_chosen", "bf16", "512x1024x1024 trans_a=#", "0 1", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-trans-b", "gemm", "gemm_chosen", "bf16", "512x1024x1024 trans_b=#", "0 1", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-trans-both", "gemm", "gemm_chosen", "bf16", "512x1024x1024 trans_a=# trans_b=#", "0 1",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-trans-m", "gemm", "gemm_chosen", "bf16", "#x1024x1024 trans_a=1", TRANSPOSED_ROWS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-trans-n", "gemm", "gemm_chosen", "bf16", "512x#x1024 trans_b=1", TRANSPOSED_ROWS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-m", "gemm", "gemm_chosen", "f8e4m3", "#x1024x1024", "1 2 4 8 " AROUND_TILES, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-k", "gemm", "gemm_chosen", "f8e4m3", "512x1024x#",
     "32 64 65 128 129 192 256 257 384 512 513 516 528 768 1000 1024 1025 1026 1028 1040 1152", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-gap-a", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 pad_a=#", "0 128 64 32 16 8 4 2 1 3",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-fp8-gap-b", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 pad_b=#", "0 128 64 32 16 8 4 2 1 3",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-fp8-n", "gemm", "gemm_chosen", "f8e4m3", "512x#x1024", AROUND_TILES " 1025", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-gap-c", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 pad_c=#", GAPS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-address", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 shift=#", GAPS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-trans-a", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 trans_a=#", "0 1", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-trans-b", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 trans_b=#", "0 1", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"gemm-fp8-trans-both", "gemm", "gemm_chosen", "f8e4m3", "512x1024x1024 trans_a=# trans_b=#", "0 1",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-fp8-trans-n", "gemm", "gemm_chosen", "f8e4m3", "512x#x1024 trans_b=1", TRANSPOSED_ROWS,
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"gemm-f16-k", "gemm", "gemm_chosen", "f16", "512x1024x#", "512 513 514 520 1024 1025 1026 1028 1032",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-rows", "attention", "attention_forward", "bf16", "1x8x#x128", AROUND_TILES " 1025",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-rows-64", "attention", "attention_forward", "bf16", "1x8x#x64", AROUND_TILES " 1025",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-causal", "attention", "attention_forward", "bf16", "1x8x#x128 causal=1", AROUND_TILES " 1025",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-queries", "attention", "attention_forward", "bf16", "4x8x#x128 keys=1024",
     "1 2 4 8 16 32 33 64 128 129 256 257 512 513", CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-keys", "attention", "attention_forward", "bf16", "1x8x256x128 keys=#",
     "32 33 64 65 128 129 256 257 512 513 1000 1024 1025 2048", CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-head", "attention", "attention_forward", "bf16", "1x8x512x#", "32 48 64 72 80 96 112 120 128",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-wide-head", "attention", "attention_forward", "bf16", "1x8x512x#",
     "128 136 160 192 200 240 256", CLIFF_ALWAYS, CLIFF_MI355X},
    {"attention-heads", "attention", "attention_forward", "bf16", "1x#x512x128", "1 8 16 64 128 129 160 256",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-gap", "attention", "attention_forward", "bf16", "1x8x512x128 pad=#", GAPS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"attention-fp8-rows", "attention", "attention_forward", "f8e4m3", "1x8x#x128", AROUND_TILES,
     CLIFF_ALWAYS, CLIFF_MI355X},
    {"attention-backward-rows", "attention", "attention_backward", "bf16", "1x8x#x128",
     "32 33 64 65 128 129 256 257 512 513 768 1024", CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-backward-head", "attention", "attention_backward", "bf16", "1x8x512x#", "32 64 72 96 120 128",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"attention-backward-gap", "attention", "attention_backward", "bf16", "1x8x512x128 pad=#", GAPS,
     CLIFF_ALWAYS, CLIFF_BOTH},
    KERNELS_OF_ROWS("norm", "norm_layer", ROW_LENGTHS, GAPS, GAPS),
    {"norm-fused-columns", "norm", "norm_fused", "bf16", "1024x#", ROW_LENGTHS, CLIFF_ALWAYS, CLIFF_BOTH},
    KERNELS_OF_ROWS("softmax", "softmax", ROW_LENGTHS, GAPS, GAPS),
    {"softmax-long-rows", "softmax", "softmax", "bf16", "256x#", LONG_ROWS, CLIFF_ALWAYS, CLIFF_BOTH},
    KERNELS_OF_ROWS("cross-entropy", "cross_entropy", ROW_LENGTHS, GAPS, GAPS),
    {"cross-entropy-long-rows", "cross-entropy", "cross_entropy", "bf16", "256x#", LONG_ROWS, CLIFF_ALWAYS,
     CLIFF_BOTH},
    KERNELS_OF_ROWS("activation", "activation", ROW_LENGTHS, GAPS, GAPS),
    KERNELS_OF_ROWS("quantise", "quantize", ROW_LENGTHS, GAPS, GAPS),
    {"rotary-head", "rotary", "rotary", "bf16", "1x1024x8x#", "16 32 64 66 72 80 96 128 130 192 256 512",
     CLIFF_ALWAYS, CLIFF_BOTH},
    {"rotary-rows", "rotary", "rotary", "bf16", "1x#x16x128", ROW_COUNTS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"rotary-heads", "rotary", "rotary", "bf16", "1x1024x#x128", "1 2 4 7 8 9 16 17 32 33", CLIFF_ALWAYS,
     CLIFF_BOTH},
    {"rotary-gap", "rotary", "rotary", "bf16", "1x1024x16x128 pad=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    {"rotary-address", "rotary", "rotary", "bf16", "1x1024x16x128 shift=#", GAPS, CLIFF_ALWAYS, CLIFF_BOTH},
    // Sweeps of large matrices take minutes each.
    {"gemm-large-m", "gemm", "gemm_chosen", "bf16", "#x4096x4096", ROWS_OF_INPUT, CLIFF_FULL, CLIFF_BOTH},
    {"gemm-fp8-large-m", "gemm", "gemm_chosen", "f8e4m3", "#x4096x4096", ROWS_OF_INPUT, CLIFF_FULL,
     CLIFF_BOTH},
    {"gemm-large-n", "gemm", "gemm_chosen", "bf16", "4096x#x4096",
     "512 513 1024 1025 2048 2049 3072 4096 4097", CLIFF_FULL, CLIFF_BOTH},
    {"gemm-large-k", "gemm", "gemm_chosen", "bf16", "4096x4096x#",
     "1024 1025 2048 2049 4096 4097 4098 4104 4160", CLIFF_FULL, CLIFF_BOTH},
    {"gemm-large-gap-a", "gemm", "gemm_chosen", "bf16", "4096x4096x4096 pad_a=#", GAPS, CLIFF_FULL,
     CLIFF_BOTH},
    {"gemm-fp8-large-k", "gemm", "gemm_chosen", "f8e4m3", "4096x4096x#",
     "1024 1025 2048 2049 4096 4097 4100 4112 4224", CLIFF_FULL, CLIFF_BOTH},
    {"attention-large-rows", "attention", "attention_forward", "bf16", "1x16x#x128",
     "1024 1025 2048 2049 3072 4096 4097", CLIFF_FULL, CLIFF_BOTH},
    {"norm-large-rows", "norm", "norm_layer", "bf16", "#x8192", "4096 8192 16384 16385 32768", CLIFF_FULL,
     CLIFF_BOTH},
};
const size_t cliff_sweep_count = sizeof cliff_sweeps / sizeof *cliff_sweeps;
