// SPDX-License-Identifier: MIT
// expect: that no copy fills
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0}, y{1, 1};

constexpr auto kSchedule = pipeline_in_step(
    buffers{2, 2}, cluster(copy(0, 1, 4), read(0, 0, 0, 8), read(1, 1, 0, 8)), cluster(multiply(0, x, y)));
static_assert(check_schedule<kSchedule>());
