// SPDX-License-Identifier: MIT
// expect: the name of a buffer is longer than 7 characters: shorten it
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr auto kBuffers = buffers{2}.named("left half");
