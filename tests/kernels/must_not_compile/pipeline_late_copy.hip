// SPDX-License-Identifier: MIT
// expect: only reads, multiplies and atomics of an open-ended schedule may be late
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// A copy works for the step before the iteration's.
constexpr auto kSchedule =
    open_ended(waits_by_register(pipeline_in_step(buffers{3}, cluster(multiply(0, kept(1), {0, 0}, -1)),
                                                  cluster(copy(0, -1, 4)), cluster(read(0, 0, -1, 8)))));
static_assert(check_schedule<kSchedule>());
