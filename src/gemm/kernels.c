// SPDX-License-Identifier: MIT
// The table of GEMM kernels and the names their symbols are made of.
#include "kernels.h"

#include <string.h>

#include "core/blocks.h"

// A kernel may be chosen on the targets that its file is compiled for (wt_add_kernels). The rungs' side of
// the table is in examples/gemm/README.md, the others' in kernels/gemm/instances.def.
#define RUNG_OF(inputs, chunk, window, stem, idea, tile_m, tile_n, threads, needs)  \
  {stem, idea,  WT_KERNEL_RUNG, tile_m,          tile_n, threads, inputs, needs, 0, \
   0,    chunk, window,         WT_LOOP_BY_HAND, 0,      0,       0,      {0},   {0}}
#define RUNG(...) RUNG_OF(WT_INPUT_E4M3 | WT_INPUT_E5M2, 1, 1, __VA_ARGS__)

// Kernels for one line of tiles have an order of their own, chunk and window 1; others that of the problem,
// 0.
enum { WAVE_LANES = 64, ANY_TILES = 0, ONE_LINE = 1 };
enum { NOT_MADE = WT_STAGES_NOT_MADE, REGISTERS = WT_STAGES_REGISTERS };
#define GEMM_MECHANISM(mechanism, waves_m, waves_n, kind, needs, tiles, loop, idea) \
  enum {                                                                            \
    WAVES_M_##mechanism = waves_m,                                                  \
    WAVES_N_##mechanism = waves_n,                                                  \
    KIND_##mechanism = WT_KERNEL_##kind,                                            \
    NEEDS_##mechanism = WT_NEEDS_##needs,                                           \
    TILES_##mechanism = tiles,                                                      \
    LOOP_##mechanism = WT_LOOP_##loop                                               \
  };                                                                                \
  static const char idea_##mechanism[] = idea;
#include "kernels/gemm/instances.def"

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
#define GEMM_INSTANCE(name, mechanism, tile_m, tile_n, waves_k, stages_gfx942, stages_gfx950, waves_gfx942, \
                      waves_gfx950, least_steps, pairs)                                                     \
  {#name,                                                                                                   \
   idea_##mechanism,                                                                                        \
   (wt_kernel_kind)KIND_##mechanism,                                                                        \
   tile_m,                                                                                                  \
   tile_n,                                                                                                  \
   WAVE_LANES * (WAVES_M_##mechanism) * (WAVES_N_##mechanism) * (waves_k),                                  \
   WT_INPUT_##pairs,                                                                                        \
   (wt_kernel_needs)NEEDS_##mechanism,                                                                      \
   least_steps,                                                                                             \
   TILES_##mechanism,                                                                                       \
   TILES_##mechanism,                                                                                       \
   TILES_##mechanism,                                                                                       \
   (wt_kernel_loop)LOOP_##mechanism,                                                                        \
   WAVES_M_##mechanism,                                                                                     \
   WAVES_N_##mechanism,                                                                                     \
   waves_k,                                                                                                 \
   {[WT_GFX942] = stages_gfx942, [WT_GFX950] = stages_gfx950},                                              \
   {[WT_GFX942] = waves_gfx942, [WT_GFX950] = waves_gfx950}},
#include "kernels/gemm/instances.def"
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

bool wt_kernel_copies(const wt_kernel *kernel) {
  return kernel->needs == WT_NEEDS_COPIES || kernel->needs == WT_NEEDS_TRANSPOSED_COPIES;
}

int wt_kernel_resident(const wt_kernel *kernel, const wt_target *target) {
  return 4 * kernel->simd_waves[target->id] / (int)(kernel->threads / WAVE_LANES);
}

const char *wt_kernel_needs_text(wt_kernel_needs needs) {
  switch (needs) {
    case WT_NEEDS_NOTHING: return "nothing";
    case WT_NEEDS_K_CONTIGUOUS: return "K contiguous in A and B (trans_a and trans_b 0)";
    case WT_NEEDS_NEAR_ROWS:
      return "K contiguous in A and B (trans_a and trans_b 0), and their rows less than 2 GB per tile";
    case WT_NEEDS_COPIES:
      return "K contiguous in A and B (trans_a and trans_b 0), their rows at multiples of 4 bytes and less "
             "than 2 GB per tile, and some K steps (2; small tiles of 4 waves 3, persistent kernels 6)";
    case WT_NEEDS_TRANSPOSED_COPIES:
      return "A, B or both transposed (trans_a or trans_b 1), all stored rows at multiples of 4 bytes, of at "
             "least 16 bytes where transposed, and less than 2 GB per tile, and 3 K steps";
  }
  return "";
}

const char *wt_kernel_inputs_text(unsigned inputs) {
  if (inputs == WT_INPUT_ALL) return "FP8, BF16, F16 or I8 inputs";
  if (inputs == WT_INPUT_FLOATS) return "FP8, BF16 or F16 inputs";
  if (inputs == WT_INPUT_COMMON) return "A and B of one type, FP8 E4M3, BF16 or F16";
  if (inputs == WT_INPUT_E4M3) return "FP8 E4M3 inputs";
  if (inputs == (WT_INPUT_E4M3 | WT_INPUT_E5M2)) return "A and B of one FP8 type";
  if (inputs == WT_INPUT_MX) return "MX formats of F4E2M1 or F8E4M3, or F8E4M3 with F4E2M1";
  if (inputs == WT_INPUT_MX_GRADIENTS)
    return "MX formats of F4E2M1 or F8E4M3, or F8E4M3 with F4E2M1, or F8E5M2 with F8E4M3";
  if (inputs == WT_INPUT_MX_BF16) return "BF16 with F4E2M1";
  if (inputs == WT_INPUT_MX_6) return "MX formats of 6 bits, both the same or with F4E2M1";
  return "BF16 inputs";
}

static bool is_f8(const wt_target *target, wt_type type) {
  return target->ocp ? type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E5M2
                     : type == WT_TYPE_F8E4M3_FNUZ || type == WT_TYPE_F8E5M2_FNUZ;
}

static bool is_e4m3(wt_type type) { return type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E4M3_FNUZ; }

unsigned wt_kernel_inputs(const wt_target *target, wt_type a, wt_type b) {
  if (is_f8(target, a) && is_f8(target, b)) {
    if (a != b) return WT_INPUT_F8_MIXED;
    return is_e4m3(a) ? WT_INPUT_E4M3 : WT_INPUT_E5M2;
  }
  if (a != b) return 0;
  if (a == WT_TYPE_BF16) return WT_INPUT_BF16;
  if (a == WT_TYPE_F16) return WT_INPUT_F16;
  return a == WT_TYPE_I8 ? WT_INPUT_I8 : 0;
}

unsigned wt_kernel_mx_inputs(wt_type a, wt_type b) {
  if (!wt_blocks_multiply(a, b)) return 0;
  if (!wt_block_a_has_scales(a)) return WT_INPUT_MX_BF16;
  if (a == WT_TYPE_F4E2M1) return WT_INPUT_MX_4;
  if (a == WT_TYPE_F8E5M2) return WT_INPUT_MX_E5M2;
  if (a != WT_TYPE_F8E4M3) return WT_INPUT_MX_6;
  return a == b ? WT_INPUT_MX_8 : WT_INPUT_MX_8_4;
}

const char *wt_kernel_input_name(const wt_target *target, wt_type type) {
  if (is_f8(target, type)) return is_e4m3(type) ? "f8e4m3" : "f8e5m2";
  if (type == WT_TYPE_I8) return "i8";
  return type == WT_TYPE_BF16 || type == WT_TYPE_F16 ? wt_kernel_output_name(type) : NULL;
}

const char *wt_kernel_output_name(wt_type type) {
  if (type == WT_TYPE_BF16) return "bf16";
  if (type == WT_TYPE_F16) return "f16";
  if (type == WT_TYPE_F32) return "f32";
  return type == WT_TYPE_I32 ? "i32" : NULL;
}
