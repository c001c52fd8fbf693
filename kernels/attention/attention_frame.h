// SPDX-License-Identifier: MIT
// Defines what the attention kernels share: which sequence, head and rows a work-group has, and which keys
// its queries see.
#ifndef WT_KERNELS_ATTENTION_FRAME_H
#define WT_KERNELS_ATTENTION_FRAME_H

#include "attention_args.h"
#include "kernels/fetch_arguments.h"
#include "wavetile_device.h"

// This says whether a kernel is for heads as wide as its tiles and for scores as they are, or for all that
// the arguments of the general kernels can ask for.
enum class attention_variant { plain, general };

// Lists the two sides of attention.
enum class attention_side { queries, keys };

// Returns the lane's number, formed anew by each call, where an instruction costs less than a register.
WT_DEVICE int attention_lane() {
  int none = 0;
  wt::forget_uniform(none);
  return wt::lane_id() + none;
}

// Holds a value that the lanes share and that is not needed for a while. General kernels have too few scalar
// registers to keep it.
template <attention_variant Variant, class V>
using attention_parked = wt::parked<Variant == attention_variant::general ? wt::parked_in::vector_registers
                                                                          : wt::parked_in::scalar_registers,
                                    V>;

// Returns how many columns a tile of Columns has in memory: all of them, or as many as the arguments say.
template <attention_variant Variant, int Columns>
WT_DEVICE int attention_columns(int columns) {
  return Variant == attention_variant::general && columns < Columns ? columns : Columns;
}

// Loads a wave's rows, from `first` on, in whole lines: the last row of the matrix again past its end, and in
// general kernels zeros past the end of a row. The matrix may be at any multiple of an element.
template <attention_variant Variant, class T, int Columns>
WT_DEVICE void attention_load_rows(
    wt::rt<T, WT_ATTENTION_WAVE_ROWS, Columns, wt::memory_rows<T, Columns>> &to,
    const wt::gl<const T> &matrix, int first, int column = 0) {
  using layout = wt::memory_rows<T, Columns>;
  struct runs {
    wt::u32x4 of[layout::kElements / layout::kRun];
  };
  const int lane = wt::lane_id(), last = matrix.rows - 1;
  wt::unrolled<Columns / layout::kColumns>([&](auto j) WT_INLINE {
    const int at = column + j * layout::kColumns + layout::column(lane, 0);
    runs values = {};
    if (Variant == attention_variant::plain || at < matrix.columns) {
      wt::unrolled<sizeof(runs) / sizeof(wt::u32x4)>([&](auto n) WT_INLINE {
        const int row = first + layout::row(lane, n * layout::kRun);
        const T *const from = matrix.data + (row < last ? row : last) * matrix.row_stride;
        values.of[n.value] = wt::global_load<wt::u32x4>(from + at);
      });
    }
    to.fragment[0][j.value] = __builtin_bit_cast(
        typename wt::rt<T, WT_ATTENTION_WAVE_ROWS, Columns, layout>::fragment_type, values);
  });
}

// Describes one sequence of a batch: where its rows begin in the tensors, and how many there are.
struct attention_sequence {
  int batch, q_first, k_first;  // batch: 0 when packed
  int queries, keys;

  WT_DEVICE attention_sequence(const wt_attention_args &args, int b)
      : batch(b), q_first(0), k_first(0), queries(args.queries), keys(args.keys) {
    if (args.q_starts) batch = 0, q_first = args.q_starts[b], queries = args.q_starts[b + 1] - q_first;
    if (args.k_starts) batch = 0, k_first = args.k_starts[b], keys = args.k_starts[b + 1] - k_first;
  }

  // Returns where a head's log-sum-exps are, or null.
  WT_DEVICE float *lse_of(const wt_attention_args &args, int head) const {
    return args.lse ? args.lse + batch * args.lse_batch + head * args.lse_head + q_first : nullptr;
  }
  // The query rows of one head of a tensor, `columns` elements of each from `column` on. of_keys gives the
  // key rows.
  template <class T>
  WT_DEVICE wt::gl<T> of_queries(const wt_attention_tensor &x, int head, int columns, int column = 0) const {
    return wt::row_major(at<T>(x, head, q_first) + column, queries, columns, x.row);
  }
  // Returns the rows of one side.
  template <attention_side Side, class T>
  WT_DEVICE wt::gl<T> of(const wt_attention_tensor &x, int head, int columns) const {
    if constexpr (Side == attention_side::keys) return of_keys<T>(x, head, columns);
    return of_queries<T>(x, head, columns);
  }
  template <class T>
  WT_DEVICE wt::gl<T> of_keys(const wt_attention_tensor &x, int head, int columns, int column = 0) const {
    return wt::row_major(at<T>(x, head, k_first) + column, keys, columns, x.row);
  }

 private:
  template <class T>
  WT_DEVICE T *at(const wt_attention_tensor &x, int head, int row) const {
    return static_cast<T *>(x.data) + batch * x.batch + row * x.row + head * x.head;
  }
};

// Describes blocks `begin` to `end` - 1 of the rows of a sequence.
struct attention_blocks {
  int begin, end;

  // Returns the blocks of `size` rows that hold the rows from `first` to `last` - 1.
  WT_DEVICE static attention_blocks around(int first, int last, int size) {
    return {first / size, (last + size - 1) / size};
  }
};

// Says which keys the queries of a tile see. A query's position among the keys is its number plus `ahead`.
struct attention_band {
  int ahead, left, right, queries, keys;

  WT_DEVICE attention_band(const wt_attention_args &args, const attention_sequence &s)
      : ahead(s.keys - s.queries), left(args.left), right(args.right), queries(s.queries), keys(s.keys) {}

  // Returns the blocks of `size` keys that hold every key seen by any of `count` queries from `query` on; and
  // the blocks of `size` queries that hold every query that sees any of `count` keys from `key` on.
  WT_DEVICE attention_blocks keys_of(int query, int count, int size) const {
    return attention_blocks::around(clamped(query + ahead - left, keys), end(query + count - 1), size);
  }
  WT_DEVICE attention_blocks queries_of(int key, int count, int size) const {
    return attention_blocks::around(clamped(key - ahead - right, queries),
                                    clamped(key + count - ahead + left, queries), size);
  }
  // Returns the keys that all of `count` queries see, as blocks of one.
  WT_DEVICE attention_blocks keys_of_all(int query, int count) const {
    return {clamped(query + count - 1 + ahead - left, keys), end(query)};
  }
  // Returns the blocks of `size` rows of the other side that the `count` rows of this one from `first` on
  // meet: keys meet the queries that see any of them, queries meet the keys that any of them sees.
  template <attention_side Side>
  WT_DEVICE attention_blocks others(int first, int count, int size) const {
    return Side == attention_side::keys ? queries_of(first, count, size) : keys_of(first, count, size);
  }

  // Scores become minus infinity where the query does not see the key. `query` and `key` are the numbers of
  // the first ones. Side says to what a row of scores belongs.
  template <attention_side Side = attention_side::queries, class Scores>
  WT_DEVICE void hide(Scores &s, int query, int key) const {
    static constexpr bool kByKeys = Side == attention_side::keys;
    static constexpr int kQueries = kByKeys ? Scores::kColumns : Scores::kRows;
    static constexpr int kKeys = kByKeys ? Scores::kRows : Scores::kColumns;
    const bool some = (key < query + kQueries - 1 + ahead - left) | (key + kKeys > end(query));
    if (__builtin_expect(some, false)) mask<Side>(s, query, key);
  }
  // Does the same for a tile in which some keys are not seen.
  template <attention_side Side, class Scores>
  WT_DEVICE void mask(Scores &s, int query, int key) const {
    static constexpr bool kByKeys = Side == attention_side::keys;
    using layout = typename Scores::layout;
    // This is the lane's first element. The compiler must not know that most of this is the same in every
    // block, or it keeps registers, even one per element, from one block to the next.
    const int lane = attention_lane();
    const int r = layout::row(lane, 0), c = layout::column(lane, 0);
    const int q0 = query + (kByKeys ? c : r), k0 = key + (kByKeys ? r : c);
    int since = k0 - (q0 + ahead - left), left_over = keys - k0;
    wt::forget(since);
    const int r0 = layout::row(wt::lane_id(), 0), c0 = layout::column(wt::lane_id(), 0);
    wt::keep_where(s, s, -__builtin_inff(),
                   [=, span = static_cast<unsigned>(left + right)](int r, int c) WT_INLINE {
                     const int q = kByKeys ? c - c0 : r - r0;
                     const int k = kByKeys ? r - r0 : c - c0;
                     return static_cast<unsigned>(since + k - q) <= span && k < left_over;
                   });
  }

 private:
  // Returns the end of the keys that the queries up to this one see.
  WT_DEVICE int end(int query) const { return clamped(query + ahead + right + 1, keys); }
  WT_DEVICE static int clamped(int x, int end) { return x < 0 ? 0 : x < end ? x : end; }
};

// Describes the queries of one head for kernels that take them row by row, a block of WT_ATTENTION_ROW_BLOCK
// rows per work-group. A thread holds 16 bytes of a row, and takes every few rows one.
template <class T, int D, attention_variant Variant = attention_variant::plain>
struct attention_rows {
  static constexpr int kThreads = 256, kEach = 16 / sizeof(T), kPerRow = D / kEach;
  const wt_attention_place place;
  const attention_sequence sequence;
  const int column = wt::thread_id() % kPerRow * kEach;
  const int columns;  // of the values

  const long long first_row;  // of the sequence, in the workspace

  WT_DEVICE explicit attention_rows(const wt_attention_backward_args &args)
      : place(wt_attention_place_of(&args.forward.order, wt::workgroup_x())),
        sequence(args.forward, place.batch),
        columns(attention_columns<Variant, D>(args.forward.value_dim)),
        first_row(wt_attention_workspace_row(&args, place.head, place.batch, sequence.q_first)) {}

  // Calls f(row, the same in the workspace) for the rows of this thread; some may lie past the sequence's
  // end, but within its last block.
  template <class F>
  WT_DEVICE void each(const F &f) const {
    const int first = place.tile * WT_ATTENTION_ROW_BLOCK;
    if (first >= sequence.queries) return;  // a packed sequence that is shorter than the longest
#pragma unroll 1
    for (int r = wt::thread_id() / kPerRow; r < WT_ATTENTION_ROW_BLOCK; r += kThreads / kPerRow)
      f(first + r, first_row + first + r);
  }
  // Return the thread's part of a row of values, zeros past their end, and the sum of x over a row's threads.
  WT_DEVICE wt::vector<T, kEach> load(const wt_attention_tensor &from, int row) const {
    if (column >= columns) return {};
    return wt::global_load<wt::vector<T, kEach>>(part(from, row));
  }
  WT_DEVICE void store(const wt_attention_tensor &to, int row, wt::vector<float, kEach> values) const {
    wt::global_store(part(to, row), wt::from_f32<T>(values));
  }
  WT_DEVICE static float row_sum(float x) {
    return wt::reduce_lanes<kPerRow - 1>(x, [](float a, float b) WT_INLINE { return a + b; });
  }

 private:
  WT_DEVICE T *part(const wt_attention_tensor &x, int row) const {
    return sequence.of_queries<T>(x, place.head, columns).from(row, column).data;
  }
};

#endif
