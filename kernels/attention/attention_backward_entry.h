// SPDX-License-Identifier: MIT
// The kernels of attention backward: one work-group's rows from beginning to end, and the symbols.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_ENTRY_H
#define WT_KERNELS_ATTENTION_BACKWARD_ENTRY_H

#include "attention_backward_args.h"
#include "attention_frame.h"

// Where a sequence of a query head begins in the workspace.
WT_DEVICE long long attention_first_row(const wt_attention_backward_args &args, int batch, int q_start,
                                        int head) {
  return head * args.row_count + wt_attention_first_row(&args.forward, batch, q_start);
}

// dK and dV of the keys of a work-group.
template <class Kernel>
WT_DEVICE void attention_backward_of_keys(const wt_attention_backward_args &args) {
  using T = typename Kernel::element;
  constexpr int D = Kernel::kHeadDim;
  WT_SHARED typename Kernel::lds memory;
  const wt_attention_args &forward = args.forward;
  const wt_attention_place place =
      wt_attention_place_among(&forward, forward.heads / forward.group, wt::workgroup_x());
  const attention_sequence sequence(forward, place.batch);
  const int first = (forward.tiles - 1 - place.tile) * Kernel::kRows;  // most queries see the first keys
  if (first >= sequence.keys) return;
  Kernel self(forward, sequence, first);
  const int begin = self.band.first_query(first) / Kernel::kBlock;
  const int end = (self.band.end_of_queries(first + Kernel::kRows - 1) + Kernel::kBlock - 1) / Kernel::kBlock;
  if (begin < end) {
    const wt::gl<const T> keys = sequence.of_keys<const T, D>(forward.k, place.head);
    self.load(keys, sequence.of_keys<const T, D>(forward.v, place.head));
    if constexpr (Kernel::kAtomic) self.load_share(keys.from(first, 0), memory);
#pragma unroll 1
    for (int i = 0; i < forward.group; ++i) {
      const int head = place.head * forward.group + i;
      const long long row = attention_first_row(args, place.batch, sequence.q_first, head);
      const typename Kernel::stream queries(sequence.of_queries<const T, D>(forward.q, head),
                                            sequence.of_queries<const T, D>(args.d_o, head),
                                            args.rows + 2 * row, args.dq_sum + row * D, memory);
      self.main_loop(queries, begin, end);
    }
  }
  self.template store<0>(sequence.of_keys<T, D>(args.d_k, place.head), args.result_scale);
  self.template store<1>(sequence.of_keys<T, D>(args.d_v, place.head), 1.0f);
}

// dQ of the queries of a work-group.
template <class Kernel>
WT_DEVICE void attention_backward_of_queries(const wt_attention_backward_args &args) {
  using T = typename Kernel::element;
  constexpr int D = Kernel::kHeadDim;
  WT_SHARED typename Kernel::lds memory;
  const wt_attention_args &forward = args.forward;
  const wt_attention_place place = wt_attention_place_of(&forward, wt::workgroup_x());
  const attention_sequence sequence(forward, place.batch);
  const int first = place.tile * Kernel::kRows, key_head = place.head / forward.group;
  if (first >= sequence.queries) return;
  Kernel self(forward, sequence, first);
  const int begin = self.band.begin(first) / Kernel::kBlock;
  const int end = (self.band.end(first + Kernel::kRows - 1) + Kernel::kBlock - 1) / Kernel::kBlock;
  if (begin < end) {
    self.load(sequence.of_queries<const T, D>(forward.q, place.head),
              sequence.of_queries<const T, D>(args.d_o, place.head));
    const long long row = attention_first_row(args, place.batch, sequence.q_first, place.head);
    self.load_starts(args.rows + 2 * row, sequence.queries);
    const typename Kernel::stream keys(sequence.of_keys<const T, D>(forward.k, key_head),
                                       sequence.of_keys<const T, D>(forward.v, key_head), nullptr, nullptr,
                                       memory);
    self.main_loop(keys, begin, end);
  }
  self.template store<0>(sequence.of_queries<T, D>(args.d_q, place.head), args.result_scale);
}

// Defines attention_backward_dkv_<waves>wave_d<D>_<type> and attention_backward_dq_..., of a kernel of head
// dimension D.
#define ATTENTION_BACKWARD_KERNEL(symbol, entry, ...)                       \
  WT_KERNEL_OF_WAVES((__VA_ARGS__::kThreads), (__VA_ARGS__::kWavesPerSimd)) \
  symbol(wt_attention_backward_args args) { entry<__VA_ARGS__>(args); }
#define ATTENTION_BACKWARD_PAIR(kernel, suffix, ...)                                       \
  ATTENTION_BACKWARD_KERNEL(attention_backward_dkv_##suffix, attention_backward_of_keys,   \
                            kernel<attention_gradient::of_keys, __VA_ARGS__>)              \
  ATTENTION_BACKWARD_KERNEL(attention_backward_dq_##suffix, attention_backward_of_queries, \
                            kernel<attention_gradient::of_queries, __VA_ARGS__>)

#endif
