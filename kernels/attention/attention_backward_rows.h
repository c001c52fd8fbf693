// SPDX-License-Identifier: MIT
// What comes before and after attention_backward, row by row of the queries: what S and dP begin with, and dQ
// from its sums.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_ROWS_H
#define WT_KERNELS_ATTENTION_BACKWARD_ROWS_H

#include "attention_backward_args.h"
#include "attention_frame.h"

// A work-group has a block of WT_ATTENTION_ROW_BLOCK rows, a thread 16 bytes of one row in several.
template <class T, int D>
struct attention_rows {
  static constexpr int kThreads = 256, kEach = 16 / sizeof(T), kPerRow = D / kEach;
  static constexpr int kAtOnce = kThreads / kPerRow;
  using values = wt::vector<T, kEach>;

  wt_attention_place place;
  attention_sequence sequence;
  int column;
  long long first_row;  // of the sequence, in the workspace

  WT_DEVICE explicit attention_rows(const wt_attention_backward_args &args)
      : place(wt_attention_place_of(&args.forward, wt::workgroup_x())),
        sequence(args.forward, place.batch),
        column(wt::thread_id() % kPerRow * kEach),
        first_row(place.head * args.row_count +
                  wt_attention_first_row(&args.forward, place.batch, sequence.q_first)) {}

  // f(row) for the rows of this thread; some may lie past the sequence's end, but within its last block.
  template <class F>
  WT_DEVICE void each_row(const F &f) const {
    const int first = place.tile * WT_ATTENTION_ROW_BLOCK;
    if (first >= sequence.queries) return;  // a packed sequence that is shorter than the longest
#pragma unroll 1
    for (int r = wt::thread_id() / kPerRow; r < WT_ATTENTION_ROW_BLOCK; r += kAtOnce) f(first + r);
  }
};

// args.rows, and zeros in args.dq_sum.
template <class T, int D>
WT_DEVICE void attention_backward_prepare(const wt_attention_backward_args &args) {
  using rows = attention_rows<T, D>;
  const wt_attention_args &forward = args.forward;
  const rows self(args);
  const attention_sequence &sequence = self.sequence;
  const wt::gl<const T> o = sequence.template of_queries<const T, D>(forward.o, self.place.head);
  const wt::gl<const T> d_o = sequence.template of_queries<const T, D>(args.d_o, self.place.head);
  const float *lse = forward.lse + sequence.batch * forward.lse_batch + self.place.head * forward.lse_head +
                     sequence.q_first;
  self.each_row([&](int row) WT_INLINE {
    const bool exists = row < sequence.queries;
    float start_s = -__builtin_inff(), delta = 0;
    if (exists) {
      const auto x = wt::global_load<typename rows::values>(o.data + row * o.row_stride + self.column);
      const auto y = wt::global_load<typename rows::values>(d_o.data + row * d_o.row_stride + self.column);
      wt::unrolled<rows::kEach>(
          [&](auto i) WT_INLINE { delta = wt::fma(wt::to_f32(x[i.value]), wt::to_f32(y[i.value]), delta); });
      if (lse[row] != -__builtin_inff()) start_s = -lse[row] / args.result_scale;
    }
    delta = wt::reduce_lanes<rows::kPerRow - 1>(delta, [](float a, float b) WT_INLINE { return a + b; });
    const long long place = self.first_row + row;
    if (self.column == 0) {
      float *const to = args.rows + place / 32 * 64 + place % 32;
      to[0] = start_s, to[32] = -delta;
    }
    if (args.dq_sum) {
      float *const to = args.dq_sum + place * D + self.column;
      wt::unrolled<rows::kEach / 4>([&](auto i) WT_INLINE { wt::global_store(to + 4 * i, wt::f32x4{}); });
    }
  });
}

// dQ from args.dq_sum.
template <class T, int D>
WT_DEVICE void attention_backward_finish(const wt_attention_backward_args &args) {
  using rows = attention_rows<T, D>;
  const rows self(args);
  const wt::gl<T> d_q = self.sequence.template of_queries<T, D>(args.d_q, self.place.head);
  self.each_row([&](int row) WT_INLINE {
    if (row >= self.sequence.queries) return;
    const float *const from = args.dq_sum + (self.first_row + row) * D + self.column;
    wt::vector<float, rows::kEach> sum;
    wt::unrolled<rows::kEach>([&](auto i) WT_INLINE { sum[i.value] = from[i] * args.result_scale; });
    wt::global_store(d_q.data + row * d_q.row_stride + self.column, wt::from_f32<T>(sum));
  });
}

#define ATTENTION_BACKWARD_ROWS(D, name, T)                                   \
  WT_KERNEL((attention_rows<T, D>::kThreads))                                 \
  attention_backward_prepare_d##D##_##name(wt_attention_backward_args args) { \
    attention_backward_prepare<T, D>(args);                                   \
  }                                                                           \
  WT_KERNEL((attention_rows<T, D>::kThreads))                                 \
  attention_backward_finish_d##D##_##name(wt_attention_backward_args args) {  \
    attention_backward_finish<T, D>(args);                                    \
  }

#endif
