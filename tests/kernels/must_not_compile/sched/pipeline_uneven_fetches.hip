// SPDX-License-Identifier: MIT
// expect: a number of steps together that does not divide the largest
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// One fetch loads two steps, the other three.
constexpr auto kSchedule = pipeline_in_step(
    buffers{1, 1},
    cluster(multiply(0, x, {1, 1}), put(0, 1, 2), fetch(0, 2, 2, 4), put(1, 1, 2), fetch(1, 2, 3, 6)),
    cluster(read(0, 0, 1, 8), read(1, 1, 1, 8)));
static_assert(check_schedule<kSchedule>());
