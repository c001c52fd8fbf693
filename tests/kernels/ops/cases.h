// SPDX-License-Identifier: MIT
// Lists what the tests of ops/ on register tiles run, as tables that kernels and checks share. Layouts are
// named a (operand), c (accumulator), t (the transpose) and the rows of the fragment.
#ifndef WT_TESTS_KERNELS_OPS_CASES_H
#define WT_TESTS_KERNELS_OPS_CASES_H

enum { OPS_LANES = 64 };

// Lists tiles of 32- and 16-bit elements: both fragment sizes fit several times, differently in rows and
// columns.
enum { OPS_ROWS = 32, OPS_COLUMNS = 64, OPS_SIZE = OPS_ROWS * OPS_COLUMNS };

// These are X(layout, ...)
#define OPS_OPERANDS(X, ...) X(a16, __VA_ARGS__) X(at16, __VA_ARGS__) X(a32, __VA_ARGS__) X(at32, __VA_ARGS__)
#define OPS_ACCUMULATORS(X, ...) \
  X(c16, __VA_ARGS__) X(ct16, __VA_ARGS__) X(c32, __VA_ARGS__) X(ct32, __VA_ARGS__)
#define OPS_LAYOUTS(X, ...) OPS_OPERANDS(X, __VA_ARGS__) OPS_ACCUMULATORS(X, __VA_ARGS__)

// Tests of one element type at a time are compiled with its name as OPS_TYPE. X(name, type) lists them by
// type.
#define OPS_BY_TYPE(table, X, type) OPS_BY_TYPE_(table, X, type)
#define OPS_BY_TYPE_(table, X, type) table##_##type(X, type)

// ---- ops_reduce, ops_mask and ops_parts: X(layout, type). Each layout is tried with f32. Types of 16 bits
// have operands of their own, for which bf16 stands; accumulators have the same layouts in every type.
#define OPS_OWN_LAYOUTS(X, type) OPS_BY_TYPE(OPS_OWN_LAYOUTS, X, type)
#define OPS_OWN_LAYOUTS_f32(X, type) OPS_LAYOUTS(X, type)
#define OPS_OWN_LAYOUTS_bf16(X, type) OPS_OPERANDS(X, type) X(c16, type) X(ct32, type)
#define OPS_OWN_LAYOUTS_f16(X, type) X(at16, type) X(c32, type)
#define OPS_OWN_LAYOUTS_i32(X, type) X(a32, type) X(ct16, type)

// ---- ops_maps_unary: X(name, type). These are maps of one tile, within what functions.h states.
#define OPS_UNARY(X, type) OPS_BY_TYPE(OPS_UNARY, X, type)
#define OPS_UNARY_OF_FLOATS(X, type) \
  X(exp2, type)                      \
  X(exp, type)                       \
  X(log2, type)                      \
  X(log, type)                       \
  X(sqrt, type)                      \
  X(rsqrt, type)                     \
  X(reciprocal, type)                \
  X(abs, type) X(neg, type) X(relu, type) X(sigmoid, type) X(silu, type) X(gelu, type) X(tanh, type)
#define OPS_UNARY_f32(X, type) OPS_UNARY_OF_FLOATS(X, type)
#define OPS_UNARY_f16(X, type) OPS_UNARY_OF_FLOATS(X, type)
#define OPS_UNARY_bf16(X, type) OPS_UNARY_OF_FLOATS(X, type)
#define OPS_UNARY_i32(X, type) X(abs, type) X(neg, type) X(relu, type)

// ---- ops_maps_binary: X(name, type). These are maps of two, and the forms of each, in the order that a
// kernel writes.
#define OPS_BINARY(X, type) X(add, type) X(sub, type) X(mul, type) X(div, type) X(max, type) X(min, type)
enum ops_form { OPS_WITH_TILE, OPS_WITH_NUMBER, OPS_WITH_COLUMN_VECTOR, OPS_WITH_ROW_VECTOR, OPS_FORMS };

// ---- ops_maps_other: X(to, type), the copies between types, and the tiles that the kernels write.
#define OPS_COPIES(X, type) OPS_BY_TYPE(OPS_COPIES, X, type)
#define OPS_COPIES_f32(X, type) X(f32, type) X(f16, type) X(bf16, type)
#define OPS_COPIES_f16(X, type) X(f32, type) X(f16, type) X(bf16, type)
#define OPS_COPIES_bf16(X, type) X(f32, type) X(f16, type) X(bf16, type)
#define OPS_COPIES_i32(X, type) X(i32, type)
enum ops_spread {     // r and c: of an element its row and column, counted from 1; n: the number given
  OPS_BROADCAST_ROW,  // r
  OPS_BROADCAST_COL,  // c
  OPS_FILL,           // n
  OPS_ZERO,           // 0
  OPS_MIXED_ROW,      // a + r n, of a vector that is computed in
  OPS_MIXED_COL,      // a c n, of such a one
  OPS_COLUMN_VECTOR,  // -r * n, made of vectors
  OPS_ROW_VECTOR,     // max(c + c, n), made of vectors
  OPS_SPREADS
};
enum ops_fma {     // the last as f32
  OPS_FMA_NUMBER,  // a n + c
  OPS_FMA_ROW,     // a r + b
  OPS_FMA_TILES,   // a b + d
  OPS_FMA_WIDE,    // a b + d, in f32
  OPS_FMAS
};

// ---- ops_positions: the tiles that a kernel writes. r and c: an element's row and column, counted from 0;
// R and C are the same from OPS_AT_ROW and OPS_AT_COLUMN on; n is the number given.
enum { OPS_AT_ROW = 5, OPS_AT_COLUMN = -9 };
enum ops_position {
  OPS_AT_ORIGIN,           // a + 2 R - C
  OPS_AT_FILL,             // r - c
  OPS_AT_IN_PLACE,         // a, but 0 where r is c
  OPS_AT_ARGUMENTS,        // a where R is odd, else r + 1 - n
  OPS_AT_COLUMN_VECTOR,    // r + 1 + R
  OPS_AT_ROW_VECTOR,       // c + 1 - n + c
  OPS_IOTA,                // 3 r - c + OPS_AT_ROW
  OPS_IOTA_COLUMN_VECTOR,  // r + OPS_AT_COLUMN
  OPS_IOTA_ROW_VECTOR,     // c
  OPS_MAP_OF_NUMBERS,      // a - (c + 1) where that is positive, else 0
  OPS_MAP_IN_PLACE,        // |a|
  OPS_CLAMP_TO_NUMBERS,    // a between n and -n
  OPS_CLAMP_TO_VECTORS,    // a between r + 1 and c + 1
  OPS_POSITIONS
};

// ---- ops_functions: X(name), and the layouts they are tried in, of 4 to 16 elements per fragment: that a
// map reaches every element of every layout is seen with cheaper functions (ops_maps_unary).
#define OPS_FUNCTION_LAYOUTS(X, ...) X(a16, __VA_ARGS__) X(ct16, __VA_ARGS__) X(c32, __VA_ARGS__)
#define OPS_FUNCTIONS(X) X(sin) X(cos) X(erf) X(floor) X(ceil) X(trunc) X(rint)

// ---- ops_arg_reduce: X(layout, type). Layouts of accumulators do not depend on the type, and the type is
// widened before anything else: each type has the layouts that are its own.
#define OPS_ARG_LAYOUTS(X, type) OPS_BY_TYPE(OPS_ARG_LAYOUTS, X, type)
#define OPS_ARG_LAYOUTS_f32(X, type) OPS_LAYOUTS(X, type)
#define OPS_ARG_LAYOUTS_bf16(X, type) OPS_OPERANDS(X, type)
#define OPS_ARG_LAYOUTS_i32(X, type) X(a16, type) X(c32, type)
// These are the values and then the indices of each, spread over a tile.
enum ops_arg_reduced {
  OPS_ROW_ARGMAX,
  OPS_ROW_ARGMIN_OF_TWO,  // of two tiles side by side, the right one first
  OPS_COL_ARGMIN,
  OPS_COL_ARGMAX_OF_TWO,  // of two tiles above each other, the lower one first
  OPS_ARG_REDUCED
};
enum { OPS_ARG_ROW = 100, OPS_ARG_COLUMN = 1000 };  // of the tile's first element in the matrix
// These are the value and index of the vectors of row maxima and column maxima, in every lane.
enum { OPS_ARGMAX_OF_ROWS, OPS_ARGMIN_OF_COLUMNS, OPS_ARG_VECTORS };

// ---- ops_reduce: the matrices that a kernel writes, one after the other.
enum ops_reduced {
  OPS_ROW_SUM,
  OPS_ROW_MAX,
  OPS_ROW_MIN,
  OPS_ROW_SUM_ON_MAX,  // the row's sum on top of its maximum
  OPS_COL_SUM,
  OPS_COL_MAX,
  OPS_COL_MIN,
  OPS_COL_SUM_ON_MAX,
  OPS_REDUCED
};
// Each lane writes so many numbers after them: of the column vector of maxima, of the row vector of maxima.
enum ops_reduced_number { OPS_SUM, OPS_MAX, OPS_MIN, OPS_COL_VECTOR_SUM, OPS_REDUCED_NUMBERS };

// ---- ops_mask
enum ops_mask { OPS_CAUSAL, OPS_WINDOW, OPS_RIGHT, OPS_LOWER, OPS_MASKS };

// ---- ops_convert: X(to, from, overflow), and the fragments of a tile.
#define OPS_CONVERT_TO(X, from) \
  X(f32, from, saturate)        \
  X(f16, from, saturate)        \
  X(bf16, from, saturate)       \
  X(i32, from, saturate)        \
  X(i8, from, saturate)         \
  X(fp8e4m3, from, saturate)    \
  X(fp8e5m2, from, saturate) X(fp8e4m3, from, nonfinite) X(fp8e5m2, from, nonfinite)
enum { OPS_CONVERT_TALL = 2, OPS_CONVERT_WIDE = 3 };

// ---- ops_layout: X(to, from, type). Tiles of 8-bit elements are as wide and high as an operand is deep.
#define OPS_LAYOUTS_TO(X, from, type) \
  X(a16, from, type)                  \
  X(at16, from, type)                 \
  X(a32, from, type)                  \
  X(at32, from, type) X(c16, from, type) X(ct16, from, type) X(c32, from, type) X(ct32, from, type)
#define OPS_LAYOUT_PAIRS(X, type) \
  OPS_LAYOUTS_TO(X, a16, type)    \
  OPS_LAYOUTS_TO(X, at16, type)   \
  OPS_LAYOUTS_TO(X, a32, type)    \
  OPS_LAYOUTS_TO(X, at32, type)   \
  OPS_LAYOUTS_TO(X, c16, type)    \
  OPS_LAYOUTS_TO(X, ct16, type) OPS_LAYOUTS_TO(X, c32, type) OPS_LAYOUTS_TO(X, ct32, type)

// ---- ops_memory: X(layout, type), and how many fragments a tile of elements of `bytes` is wide.
#define OPS_MEMORY_WIDE(bytes) ((bytes) == 1 ? 1 : 2)
#define OPS_MEMORY_CASES(X) \
  X(a16, f32) X(ct16, f32) X(c32, f32) OPS_LAYOUTS(X, bf16) X(a16, fp8e4m3) X(ct16, fp8e4m3) X(c32, fp8e4m3)

// ---- ops_mma: C (m x n), k by the bytes of an element.
enum { OPS_MMA_M = 32, OPS_MMA_N = 64 };
#ifdef __cplusplus
constexpr
#else
static inline
#endif
    int ops_mma_depth(int bytes) {
  return bytes == 1 ? 256 : bytes == 2 ? 64 : 32;
}
enum { OPS_AS_C, OPS_AS_CT, OPS_C_PINNED, OPS_ALL_PINNED, OPS_BY_NUMBER };
// X(name, A, B, rows of a fragment, product, A transposed, B transposed, how C and operands are held)
#define OPS_MMA(X, A, B, rows)                   \
  X(c_AB, A, B, rows, AB, 0, 0, as_c)            \
  X(c_ABt, A, B, rows, ABt, 0, 1, as_c)          \
  X(c_AtB, A, B, rows, AtB, 1, 0, as_c)          \
  X(c_AtBt, A, B, rows, AtBt, 1, 1, as_c)        \
  X(ct_AB, A, B, rows, AB, 0, 0, as_ct)          \
  X(ct_ABt, A, B, rows, ABt, 0, 1, as_ct)        \
  X(ct_AtB, A, B, rows, AtB, 1, 0, as_ct)        \
  X(ct_AtBt, A, B, rows, AtBt, 1, 1, as_ct)      \
  X(pinned_ABt, A, B, rows, ABt, 0, 1, c_pinned) \
  X(all_pinned_ABt, A, B, rows, ABt, 0, 1, all_pinned) X(by_number_ABt, A, B, rows, ABt, 0, 1, by_number)
// X(A, B)
#define OPS_MMA_PAIRS(X) \
  X(f32, f32)            \
  X(f16, f16)            \
  X(bf16, bf16) X(i8, i8) X(fp8e4m3, fp8e4m3) X(fp8e4m3, fp8e5m2) X(fp8e5m2, fp8e4m3) X(fp8e5m2, fp8e5m2)

#endif
