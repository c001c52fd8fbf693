// SPDX-License-Identifier: MIT
// wt_attention_explain says which kernels a descriptor gets, and why not the others; and they are the ones
// that run, by the work-groups that a launch has.
#include "tests/api/gemm_device.h"

static wt_context *context;

static void expect_words(const wt_attention_desc *desc, int backward, wt_status status, const char *what,
                         const char *const *words) {
  char text[8192];
  size_t length = 0;
  const wt_status got = wt_attention_explain(context, desc, backward, text, sizeof text, &length);
  CHECK(got == status, "%s: status %d, expected %d: %s", what, (int)got, (int)status, wt_last_error(context));
  CHECK(length == strlen(text), "%s: %zu characters, said to be %zu", what, strlen(text), length);
  for (; *words; ++words) CHECK(strstr(text, *words), "%s: no \"%s\" in\n%s", what, *words, text);
}
#define EXPLAINED(desc, backward, status, what, ...) \
  expect_words(desc, backward, status, what, (const char *const[]){__VA_ARGS__, NULL})

static wt_attention_desc shape(int head_dim, int queries, int keys) {
  wt_attention_desc desc = WT_ATTENTION_DESC_INIT;
  desc.type = WT_TYPE_BF16;
  desc.head_dim = head_dim;
  desc.batch = 2, desc.heads = 4, desc.kv_heads = 2;
  desc.queries = queries, desc.keys = keys;
  return desc;
}

static void test_forward(void) {
  wt_attention_desc desc = shape(128, 600, 700);
  EXPLAINED(&desc, 0, WT_SUCCESS, "heads of 128", "kernel      attention_forward_d128_bf16\n",
            "fits, but takes longer", "the one for WT_TYPE_BF16 with head_dim 128 and value_dim 128",
            "3 of 256 queries", "24 of 512 threads: 1 round",
            "2 x 4 heads, 2 of K and V; 600 queries and 700 keys", "* attention_forward_d128", "takes FP8",
            "is for other head dimensions");
  desc.strides_k.row = 2 * 128 + 1, desc.strides_k.head = 128, desc.strides_k.batch = 700 * 257;
  EXPLAINED(&desc, 0, WT_SUCCESS, "crooked rows", "attention_forward_d128_bf16_any", "slower");
  // A launch takes 2^23 - 1 work-groups of 512 threads: here those of one member of the batch.
  desc = shape(64, 1 << 20, 700);
  desc.heads = 1 << 10;
  EXPLAINED(&desc, 0, WT_SUCCESS, "many queries and heads", "4096 of 256 queries",
            "launches    2, of up to 1 members");
  desc.heads = 1 << 11;
  EXPLAINED(&desc, 0, WT_ERROR_SIZE, "more than a launch takes",
            "kernel      none: desc->queries is 1048576 and heads is 2048", "pass fewer");
  desc = shape(256, 600, 700);
  if (is_gfx950(context))
    EXPLAINED(&desc, 0, WT_SUCCESS, "wide heads", "attention_forward_d256_bf16", "2 shares of V's columns",
              "48 of 512");
  else
    EXPLAINED(&desc, 0, WT_ERROR_UNSUPPORTED_SIZE, "wide heads", "kernel      none: desc->head_dim is 256",
              "more LDS");
  desc = shape(96, 600, 700);
  EXPLAINED(&desc, 0, WT_SUCCESS, "heads of 96", "kernel      attention_forward_d128_bf16_general\n",
            "with head_dim up to 128 and value_dim up to 128, K and V", "* attention_forward_general_d128",
            "is for narrower heads", "is for other head dimensions");
  desc = shape(128, 600, 700);
  desc.soft_cap = 30;
  EXPLAINED(&desc, 0, WT_SUCCESS, "a soft cap", "kernel      attention_forward_d128_bf16_general\n",
            "that has a soft cap", "takes scores as they are");
  desc.dropout = 0.1f;
  EXPLAINED(&desc, 0, WT_SUCCESS, "a soft cap and dropout", "_general\n", "that has a soft cap and dropout");
  desc = shape(320, 600, 700);
  EXPLAINED(&desc, 0, WT_ERROR_UNSUPPORTED_SIZE, "heads of 320", "kernel      none: desc->head_dim is 320",
            "pass smaller ones", "  attention_forward_d64");
}

static void test_backward(void) {
  wt_attention_desc desc = shape(64, 600, 700);
  EXPLAINED(&desc, 1, WT_SUCCESS, "by atomic additions", "attention_backward_prepare_d64_bf16",
            "attention_backward_dkvq_4wave_d64_bf16", "24 of 256 threads",
            "attention_backward_finish_d64_bf16", "makes S and dP once", "atomic additions",
            "* 4 waves, dQ by atomic additions", "only a fixed order");
  desc.deterministic = 1;
  EXPLAINED(&desc, 1, WT_SUCCESS, "deterministic", "attention_backward_dkv_8wave_d64_bf16",
            "12 of 512 threads", "attention_backward_dq_8wave_d64_bf16", "the same bits", "* 8 waves",
            "deterministic is 1", "only when waves is 4");
  desc.waves = 4;
  EXPLAINED(&desc, 1, WT_SUCCESS, "asked for", "attention_backward_dkv_4wave_d64_bf16", "asked for by waves",
            "waves is 4");
  desc.waves = 0, desc.deterministic = 0, desc.strides_q.row = 4 * 64 + 1, desc.strides_q.batch = 600 * 257;
  EXPLAINED(&desc, 1, WT_SUCCESS, "crooked rows", "attention_backward_dkv_8wave_d64_bf16_any",
            "which take rows anywhere", "needs rows of Q, K, V and dO at multiples of 16 bytes");
  size_t bytes = 0;
  desc = shape(64, 600, 700);
  CHECK(wt_attention_backward_workspace_size(context, &desc, &bytes) == WT_SUCCESS, "%s",
        wt_last_error(context));
  char words[64];
  snprintf(words, sizeof words, "workspace   %zu bytes", bytes);
  EXPLAINED(&desc, 1, WT_SUCCESS, "the workspace", words);
  desc.soft_cap = 30;
  EXPLAINED(&desc, 1, WT_SUCCESS, "a soft cap", "attention_backward_prepare_d64_bf16_general",
            "attention_backward_dkv_4wave_d64_bf16_general", "attention_backward_dq_4wave_d64_bf16_general",
            "scores or weights that are not just products", "the same bits",
            "* 4 waves, dQ in a kernel of its own", "takes whole tiles");
  desc.soft_cap = 0, desc.head_dim = 80;
  EXPLAINED(&desc, 1, WT_SUCCESS, "heads of 80", "attention_backward_dkv_4wave_d128_bf16_general",
            "narrower than their tiles");
  desc.head_dim = 256;
  EXPLAINED(&desc, 1, WT_ERROR_UNSUPPORTED_SIZE, "wide heads", "kernels     none: desc->head_dim is 256");
}

static void test_text(void) {
  wt_attention_desc desc = shape(128, 10, 10);
  char text[16];
  size_t length = 0, whole = 0;
  CHECK(wt_attention_explain(context, &desc, 0, NULL, 0, &whole) == WT_SUCCESS && whole > 100,
        "the length alone");
  memset(text, 'x', sizeof text);
  CHECK(wt_attention_explain(context, &desc, 0, text, 10, &length) == WT_SUCCESS && length == whole,
        "cut off");
  CHECK(strlen(text) == 9 && text[10] == 'x', "cut off: \"%.15s\"", text);
  CHECK(wt_attention_explain(context, &desc, 0, text, 10, NULL) == WT_SUCCESS, "no length wanted");
  CHECK(wt_attention_explain(context, &desc, 0, NULL, 10, NULL) == WT_ERROR_NULL_ARGUMENT &&
            strstr(wt_last_error(context), "text is NULL, but size is 10"),
        "%s", wt_last_error(context));
  CHECK(wt_attention_explain(context, &desc, 2, text, 10, NULL) == WT_ERROR_VALUE &&
            strstr(wt_last_error(context), "backward is 2"),
        "%s", wt_last_error(context));
  CHECK(wt_attention_explain(NULL, &desc, 0, text, 10, NULL) == WT_ERROR_NULL_ARGUMENT, "no context");
  CHECK(wt_attention_explain(context, NULL, 0, text, 10, NULL) == WT_ERROR_NULL_ARGUMENT, "no descriptor");
  desc.heads = 0;
  CHECK(wt_attention_explain(context, &desc, 0, text, 10, &length) == WT_ERROR_SIZE && length == 0 && !*text,
        "a wrong descriptor: %zu \"%.15s\"", length, text);
}

// What is explained is what runs: as many work-groups.
static void test_runs(int device) {
  CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
  wt_attention_desc desc = shape(64, 300, 40);
  const size_t q_bytes = 2 * 300 * 4 * 64 * 2, k_bytes = 2 * 40 * 2 * 64 * 2;
  void *q = device_memory(q_bytes), *o = device_memory(q_bytes), *k = device_memory(k_bytes);
  CHECK(hipMemset(q, 0, q_bytes) == hipSuccess && hipMemset(k, 0, k_bytes) == hipSuccess, "memory");
  const unsigned long long before = workgroups_executed();
  CHECK(wt_attention_forward(context, &desc, q, k, k, o, NULL, NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  CHECK(hipDeviceSynchronize() == hipSuccess, "forward");
  char words[64];
  snprintf(words, sizeof words, "work-groups %llu of", workgroups_executed() - before);
  EXPLAINED(&desc, 0, WT_SUCCESS, "what runs", words);
  (void)hipFree(q), (void)hipFree(o), (void)hipFree(k);
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    test_forward();
    test_backward();
    test_text();
    test_runs(device);
    wt_context_destroy(context);
  }
  return test_result();
}
