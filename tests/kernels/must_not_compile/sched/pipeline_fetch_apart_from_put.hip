// SPDX-License-Identifier: MIT
// expect: not right behind it
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The fetch comes before the put whose registers it refills.
constexpr auto kSchedule = pipeline_in_step(
    buffers{1}, cluster(multiply(0, x, x), fetch(0, 2, 2, 4), put(0, 1, 2)), cluster(read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
