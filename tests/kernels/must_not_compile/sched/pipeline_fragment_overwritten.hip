// SPDX-License-Identifier: MIT
// expect: multiplied in the same cluster
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(multiply(0, x, x), copy(0, 2, 4), read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
