// SPDX-License-Identifier: MIT
// Changes of layout of tiles of OPS_TYPE between all pairs of layouts, and transpositions from each to each.
#include "device.h"

template <class T>
struct shape {
  static constexpr int kDepth = wt::natural_operand<T>::kColumns;
  static constexpr int kRows = sizeof(T) == 1 ? kDepth : OPS_ROWS,
                       kColumns = sizeof(T) == 1 ? kDepth : OPS_COLUMNS;
};
template <class T, class Layout>
using tile = wt::rt<T, shape<T>::kRows, shape<T>::kColumns, Layout>;
template <class T, class Layout>
using turned_tile = wt::rt<T, shape<T>::kColumns, shape<T>::kRows, Layout>;

#define CHANGE(to, from, T)                                             \
  WT_KERNEL(64) layout_##T##_##from##_##to(const void *in, void *out) { \
    tile<wt::T, layouts::from<wt::T>> source;                           \
    tile<wt::T, layouts::to<wt::T>> destination;                        \
    take(source, in);                                                   \
    wt::convert_layout(destination, source);                            \
    give(out, destination);                                             \
  }
OPS_LAYOUT_PAIRS(CHANGE, OPS_TYPE)

#define TURN(to, from, T)                                                  \
  WT_KERNEL(64) transpose_##T##_##from##_##to(const void *in, void *out) { \
    tile<wt::T, layouts::from<wt::T>> source;                              \
    turned_tile<wt::T, layouts::to<wt::T>> destination;                    \
    take(source, in);                                                      \
    wt::transpose(destination, source);                                    \
    give(out, destination);                                                \
  }
OPS_LAYOUT_PAIRS(TURN, OPS_TYPE)
