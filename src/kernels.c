// SPDX-License-Identifier: MIT
// The table of GEMM kernels (examples/gemm), slowest first, and the names their entry points are made of.
#include "kernels.h"

#include <string.h>

static const char k_contiguous[] = "K contiguous in A and B (trans_a and trans_b 0)";

// examples/gemm/README.md states the same for the kernels' side.
const wt_kernel wt_kernels[] = {
    {"gemm_01_naive", "one thread computes one element of C from global memory", "nothing", 16, 16, 256,
     false},
    {"gemm_02_lds_tiled", "a work-group shares tiles of A and B through LDS", "nothing", 16, 16, 256, false},
    {"gemm_03_matrix_core", "the matrix core multiplies the tiles", "nothing", 64, 64, 256, false},
    {"gemm_04_vector_loads", "16 bytes per global and LDS access", k_contiguous, 128, 128, 256, true},
    {"gemm_05_direct_to_lds", "tiles go from global memory to LDS past the registers", k_contiguous, 128, 128,
     256, true},
};
const size_t wt_kernel_count = sizeof wt_kernels / sizeof *wt_kernels;

const wt_kernel *wt_kernel_find(const char *name) {
  for (size_t i = 0; i < wt_kernel_count; ++i)
    if (strcmp(wt_kernels[i].stem, name) == 0) return &wt_kernels[i];
  return NULL;
}

const char *wt_kernel_input_name(const char *target, wt_type type) {
  bool ocp = strcmp(target, "gfx950") == 0;
  if (type == (ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ)) return "f8e4m3";
  if (type == (ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ)) return "f8e5m2";
  return NULL;
}

const char *wt_kernel_output_name(wt_type type) {
  if (type == WT_TYPE_BF16) return "bf16";
  if (type == WT_TYPE_F32) return "f32";
  return NULL;
}
