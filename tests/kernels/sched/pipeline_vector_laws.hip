// SPDX-License-Identifier: MIT
// Proves laws of pipelines with vectors while compiling: their waits are those worked out by hand, and
// schedules with a mistake are refused for what is wrong with them.
#include "tests/kernels/sched/pipeline_schedules.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

constexpr auto kPlan = derived<kAttentive>;
static_assert(check_schedule<kAttentive>() && is_tight<kAttentive>());
// Copies through registers are no events of vmcnt: all waits are for LDS.
static_assert(check_schedule<kAttentiveThrough>() && is_tight<kAttentiveThrough>());
static_assert(derived<kAttentiveThrough>.rows[3][2].before.vmem == wt::kAnyVmem);

// Runs of any length have three iterations of prologue, and one of body, without an epilogue.
static_assert(least_steps<kAttentive> == 1 && kPlan.kDepth == 3 && kPlan.kRows == 4);
// A barrier stands where an interval begins, but not where the first interval continues the last one.
static_assert(!kPlan.rows[3][0].barrier && !kPlan.rows[3][1].barrier && kPlan.rows[3][2].barrier &&
              !kPlan.rows[3][3].barrier && kPlan.rows[3][4].barrier);
// In front of the vector, X of three steps ahead, the last copy (2 events), may be in flight: Y of two steps
// ahead and X of one less are read two barriers later.
static_assert(kPlan.rows[3][2].before == waits{2, wt::kAnyLds});
// The interval that multiplies next waits for what the interval before has read; the compiler waits for the
// rest.
static_assert(kPlan.rows[3][4].before == waits{wt::kAnyVmem, 0});

template <auto S>
constexpr auto with_op(int i, op changed) {
  auto s = S;
  changed.cluster = s.ops[i].cluster;
  s.ops[i] = changed;
  return s;
}
template <auto S>
constexpr problem kRefusal = derived<S>.found.what;

constexpr int kAdvanceY = 2, kVector = 6, kCopyY = 7, kSecond = 9;
static_assert(kAttentive.ops[kAdvanceY].what == does::advance &&
              kAttentive.ops[kVector].what == does::vector && kAttentive.ops[kCopyY].what == does::copy &&
              kAttentive.ops[kSecond].what == does::vector);
static_assert(kRefusal<with_op<kAttentive>(kVector, vector(0, {0}, {kMade, 9}))> ==
              problem::never_multiplied);
static_assert(kRefusal<with_op<kAttentive>(kVector, vector(0, {2}, {kMade}))> == problem::never_summed);
static_assert(kRefusal<with_op<kAttentive>(kVector, vector(0, {32}, {kMade}))> == problem::unknown_number);
static_assert(kRefusal<with_op<kAttentive>(kVector, vector(0, {0}, {kMade}, {}, 1))> ==
              problem::past_the_end);
constexpr auto kCrowded = [] {
  auto s = kAttentive;
  s.ops[kSecond].cluster = s.ops[kVector].cluster;
  return s;
}();
static_assert(kRefusal<kCrowded> == problem::crowded_vector);
static_assert(kRefusal<with_op<kAttentive>(kAdvanceY, advance(kY, 3))> == problem::advanced_elsewhere);
static_assert(kRefusal<with_op<kAttentive>(kCopyY, copy(kY, 4, 1))> == problem::advanced_elsewhere);
// A sum over all steps has no start, and a start is read when the vectors have taken the last sum.
static_assert(check_schedule<kStarted>() && is_tight<kStarted>());
constexpr int kFirstOfStarted = 0, kReadStart = 7;
static_assert(kStarted.ops[kReadStart].fragment == kBegin);
static_assert(kRefusal<with_op<kStarted>(6, multiply(1, made(kMade), y).starting_from({kBegin, kX, 0}))> ==
              problem::start_untaken);
constexpr auto kReadEarly = [] {
  auto s = kStarted;
  s.ops[kReadStart].cluster = s.ops[kFirstOfStarted].cluster;
  return s;
}();
static_assert(kRefusal<kReadEarly> == problem::fragment_overwritten);
constexpr auto kReadBesideVector = [] {
  auto s = kStarted;
  s.ops[kReadStart].cluster = 1;
  return s;
}();
static_assert(kRefusal<kReadBesideVector> == problem::sum_overwritten);
// A sum that grows over all steps is no sum of a step: by the next vector its later steps have been added.
static_assert(kRefusal<with_op<kAttentive>(kVector, vector(0, {1}, {kMade}))> == problem::sum_incomplete);

// In step, vectors may share clusters with MFMAs of other sums.
constexpr auto kBesidePlan = derived<kBeside>;
static_assert(check_schedule<kBeside>() && is_tight<kBeside>() && least_steps<kBeside> == 1);
// One barrier is enough, in front of the first cluster. There, X and Y of the last iteration (3 events) may
// be in flight: those read before the next barrier are older. The compiler has waited for the reads of what
// is overwritten, before their products.
static_assert(kBesidePlan.rows[3][0].barrier && !kBesidePlan.rows[3][1].barrier &&
              !kBesidePlan.rows[3][2].barrier && !kBesidePlan.rows[3][3].barrier &&
              !kBesidePlan.rows[3][4].barrier);
static_assert(kBesidePlan.rows[3][0].before == waits{3, wt::kAnyLds});
constexpr int kFirstPart = 7, kBesideFirst = 8, kAdvanceX = 9, kSecondPart = 10, kBesideSecond = 11,
              kReadX1 = 1, kAdvanceAtY = 3;
static_assert(kBeside.ops[kFirstPart].what == does::vector && kBeside.ops[kSecondPart].what == does::vector &&
              kBeside.ops[kBesideFirst].sum == 1 && kBeside.ops[kAdvanceX].pointer == kAtX &&
              kBeside.ops[kBesideSecond].sum == 1 && kBeside.ops[kReadX1].pointer == kAtX &&
              kBeside.ops[kAdvanceAtY].pointer == kAtY);
// What is beside a vector adds to none of its sums, and takes nothing that it makes.
static_assert(kRefusal<with_op<kBeside>(kBesideFirst, multiply(0, kept(kLoaded), {kX1, kX, 1}))> ==
              problem::sum_incomplete);
static_assert(kRefusal<with_op<kBeside>(kBesideSecond, multiply(1, made(kMade), y))> ==
              problem::fragment_overwritten);
// Nor is it another vector, or an apply.
static_assert(kRefusal<with_op<kBeside>(kBesideFirst, vector(4, {0}, {}))> == problem::crowded_vector);
static_assert(kRefusal<with_op<kBeside>(kBesideFirst, apply(1, kept(kLoaded), {kX1, kX, 1}))> ==
              problem::crowded_vector);
// A pointer is advanced to each step, between the reads of two steps.
static_assert(kRefusal<with_op<kBeside>(kAdvanceX, advance_pointer(kAtX, kX, 0))> ==
              problem::advanced_elsewhere);
static_assert(kRefusal<with_op<kBeside>(kAdvanceX, advance_pointer(kAtX, kX, 2))> ==
              problem::advanced_elsewhere);
static_assert(kRefusal<with_op<kBeside>(kAdvanceAtY, advance_pointer(kAtY, kY, 1))> ==
              problem::advanced_elsewhere);
static_assert(kRefusal<with_op<kBeside>(kAdvanceAtY, advance_pointer(2, kY, 0))> == problem::never_pointed);
static_assert(kRefusal<with_op<kBeside>(kReadX1, read(kX, kX1, 0, 1, 1).by_pointer(3))> ==
              problem::never_advanced);
static_assert(kRefusal<with_op<kBeside>(kReadX1, read(kX, kX1, 0, 1, 1).by_pointer(32))> ==
              problem::unknown_number);

}  // namespace

WT_KERNEL(64) pipeline_vector_laws() {}
