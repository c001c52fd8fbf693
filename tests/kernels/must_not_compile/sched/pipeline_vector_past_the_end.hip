// SPDX-License-Identifier: MIT
// expect: an open-ended run goes on past its last step
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The vector is a step ahead of the run, and would be past its end in the last iteration.
constexpr auto kSchedule = open_ended(pipeline_in_step(
    buffers{2}, cluster(multiply(0, kept(1), {0, 0})), cluster(vector(0, {0}, {2}, {}, 1)),
    cluster(multiply(1, made(2), {0, 0})), cluster(copy(0, 1, 4)), cluster(read(0, 0, 1, 8))));
static_assert(check_schedule<kSchedule>());
