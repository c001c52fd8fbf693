// SPDX-License-Identifier: MIT
// expect: give the buffer another stage
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// In step this would do. Here half of the waves still read when the others copy.
constexpr auto kSchedule = pipeline_ping_pong(4, buffers{1}, cluster(read(0, 0, 0, 8)),
                                              cluster(copy(0, 1, 4)), cluster(multiply(0, x, x)));
static_assert(check_schedule<kSchedule>());
