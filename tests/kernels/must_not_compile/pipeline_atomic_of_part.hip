// SPDX-License-Identifier: MIT
// expect: a vector comes before a multiply whose sum it takes or updates, or an atomic does
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;

// The atomic adds a sum to memory beside the multiply that completes it.
constexpr auto kSchedule = open_ended(waits_by_register(
    pipeline_in_step(buffers{3}, cluster(multiply(0, kept(1), {0, 0}), copy(0, 2, 4)),
                     cluster(multiply(0, kept(2), {0, 0}), atomic(0, {0}, 0, 4)), cluster(read(0, 0, 1, 8)))));
static_assert(check_schedule<kSchedule>());
