// SPDX-License-Identifier: MIT
// Fragments filled and read by the headers' own maps around mma_ABt: for each type and number of rows that
// rt_a has, and for C held either way.
#include "wavetile_device.h"

namespace {

using namespace wt;

// Returns one fragment whose elements are the codes of a matrix, at the places that the layout names.
template <class T, class Layout>
WT_DEVICE auto gathered(const u32 *codes) {
  constexpr int kWords = Layout::kElements * kBits<T> / 32, kPerWord = 32 / kBits<T>;
  unsigned int words __attribute__((ext_vector_type(kWords))) = {};
  const int lane = lane_id();
  unrolled<Layout::kElements>([&](auto e) WT_INLINE {
    const u32 code = codes[Layout::row(lane, e) * Layout::kColumns + Layout::column(lane, e)];
    words[e / kPerWord] |= code << (e % kPerWord * kBits<T>);
  });
  return __builtin_bit_cast(registers<T, Layout::kElements>, words);
}

template <class T, int Rows, bool Transposed>
WT_DEVICE void multiply(const u32 *a, const u32 *b, u32 *c) {
  using layout = natural_operand<T, Rows>;
  using sums = rt<sum_t<T>, Rows, Rows, accumulator<Rows, Rows>>;
  using sums_t = rt<sum_t<T>, Rows, Rows, transposed<accumulator<Rows, Rows>>>;
  rt_a<T, Rows, layout::kColumns, Rows> x;
  rt_b<T, Rows, layout::kColumns, Rows> y;
  x.fragment[0][0] = gathered<T, layout>(a);
  y.fragment[0][0] = gathered<T, layout>(b);
  const auto run = [&](auto sum) WT_INLINE {
    using tile = decltype(sum);
    zero(sum);
    mma_ABt(sum, x, y);
    const int lane = lane_id();
    unrolled<tile::layout::kElements>([&](auto e) WT_INLINE {
      const int at = tile::layout::row(lane, e) * Rows + tile::layout::column(lane, e);
      c[at] = __builtin_bit_cast(u32, static_cast<sum_t<T>>(sum.fragment[0][0][e.value]));
    });
  };
  if constexpr (Transposed) {
    run(sums_t{});
  } else {
    run(sums{});
  }
}

}  // namespace

#define KERNEL(T, ROWS)                                                                   \
  WT_KERNEL(64) T##_##ROWS(const wt::u32 *a, const wt::u32 *b, wt::u32 *c) {              \
    multiply<wt::T, ROWS, false>(a, b, c);                                                \
  }                                                                                       \
  WT_KERNEL(64) T##_##ROWS##_transposed(const wt::u32 *a, const wt::u32 *b, wt::u32 *c) { \
    multiply<wt::T, ROWS, true>(a, b, c);                                                 \
  }
#define KERNELS(T) KERNEL(T, 16) KERNEL(T, 32)
KERNELS(f32)
KERNELS(f16)
KERNELS(bf16)
KERNELS(i8)
KERNELS(fp8e4m3)
KERNELS(fp8e5m2)
#if defined(__gfx950__)
KERNELS(fp4e2m1)
#endif
