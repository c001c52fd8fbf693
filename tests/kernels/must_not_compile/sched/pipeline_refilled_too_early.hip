// SPDX-License-Identifier: MIT
// expect: a fetch loads registers whose contents a put has yet to write
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The fetch is a whole pair of steps ahead of the puts.
constexpr auto kSchedule = pipeline_in_step(
    buffers{1}, cluster(multiply(0, x, x), put(0, 1, 2), fetch(0, 4, 2, 4)), cluster(read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
