// SPDX-License-Identifier: MIT
// Takes each wait out of the derived GEMMs in turn, and each barrier where the waves are in step: the result
// must change under one of the orders that the hardware may choose. So the derivation emits nothing without
// need. Argument: the directory of the code objects.
#include <hip/hip_runtime_api.h>

#include "kernels/gemm/gemm_args.h"
#include "tests/kernels/isa_run.h"
#include "tests/kernels/removal.h"
#include "tools/core/read_file.h"

enum { TILE = 256, K = 384 };  // 3 K steps of gfx950, 6 of gfx942

typedef struct derived_gemm {
  const char *stem;
  unsigned threads;
  bool in_step;
  int unnoticed[2];  // on gfx950 and gfx942
} derived_gemm;

// What may go unnoticed: a wait that the compiler places among the stores, before it writes registers that
// the last, partial K step would have read from LDS. And of the 4 waves on gfx942, in the last step but one,
// the wait for copies that are an iteration old by then, and its barrier: hardly any order that the simulator
// offers keeps these in flight for so long while a read overtakes them. (That both are needed is proved in
// pipeline_laws.hip.)
static const derived_gemm gemms[] = {{"gemm_4wave_derived_256x256", 256, true, {1, 3}},
                                     {"gemm_8wave_derived_256x256", 512, false, {1, 1}}};
static const char *const schedules[] = {"late", "early", "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static unsigned char *a, *b;
static float *c, *right;
static const derived_gemm *current;
static bool know_right;

static removal_result launch(hipModule_t module, const char *kernel) {
  hipFunction_t function;
  wt_gemm_args args = {.a = a,
                       .b = b,
                       .c = c,
                       .m = TILE,
                       .n = TILE,
                       .k = K,
                       .k_part = K,
                       .alpha = 1,
                       .a_row = K,
                       .a_col = 1,
                       .b_row = K,
                       .b_col = 1,
                       .c_row = TILE,
                       .type_c = WT_KERNEL_F32,
                       .order = {1, 1, 1, 1, 1, 0}};
  void *params[] = {&args};
  memset(c, 0, TILE * TILE * sizeof *c);
  if (hipModuleGetFunction(&function, module, kernel) != hipSuccess ||
      hipModuleLaunchKernel(function, 1, 1, 1, current->threads, 1, 1, 0, NULL, params, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  if (!know_right) memcpy(right, c, TILE * TILE * sizeof *c);
  know_right = true;
  return memcmp(right, c, TILE * TILE * sizeof *c) == 0 ? REMOVAL_RIGHT : REMOVAL_WRONG;
}

static removal_result run(const void *image, const char *kernel) {
  hipModule_t module;
  if (hipModuleLoadData(&module, image) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int s = 0; s < SCHEDULES && result == REMOVAL_RIGHT; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    result = launch(module, kernel);
  }
  hipModuleUnload(module);
  return result;
}

static void check_gemm(const char *directory, const char *target) {
  char path[1024], kernel[128];
  snprintf(path, sizeof path, "%s/%s.%s.co", directory, current->stem, target);
  snprintf(kernel, sizeof kernel, "%s_f8e4m3_f8e4m3", current->stem);
  size_t size = 0;
  unsigned char *file = read_file(path, &size);
  CHECK(file, "cannot read %s", path);
  if (!file) return;
  know_right = false;
  const removal_counts counts = removal_try_each(file, size, target, kernel, current->in_step, run);
  const int noticed = counts.executed - current->unnoticed[strcmp(target, "gfx950") != 0];
  CHECK(counts.executed >= 10 && counts.caught >= noticed, "%s for %s: %d of %d are caught", current->stem,
        target, counts.caught, counts.executed);
  free(file);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: pipeline_mutation DIRECTORY\n"), 2;
  setenv("WT_SIM_BUDGET", "4000000", 1);
  a = isa_memory(TILE * K);
  b = isa_memory(TILE * K);
  c = isa_memory(TILE * TILE * sizeof *c);
  right = malloc(TILE * TILE * sizeof *right);
  test_rng rng = test_seed(23);
  for (int i = 0; i < TILE * K; ++i) a[i] = (unsigned char)(0x30 + test_random(&rng) % 32);
  for (int i = 0; i < TILE * K; ++i) b[i] = (unsigned char)(0x30 + test_random(&rng) % 32);
  for (int device = 0; device < 2; ++device) {
    if (!isa_ok(hipSetDevice(device), "hipSetDevice")) break;
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; ++i) {
      current = &gemms[i];
      check_gemm(argv[1], device ? "gfx942" : "gfx950");
    }
  }
  free(right);
  return test_result();
}
