// SPDX-License-Identifier: MIT
// expect: a vector comes before a multiply whose sum it takes or updates
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The vector takes the sum before the multiply of its step has made it.
constexpr auto kSchedule = open_ended(pipeline_in_step(
    buffers{2}, cluster(vector(0, {0}, {2})), cluster(multiply(0, kept(1), {0, 0})),
    cluster(multiply(1, made(2), {0, 0})), cluster(copy(0, 1, 4)), cluster(read(0, 0, 1, 8))));
static_assert(check_schedule<kSchedule>());
