// SPDX-License-Identifier: MIT
// expect: the name of an op is longer than 7 characters: shorten it
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr op kSoftmax = vector(0, {0}, {1}).named("the softmax");
