// SPDX-License-Identifier: MIT
// expect: sin is a function of floats: convert the i32 tile to f32 first
// expect: pow is a function of floats: convert the i32 tile to f32 first
#include "ops/pow.h"
#include "ops/sin_cos.h"

WT_KERNEL(64) map(wt::rt_c<wt::i32, 16, 16> *to) {
  wt::sin(*to, *to);
  wt::pow(*to, *to, 2);
}
