// SPDX-License-Identifier: MIT
// expect: name each buffer once
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr auto kBuffers = buffers{2, 2}.named("A", "B", "B");
