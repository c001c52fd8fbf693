// SPDX-License-Identifier: MIT
// Computes the gradient of the sinks of attention, in an order of summation that depends on the lengths
// alone. A work-group takes a head.
#include <wavetile_device.h>

#include "attention_args.h"

static constexpr int kThreads = 256;  // src/attention/attention_backward.c knows it too
using team_of = wt::team<kThreads>;

// Returns what the queries of one member of the batch add, from a thread's first one on. `starts` is where
// the member's rows of args.rows begin; `scale` makes -lse of what S begins with.
WT_DEVICE float sink_gradient(const float *starts, int first, int queries, float sink, float scale) {
  constexpr float kLog2E = 1.44269504f;
  float sum = 0;
  for (int row = first; row < queries; row += kThreads) {
    const float *const of_row = starts + row / 32 * 64 + row % 32;  // 32 further -delta
    sum += wt::exp2((sink + of_row[0] * scale) * kLog2E) * of_row[32];
  }
  return sum;
}

WT_KERNEL(kThreads) attention_backward_sinks(wt_attention_backward_args args) {
  WT_SHARED team_of::memory memory;
  team_of team(memory);
  const int head = wt::workgroup_x();
  const wt_attention_args &forward = args.forward;
  const float scale = args.result_scale / (args.dq_sum ? forward.scale : 1.0f);
  float sum = 0;
  for (int member = 0; member < forward.batch; ++member) {
    const int start = forward.q_starts ? forward.q_starts[member] : 0;
    const int queries = forward.q_starts ? forward.q_starts[member + 1] - start : forward.queries;
    const long long row = wt_attention_workspace_row(&args, head, member, start);
    sum += sink_gradient(args.rows + 2 * row, team.rank, queries, forward.sinks[head], scale);
  }
  sum = team.sum(sum);
  if (team.rank == 0) args.d_sinks[head] = args.members_before > 0 ? args.d_sinks[head] + sum : sum;
}
