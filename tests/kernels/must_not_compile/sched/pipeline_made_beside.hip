// SPDX-License-Identifier: MIT
// expect: a read loads a fragment that is multiplied in the same cluster, or a vector makes it
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The product of the vector's fragment stands beside the vector that makes it.
constexpr auto kSchedule = open_ended(pipeline_in_step(
    buffers{2}, cluster(multiply(0, kept(1), {0, 0})),
    cluster(vector(0, {0}, {2}), multiply(1, made(2), {0, 0}), copy(0, 1, 4)), cluster(read(0, 0, 1, 8))));
static_assert(check_schedule<kSchedule>());
