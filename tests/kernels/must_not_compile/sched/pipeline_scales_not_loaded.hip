// SPDX-License-Identifier: MIT
// expect: no read loads a fragment of a multiply
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0}, scale{1, 0};

constexpr auto kSchedule = pipeline_in_step(buffers{2}, cluster(copy(0, 1, 4), read(0, 0, 0, 8)),
                                            cluster(multiply_scaled(0, x, scale, x, scale)));
static_assert(check_schedule<kSchedule>());
