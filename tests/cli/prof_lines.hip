// SPDX-License-Identifier: MIT
// Has freestanding kernels that `wavetile prof` looks at, compiled with line tables.
#include "prof_lines.h"

extern "C" __attribute__((global)) void lines(float *out, int count) {
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  float x = (float)item;
#pragma clang loop unroll(disable)
  for (int i = 0; i < count; ++i) {
    x = chain(x);  // hot
  }
  out[item] = x;  // cold
}

typedef float float4_t __attribute__((ext_vector_type(4)));

// Reads 16 KB again and again, which L1 holds: its bandwidth is all that counts.
extern "C" __attribute__((global)) void reread(float4_t *data, int count) {
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  float4_t sum = {};
#pragma clang loop unroll(disable)
  for (int i = 0; i < count; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += data[256 * k + item];
    asm volatile("" ::: "memory");  // what was read is not kept in registers
  }
  if (sum[0] == -1.0f) data[item] = sum;
}
