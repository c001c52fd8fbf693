// SPDX-License-Identifier: MIT
// The table of GEMM kernels and the names their symbols are made of.
#include "kernels.h"

#include <string.h>

// A kernel may be chosen on the targets that its file is compiled for (wt_add_kernels).
//
// Efficiency of the K loop by tile shape, 4 waves: measured on an MI355X (ROCm, gfx950-gluon-tutorials,
// docs/tcp_bound_tile_model.md: fp16, K = 8192); 64x64 and 192x256 are ours, from the bytes of A and B per
// clock that the others reach. 8 waves: the same times the ratio of the two kinds' published rates at M = N =
// K = 4096 in BF16 (PyHIP, docs/gemm_950_optimization.md: 1408 to 1415, 1141 to 1290, 1089 to 1257 and 1018
// to 1218 TFLOP/s). Taken for every type and both chips: what limits small tiles is bytes per clock, and K
// steps of all types have the same bytes and cycles. The general kernels' are ours, two thirds of the tiled
// ones of their shape: everything goes through registers. Nor are the skinny kernels' measured: what the
// bytes of B allow at 8 TB/s, 13 per clock and compute unit.
//
// The rungs' side of the table is in examples/gemm/README.md.
#define RUNG_OF(inputs, chunk, window, stem, idea, tile_m, tile_n, threads, needs) \
  {stem, idea, WT_KERNEL_RUNG, tile_m, tile_n, threads, inputs, needs, 0, 0, 0, chunk, window}
#define RUNG(...) RUNG_OF(WT_INPUT_F8, 1, 1, __VA_ARGS__)
#define COPIED(kind, stem, idea, tile_m, tile_n, threads, least_steps, efficiency) \
  {stem, idea, kind, tile_m, tile_n, threads, WT_INPUT_ALL, WT_NEEDS_COPIES, least_steps, 0, efficiency, 0, 0}
#define TILED(...) COPIED(WT_KERNEL_LIBRARY, __VA_ARGS__)
#define PERSISTENT(...) COPIED(WT_KERNEL_PERSISTENT, __VA_ARGS__)
#define GENERAL(stem, idea, tile_m, tile_n, efficiency) \
  {stem, idea, WT_KERNEL_LIBRARY, tile_m, tile_n, 256, WT_INPUT_ALL, WT_NEEDS_NOTHING, 0, 0, efficiency, 0, 0}
static const char any_order[] =
    "tiles go through registers, which transposes them and forgives any alignment";
#define SKINNY(stem, idea, tile_m, tile_n, efficiency)                                        \
  {stem, idea,   WT_KERNEL_LIBRARY, tile_m, tile_n, 256, WT_INPUT_ALL, WT_NEEDS_K_CONTIGUOUS, \
   0,    tile_m, efficiency,        1,      1}
static const char streamed[] = "few rows: waves share K and read B once, in whole lines of memory";
static const char interleaved[] =
    "one wave per SIMD, whose copies and LDS reads are issued between its MFMAs";
static const char persistent[] =
    "persistent work-groups: a tile of C (BF16 or F16, alpha alone) is stored under the next tile's MFMAs";
static const char ping_pong[] = "two waves per SIMD, one multiplying while the other moves data";
static const char interleaved_derived[] = "gemm_4wave_256x256 with derived waits and barriers";
static const char ping_pong_derived[] = "gemm_8wave_256x256 with derived waits";

const wt_kernel wt_kernels[] = {
    RUNG("gemm_01_naive", "one thread computes one element of C from global memory", 16, 16, 256,
         WT_NEEDS_NOTHING),
    RUNG("gemm_02_lds_tiled", "a wave shares its tiles of A and B through LDS", 16, 16, 256,
         WT_NEEDS_NOTHING),
    RUNG("gemm_03_matrix_core", "the matrix core multiplies the tiles", 32, 32, 256, WT_NEEDS_NOTHING),
    RUNG("gemm_04_vector_loads", "16 bytes per global and LDS access", 32, 32, 256, WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_05_direct_to_lds", "tiles go from global memory to LDS without passing through registers", 32,
         32, 256, WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_06_swizzle", "LDS is swizzled, so that reads have no bank conflicts", 32, 32, 256,
         WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_07_double_buffer_unswizzled", "copies of the next K step in flight, reads with bank conflicts",
         64, 64, 256, WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_07_double_buffer", "copies of the next K step are in flight while this one is multiplied", 64,
         64, 256, WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_08_multi_wave_128x128_8", "two waves per SIMD alternate", 128, 128, 512,
         WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_08_multi_wave_256x256_16", "four waves per SIMD alternate", 256, 256, 1024,
         WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_08_multi_wave_256x256_8", "two waves per SIMD alternate on a larger tile", 256, 256, 512,
         WT_NEEDS_K_CONTIGUOUS),
    RUNG_OF(WT_INPUT_BF16, 16, 4, "gemm_pc_4p8c", "four waves copy, eight multiply", 128, 256, 768,
            WT_NEEDS_K_CONTIGUOUS),
    RUNG_OF(WT_INPUT_BF16, 16, 4, "gemm_pc_4p12c", "four waves copy, twelve multiply", 192, 256, 1024,
            WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_09_ping_pong", "two waves per SIMD: one multiplies while the other moves data", 256, 256, 512,
         WT_NEEDS_K_CONTIGUOUS),
    RUNG("gemm_10_interleave", "one wave per SIMD: copies, reads and stores are issued between its MFMAs",
         256, 256, 256, WT_NEEDS_K_CONTIGUOUS),
    SKINNY("gemm_skinny_16x64", streamed, 16, 64, 5),
    SKINNY("gemm_skinny_32x64", streamed, 32, 64, 10),
    GENERAL("gemm_general_64x64", any_order, 64, 64, 23),
    GENERAL("gemm_general_128x128", any_order, 128, 128, 46),
    TILED("gemm_4wave_64x64", interleaved, 64, 64, 256, 3, 35),
    TILED("gemm_4wave_64x128", interleaved, 64, 128, 256, 3, 47),
    TILED("gemm_4wave_128x64", interleaved, 128, 64, 256, 3, 47),
    TILED("gemm_4wave_64x256", interleaved, 64, 256, 256, 2, 57),
    TILED("gemm_4wave_256x64", interleaved, 256, 64, 256, 2, 55),
    TILED("gemm_8wave_128x128", ping_pong, 128, 128, 512, 2, 58),
    TILED("gemm_4wave_128x128", interleaved, 128, 128, 256, 3, 69),
    TILED("gemm_8wave_128x256", ping_pong, 128, 256, 512, 2, 73),
    TILED("gemm_8wave_256x128", ping_pong, 256, 128, 512, 2, 73),
    TILED("gemm_4wave_256x128", interleaved, 256, 128, 256, 2, 83),
    TILED("gemm_4wave_128x256", interleaved, 128, 256, 256, 2, 84),
    TILED("gemm_4wave_192x256", interleaved, 192, 256, 256, 2, 90),
    TILED("gemm_8wave_256x256", ping_pong, 256, 256, 512, 2, 95.5),
    TILED("gemm_4wave_256x256", interleaved, 256, 256, 256, 2, 96),
    PERSISTENT("gemm_4wave_persistent_256x256", persistent, 256, 256, 256, 6, 96),
    // These have the same loops as the two above, instruction class by instruction class. They run when they
    // are asked for by name.
    TILED("gemm_8wave_derived_256x256", ping_pong_derived, 256, 256, 512, 2, 95.5),
    TILED("gemm_4wave_derived_256x256", interleaved_derived, 256, 256, 256, 2, 96),
};
const size_t wt_kernel_count = sizeof wt_kernels / sizeof *wt_kernels;

const wt_kernel *wt_kernel_find(const char *name) {
  for (size_t i = 0; i < wt_kernel_count; ++i)
    if (strcmp(wt_kernels[i].stem, name) == 0) return &wt_kernels[i];
  return NULL;
}

bool wt_kernel_takes_order(const wt_kernel *kernel) {
  return kernel->kind != WT_KERNEL_RUNG || kernel->chunk > 1;
}

const char *wt_kernel_needs_text(wt_kernel_needs needs) {
  switch (needs) {
    case WT_NEEDS_NOTHING: return "nothing";
    case WT_NEEDS_K_CONTIGUOUS: return "K contiguous in A and B (trans_a and trans_b 0)";
    case WT_NEEDS_COPIES:
      return "K contiguous in A and B (trans_a and trans_b 0), their rows at multiples of 16 bytes and less "
             "than 2 GB per tile, and some K steps (2; small tiles of 4 waves 3, persistent kernels 6)";
  }
  return "";
}

static bool is_f8(const wt_target *target, wt_type type) {
  return target->ocp ? type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E5M2
                     : type == WT_TYPE_F8E4M3_FNUZ || type == WT_TYPE_F8E5M2_FNUZ;
}

unsigned wt_kernel_inputs(const wt_target *target, wt_type a, wt_type b) {
  if (is_f8(target, a) && is_f8(target, b)) return a == b ? WT_INPUT_F8 : WT_INPUT_F8_MIXED;
  if (a != b) return 0;
  if (a == WT_TYPE_BF16) return WT_INPUT_BF16;
  if (a == WT_TYPE_F16) return WT_INPUT_F16;
  return a == WT_TYPE_I8 ? WT_INPUT_I8 : 0;
}

const char *wt_kernel_input_name(const wt_target *target, wt_type type) {
  if (is_f8(target, type)) return type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E4M3_FNUZ ? "f8e4m3" : "f8e5m2";
  if (type == WT_TYPE_I8) return "i8";
  return type == WT_TYPE_BF16 || type == WT_TYPE_F16 ? wt_kernel_output_name(type) : NULL;
}

const char *wt_kernel_output_name(wt_type type) {
  if (type == WT_TYPE_BF16) return "bf16";
  if (type == WT_TYPE_F16) return "f16";
  if (type == WT_TYPE_F32) return "f32";
  return type == WT_TYPE_I32 ? "i32" : NULL;
}
