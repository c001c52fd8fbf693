// SPDX-License-Identifier: MIT
// The table of GEMM kernels with block scales.
#include "kernels.h"

#include <stdio.h>
#include <string.h>

#include "core/types.h"

enum { THREADS = 256 };  // of a work-group

// The layouts of scales by the names that they have in instances.def.
#define SCALES_rows WT_SCALES_BY_ROWS
#define SCALES_shuffled WT_SCALES_SHUFFLED

static const wt_mx_kernel kernels[] = {
#define GEMM_MX_INSTANCE(name, a, b, tile_m, tile_n, stages, scales, efficiency) \
  {{#name, tile_m, tile_n, THREADS}, #a, #b, SCALES_##scales, efficiency},
#include "kernels/gemm_mx/instances.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const wt_mx_kernel *wt_mx_kernel_choose(const wt_context *context, const wt_block_format *a,
                                        const wt_block_format *b, wt_scale_layout scales, int64_t m,
                                        int64_t n) {
  const wt_mx_kernel *best = NULL;
  bool best_built = false;
  for (int i = 0; i < KERNELS; ++i) {
    const wt_mx_kernel *kernel = &kernels[i];
    if (strcmp(kernel->a, a->name) != 0 || strcmp(kernel->b, b->name) != 0) continue;
    if (kernel->scales != scales) continue;
    const bool built = wt_context_has(context, kernel->kernel.name);
    if (best && built == best_built &&
        wt_scaled_cost(context, &kernel->kernel, kernel->efficiency, m, n) >
            wt_scaled_cost(context, &best->kernel, best->efficiency, m, n))
      continue;
    if (best_built && !built) continue;
    best = kernel, best_built = built;
  }
  return best;
}

void wt_mx_partners(const wt_context *context, const wt_block_format *a, char *text, size_t size) {
  static const wt_type types[] = {WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2,
                                  WT_TYPE_F4E2M1};
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    const wt_block_format *b = wt_block_format_of(types[i]);
    if (!wt_mx_kernel_choose(context, a, b, WT_SCALES_BY_ROWS, 1, 1) || length >= size) continue;
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", length ? " or " : "", wt_type_name(types[i]));
  }
}
