// SPDX-License-Identifier: MIT
// expect: past clusters that only multiply, with all waves in step
// expect: make such a cluster, or leave led_by out
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The one cluster that multiplies reads and copies, too.
constexpr auto kSchedule = led_by(
    2, pipeline_in_step(buffers{3}, cluster(multiply(0, {0, 0}, {0, 0}), read(0, 0, 1, 8), copy(0, 2, 4))));
static_assert(check_schedule<kSchedule>());
