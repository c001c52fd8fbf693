// SPDX-License-Identifier: MIT
// expect: either multiplies or moves data
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

constexpr auto kSchedule =
    pipeline_ping_pong(4, buffers{2}, cluster(multiply(0, x, x), copy(0, 2, 4)), cluster(read(0, 0, 1, 8)));
static_assert(check_schedule<kSchedule>());
