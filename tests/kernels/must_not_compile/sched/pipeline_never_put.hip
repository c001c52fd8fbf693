// SPDX-License-Identifier: MIT
// expect: no put writes what a fetch loads to LDS
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The buffer is filled by copies.
constexpr auto kSchedule = pipeline_in_step(
    buffers{2}, cluster(multiply(0, x, x), copy(0, 2, 4), fetch(0, 2, 1, 4)), cluster(read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
