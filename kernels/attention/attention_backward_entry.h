// SPDX-License-Identifier: MIT
// The kernels made of attention_backward: one work-group's rows from beginning to end, and the symbols.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_ENTRY_H
#define WT_KERNELS_ATTENTION_BACKWARD_ENTRY_H

#include "attention_backward.h"

// What prepare left for a sequence of a query head: see wt_attention_first_row.
WT_DEVICE const float *attention_starts(const wt_attention_backward_args &args, int batch, int q_start,
                                        int head) {
  return args.rows + 2 * (head * args.row_count + wt_attention_first_row(&args.forward, batch, q_start));
}

template <class Kernel, class T, int D>
WT_DEVICE void attention_backward_of_keys(const wt_attention_backward_args &args) {
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
    self.load(sequence.of_keys<const T, D>(forward.k, place.head),
              sequence.of_keys<const T, D>(forward.v, place.head));
#pragma unroll 1
    for (int i = 0; i < forward.group; ++i) {
      const int head = place.head * forward.group + i;
      self.main_loop(sequence.of_queries<const T, D>(forward.q, head),
                     sequence.of_queries<const T, D>(args.d_o, head),
                     attention_starts(args, place.batch, sequence.q_first, head), memory, begin, end);
    }
  }
  self.store(sequence.of_keys<T, D>(args.d_k, place.head), self.sum[0], args.result_scale);
  self.store(sequence.of_keys<T, D>(args.d_v, place.head), self.sum[1], 1.0f);
}

template <class Kernel, class T, int D>
WT_DEVICE void attention_backward_of_queries(const wt_attention_backward_args &args) {
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
    self.load_starts(attention_starts(args, place.batch, sequence.q_first, place.head), sequence.queries);
    self.main_loop(sequence.of_keys<const T, D>(forward.k, key_head),
                   sequence.of_keys<const T, D>(forward.v, key_head), nullptr, memory, begin, end);
  }
  self.store(sequence.of_queries<T, D>(args.d_q, place.head), self.sum[0], args.result_scale);
}

// Defines attention_backward_dkv_8wave_<D>_<type> and attention_backward_dq_..., and with _any, for Q, K, V
// and dO at any alignment.
#define ATTENTION_BACKWARD_KERNEL(symbol, entry, T, D, ...)                \
  WT_KERNEL_OF_WAVES((attention_backward<T, D, __VA_ARGS__>::kThreads), 2) \
  symbol(wt_attention_backward_args args) { entry<attention_backward<T, D, __VA_ARGS__>, T, D>(args); }
#define ATTENTION_BACKWARD_PAIR(D, name, T, way)                                                            \
  ATTENTION_BACKWARD_KERNEL(attention_backward_dkv_8wave_d##D##_##name, attention_backward_of_keys, T, D,   \
                            attention_gradient::of_keys, way)                                               \
  ATTENTION_BACKWARD_KERNEL(attention_backward_dq_8wave_d##D##_##name, attention_backward_of_queries, T, D, \
                            attention_gradient::of_queries, way)
#define ATTENTION_BACKWARD_KERNELS(D, name, T)               \
  ATTENTION_BACKWARD_PAIR(D, name, T, attention_way::direct) \
  ATTENTION_BACKWARD_PAIR(D, name##_any, T, attention_way::any)

#endif
