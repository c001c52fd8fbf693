// SPDX-License-Identifier: MIT
// Rotary position embedding: pairs of elements of each head are rotated by an angle that grows with the
// position. A thread forms the angles of a few pairs of a row once and rotates these pairs in several heads,
// 16 bytes at a time; each pair that is left over has a thread of its own.
#include "kernels/fetch_arguments.h"

#include "rotary_args.h"

namespace rotary {

using wt::f32;

// Load elements that lie together as f32, and store them back.
template <int Count, class T>
WT_DEVICE wt::vector<f32, Count> load_run(const T *from) {
  if constexpr (Count == 1) {
    return wt::to_f32(*from);
  } else {
    return wt::to_f32(wt::global_load<wt::registers<T, Count>>(from));
  }
}
template <class T, int Count>
WT_DEVICE void store_run(T *to, wt::vector<f32, Count> values) {
  if constexpr (Count == 1) {
    *to = wt::from_f32<T>(values[0]);
  } else {
    wt::global_store(to, wt::from_f32<T>(values));
  }
}

// Cosines and sines of Count pairs of a row, from `pair` on.
template <int Count>
struct angles {
  wt::vector<f32, Count> cosine, sine;

  WT_DEVICE angles(const wt_rotary_args &a, int position, int pair) {
    if (a.table_rows > 0) {
      const bool known = static_cast<unsigned>(position) < static_cast<unsigned>(a.table_rows);
      const long long at = (known ? position : 0) * a.table_row + pair;
      cosine = load_run<Count>(a.cosine + at), sine = load_run<Count>(a.sine + at);
      if (!known) cosine = sine = __builtin_nanf("");
    } else {
      wt::unrolled<Count>([&](auto i) WT_INLINE {
        const wt::cosine_sine of = wt::cosine_sine_of(wt::angle_at(position, a.frequency[pair + i]));
        cosine[i.value] = of.cosine, sine[i.value] = of.sine;
      });
    }
    if (a.inverse) sine = -sine;
  }
};

// Says where the two elements of pair i are: i and pairs + i, or 2i and 2i + 1.
enum class layout { half, interleaved };

// Rotates Count pairs of one head.
template <layout Layout, int Count, class T>
WT_DEVICE void rotate_run(const T *in, T *out, int pair, int pairs, const angles<Count> &by) {
  using values = wt::vector<f32, Count>;
  if constexpr (Layout == layout::half) {
    const values x = load_run<Count>(in + pair), y = load_run<Count>(in + pairs + pair);
    store_run<T, Count>(out + pair, x * by.cosine - y * by.sine);
    store_run<T, Count>(out + pairs + pair, x * by.sine + y * by.cosine);
  } else {
    wt::vector<f32, 2 * Count> both;
    if constexpr (Count == 1) {
      both = {wt::to_f32(in[2 * pair]), wt::to_f32(in[2 * pair + 1])};
    } else {
      both = load_run<2 * Count>(in + 2 * pair);
    }
    wt::unrolled<Count>([&](auto i) WT_INLINE {
      const f32 x = both[2 * i.value], y = both[2 * i.value + 1];
      both[2 * i.value] = x * by.cosine[i.value] - y * by.sine[i.value];
      both[2 * i.value + 1] = x * by.sine[i.value] + y * by.cosine[i.value];
    });
    if constexpr (Count == 1) {
      out[2 * pair] = wt::from_f32<T>(both[0]), out[2 * pair + 1] = wt::from_f32<T>(both[1]);
    } else {
      store_run<T, 2 * Count>(out + 2 * pair, both);
    }
  }
}

// Describes one piece of a row, in this work-group's heads.
template <class T, layout Layout>
struct row_piece {
  static constexpr int kEach = 16 / sizeof(T);
  const wt_rotary_args &a;
  const T *in;
  T *out;
  int position, heads;

  template <class F>
  WT_DEVICE void each_head(const F &f) const {
    const T *from = in;
    T *to = out;
#pragma unroll 1
    for (int head = 0; head < heads; ++head, from += a.in_step.head, to += a.out_step.head) f(from, to);
  }
  template <int Count>
  WT_DEVICE void rotate_pairs(int pair) const {
    const angles<Count> by(a, position, pair);
    each_head([&](const T *from, T *to)
                  WT_INLINE { rotate_run<Layout, Count>(from, to, pair, a.pairs, by); });
  }
  template <int Count>
  WT_DEVICE void copy(int element) const {
    each_head([&](const T *from, T *to)
                  WT_INLINE { store_run<T, Count>(to + element, load_run<Count>(from + element)); });
  }

  // Piece n: chunks of pairs, single pairs, chunks of what is copied, single elements.
  WT_DEVICE void run(int n) const {
    const int chunks = a.pairs / kEach, singles = a.pairs % kEach;
    const int rest = a.dims - 2 * a.pairs, rest_chunks = rest / kEach;
    if (n < chunks) return rotate_pairs<kEach>(n * kEach);
    n -= chunks;
    if (n < singles) return rotate_pairs<1>(chunks * kEach + n);
    n -= singles;
    if (n < rest_chunks) return copy<kEach>(2 * a.pairs + n * kEach);
    copy<1>(2 * a.pairs + rest_chunks * kEach + n - rest_chunks);
  }

  WT_DEVICE static int pieces(const wt_rotary_args &a) {
    const int rest = a.copies ? a.dims - 2 * a.pairs : 0;
    return a.pairs / kEach + a.pairs % kEach + rest / kEach + rest % kEach;
  }
};

template <class T, layout Layout>
WT_DEVICE void rotate(const wt_rotary_args &a) {
  using piece = row_piece<T, Layout>;
  const unsigned thread =
      static_cast<unsigned>(wt::workgroup_x()) * WT_ROTARY_THREADS + static_cast<unsigned>(wt::thread_id());
  const unsigned per_row = static_cast<unsigned>(piece::pieces(a));
  const unsigned row_of_all = static_cast<unsigned>(a.first) + thread / per_row;
  if (row_of_all >= static_cast<unsigned>(a.end)) return;
  const unsigned rows = static_cast<unsigned>(a.rows), batch = row_of_all / rows, row = row_of_all % rows;
  const int head = wt::workgroup_y() * WT_ROTARY_HEADS, left = a.heads - head;
  const wt_rotary_place &from = a.in_step, &to = a.out_step;
  piece{.a = a,
        .in = static_cast<const T *>(a.in) + batch * from.batch + row * from.row + head * from.head,
        .out = static_cast<T *>(a.out) + batch * to.batch + row * to.row + head * to.head,
        .position =
            a.positions ? a.positions[batch * a.positions_batch + row] : a.offset + static_cast<int>(row),
        .heads = left < WT_ROTARY_HEADS ? left : WT_ROTARY_HEADS}
      .run(static_cast<int>(thread % per_row));
}

}  // namespace rotary

#define KERNELS(type)                                                           \
  WT_KERNEL(WT_ROTARY_THREADS) rotary_half_##type(wt_rotary_args args) {        \
    fetch_arguments<__builtin_offsetof(wt_rotary_args, frequency)>();           \
    rotary::rotate<wt::type, rotary::layout::half>(args);                       \
  }                                                                             \
  WT_KERNEL(WT_ROTARY_THREADS) rotary_interleaved_##type(wt_rotary_args args) { \
    fetch_arguments<__builtin_offsetof(wt_rotary_args, frequency)>();           \
    rotary::rotate<wt::type, rotary::layout::interleaved>(args);                \
  }
KERNELS(f32)
KERNELS(bf16)
KERNELS(f16)
