// SPDX-License-Identifier: MIT
// The kernels made of attention_forward: one work-group's tile from beginning to end, and the symbols.
#ifndef WT_KERNELS_ATTENTION_FORWARD_ENTRY_H
#define WT_KERNELS_ATTENTION_FORWARD_ENTRY_H

#include "attention_forward.h"

// Out is the type of O.
template <class T, class Out, int D, int DV, attention_path Path,
          attention_variant Variant = attention_variant::plain>
WT_DEVICE void attend_forward(const wt_attention_args &args) {
  using kernel = attention_forward<T, D, DV, Path, Variant>;
  fetch_arguments<sizeof(wt_attention_args)>();
  WT_SHARED typename kernel::lds memory;
  const wt_attention_place place = wt_attention_place_of(&args.order, wt::workgroup_x());
  const attention_sequence sequence(args, place.batch);
  const int first = place.tile * kernel::kQueries, column = wt::workgroup_y() * DV;
  if (first >= sequence.queries) return;  // a packed sequence that is shorter than the longest
  kernel self(args, sequence, first);
  self.softmax.map.begin_head(args, place.batch, place.head);
  self.softmax.dropout.begin_sequence(args, place.batch), self.softmax.dropout.begin_head(place.head);
  const int key_head = static_cast<int>(wt_divide(place.head, args.group));
  const attention_blocks seen = self.softmax.band.keys_of(first, kernel::kQueries, kernel::kKeys);
  const int wide = attention_columns<Variant, D>(args.head_dim);
  const int value_wide = attention_columns<Variant, DV>(args.value_dim - column);
  const attention_parked<Variant, attention_sequence> parked_sequence(sequence);
  const attention_parked<Variant, wt_attention_place> parked_place(place);
  if (seen.begin < seen.end) {
    const auto queries = sequence.of_queries<const T>(args.q, place.head, wide);
    const auto keys = sequence.of_keys<const T>(args.k, key_head, wide);
    const auto values = sequence.of_keys<const T>(args.v, key_head, value_wide, column);
    constexpr attention_sum kLeast =
        kernel::softmax_type::kMaySumRounded ? attention_sum::of_rounded : attention_sum::of_exact;
    if (kernel::softmax_type::kMaySumRounded && args.lse == nullptr) {
      self.template main_loop<kLeast>(queries, keys, values, memory, seen.begin, seen.end);
    } else {
      self.template main_loop<attention_sum::of_exact>(queries, keys, values, memory, seen.begin, seen.end);
    }
  }
  constexpr float kLog2E = 1.44269504f;
  const attention_sequence of = parked_sequence.value();
  const int head = parked_place.value().head;
  self.softmax.store(of.template of_queries<Out>(args.o, head, value_wide, column),
                     column == 0 ? of.lse_of(args, head) : nullptr, args.o_scale,
                     args.sinks ? args.sinks[head] * kLog2E : -__builtin_inff());
}

// Defines the kernels attention_forward_<heads>_<type>, and with _any, for K and V at any alignment; and the
// general ones.
#define ATTENTION_FORWARD_KERNEL(symbol, T, Out, ...)                  \
  WT_KERNEL_OF_WAVES((attention_forward<T, __VA_ARGS__>::kThreads), 2) \
  symbol(wt_attention_args args) { attend_forward<T, Out, __VA_ARGS__>(args); }
#define ATTENTION_FORWARD_KERNELS(heads, name, T, Out, D, DV)                                         \
  ATTENTION_FORWARD_KERNEL(attention_forward_##heads##_##name, T, Out, D, DV, attention_path::direct) \
  ATTENTION_FORWARD_KERNEL(attention_forward_##heads##_##name##_any, T, Out, D, DV, attention_path::any)
#define ATTENTION_FORWARD_GENERAL(heads, name, T, Out, D, DV)                               \
  ATTENTION_FORWARD_KERNEL(attention_forward_##heads##_##name##_general, T, Out, D, DV,     \
                           attention_path::direct, attention_variant::general)              \
  ATTENTION_FORWARD_KERNEL(attention_forward_##heads##_##name##_general_any, T, Out, D, DV, \
                           attention_path::any, attention_variant::general)

#endif
