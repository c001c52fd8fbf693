// SPDX-License-Identifier: MIT
// Moves tiles and vectors from global memory and back, and through LDS from one layout to another.
#include "device.h"

using wt::bf16, wt::f32, wt::fp8e4m3;

// Names a tile that is one fragment tall and OPS_MEMORY_WIDE(bytes) wide.
template <class T, class Layout>
using tile_of = wt::rt<T, Layout::kRows, Layout::kColumns * OPS_MEMORY_WIDE(sizeof(T)), Layout>;

template <class T, class Layout>
WT_DEVICE void copy(const wt::gl<const T> &from, const wt::gl<T> &to, int row, int column) {
  tile_of<T, Layout> tile;
  wt::load(tile, from, row, column);
  wt::store(to, tile, row, column);
}
#define COPY(layout, T)                                                                        \
  WT_KERNEL(64) copy_##T##_##layout(wt::gl<const T> from, wt::gl<T> to, int row, int column) { \
    copy<T, layouts::layout<T>>(from, to, row, column);                                        \
  }
OPS_MEMORY_CASES(COPY)

// A load puts this where nothing is.
#define LOAD(layout, T)                                                                     \
  WT_KERNEL(64) load_##T##_##layout(wt::gl<const T> from, void *out, int row, int column) { \
    tile_of<T, layouts::layout<T>> tile;                                                    \
    wt::load(tile, from, row, column);                                                      \
    give(out, tile);                                                                        \
  }
OPS_MEMORY_CASES(LOAD)

#define VECTORS(layout, T)                                                           \
  WT_KERNEL(64) vectors_##T##_##layout(const T *in, T *out, int rows, int columns) { \
    using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, layouts::layout<T>>;               \
    wt::col_vec<T, tile> of_rows;                                                    \
    wt::row_vec<T, tile> of_columns;                                                 \
    wt::load(of_rows, in, rows);                                                     \
    wt::load(of_columns, in, columns);                                               \
    wt::store(out, of_rows, OPS_ROWS);                                               \
    wt::store(out + OPS_ROWS, of_columns, columns);                                  \
  }
OPS_LAYOUTS(VECTORS, f32)

template <class T, class From, class To, wt::swizzle Swizzle>
WT_DEVICE void through_lds(const void *in, void *out) {
  WT_SHARED static wt::st<T, OPS_ROWS, OPS_COLUMNS, Swizzle> lds;
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, From> from;
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, To> to;
  take(from, in);
  wt::store<wt::bank_conflicts::allowed>(lds, from, 0, 0);
  wt::barrier();
  wt::load(to, lds);
  give(out, to);
}
#define LDS(to, from, T)                                                                 \
  WT_KERNEL(64) plain_##T##_##from##_##to(const void *in, void *out) {                   \
    through_lds<T, layouts::from<T>, layouts::to<T>, wt::no_swizzle>(in, out);           \
  }                                                                                      \
  WT_KERNEL(64) swizzled_##T##_##from##_##to(const void *in, void *out) {                \
    through_lds<T, layouts::from<T>, layouts::to<T>, wt::swizzle_row128_pairs>(in, out); \
  }
OPS_LAYOUTS(LDS, ct16, bf16)
