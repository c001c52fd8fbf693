// SPDX-License-Identifier: MIT
// Conversions between all element types, in an operand's layout; between some in accumulators.
#include "ops_device.h"

template <class To, class From, class Layout>
WT_DEVICE void convert(const void *in, void *out) {
  wt::rt<From, OPS_MAP_ROWS, OPS_MAP_COLUMNS, Layout> from;
  wt::rt<To, OPS_MAP_ROWS, OPS_MAP_COLUMNS, Layout> to;
  take(from, in);
  wt::convert(to, from);
  give(out, to);
}

#define KERNEL(to, from)                                           \
  WT_KERNEL(64) convert_##from##_##to(const void *in, void *out) { \
    convert<wt::to, wt::from, layouts::a16<wt::bf16>>(in, out);    \
  }
OPS_TYPE_PAIRS(KERNEL)
