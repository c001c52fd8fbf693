// SPDX-License-Identifier: MIT
// Defines what the norms' kernels share: optional rows, dropout, weights, and the kernels' names.
#ifndef WT_KERNELS_NORM_ROW_H
#define WT_KERNELS_NORM_ROW_H

#include "kernels/row_kernel.h"
#include "norm_args.h"

namespace norm {

enum class kind { layer, rms, as_asked };  // as_asked: one of the other two, by the arguments

// Returns row `number` of a matrix; a null pointer is passed on.
template <class T, class V>
WT_DEVICE T *row_of(V *matrix, long long number, long long stride) {
  return matrix ? static_cast<T *>(matrix) + number * stride : nullptr;
}

// Returns the random halves of Count elements of a row, from `column` on: each in the upper half of a word,
// above bits that say nothing.
template <int Count>
WT_DEVICE wt::vector<wt::u32, Count> random_halves(unsigned long long seed, unsigned long long row,
                                                   int column) {
  static constexpr int kWords = Count == 1 ? 1 : Count < 8 ? 4 : Count / 2;
  static_assert(Count == 1 || Count == 4 || Count % 8 == 0, "a block of Philox is for eight elements");
  const auto words = wt::random_words<kWords>(seed, row, Count == 4 ? column / 8 * 4 : column / 2);
  wt::vector<wt::u32, Count> halves;
  if constexpr (Count == 1) {
    halves[0] = column & 1 ? words[0] : words[0] << 16;
  } else {
    wt::unrolled<Count>([&](auto i) WT_INLINE {
      wt::u32 word = words[i / 2];
      if constexpr (Count == 4) word = column & 4 ? words[2 + i / 2] : word;
      halves[i.value] = i % 2 == 1 ? word : word << 16;
    });
  }
  return halves;
}

// Returns f(element, whether it is kept) for the elements of piece P of row `number`.
template <int P, class Row, class V, class F>
WT_DEVICE V each_kept(V x, const wt_norm_dropout &d, long long number, const wt::row_slice<Row> &slice,
                      const F &f) {
  static constexpr int kCount = P < Row::kChunks ? Row::kEach : 1;
  int column = slice.template column<P>();
  unsigned long long seed = d.seed;
  wt::forget(column), wt::forget_uniform(seed);  // or what Philox makes of them is kept in registers
  const auto halves = random_halves<kCount>(seed, static_cast<unsigned long long>(number), column);
  if constexpr (kCount == 1) {
    return f(x, halves[0] >= d.threshold);
  } else {
    wt::unrolled<kCount>([&](auto i) WT_INLINE {
      x[i.value] = f(static_cast<wt::f32>(x[i.value]), halves[i.value] >= d.threshold);
    });
    return x;
  }
}

// kept ? x * scale : 0, for the elements of piece P. What is dropped is 0 even if it was infinite.
template <int P, class Row, class V>
WT_DEVICE V dropped(V x, const wt_norm_dropout &d, long long number, const wt::row_slice<Row> &slice) {
  if (d.threshold == 0) return x;
  wt::sched_barrier();  // or the compiler forms the random words of all pieces at once, and spills them
  return each_kept<P>(x, d, number, slice,
                      [&](wt::f32 value, bool kept) WT_INLINE { return kept ? value * d.scale : 0.0f; });
}

// Returns piece P of the weights; 1 where there are none.
template <int P, class Row, class W>
WT_DEVICE auto weight_of(const wt::team_bits<W, Row> &bits, bool some) {
  const wt::f32 none = some ? 0.0f : 1.0f;
  return wt::each_element([=](wt::f32 w) WT_INLINE { return w + none; }, wt::widened<P>(bits));
}

}  // namespace norm

// The kernels <stem>_<kind>_<type>_<weight's type>_<shape> for every kind and pair of types: body<Team,
// values, T, W, kind>.
#define NORM_KERNEL(stem, args, shape, threads, values, body, of_kind, type, weight)                      \
  WT_ROW_KERNEL(stem##_##of_kind##_##type##_##weight, shape, threads, values, args, norm::body, wt::type, \
                wt::weight, norm::kind::of_kind)
#define NORM_KERNELS_OF(of_kind, ...)           \
  NORM_KERNEL(__VA_ARGS__, of_kind, bf16, bf16) \
  NORM_KERNEL(__VA_ARGS__, of_kind, bf16, f32)  \
  NORM_KERNEL(__VA_ARGS__, of_kind, f16, f16)   \
  NORM_KERNEL(__VA_ARGS__, of_kind, f16, f32)   \
  NORM_KERNEL(__VA_ARGS__, of_kind, f32, f32)
#define NORM_KERNELS(...)             \
  NORM_KERNELS_OF(layer, __VA_ARGS__) \
  NORM_KERNELS_OF(rms, __VA_ARGS__)

#endif
