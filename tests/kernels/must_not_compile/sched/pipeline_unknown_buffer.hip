// SPDX-License-Identifier: MIT
// expect: buffers{...} gives each its stages
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(copy(1, 1, 4), read(0, 0, 0, 8)), cluster(multiply(0, x, x)));
static_assert(check_schedule<kSchedule>());
