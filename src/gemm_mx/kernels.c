// SPDX-License-Identifier: MIT
// The table of GEMM kernels with block scales.
#include "kernels.h"

#include <stdio.h>
#include <string.h>

#include "core/types.h"

enum { LANES = 64, SIMDS = 4 };  // of a wave; of a compute unit (AMD CDNA 3 white paper)
enum { WAVES = 4 };              // of a work-group, unless its row says otherwise

typedef struct mx_kernel {
  wt_scaled_kernel kernel;
  const char *a, *b;       // formats (wt_block_format)
  wt_scale_layout scales;  // that it takes
} mx_kernel;

static const mx_kernel kernels[] = {
#define SCALES_rows WT_SCALES_BY_ROWS
#define SCALES_shuffled WT_SCALES_SHUFFLED
#define GEMM_MX_INSTANCE(name, a, b, tile_m, tile_n, stages, scales, efficiency) \
  {{#name, tile_m, tile_n, LANES * WAVES, efficiency, 1, 1, false, 0}, #a, #b, SCALES_##scales},
#define GEMM_MX_PERSISTENT_INSTANCE(name, a, b, tile_m, tile_n, stages, scales, least_k, efficiency) \
  {{#name, tile_m, tile_n, LANES * WAVES, efficiency, 1, 1, true, least_k}, #a, #b, SCALES_##scales},
#define GEMM_MX_SKINNY_INSTANCE(name, a, b, tile_m, tile_n, waves, shared, efficiency)                \
  {{#name, tile_m, tile_n, LANES * (waves), efficiency, waves, SIMDS * (shared) / (waves), false, 0}, \
   #a,                                                                                                \
   #b,                                                                                                \
   WT_SCALES_BY_ROWS},
#include "kernels/gemm_mx/instances.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const wt_scaled_kernel *wt_mx_kernel_at(const wt_block_format *a, const wt_block_format *b,
                                        wt_scale_layout scales, int nth) {
  for (int i = 0; i < KERNELS; ++i) {
    const mx_kernel *x = &kernels[i];
    if (x->scales == scales && strcmp(x->a, a->name) == 0 && strcmp(x->b, b->name) == 0 && nth-- == 0)
      return &x->kernel;
  }
  return NULL;
}

void wt_mx_partners(const wt_block_format *a, char *text, size_t size) {
  static const wt_type types[] = {WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2,
                                  WT_TYPE_F4E2M1};
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    const wt_block_format *b = wt_block_format_of(types[i]);
    if (!wt_mx_kernel_at(a, b, WT_SCALES_BY_ROWS, 0) || length >= size) continue;
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", length ? " or " : "", wt_type_name(types[i]));
  }
}
