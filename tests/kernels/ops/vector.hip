// SPDX-License-Identifier: MIT
// Brings register vectors through LDS: they are written by one wave, read by it in the same layout and by the
// other wave in the transposed one.
#include "device.h"

namespace {

using namespace wt;

template <class T, class Layout, axis Axis>
WT_DEVICE void pass(const T *in, T *out) {
  constexpr int kLength = Axis == axis::row ? OPS_ROWS : OPS_COLUMNS, kFirst = 16;
  constexpr axis kOther = Axis == axis::row ? axis::column : axis::row;
  using held = rv<T, kLength, Layout, Axis>;
  using other = rv<T, kLength, transpose_t<Layout>, kOther>;
  WT_SHARED sv<T, kFirst + kLength> memory;
  held values;
  if (wave_id() == 0) {
    unrolled<held::kElements>([&](auto e)
                                  WT_INLINE { values.values[e.value] = in[held::position(lane_id(), e)]; });
    store(memory, values, kFirst);
  }
  barrier();
  if (wave_id() == 0) {
    load(values, memory, kFirst);
    unrolled<held::kElements>([&](auto e)
                                  WT_INLINE { out[e * OPS_LANES + lane_id()] = values.values[e.value]; });
  } else {
    other swapped;
    load(swapped, memory, kFirst);
    T *second = out + held::kElements * OPS_LANES;
    unrolled<other::kElements>(
        [&](auto e) WT_INLINE { second[e * OPS_LANES + lane_id()] = swapped.values[e.value]; });
  }
}

}  // namespace

#define KERNELS(layout, type)                                           \
  WT_KERNEL(128) rows_##type##_##layout(const type *in, type *out) {    \
    pass<type, layouts::layout<type>, axis::row>(in, out);              \
  }                                                                     \
  WT_KERNEL(128) columns_##type##_##layout(const type *in, type *out) { \
    pass<type, layouts::layout<type>, axis::column>(in, out);           \
  }
OPS_LAYOUTS(KERNELS, f32)
OPS_LAYOUTS(KERNELS, bf16)
