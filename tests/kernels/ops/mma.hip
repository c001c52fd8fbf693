// SPDX-License-Identifier: MIT
// Multiplies register tiles: every pair of types, both fragment sizes, both ways round of A, B and C, and
// pinned tiles.
#include "device.h"

namespace {

using namespace wt;

template <class T>
constexpr int kDepth = ops_mma_depth(kBits<T> / 8);

// Says how C and the operands are held. kByNumber: C from AGPR 64 on, A from VGPR 100 on, B from AGPR 4 on.
enum class held { as_c, as_ct, c_pinned, all_pinned, by_number };

template <held How, class T, int M, int N, int Rows>
struct c_of {
  using type = rt_agpr<T, M, N, transposed<accumulator<Rows, Rows>>>;
};
template <class T, int M, int N, int Rows>
struct c_of<held::as_c, T, M, N, Rows> {
  using type = rt_c<T, M, N, Rows>;
};
template <class T, int M, int N, int Rows>
struct c_of<held::as_ct, T, M, N, Rows> {
  using type = rt_ct<T, M, N, Rows>;
};
template <class T, int M, int N, int Rows>
struct c_of<held::by_number, T, M, N, Rows> {
  using type = rt_agpr<T, M, N, transposed<accumulator<Rows, Rows>>, 64>;
};

// Say in which file an operand is where all are pinned, and its number where that is chosen.
template <held How, register_file File, int First, class T, int Rows, int Columns, class Layout>
struct operand_of {
  using type = rt<T, Rows, Columns, Layout>;
};
template <register_file File, int First, class T, int Rows, int Columns, class Layout>
struct operand_of<held::all_pinned, File, First, T, Rows, Columns, Layout> {
  using type = rt_agpr<T, Rows, Columns, Layout>;
};
template <register_file File, int First, class T, int Rows, int Columns, class Layout>
struct operand_of<held::by_number, File, First, T, Rows, Columns, Layout> {
  using type = rt_pinned<File, First, T, Rows, Columns, Layout>;
};

// Says which operands are stored transposed: those that the name of the product says.
enum class product { AB, ABt, AtB, AtBt };

template <class A, class B, int Rows, product Which, held How>
WT_DEVICE void multiply(const void *in_a, const void *in_b, const void *in_c, void *out) {
  // Tiles chosen by number are smaller: all three must fit into their ranges.
  constexpr bool kSmall = How == held::by_number;
  constexpr int kM = OPS_MMA_M, kN = OPS_MMA_N, kK = kSmall ? kDepth<A> / 2 : kDepth<A>;
  using k_a = natural_operand<A, Rows>;
  using k_b = natural_operand<B, Rows>;
  using tile_a = typename operand_of<How, register_file::vgpr, 100, A, kM, kK, k_a>::type;
  using tile_at = rt<A, kK, kM, transposed<k_a>>;
  using tile_bt = typename operand_of<How, register_file::agpr, 4, B, kN, kK, k_b>::type;
  using tile_b = rt<B, kK, kN, transposed<k_b>>;
  typename c_of<How, sum_t<A>, kM, kN, Rows>::type c;
  if constexpr (is_pinned<decltype(c)>) {
    zero(c);
  } else {
    take(c, in_c);
  }
  const auto load_and = [&](auto &a, auto &b) WT_INLINE {
    take(a, in_a);
    take(b, in_b);
  };
  if constexpr (Which == product::AtBt) {
    tile_at a;
    tile_bt b;
    load_and(a, b);
    mma_AtBt(c, a, b);
  } else if constexpr (Which == product::AtB) {
    tile_at a;
    tile_b b;
    load_and(a, b);
    mma_AtB(c, a, b);
  } else if constexpr (Which == product::ABt) {
    tile_a a;
    tile_bt b;
    load_and(a, b);
    mma_ABt(c, a, b);
  } else {
    tile_a a;
    tile_b b;
    load_and(a, b);
    mma_AB(c, a, b);
  }
  give(out, release(c));
}

}  // namespace

#define MULTIPLY(name, A, B, rows, which, at, bt, how)                                              \
  WT_KERNEL(64) name##_##A##_##B##_##rows(const void *a, const void *b, const void *c, void *out) { \
    multiply<A, B, rows, product::which, held::how>(a, b, c, out);                                  \
  }
#define PAIR(A, B) OPS_MMA(MULTIPLY, A, B, 16) OPS_MMA(MULTIPLY, A, B, 32)
OPS_MMA_PAIRS(PAIR)
