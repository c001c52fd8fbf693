// SPDX-License-Identifier: MIT
// Tests a library with the rotary embedding and one GEMM: these run, and every other call fails with the name
// of the kernel that it needs, of its family, and of the option that builds it.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "wavetile.h"

static unsigned char *memory[8];
static wt_context *context;

static void expect_left_out(wt_status status, const char *kernel, const char *family) {
  char words[160];
  snprintf(words, sizeof words, "kernel %s of the family %s was left out", kernel, family);
  const char *said = wt_last_error(context);
  CHECK(status == WT_ERROR_NOT_BUILT, "%s: %s, %s", kernel, wt_status_string(status), said);
  CHECK(strstr(said, words) && strstr(said, "-DWT_KERNELS=all, or run ./dev build"), "%s: %s", kernel, said);
}

static wt_gemm_desc gemm_of(int64_t size, int64_t k) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = desc.n = size;
  desc.k = k;
  desc.type_a = desc.type_b = WT_TYPE_BF16;
  desc.type_c = WT_TYPE_F32;
  return desc;
}

static void test_gemm(void) {
  wt_gemm_desc desc = gemm_of(64, 512);
  CHECK(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  desc.kernel = "gemm_8wave_256x256";
  expect_left_out(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL), "gemm_8wave_256x256",
                  "gemm");
  desc.kernel = "gemm_01_naive";
  desc.type_a = desc.type_b =
      strcmp(wt_context_target(context), "gfx950") == 0 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  expect_left_out(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL), "gemm_01_naive", "ladder");
  // The one kernel that is there needs more of K, and those for few rows or columns take fewer.
  desc = gemm_of(65, 16);
  expect_left_out(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL), "gemm_general_64x64",
                  "gemm");
  // The sum over parts of K has a kernel of its own, and parts are not chosen without it.
  desc = gemm_of(64, 4096);
  desc.workspace = memory[3];
  desc.workspace_bytes = 1 << 20;
  CHECK(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  desc.split_k = 2;
  expect_left_out(wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL), "gemm_reduce", "gemm");
}

static void test_explanations(void) {
  char text[8192];
  wt_gemm_desc gemm = gemm_of(64, 512);
  CHECK(wt_gemm_explain(context, &gemm, text, sizeof text, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK(strstr(text, "kernel      gemm_4wave_64x64") &&
            strstr(text, "was left out when this library was built"),
        "%s", text);
  wt_attention_desc attention = WT_ATTENTION_DESC_INIT;
  attention.batch = attention.heads = attention.kv_heads = 1;
  attention.queries = attention.keys = 64;
  attention.head_dim = attention.value_dim = 64;
  attention.type = WT_TYPE_BF16;
  expect_left_out(wt_attention_explain(context, &attention, 0, text, sizeof text, NULL),
                  "attention_forward_d64", "attention");
  CHECK(strstr(text, "attention_forward_d64") && strstr(text, "left out"), "%s", text);
}

static void test_families(void) {
  wt_rotary_desc rotary = WT_ROTARY_DESC_INIT;
  rotary.rows = 4;
  rotary.head_dim = 64;
  rotary.type = WT_TYPE_F32;
  CHECK(wt_rotary(context, &rotary, memory[0], memory[1], NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  wt_norm_desc norm = WT_NORM_DESC_INIT;
  norm.rows = 4;
  norm.columns = 64;
  norm.type = WT_TYPE_F32;
  expect_left_out(wt_norm(context, &norm, memory[0], memory[1], NULL), "norm_forward", "norm");
  wt_softmax_desc softmax = WT_SOFTMAX_DESC_INIT;
  softmax.rows = 4;
  softmax.columns = 64;
  softmax.type = WT_TYPE_F32;
  expect_left_out(wt_softmax(context, &softmax, memory[0], memory[1], NULL), "softmax_forward", "softmax");
  wt_experts_desc layer = WT_EXPERTS_DESC_INIT;
  layer.tokens = layer.experts = layer.top_k = 1;
  layer.hidden = layer.inner = 8;
  layer.type = WT_TYPE_BF16;
  const void *const ids = memory[3], *const weights = memory[4];
  expect_left_out(
      wt_experts_forward(context, &layer, memory[0], memory[1], memory[2], ids, weights, memory[5], NULL),
      "experts_sort", "experts");
}

int main(void) {
  for (int device = 0; device < 2; ++device) {
    CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
    for (int i = 0; i < 8; ++i) {
      CHECK(hipMalloc((void **)&memory[i], 1 << 20) == hipSuccess, "memory");
      CHECK(hipMemset(memory[i], 0, 1 << 20) == hipSuccess, "memory");
    }
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    test_gemm();
    test_explanations();
    test_families();
    CHECK(hipDeviceSynchronize() == hipSuccess, "the kernels that are there run");
    wt_context_destroy(context);
    for (int i = 0; i < 8; ++i) CHECK(hipFree(memory[i]) == hipSuccess, "memory");
  }
  return test_result();
}
