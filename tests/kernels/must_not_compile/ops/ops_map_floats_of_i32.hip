// SPDX-License-Identifier: MIT
// expect: : exp2 is a function of floats
// expect: : exp is a function of floats
// expect: : log2 is a function of floats
// expect: : log is a function of floats
// expect: : sqrt is a function of floats
// expect: : rsqrt is a function of floats
// expect: : reciprocal is a function of floats
// expect: : sigmoid is a function of floats
// expect: : silu is a function of floats
// expect: : gelu is a function of floats
// expect: : tanh is a function of floats
// expect: : fma is a function of floats
#include "ops/elementwise.h"

WT_KERNEL(64) map(wt::rt_c<wt::i32, 16, 16> *tile) {
  wt::exp2(*tile, *tile);
  wt::exp(*tile, *tile);
  wt::log2(*tile, *tile);
  wt::log(*tile, *tile);
  wt::sqrt(*tile, *tile);
  wt::rsqrt(*tile, *tile);
  wt::reciprocal(*tile, *tile);
  wt::sigmoid(*tile, *tile);
  wt::silu(*tile, *tile);
  wt::gelu(*tile, *tile);
  wt::tanh(*tile, *tile);
  wt::fma(*tile, *tile, 2, *tile);
}
