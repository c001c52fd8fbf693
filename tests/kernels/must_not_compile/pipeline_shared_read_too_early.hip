// SPDX-License-Identifier: MIT
// expect: copy further ahead, or in an earlier cluster
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// A wave reads what all share before they have made it.
constexpr auto kSchedule = open_ended(waits_by_register(pipeline_in_step(
    buffers{3, 2}, cluster(multiply(0, kept(1), {0, 0}), read(1, 2, 0, 2)),
    cluster(multiply(1, {2, 1}, kept(1)), vector(0, {0}, {3})),
    cluster(multiply(2, made(3), kept(1)), share(1, 3, 0, 2), copy(0, 2, 4), read(0, 0, 1, 8)))));
static_assert(check_schedule<kSchedule>());
