// SPDX-License-Identifier: MIT
// Tests the schedules of attention backward as the library has them: no wait or barrier of them can be
// weaker.
#include "kernels/attention/attention_backward_4wave.h"
#include "kernels/attention/attention_backward_8wave.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

template <class Kernel>
constexpr bool holds() {
  constexpr const auto &kSchedule = attention_backward_schedule<Kernel>;
  return wt::sched::check_schedule<kSchedule>() && is_tight<kSchedule>();
}
template <attention_gradient Of>
using four_waves = attention_backward_4wave<Of, wt::bf16, 128>;
template <attention_gradient Of>
using eight_waves = attention_backward_8wave<Of, wt::bf16, 128, attention_path::direct>;
static_assert(holds<four_waves<attention_gradient::of_keys>>());
static_assert(holds<four_waves<attention_gradient::of_queries>>());
static_assert(holds<eight_waves<attention_gradient::of_keys>>());
static_assert(holds<eight_waves<attention_gradient::of_queries>>());

}  // namespace

WT_KERNEL(64) attention_backward_laws() {}
