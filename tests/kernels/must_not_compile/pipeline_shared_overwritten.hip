// SPDX-License-Identifier: MIT
// expect: give the buffer another stage
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// A wave shares the next step in the only stage before all have read the last one.
constexpr auto kSchedule = open_ended(waits_by_register(pipeline_in_step(
    buffers{3, 1}, cluster(multiply(0, kept(1), {0, 0})), cluster(vector(0, {0}, {3})),
    cluster(multiply(2, made(3), kept(1)), share(1, 3, 0, 2), copy(0, 2, 4), read(0, 0, 1, 8)),
    cluster(read(1, 2, -1, 2)), cluster(multiply(1, {2, 1}, kept(1), -1)))));
static_assert(check_schedule<kSchedule>());
