// SPDX-License-Identifier: MIT
// Laws of pipelines in which waves share what they have made, and of ops that are late, proved while
// compiling: no wait or barrier of theirs can be weaker, and schedules with a mistake are refused for what is
// wrong with them.
#include "tests/kernels/sched/pipeline_schedules.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

constexpr auto kPlan = derived<kSharing>;
static_assert(check_schedule<kSharing>() && is_tight<kSharing>());
// Runs of any length have two iterations of prologue, one of body, and one of late ops behind the loop.
static_assert(least_steps<kSharing> == 1 && kPlan.kDepth == 2 && kPlan.kDrains == 1 && kPlan.kRows == 4);
// The body has two barriers: what is shared is read in cluster 0, and overwritten two clusters later.
constexpr int kBody = 2, kBehindLoop = 3;
static_assert(kPlan.rows[kBody][0].barrier);
// There all of a wave's writes have landed, and the two reads behind them may be in flight.
static_assert(kPlan.rows[kBody][0].before.lds == 2);
// Behind the loop, the barrier before the late reads is the same.
static_assert(kPlan.rows[kBehindLoop][0].barrier && kPlan.rows[kBehindLoop][0].before.lds == 2);
static_assert(!kPlan.rows[kBehindLoop][1].barrier && !kPlan.rows[kBehindLoop][2].barrier);

template <auto S>
constexpr auto with_op(int i, op changed) {
  auto s = S;
  changed.cluster = s.ops[i].cluster;
  s.ops[i] = changed;
  return s;
}
template <auto S>
constexpr auto with_cluster(int i, int cluster) {
  auto s = S;
  s.ops[i].cluster = cluster;
  return s;
}
template <auto S>
constexpr problem kRefusal = derived<S>.found.what;

constexpr int kReadTurned = 1, kLateProduct = 2, kVector = 3, kShareOp = 6, kAtomicOp = 7;
static_assert(kSharing.ops[kReadTurned].is_late() && kSharing.ops[kLateProduct].is_late() &&
              kSharing.ops[kVector].what == does::vector && kSharing.ops[kShareOp].what == does::share &&
              kSharing.ops[kAtomicOp].what == does::atomic);
// A share writes what a vector has made, in an earlier cluster and for the same step.
static_assert(kRefusal<with_op<kSharing>(kShareOp, share(kAll, kTurned, 0, 2))> == problem::never_loaded);
static_assert(kRefusal<with_op<kSharing>(kShareOp, share(kAll, 32, 0, 2))> == problem::unknown_number);
static_assert(kRefusal<with_op<kSharing>(kShareOp, share(kAll, kMade, 1, 2))> == problem::fragment_stale);
static_assert(kRefusal<with_op<kSharing>(kShareOp, share(kAll, kMade, 0, 0))> == problem::no_events);
static_assert(kRefusal<with_cluster<kSharing>(kShareOp, 1)> == problem::fragment_overwritten);
// What it writes is read one barrier later at the soonest, and has a stage that nobody reads.
static_assert(kRefusal<with_op<kSharing>(kReadTurned, read(kAll, kTurned, 0, 2))> == problem::read_too_early);
constexpr auto kLaterThanStages = [] {
  auto s = kSharing;
  for (op &o : s.ops) o.ahead = o.is_late() ? -3 : o.ahead;
  return s;
}();
static_assert(kRefusal<kLaterThanStages> == problem::overwritten_too_early);
// An atomic takes whole sums, before they begin anew.
static_assert(kRefusal<with_op<kSharing>(kAtomicOp, atomic(0, {5}, -1, 4))> == problem::never_summed);
static_assert(kRefusal<with_op<kSharing>(kAtomicOp, atomic(0, {32}, -1, 4))> == problem::unknown_number);
static_assert(kRefusal<with_op<kSharing>(kAtomicOp, atomic(0, {1}, -1, 0))> == problem::no_events);
static_assert(kRefusal<with_op<kSharing>(kAtomicOp, atomic(0, {1}, 0, 4))> == problem::sum_incomplete);
static_assert(kRefusal<with_op<kSharing>(kAtomicOp, atomic(0, {1}, -2, 4))> == problem::sum_overwritten);
static_assert(kRefusal<with_cluster<kSharing>(kAtomicOp, 0)> == problem::sum_incomplete);
// Nothing that others wait for may be late, and nothing at all where an epilogue drains the run.
static_assert(kRefusal<with_op<kSharing>(kVector, vector(0, {0}, {kMade}, {}, -1))> ==
              problem::negative_ahead);
static_assert(kRefusal<with_op<kSharing>(kShareOp, share(kAll, kMade, -1, 2))> == problem::negative_ahead);
constexpr auto kDrained = [] {
  auto s = kSharing;
  s.ends = ending::drained;
  return s;
}();
static_assert(kRefusal<kDrained> == problem::negative_ahead);
// A late product is not ahead of the loop's end, and its operands are for its own step.
static_assert(kRefusal<with_op<kSharing>(kLateProduct, multiply(1, {kTurned, kAll, 0}, kept(kLoaded), -2))> ==
              problem::fragment_stale);
// A vector may take a fragment that is read, for its own step.
static_assert(check_schedule<kUsing>() && is_tight<kUsing>());
constexpr int kUsingVector = 4;
static_assert(kUsing.ops[kUsingVector].what == does::vector);
static_assert(kRefusal<with_cluster<kUsing>(kUsingVector - 1, 1)> == problem::fragment_overwritten);

}  // namespace

WT_KERNEL(64) pipeline_share_laws() {}
