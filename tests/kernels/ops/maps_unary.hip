// SPDX-License-Identifier: MIT
// Runs every map of one tile of OPS_TYPE, in every layout.
#include "device.h"

#define KERNEL(layout, name, T)                                          \
  WT_KERNEL(64) map_##name##_##T##_##layout(const void *in, void *out) { \
    wt::rt<wt::T, OPS_ROWS, OPS_COLUMNS, layouts::layout<wt::T>> tile;   \
    take(tile, in);                                                      \
    wt::name(tile, tile);                                                \
    give(out, tile);                                                     \
  }
#define KERNELS(name, T) OPS_LAYOUTS(KERNEL, name, T)
OPS_UNARY(KERNELS, OPS_TYPE)
