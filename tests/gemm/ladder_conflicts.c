// SPDX-License-Identifier: MIT
// Bank conflicts of the ladder's fast paths, as the simulated devices count them: none from rung 06 on, some
// in rungs 05 and 07 without the swizzle, or the count would prove nothing.
#include <hip/hip_runtime_api.h>

#include "include/wavetile.h"
#include "tests/check.h"
#include "wavetile_sim.h"

static const struct {
  const char *kernel;
  bool free_of_conflicts;
} rungs[] = {
    {"gemm_05_direct_to_lds", false},
    {"gemm_06_swizzle", true},
    {"gemm_07_double_buffer", true},
    {"gemm_07_double_buffer_unswizzled", false},
    {"gemm_08_multi_wave_128x128_8", true},
    {"gemm_08_multi_wave_256x256_8", true},
    {"gemm_08_multi_wave_256x256_16", true},
    {"gemm_09_ping_pong", true},
    {"gemm_10_interleave", true},
    {"gemm_pc_4p8c", true},
    {"gemm_pc_4p12c", true},
};

enum { M = 384, N = 512, K = 512 };  // whole tiles and whole steps of all of them

static void one_device(int device) {
  wt_context *context;
  const wt_status status = wt_context_create(device, &context);
  CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
  if (status != WT_SUCCESS) return;
  hipSetDevice(device);
  const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
  unsigned char *a, *b;  // of elements of up to two bytes
  float *c;
  hipHostMalloc((void **)&a, 2 * M * K, 0);
  hipHostMalloc((void **)&b, 2 * N * K, 0);
  hipHostMalloc((void **)&c, M * N * sizeof *c, 0);
  memset(a, 0x38, 2 * M * K);
  memset(b, 0x38, 2 * N * K);
  for (size_t i = 0; i < sizeof rungs / sizeof *rungs; ++i) {
    wt_gemm_desc desc = WT_GEMM_DESC_INIT;
    desc.m = M, desc.n = N, desc.k = K;
    const bool bf16 = strncmp(rungs[i].kernel, "gemm_pc_", 8) == 0;
    desc.type_a = desc.type_b = bf16 ? WT_TYPE_BF16 : ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
    desc.type_c = WT_TYPE_F32;
    desc.kernel = rungs[i].kernel;
    unsigned long long accesses[2], cycles[2];
    wtSimLdsConflicts(1, &accesses[0], &cycles[0]);
    const wt_status ran = wt_gemm(context, &desc, a, b, c, NULL);
    CHECK(ran == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s: %s", desc.kernel,
          wt_last_error(context));
    wtSimLdsConflicts(0, &accesses[1], &cycles[1]);
    const unsigned long long reads = accesses[1] - accesses[0], conflicts = cycles[1] - cycles[0];
    CHECK(reads > 0, "%s on %s: no LDS instruction was counted", desc.kernel, wt_context_target(context));
    CHECK((conflicts == 0) == rungs[i].free_of_conflicts,
          "%s on %s: %llu conflict cycles in %llu LDS instructions", desc.kernel, wt_context_target(context),
          conflicts, reads);
  }
  hipHostFree(a);
  hipHostFree(b);
  hipHostFree(c);
  wt_context_destroy(context);
}

int main(void) {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices instead of both chips",
        devices);
  for (int device = 0; device < devices; ++device) one_device(device);
  return test_result();
}
