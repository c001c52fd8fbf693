// SPDX-License-Identifier: MIT
// Declares what the tests of wt_gemm share: a device side with three guarded buffers, and a float64
// reference.
#ifndef WT_TESTS_API_GEMM_DEVICE_H
#define WT_TESTS_API_GEMM_DEVICE_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#include "check.h"
#include "tools/core/fp8.h"
#include "wavetile.h"
#include "wavetile_sim.h"

static inline unsigned long long workgroups_executed(void) {
  unsigned long long workgroups = 0;
  CHECK(wtSimTotals(NULL, &workgroups) == 0, "counters");
  return workgroups;
}

static inline void *device_memory(size_t size) {
  void *pointer = NULL;
  CHECK(hipMalloc(&pointer, size) == hipSuccess, "hipMalloc of %zu bytes", size);
  return pointer;
}

static inline bool is_gfx950(const wt_context *context) {
  return strcmp(wt_context_target(context), "gfx950") == 0;
}

static inline wt_type e4m3_of(const wt_context *context) {
  return is_gfx950(context) ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
}

static inline const fp8_format *e4m3_format(const wt_context *context) {
  return is_gfx950(context) ? &fp8_e4m3 : &fp8_e4m3_fnuz;
}

static inline wt_gemm_desc small_desc(const wt_context *context) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = 8;
  desc.n = 12;
  desc.k = 16;
  desc.type_a = desc.type_b = e4m3_of(context);
  desc.type_c = WT_TYPE_F32;
  return desc;
}

#endif
