// SPDX-License-Identifier: MIT
// expect: no vector makes what a multiply or a share takes
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;

// Fragment 2 is read, and no vector makes it.
constexpr auto kSchedule = open_ended(waits_by_register(pipeline_in_step(
    buffers{3, 2}, cluster(multiply(0, kept(1), {0, 0}), read(1, 2, -1, 2)),
    cluster(multiply(1, {2, 1}, kept(1), -1), vector(0, {0}, {3})),
    cluster(multiply(2, made(3), kept(1)), share(1, 2, 0, 2), copy(0, 2, 4), read(0, 0, 1, 8)))));
static_assert(check_schedule<kSchedule>());
