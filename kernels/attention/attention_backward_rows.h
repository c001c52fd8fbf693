// SPDX-License-Identifier: MIT
// Defines the kernels that run before and after attention_backward, row by row of the queries. They compute
// what S and dP begin with, and dQ from its sums.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_ROWS_H
#define WT_KERNELS_ATTENTION_BACKWARD_ROWS_H

#include "attention_frame.h"

// Writes args.rows, and zeros to args.dq_sum.
template <class T, int D, attention_variant Variant = attention_variant::plain>
WT_DEVICE void attention_backward_prepare(const wt_attention_backward_args &args) {
  const attention_rows<T, D, Variant> rows(args);
  const float *const lse = rows.sequence.lse_of(args.forward, rows.place.head);
  rows.each([&](int row, long long at) WT_INLINE {
    const bool exists = row < rows.sequence.queries, sees = exists && lse[row] != -__builtin_inff();
    // The kernel of all three gradients adds it to the scaled product; others begin the product with it.
    const float scale = args.dq_sum ? args.forward.scale : 1.0f;
    const float start_s = sees ? -lse[row] / args.result_scale * scale : -__builtin_inff();
    float delta = 0;
    if (exists) delta = wt::dot(rows.load(args.forward.o, row), rows.load(args.d_o, row));
    delta = rows.row_sum(delta);
    float *const starts = args.rows + at / 32 * 64 + at % 32;
    if (rows.column == 0) starts[0] = start_s, starts[32] = -delta;
    if (args.dq_sum) wt::global_store(args.dq_sum + at * D + rows.column, wt::vector<float, rows.kEach>{});
  });
}

// Computes dQ from args.dq_sum.
template <class T, int D>
WT_DEVICE void attention_backward_finish(const wt_attention_backward_args &args) {
  const attention_rows<T, D> rows(args);
  rows.each([&](int row, long long at) WT_INLINE {
    if (row >= rows.sequence.queries) return;
    const float *const sums = args.dq_sum + at * D + rows.column;
    rows.store(args.d_q, row, wt::global_load<wt::vector<float, rows.kEach>>(sums) * args.result_scale);
  });
}

// Defines attention_backward_<step>_<suffix>.
#define ATTENTION_BACKWARD_ROWS(step, suffix, ...)                                       \
  WT_KERNEL(256) attention_backward_##step##_##suffix(wt_attention_backward_args args) { \
    attention_backward_##step<__VA_ARGS__>(args);                                        \
  }

#endif
