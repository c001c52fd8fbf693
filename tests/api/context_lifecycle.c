// SPDX-License-Identifier: MIT
// Contexts are created for devices that exist, refused for others, and destroyed without a trace; queries
// answer.
#include "gemm_device.h"

static void test_creation(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  CHECK(wt_context_create(0, NULL) == WT_ERROR_NULL_ARGUMENT, "out NULL");
  CHECK(strstr(wt_last_error(NULL), "out is NULL"), "%s", wt_last_error(NULL));
  const int wrong[] = {-1, count, 1 << 30};
  for (int i = 0; i < 3; ++i) {
    wt_context *context = (wt_context *)&count;
    CHECK(wt_context_create(wrong[i], &context) == WT_ERROR_NO_DEVICE, "device %d", wrong[i]);
    CHECK(!context, "out is NULL after failure");
    char value[32];
    snprintf(value, sizeof value, "device is %d", wrong[i]);
    CHECK(strstr(wt_last_error(NULL), value), "%s", wt_last_error(NULL));
  }
  for (int device = 0; device < count; ++device) {
    wt_context *context = NULL;
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    CHECK(context && strncmp(wt_context_target(context), "gfx9", 4) == 0, "target");
    wt_context_destroy(context);
  }
  wt_context_destroy(NULL);
  CHECK(!wt_context_target(NULL), "target of NULL");
}

static void test_text(void) {
  CHECK(strcmp(wt_version(), "0.1.0") == 0, "%s", wt_version());
#define CHECK_STATUS(name, number, sentence) \
  CHECK(name == number && strcmp(wt_status_string(name), sentence) == 0, #name);
  WT_STATUS_LIST(CHECK_STATUS)
  CHECK(strcmp(wt_status_string((wt_status)12345), "unknown status") == 0, "unknown");
}

static void test_kernel_list(void) {
  size_t count = wt_gemm_kernel_count();
  CHECK(count >= 5, "%zu kernels", count);
  for (size_t i = 0; i < count; ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    CHECK(wt_gemm_kernel_at(i, &info) == WT_SUCCESS, "kernel %zu", i);
    CHECK(strncmp(info.name, "gemm_", 5) == 0 && *info.idea && *info.needs, "kernel %zu", i);
    CHECK(info.tile_m >= 16 && info.tile_n >= 16 && info.threads >= 64 &&
              (info.ladder == 0 || info.ladder == 1),
          "kernel %zu: tile %d x %d, %d threads", i, info.tile_m, info.tile_n, info.threads);
    CHECK(info.shares_rounds == (strstr(info.name, "_stream_") != NULL), "%s: shares_rounds is %d", info.name,
          info.shares_rounds);
  }
  wt_gemm_kernel_info older = {.struct_size = offsetof(wt_gemm_kernel_info, tile_m), .tile_m = -1};
  CHECK(wt_gemm_kernel_at(0, &older) == WT_SUCCESS && strcmp(older.name, "gemm_01_naive") == 0 &&
            older.tile_m == -1,
        "a struct without the tiles");
  wt_gemm_kernel_info info = {.struct_size = sizeof info};
  CHECK(wt_gemm_kernel_at(count, &info) == WT_ERROR_VALUE, "past the end");
  CHECK(wt_gemm_kernel_at(0, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL info");
  info.struct_size = 3;
  CHECK(wt_gemm_kernel_at(0, &info) == WT_ERROR_STRUCT_SIZE, "struct_size 3");
}

static void test_chosen(void) {
  wt_context *context = NULL;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  wt_gemm_desc desc = small_desc(context);
  const char *name = NULL;
  desc.m = desc.n = desc.k = 8192;
  CHECK(wt_gemm_chosen(context, &desc, &name) == WT_SUCCESS && strstr(name, "256x256"),
        "the fastest is chosen: %s", name);
  desc.trans_a = 1;
  CHECK(wt_gemm_chosen(context, &desc, &name) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK(name && strstr(name, "transposed"), "without K contiguous: %s", name);
  desc.kernel = "gemm_01_naive";
  CHECK(wt_gemm_chosen(context, &desc, &name) == WT_SUCCESS && strcmp(name, "gemm_01_naive") == 0,
        "as asked");
  desc.kernel = "gemm_04_vector_loads";
  CHECK(wt_gemm_chosen(context, &desc, &name) == WT_ERROR_UNSUPPORTED_KERNEL && !name, "refused");
  CHECK(wt_gemm_chosen(context, &desc, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL name");
  CHECK(wt_gemm_chosen(NULL, &desc, &name) == WT_ERROR_NULL_ARGUMENT, "NULL context");
  wt_context_destroy(context);
}

int main(void) {
  test_creation();
  test_text();
  test_kernel_list();
  test_chosen();
  return test_result();
}
