// SPDX-License-Identifier: MIT
// expect: a put comes before its fetch
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The fetch of a step is issued beside its put.
constexpr auto kSchedule = pipeline_in_step(
    buffers{1}, cluster(multiply(0, x, x), put(0, 1, 2), fetch(0, 1, 2, 4)), cluster(read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
