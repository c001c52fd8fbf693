// SPDX-License-Identifier: MIT
// What the attention kernels share: which sequence, head and tile a work-group has, and which keys its
// queries see.
#ifndef WT_KERNELS_ATTENTION_FRAME_H
#define WT_KERNELS_ATTENTION_FRAME_H

#include "attention_args.h"
#include "wavetile_device.h"

// A block of rows of K or Q in LDS, for reads of operands along the head dimension.
template <class T, int Rows, int D>
using attention_row_lds = wt::st<T, Rows, D, wt::swizzle_for_row<D * wt::kBits<T> / 8>>;

// P as the left operand of P V, and V^T as the right one. Of 16 bits it lies as the accumulator that it comes
// from, in runs of 4 keys; transposed reads of 8 bits give runs of 8.
template <class T>
struct attention_p {
  using layout = wt::operand<32, 16, 4>;
};
template <class T>
requires(wt::kBits<T> == 8) struct attention_p<T> {
  using layout = wt::operand<32, 64, 8>;
};

// Copies from global memory want what a lane copies in one piece.
struct attention_copy_access {
  static constexpr wt::lds_op kOp = wt::target::kGfx950 ? wt::lds_op::copy_b128 : wt::lds_op::copy_b32;
  static constexpr wt::lds_access access =
      wt::lds_access_of<kOp, [](int lane) { return lane * wt::target::kDirectToLdsBytes; }>();
};

// A block of rows of V in LDS, read across, as operands of Layout that run along the keys.
template <class T, class Layout, int D>
consteval wt::swizzle attention_v_swizzle() {
  constexpr int kRowBytes = D * wt::kBits<T> / 8;
  return wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{kRowBytes, 16 * kRowBytes},
                                  attention_copy_access,
                                  wt::read_of_transposed_operand<T, Layout, kRowBytes>>();
}
template <class T, int Rows, int D, class Layout>
using attention_v_lds = wt::st<T, Rows, D, attention_v_swizzle<T, Layout, D>()>;

// The lane's number, formed anew by each call, where an instruction costs less than a register.
WT_DEVICE int attention_lane() {
  int none = 0;
  wt::forget_uniform(none);
  return wt::lane_id() + none;
}

// How blocks of the rows of a matrix come to LDS, rows past its end as its last row again. Directly: rows at
// multiples of 16 bytes, near enough to each other. Through registers: any, slowly.
enum class attention_way { direct, any };

// Directly, counted by vmcnt.
template <class ST, int Waves, attention_way Way>
struct attention_copier {
  using T = typename ST::element;
  using copier = wt::lds_copier<ST, Waves>;
  static constexpr int kCopies = copier::kCopies;
  wt::gl<const T> from;

  WT_DEVICE explicit attention_copier(const wt::gl<const T> &matrix) : from(matrix) {}

  // Block j of the rows, from `column` on. The lanes' addresses are formed anew: registers are dearer.
  WT_DEVICE auto copies(int j, int column, ST &to) const {
    const int first = j * ST::kRows, left = from.rows - first;
    const wt::buffer block = wt::make_buffer(from.data + first * from.row_stride + column,
                                             (ST::kRows - 1) * from.row_bytes() + ST::kRowBytes);
    return copier(from.row_bytes(), 0, left).copies(block, 0, wt::lds_address(&to));
  }
};

// Through registers, counted by lgkmcnt.
template <class ST, int Waves>
struct attention_copier<ST, Waves, attention_way::any> {
  using T = typename ST::element;
  static constexpr int kCopies = 0;
  static constexpr int kThreads = Waves * wt::target::kWaveLanes;
  static constexpr int kChunks = ST::kBytes / 16, kPerRow = ST::kRowBytes / 16;
  wt::gl<const T> from;

  WT_DEVICE explicit attention_copier(const wt::gl<const T> &matrix) : from(matrix) {}

  WT_DEVICE auto copies(int j, int column, ST &to) const {
    return wt::list_of<(kChunks - 1) / kThreads + 1>([this, j, column, &to](auto i) WT_INLINE {
      int thread = wt::thread_id();
      wt::forget(thread);  // addresses are formed anew: registers are dearer
      const int chunk = thread + i * kThreads;
      if (chunk >= kChunks) return;
      const int row = j * ST::kRows + chunk / kPerRow, last = from.rows - 1;
      const auto *const data = from.data + (row < last ? row : last) * from.row_stride + column;
      wt::ds_write(wt::lds_address(&to) + wt::swizzled<ST::kSwizzle>(chunk * 16),
                   wt::global_load<wt::u32x4>(reinterpret_cast<const char *>(data) + chunk % kPerRow * 16));
    });
  }
};

// One sequence of a batch: where its rows begin in the tensors, and how many there are.
struct attention_sequence {
  int batch, q_first, k_first;  // batch: 0 when packed
  int queries, keys;

  WT_DEVICE attention_sequence(const wt_attention_args &args, int b)
      : batch(b), q_first(0), k_first(0), queries(args.queries), keys(args.keys) {
    if (args.q_starts) batch = 0, q_first = args.q_starts[b], queries = args.q_starts[b + 1] - q_first;
    if (args.k_starts) batch = 0, k_first = args.k_starts[b], keys = args.k_starts[b + 1] - k_first;
  }

  // The rows of one head of a tensor, D elements of each from `column` on: of queries, or of keys.
  template <class T, int D>
  WT_DEVICE wt::gl<T> of_queries(const wt_attention_tensor &x, int head, int column = 0) const {
    return {at<T>(x, head, q_first) + column, x.row, 1, queries, D};
  }
  template <class T, int D>
  WT_DEVICE wt::gl<T> of_keys(const wt_attention_tensor &x, int head, int column = 0) const {
    return {at<T>(x, head, k_first) + column, x.row, 1, keys, D};
  }

 private:
  template <class T>
  WT_DEVICE T *at(const wt_attention_tensor &x, int head, int row) const {
    return static_cast<T *>(x.data) + batch * x.batch + row * x.row + head * x.head;
  }
};

// Which keys the queries of a tile see. ahead: what a query's number is short of its position among the keys.
struct attention_band {
  int ahead, left, right, queries, keys;

  WT_DEVICE attention_band(const wt_attention_args &args, const attention_sequence &s)
      : ahead(s.keys - s.queries), left(args.left), right(args.right), queries(s.queries), keys(s.keys) {}

  // The first key that any query from `query` on sees, and the end of those that the ones up to it see. Both
  // within 0 .. keys.
  WT_DEVICE int begin(int query) const { return clamped(query + ahead - left, keys); }
  WT_DEVICE int end(int query) const { return clamped(query + ahead + right + 1, keys); }
  // The first query that sees any key from `key` on, and the end of those that see the ones up to it.
  WT_DEVICE int first_query(int key) const { return clamped(key - ahead - right, queries); }
  WT_DEVICE int end_of_queries(int key) const { return clamped(key - ahead + left + 1, queries); }

  // Scores become minus infinity where the query does not see the key. `query` and `key`: of the first. A row
  // of scores is a query's, or with ByKeys a key's.
  template <bool ByKeys = false, class Scores>
  WT_DEVICE void mask(Scores &s, int query, int key) const {
    using layout = typename Scores::layout;
    // Of the lane's first element. The compiler is not to know that most of this is the same in every block:
    // it would keep registers, one per element even, from one block to the next.
    const int lane = attention_lane();
    const int r = layout::row(lane, 0), c = layout::column(lane, 0);
    const int q0 = query + (ByKeys ? c : r), k0 = key + (ByKeys ? r : c);
    int since = k0 - (q0 + ahead - left), left_over = keys - k0;
    wt::forget(since);
    const int r0 = layout::row(wt::lane_id(), 0), c0 = layout::column(wt::lane_id(), 0);
    wt::keep_where(s, s, -__builtin_inff(),
                   [=, span = static_cast<unsigned>(left + right)](int r, int c) WT_INLINE {
                     const int q = ByKeys ? c - c0 : r - r0;
                     const int k = ByKeys ? r - r0 : c - c0;
                     return static_cast<unsigned>(since + k - q) <= span && k < left_over;
                   });
  }

  // Whether `count` queries see all of `size` keys.
  WT_DEVICE bool sees_all(int query, int count, int key, int size) const {
    return key >= query + count - 1 + ahead - left && key + size <= end(query);
  }

 private:
  WT_DEVICE static int clamped(int x, int end) { return x < 0 ? 0 : x < end ? x : end; }
};

#endif
