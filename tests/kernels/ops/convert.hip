// SPDX-License-Identifier: MIT
// Converts tiles of OPS_TYPE to every type, in every layout; operands are as either type has them.
#include "device.h"

template <class To, class From, wt::overflow Overflow, class Layout>
WT_DEVICE void convert(const void *in, void *out) {
  constexpr int kRows = OPS_CONVERT_TALL * Layout::kRows, kColumns = OPS_CONVERT_WIDE * Layout::kColumns;
  wt::rt<From, kRows, kColumns, Layout> from;
  wt::rt<To, kRows, kColumns, Layout> to;
  take(from, in);
  wt::convert<Overflow>(to, from);
  give(out, to);
}

#define KERNEL(layout, whose, natural, to, from, mode)                                           \
  WT_KERNEL(64) convert_##from##_##to##_##mode##_##layout##_##whose(const void *in, void *out) { \
    convert<wt::to, wt::from, wt::overflow::mode, layouts::layout<wt::natural>>(in, out);        \
  }
#define KERNELS(to, from, mode)                        \
  OPS_LAYOUTS(KERNEL, of_source, from, to, from, mode) \
  OPS_OPERANDS(KERNEL, of_result, to, to, from, mode)
OPS_CONVERT_TO(KERNELS, OPS_TYPE)
