// SPDX-License-Identifier: MIT
// expect: or an atomic does: move the latter to an earlier cluster
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The atomic of a step comes when the sum has begun anew with the next one.
constexpr auto kSchedule = open_ended(waits_by_register(
    pipeline_in_step(buffers{3}, cluster(multiply(0, kept(1), {0, 0}), copy(0, 2, 4)),
                     cluster(atomic(0, {0}, -1, 4)), cluster(read(0, 0, 1, 8)))));
static_assert(check_schedule<kSchedule>());
