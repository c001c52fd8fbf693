// SPDX-License-Identifier: MIT
// expect: a multiply adds another step to a sum, or a read loads its start,
// expect: before or while a vector takes or updates it
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The vector rescales sum 1 when its step has been added already.
constexpr auto kSchedule = open_ended(
    pipeline_in_step(buffers{2}, cluster(multiply(0, kept(1), {0, 0})), cluster(vector(0, {0}, {2})),
                     cluster(multiply(1, made(2), {0, 0})), cluster(vector(1, {0}, {2}, {1})),
                     cluster(copy(0, 1, 4)), cluster(read(0, 0, 1, 8))));
static_assert(check_schedule<kSchedule>());
