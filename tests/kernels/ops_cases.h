// SPDX-License-Identifier: MIT
// What the tests of ops/ on register tiles run, as tables that kernels and checks share. Layouts are named
// a (operand), c (accumulator), t (the transpose) and the rows of the fragment.
#ifndef WT_TESTS_KERNELS_OPS_CASES_H
#define WT_TESTS_KERNELS_OPS_CASES_H

enum { OPS_LANES = 64 };

// Tiles of 32- and 16-bit elements: both fragment sizes fit several times, differently in rows and columns.
enum { OPS_ROWS = 32, OPS_COLUMNS = 64 };

// X(layout, ...)
#define OPS_LAYOUTS(X, ...) \
  X(a16, __VA_ARGS__)       \
  X(at16, __VA_ARGS__)      \
  X(a32, __VA_ARGS__)       \
  X(at32, __VA_ARGS__) X(c16, __VA_ARGS__) X(ct16, __VA_ARGS__) X(c32, __VA_ARGS__) X(ct32, __VA_ARGS__)

// X(element type)
#define OPS_FLOATS(X) X(f32) X(f16) X(bf16)

// Small tiles of two fragments for maps, which treat every element alike.
enum { OPS_MAP_ROWS = 16, OPS_MAP_COLUMNS = 32, OPS_MAP_SIZE = OPS_MAP_ROWS * OPS_MAP_COLUMNS };

// ---- ops_maps: X(name, type). Maps of one tile, checked within what functions.h states.
#define OPS_UNARY(X, type) \
  X(exp2, type)            \
  X(exp, type)             \
  X(log2, type)            \
  X(log, type)             \
  X(sqrt, type)            \
  X(rsqrt, type)           \
  X(reciprocal, type)      \
  X(abs, type) X(neg, type) X(relu, type) X(sigmoid, type) X(silu, type) X(gelu, type) X(tanh, type)
#define OPS_UNARY_I32(X) X(abs, i32) X(neg, i32) X(relu, i32)
// Maps of two, with each form: a tile, a number, a column vector, a row vector.
#define OPS_BINARY(X, type) X(add, type) X(sub, type) X(mul, type) X(max, type) X(min, type)
#define OPS_DIV(X) X(div, f32) X(div, f16) X(div, bf16)

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
// The numbers that each lane writes after them: of the column vector of maxima, of the row vector of maxima.
enum ops_reduced_number { OPS_SUM, OPS_MAX, OPS_MIN, OPS_COL_VECTOR_SUM, OPS_REDUCED_NUMBERS };

// ---- ops_mask
enum ops_mask { OPS_CAUSAL, OPS_WINDOW, OPS_RIGHT, OPS_LOWER, OPS_MASKS };

// ---- ops_convert: X(to, from); the types' order is that of ops_type.
#define OPS_TYPES(X, from) \
  X(f32, from) X(f16, from) X(bf16, from) X(i32, from) X(i8, from) X(fp8e4m3, from) X(fp8e5m2, from)
#define OPS_TYPE_PAIRS(X) \
  OPS_TYPES(X, f32)       \
  OPS_TYPES(X, f16)       \
  OPS_TYPES(X, bf16) OPS_TYPES(X, i32) OPS_TYPES(X, i8) OPS_TYPES(X, fp8e4m3) OPS_TYPES(X, fp8e5m2)

// ---- ops_layout: X(to, from, type). Tiles of 8-bit elements are OPS_WIDE x OPS_WIDE.
enum { OPS_WIDE = 128 };
#define OPS_FROM(X, from, type) \
  X(a16, from, type)            \
  X(at16, from, type)           \
  X(a32, from, type)            \
  X(at32, from, type) X(c16, from, type) X(ct16, from, type) X(c32, from, type) X(ct32, from, type)
#define OPS_HALF_LAYOUT_PAIRS(X, type) \
  OPS_FROM(X, a16, type)               \
  OPS_FROM(X, at16, type)              \
  OPS_FROM(X, a32, type)               \
  OPS_FROM(X, at32, type)              \
  OPS_FROM(X, c16, type) OPS_FROM(X, ct16, type) OPS_FROM(X, c32, type) OPS_FROM(X, ct32, type)
#define OPS_WORD_LAYOUT_PAIRS(X, type) OPS_FROM(X, ct16, type) OPS_FROM(X, at32, type)
#define OPS_BYTE_LAYOUT_PAIRS(X, type) OPS_FROM(X, ct16, type) OPS_FROM(X, at32, type)

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
    int
    ops_mma_depth(int bytes) {
  return bytes == 1 ? 256 : bytes == 2 ? 64 : 32;
}
enum { OPS_AS_C, OPS_AS_CT, OPS_C_PINNED, OPS_ALL_PINNED, OPS_BY_NUMBER };
// X(name, A, B, rows of a fragment, A transposed, B transposed, how C and operands are held)
#define OPS_MMA(X, A, B, rows)              \
  X(c_AB, A, B, rows, 0, 0, as_c)           \
  X(c_ABt, A, B, rows, 0, 1, as_c)          \
  X(c_AtB, A, B, rows, 1, 0, as_c)          \
  X(c_AtBt, A, B, rows, 1, 1, as_c)         \
  X(ct_AB, A, B, rows, 0, 0, as_ct)         \
  X(ct_ABt, A, B, rows, 0, 1, as_ct)        \
  X(ct_AtB, A, B, rows, 1, 0, as_ct)        \
  X(ct_AtBt, A, B, rows, 1, 1, as_ct)       \
  X(pinned_ABt, A, B, rows, 0, 1, c_pinned) \
  X(all_pinned_ABt, A, B, rows, 0, 1, all_pinned) X(by_number_ABt, A, B, rows, 0, 1, by_number)
// X(A, B)
#define OPS_MMA_PAIRS(X) \
  X(f32, f32)            \
  X(f16, f16)            \
  X(bf16, bf16) X(i8, i8) X(fp8e4m3, fp8e4m3) X(fp8e4m3, fp8e5m2) X(fp8e5m2, fp8e4m3) X(fp8e5m2, fp8e5m2)

#endif
