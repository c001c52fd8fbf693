// SPDX-License-Identifier: MIT
// Tests the schedule of attention forward as the library has it: no wait of it can be weaker.
#include "kernels/attention/attention_forward.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

template <int D, attention_path Path>
constexpr bool holds() {
  constexpr const auto &kSchedule = attention_forward_schedule<attention_forward<wt::bf16, D, D, Path>>;
  return wt::sched::check_schedule<kSchedule>() && is_tight<kSchedule>();
}
static_assert(holds<64, attention_path::direct>() && holds<128, attention_path::direct>());
static_assert(holds<128, attention_path::any>());

}  // namespace

WT_KERNEL(64) attention_forward_laws() {}
