// SPDX-License-Identifier: MIT
// expect: a vector shares its cluster with another vector, or in ping-pong with a multiply
// expect: give it a cluster of its own
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// In ping-pong, other waves multiply while the vector unit works.
constexpr auto kSchedule = open_ended(waits_by_register(
    pipeline_ping_pong(2, buffers{2}, interval(cluster(multiply(0, kept(1), {0, 0}))),
                       interval(cluster(vector(0, {0}, {2}), multiply(1, kept(1), {0, 0}), copy(0, 1, 4))),
                       interval(cluster(multiply(1, made(2), {0, 0}), read(0, 0, 1, 8))))));
static_assert(check_schedule<kSchedule>());
