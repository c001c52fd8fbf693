// SPDX-License-Identifier: MIT
// Ends a norm's backward pass: adds up what the work-groups found for each element of weight and bias, in
// their order, so that the result does not depend on when they finished.
#include <wavetile_device.h>

#include "norm_args.h"

static constexpr int kThreads = 256;  // src/norm/norm_backward.c knows it too

template <class Out>
WT_DEVICE void norm_reduce(const wt_norm_reduce_args &a) {
  const int column = wt::workgroup_x() * kThreads + wt::thread_id();
  if (column >= a.columns) return;
  const bool bias = wt::workgroup_y() == 1;
  const float *from = (bias ? a.parts[1] : a.parts[0]) + column;
  float total = 0;
#pragma unroll 8
  for (int part = 0; part < a.count; ++part, from += a.columns) total += *from;
  static_cast<Out *>(bias ? a.to[1] : a.to[0])[column] = wt::from_f32<Out>(total);
}

WT_KERNEL(kThreads) norm_reduce_f32(wt_norm_reduce_args args) { norm_reduce<float>(args); }
WT_KERNEL(kThreads) norm_reduce_bf16(wt_norm_reduce_args args) { norm_reduce<wt::bf16>(args); }
WT_KERNEL(kThreads) norm_reduce_f16(wt_norm_reduce_args args) { norm_reduce<wt::f16>(args); }
