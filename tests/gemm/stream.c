// SPDX-License-Identifier: MIT
// Compares stream-K with the kernel of the same tiles whose work-groups end with their tile: numbers are
// whole, so that both give the same bits. Products have fewer tiles than work-groups, ranges within a tile
// and across several, whole rounds before them, and K that is no whole grain. The bits are the same under
// every schedule; sums that nothing wrote would be NaN.
//
//   stream KERNEL OTHER
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

#include "wavetile.h"

static const char *const schedules[] = {"late", "random:5"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

typedef struct product {
  int m, n, k;
} product;

static bool ok(hipError_t error, const char *what) {
  CHECK(error == hipSuccess, "%s: %s", what, hipGetErrorString(error));
  return error == hipSuccess;
}

// Numbers from -2 to 2 in the type's own bits.
static void *make_operand(size_t elements, wt_type type, test_rng *rng) {
  static const uint8_t f8[] = {0xc0, 0xb8, 0x00, 0x38, 0x40}, f8_fnuz[] = {0xc8, 0xc0, 0x00, 0x40, 0x48};
  static const uint16_t bf16[] = {0xc000, 0xbf80, 0, 0x3f80, 0x4000};
  const size_t element = type == WT_TYPE_BF16 ? 2 : 1;
  unsigned char *host = malloc(elements * element), *device = NULL;
  for (size_t i = 0; i < elements; ++i) {
    const unsigned n = (unsigned)(test_random(rng) % 5);
    if (element == 2)
      memcpy(host + 2 * i, &bf16[n], 2);
    else
      host[i] = type == WT_TYPE_F8E4M3 ? f8[n] : f8_fnuz[n];
  }
  ok(hipMalloc((void **)&device, elements * element), "hipMalloc");
  ok(hipMemcpy(device, host, elements * element, hipMemcpyHostToDevice), "hipMemcpy");
  free(host);
  return device;
}

static bool compute(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b, void *c,
                    float *result) {
  const size_t bytes = (size_t)desc->m * (size_t)desc->n * sizeof *result;
  // Every word of C and of the sums holds a NaN.
  ok(hipMemset(c, 0xff, bytes), "hipMemset");
  if (desc->workspace) ok(hipMemset(desc->workspace, 0xff, desc->workspace_bytes), "hipMemset");
  const wt_status status = wt_gemm(context, desc, a, b, c, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", desc->kernel, wt_last_error(context));
  return status == WT_SUCCESS && ok(hipMemcpy(result, c, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
}

static void check_product(wt_context *context, const char *kernel, const char *other, wt_type type, product p,
                          test_rng *rng) {
  const size_t elements = (size_t)p.m * (size_t)p.n;
  void *a = make_operand((size_t)p.m * (size_t)p.k, type, rng);
  void *b = make_operand((size_t)p.n * (size_t)p.k, type, rng), *c = NULL;
  float *want = malloc(elements * sizeof *want), *got = malloc(elements * sizeof *got);
  ok(hipMalloc(&c, elements * sizeof *got), "hipMalloc");
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = p.m, desc.n = p.n, desc.k = p.k;
  desc.type_a = desc.type_b = type, desc.type_c = WT_TYPE_F32;
  desc.kernel = other, desc.split_k = 1;
  bool done = compute(context, &desc, a, b, c, want);
  desc.kernel = kernel, desc.split_k = 0;
  CHECK(wt_gemm_workspace_size(context, &desc, &desc.workspace_bytes) == WT_SUCCESS, "%s",
        wt_last_error(context));
  ok(hipMalloc(&desc.workspace, desc.workspace_bytes), "hipMalloc");
  for (int s = 0; s < SCHEDULES && done; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    done = compute(context, &desc, a, b, c, got);
    CHECK(memcmp(want, got, elements * sizeof *got) == 0, "%d x %d x %d differs from %s under %s", p.m, p.n,
          p.k, other, schedules[s]);
  }
  unsetenv("WT_SIM_SCHEDULE");
  ok(hipFree(a), "hipFree"), ok(hipFree(b), "hipFree"), ok(hipFree(c), "hipFree");
  ok(hipFree(desc.workspace), "hipFree");
  free(want), free(got);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: stream KERNEL OTHER\n"), 2;
  test_rng rng = test_seed(29);
  int devices = 0;
  ok(hipGetDeviceCount(&devices), "hipGetDeviceCount");
  for (int device = 0; device < devices; ++device) {
    wt_context *context = NULL;
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    if (!context || !ok(hipSetDevice(device), "hipSetDevice")) break;
    const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
    const wt_type f8 = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
    // MI355X has 256 work-groups, MI300X 304. There are one tile; tiles of several ranges each, with a K that
    // is no whole grain; ranges across two tiles; and more tiles than work-groups.
    check_product(context, argv[1], argv[2], f8, (product){100, 72, 8192 + 80}, &rng);
    check_product(context, argv[1], argv[2], WT_TYPE_BF16, (product){700, 520, 2048 + 24}, &rng);
    check_product(context, argv[1], argv[2], f8, (product){2816, 4096, 512}, &rng);
    check_product(context, argv[1], argv[2], f8, (product){4608, 4352, 512}, &rng);
    wt_context_destroy(context);
  }
  return test_result();
}
