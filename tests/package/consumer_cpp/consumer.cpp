// SPDX-License-Identifier: MIT
// A C++11 program that uses the installed package. Argument: the installed code object of fill.hip.
#include <hip/hip_runtime_api.h>
#include <wavetile_sim.h>

#include "../consumer.h"
#include "fill_kernels.h"

// Whether the kernel of the module stores 42.
static bool fills(hipModule_t module) {
  hipFunction_t fill;
  int *out = nullptr;
  if (hipModuleGetFunction(&fill, module, "fill") || hipHostMalloc(reinterpret_cast<void **>(&out), 64 * sizeof *out, 0))
    return false;
  for (int i = 0; i < 64; ++i) out[i] = 0;
  void *arguments[] = {&out};
  bool good = !hipModuleLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) && !hipDeviceSynchronize();
  for (int i = 0; i < 64; ++i) good = good && out[i] == 42;
  return !hipHostFree(out) && good;
}

int main(int argc, char **argv) {
  hipModule_t embedded, installed;
  wt_sim_timing_result result;
  const fill_kernels *object = fill_kernels_find("fill", "gfx950:sramecc+:xnack-");
  if (argc != 2 || !object || fill_kernels_count != 1 || fill_kernels_find("fill", "gfx942"))
    return fprintf(stderr, "arguments: the installed code object\n"), 2;
  if (hipModuleLoadData(&embedded, object->image) || hipModuleLoad(&installed, argv[1])) return 1;
  if (wtSimTiming(WT_SIM_TIMING_ALL, nullptr, 0) || !fills(embedded) || !fills(installed)) return 1;
  if (wtSimTiming(WT_SIM_TIMING_OFF, &result, sizeof result) || !result.valid) return 1;
  printf("predicted, not measured: %.0f cycles\n", result.cycles);
  return multiply_ones();
}
