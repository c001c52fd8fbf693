// SPDX-License-Identifier: MIT
// expect: a vector makes it or what is shared
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The fragment is shared in the cluster in which the vector makes it.
constexpr auto kSchedule = open_ended(waits_by_register(pipeline_in_step(
    buffers{3, 2}, cluster(multiply(0, kept(1), {0, 0}), read(1, 2, -1, 2)),
    cluster(multiply(1, {2, 1}, kept(1), -1), vector(0, {0}, {3}), share(1, 3, 0, 2)),
    cluster(multiply(2, made(3), kept(1)), copy(0, 2, 4), read(0, 0, 1, 8)))));
static_assert(check_schedule<kSchedule>());
