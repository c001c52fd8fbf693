// SPDX-License-Identifier: MIT
// Computes the total of the losses of a cross-entropy, added up in an order that depends on the number of
// rows alone. There is one work-group.
#include <wavetile_device.h>

#include "softmax_args.h"

static constexpr int kThreads = 1024;  // src/softmax/cross_entropy.c knows it too
using team_of = wt::team<kThreads>;

// Computes 1 / the number of labels that are not ignored, or 0 without any. They are counted in f32 between
// the threads: exact below 2^24 labels, rounded a few times beyond.
WT_KERNEL(kThreads) cross_entropy_share(wt_total_args args) {
  WT_SHARED team_of::memory memory;
  team_of team(memory);
  int count = 0;
  for (long long i = team.rank; i < args.rows; i += kThreads) count += args.labels[i] != args.ignore_index;
  const float total = team.sum(static_cast<float>(count));
  if (team.rank == 0) *args.total = total > 0.0f ? 1.0f / total : 0.0f;
}

WT_KERNEL(kThreads) cross_entropy_total(wt_total_args args) {
  WT_SHARED team_of::memory memory;
  team_of team(memory);
  float sum = 0;
  for (long long i = team.rank; i < args.rows; i += kThreads) sum += args.loss[i];
  sum = team.sum(sum);
  if (team.rank == 0) *args.total = args.mean ? sum * *args.total : sum;
}
