// SPDX-License-Identifier: MIT
// Attention refuses every kind of wrong argument with its own status and a sentence that names the argument
// and the value; nothing is launched and the outputs keep their bytes.
#include <limits.h>
#include <math.h>

#include "tests/api/gemm_device.h"
#include "tests/refusal.h"

typedef struct call {
  wt_attention_desc desc;
  char *q, *k, *v, *o, *dout, *dq, *dk, *dv;
  char *lse;
  bool backward;
} call;

static call good;           // batch 2, 4 heads on 2, 5 queries, 7 keys, D 64
static void *other_memory;  // on another device

enum { Q_BYTES = 2 * 5 * 4 * 64 * 2, K_BYTES = 2 * 7 * 2 * 64 * 2, LSE_BYTES = 2 * 4 * 5 * 4 };

static wt_status run(const void *arguments) {
  const call *x = arguments;
  if (!x->backward)
    return wt_attention_forward(refusal_context, &x->desc, x->q, x->k, x->v, x->o, (float *)(void *)x->lse,
                                NULL);
  return wt_attention_backward(refusal_context, &x->desc, x->q, x->k, x->v, x->o,
                               (const float *)(void *)x->lse, x->dout, x->dq, x->dk, x->dv, NULL);
}

static void test_sizes(void) {
  REFUSED(run, good, desc.queries = 0, WT_ERROR_SIZE, "desc->queries is 0", "from 1");
  REFUSED(run, good, desc.queries = -3, WT_ERROR_SIZE, "desc->queries is -3");
  REFUSED(run, good, desc.queries = (1 << 29) + 1, WT_ERROR_SIZE, "desc->queries is 536870913",
          "at most 536870912");
  REFUSED(run, good, desc.keys = -1, WT_ERROR_SIZE, "desc->keys is -1");
  REFUSED(run, good, desc.keys = INT64_MAX, WT_ERROR_SIZE, "desc->keys is 9223372036854775807");
  REFUSED(run, good, desc.keys = INT_MAX, WT_ERROR_SIZE, "desc->keys is 2147483647", "at most 536870912");
  REFUSED(run, good, desc.batch = 0, WT_ERROR_SIZE, "desc->batch is 0");
  REFUSED(run, good, desc.heads = 0, WT_ERROR_SIZE, "desc->heads is 0");
  REFUSED(run, good, desc.kv_heads = -2, WT_ERROR_SIZE, "desc->kv_heads is -2");
  REFUSED(run, good, desc.kv_heads = 3, WT_ERROR_SIZE, "desc->kv_heads is 3", "divide heads, 4");
  REFUSED(run, good, desc.kv_heads = 8, WT_ERROR_SIZE, "desc->kv_heads is 8", "divide heads, 4");
  REFUSED(run, good, desc.head_dim = 0, WT_ERROR_SIZE, "desc->head_dim is 0");
  REFUSED(run, good, desc.value_dim = -64, WT_ERROR_SIZE, "desc->value_dim is -64");
  REFUSED(run, good, desc.head_dim = 100, WT_ERROR_UNSUPPORTED_SIZE, "desc->head_dim is 100",
          "value_dim is 100", "multiples of 8", "pad");
  REFUSED(run, good, desc.value_dim = 60, WT_ERROR_UNSUPPORTED_SIZE, "desc->head_dim is 64",
          "value_dim is 60");
  REFUSED(run, good, desc.head_dim = 264, WT_ERROR_UNSUPPORTED_SIZE, "desc->head_dim is 264", "at most",
          "pass smaller");
  call wide = good;
  wide.desc.head_dim = 256, wide.desc.value_dim = 0;
  if (!is_gfx950(refusal_context))
    REFUSED_CALL("wide heads", run, wide, WT_ERROR_UNSUPPORTED_SIZE, "head_dim is 256", "gfx942");
  else
    REFUSED_CALL("wide heads", run, wide, WT_ERROR_BUFFER, "q needs");
}

static void test_fp8_sizes(void) {
  call fp8 = good;
  fp8.desc.type = WT_TYPE_F8E4M3;
  REFUSED(run, fp8, desc.dropout = 0.5f, WT_ERROR_UNSUPPORTED_TYPE, "desc->dropout is 0.5", "WT_TYPE_F8E4M3",
          "or no dropout");
  REFUSED(run, fp8, desc.head_dim = 72, WT_ERROR_UNSUPPORTED_SIZE, "head_dim is 72", "WT_TYPE_F8E4M3",
          "multiples of 16");
  REFUSED(run, fp8, desc.head_dim = 144, WT_ERROR_UNSUPPORTED_SIZE, "head_dim is 144", "WT_TYPE_F8E4M3",
          "at most 128 and 128");
}

static void test_types(void) {
  REFUSED(run, good, desc.type = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is unknown type (0)",
          "WT_TYPE_BF16");
  REFUSED(run, good, desc.type = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_F32");
  REFUSED(run, good, desc.type = WT_TYPE_F8E4M3_FNUZ, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type is WT_TYPE_F8E4M3_FNUZ");
  if (is_gfx950(refusal_context))
    test_fp8_sizes();
  else
    REFUSED(run, good, desc.type = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_F8E4M3",
            "gfx942");
}

static void test_values(void) {
  REFUSED(run, good, desc.causal = 2, WT_ERROR_VALUE, "desc->causal is 2", "0 or 1");
  REFUSED(run, good, desc.window = -1, WT_ERROR_VALUE, "desc->window is -1", "0 for no window");
  REFUSED(run, good, desc.softmax_scale = -1, WT_ERROR_VALUE, "softmax_scale is -1", "positive");
  REFUSED(run, good, desc.softmax_scale = NAN, WT_ERROR_VALUE, "softmax_scale is", "finite");
  REFUSED(run, good, desc.softmax_scale = INFINITY, WT_ERROR_VALUE, "softmax_scale is inf", "finite");
  REFUSED(run, good, desc.scale_q = 0, WT_ERROR_VALUE, "scale_q is 0", "positive");
  REFUSED(run, good, desc.scale_k = -2, WT_ERROR_VALUE, "scale_k is -2");
  REFUSED(run, good, desc.scale_v = INFINITY, WT_ERROR_VALUE, "scale_v is inf");
  call huge = good;
  huge.desc.scale_q = huge.desc.scale_k = 1e30f;
  REFUSED_CALL("scales whose product overflows", run, huge, WT_ERROR_VALUE,
               "softmax_scale * scale_q * scale_k is inf");
  huge.desc.scale_q = huge.desc.scale_k = 1e-30f;
  REFUSED_CALL("scales whose product vanishes", run, huge, WT_ERROR_VALUE,
               "softmax_scale * scale_q * scale_k is 0");
}

static void test_scores(void) {
  REFUSED(run, good, desc.dropout = NAN, WT_ERROR_VALUE, "dropout is", "below 1");
  REFUSED(run, good, desc.dropout = -0.5f, WT_ERROR_VALUE, "desc->dropout is -0.5", "from 0");
  REFUSED(run, good, desc.dropout = 1, WT_ERROR_VALUE, "desc->dropout is 1", "below 1");
  REFUSED(run, good, desc.dropout = 0.001f, WT_ERROR_VALUE, "desc->dropout is 0.001", "1/256, here 0;");
  REFUSED(run, good, desc.dropout = 0.999f, WT_ERROR_VALUE, "desc->dropout is 0.999", "1/256, here 1;");
  REFUSED(run, good, desc.soft_cap = NAN, WT_ERROR_VALUE, "soft_cap is", "finite");
  REFUSED(run, good, desc.soft_cap = -1, WT_ERROR_VALUE, "desc->soft_cap is -1", "0 for no cap");
  REFUSED(run, good, desc.soft_cap = 1025, WT_ERROR_VALUE, "desc->soft_cap is 1025", "up to 1024");
  call far = good;
  far.desc.soft_cap = 1000, far.desc.softmax_scale = 1e-36f;
  REFUSED_CALL("a cap far beyond the scale", run, far, WT_ERROR_VALUE, "desc->soft_cap is 1000",
               "beyond float32");
  far.desc.soft_cap = 1e-30f, far.desc.softmax_scale = 1e30f;
  REFUSED_CALL("a cap far below the scale", run, far, WT_ERROR_VALUE, "desc->soft_cap is 1e-30",
               "beyond float32");
  REFUSED(run, good, desc.alibi_slopes = (const float *)1, WT_ERROR_MISALIGNED, "desc->alibi_slopes is 0x1",
          "4 bytes");
  REFUSED(run, good, desc.alibi_slopes = (const float *)(void *)good.o, WT_ERROR_OVERLAP, "o (0x",
          "overlaps desc->alibi_slopes");
  REFUSED(run, good, desc.alibi_batch_stride = -1, WT_ERROR_STRIDE, "desc->alibi_batch_stride is -1");
  REFUSED(run, good, desc.alibi_batch_stride = INT64_MAX, WT_ERROR_SIZE,
          "desc->alibi_batch_stride is 9223372036854775807", "2 sets");
  call slopes = good;
  slopes.desc.alibi_slopes = (const float *)(void *)good.q, slopes.desc.softmax_scale = 1e-31f;
  REFUSED_CALL("slopes divided by next to nothing", run, slopes, WT_ERROR_VALUE,
               "softmax_scale * scale_q * scale_k is 1e-31", "alibi_slopes");
  slopes.desc.softmax_scale = 0;
  slopes.desc.alibi_slopes = (const float *)(void *)good.q, slopes.desc.alibi_batch_stride = Q_BYTES / 4;
  REFUSED_CALL("slopes past their memory", run, slopes, WT_ERROR_BUFFER, "desc->alibi_slopes needs");
}

static void test_strides(void) {
  REFUSED(run, good, desc.strides_q.row = -64, WT_ERROR_STRIDE, "desc->strides_q.row is -64");
  REFUSED(run, good, desc.strides_k.head = -1, WT_ERROR_STRIDE, "desc->strides_k.head is -1");
  REFUSED(run, good, desc.strides_v.batch = INT64_MIN, WT_ERROR_STRIDE,
          "desc->strides_v.batch is -9223372036854775808");
  REFUSED(run, good, desc.strides_v.row = INT64_MAX / 2, WT_ERROR_SIZE, "v with strides",
          "4611686018427387903");
  REFUSED(run, good, desc.strides_o.row = 255, WT_ERROR_STRIDE, "desc->strides_o", "1280, 255 and 64",
          "overlap");
  REFUSED(run, good, desc.strides_o.head = 63, WT_ERROR_STRIDE, "desc->strides_o", "1280, 256 and 63");
  REFUSED(run, good, desc.strides_o.batch = 1279, WT_ERROR_STRIDE, "desc->strides_o", "1279, 256 and 64");
  REFUSED(run, good, desc.strides_q.row = 257, WT_ERROR_BUFFER,
          "q needs");  // one element further with each row
}

static void test_packing(int32_t *offsets) {
  REFUSED(run, good, desc.q_offsets = offsets, WT_ERROR_NULL_ARGUMENT, "desc->k_offsets is NULL",
          "q_offsets is not");
  REFUSED(run, good, desc.k_offsets = offsets, WT_ERROR_NULL_ARGUMENT, "desc->q_offsets is NULL",
          "k_offsets is not");
  call packed = good;
  packed.desc.q_offsets = packed.desc.k_offsets = offsets;
  packed.desc.total_queries = 10, packed.desc.total_keys = 14;
  call bad = packed;
  bad.desc.total_queries = 0;
  REFUSED_CALL("no total", run, bad, WT_ERROR_SIZE, "desc->total_queries is 0");
  bad = packed;
  bad.desc.total_keys = 6;
  REFUSED_CALL("a short total", run, bad, WT_ERROR_SIZE, "desc->keys, the largest length, is 7",
               "total_keys is 6");
  bad = packed;
  bad.desc.total_queries = 11;
  REFUSED_CALL("more rows than memory", run, bad, WT_ERROR_BUFFER, "q needs 5632 bytes", "5120");
  bad = packed;
  bad.desc.k_offsets = offsets + 1;
  REFUSED_CALL("short offsets", run, bad, WT_ERROR_BUFFER, "desc->k_offsets needs 12 bytes", "8");
  bad = packed;
  bad.desc.q_offsets = (const int32_t *)(const void *)((const char *)offsets + 2);
  REFUSED_CALL("crooked offsets", run, bad, WT_ERROR_MISALIGNED, "desc->q_offsets is 0x", "4 bytes");
  static int32_t unknown[3];
  bad = packed;
  bad.desc.q_offsets = unknown;
  REFUSED_CALL("offsets on the host's heap", run, bad, WT_ERROR_BUFFER, "desc->q_offsets is 0x", "hipMalloc");
  bad = packed;
  bad.desc.q_offsets = (const int32_t *)(const void *)good.o;
  REFUSED_CALL("offsets in the output", run, bad, WT_ERROR_OVERLAP, "o (0x", "overlaps desc->q_offsets");
}

static void test_pointers(void) {
  static char unknown[64];
  REFUSED(run, good, q = NULL, WT_ERROR_NULL_ARGUMENT, "q is NULL");
  REFUSED(run, good, k = NULL, WT_ERROR_NULL_ARGUMENT, "k is NULL");
  REFUSED(run, good, v = NULL, WT_ERROR_NULL_ARGUMENT, "v is NULL");
  REFUSED(run, good, o = NULL, WT_ERROR_NULL_ARGUMENT, "o is NULL");
  REFUSED(run, good, q = good.q + 1, WT_ERROR_MISALIGNED, "q is 0x", "2 bytes");
  REFUSED(run, good, lse = good.lse + 2, WT_ERROR_MISALIGNED, "lse is 0x", "4 bytes");
  REFUSED(run, good, q = unknown, WT_ERROR_BUFFER, "q is 0x", "hipMalloc");
  REFUSED(run, good, k = good.k + 2, WT_ERROR_BUFFER, "k needs 3584 bytes", "3582");
  REFUSED(run, good, lse = good.lse + 4, WT_ERROR_BUFFER, "lse needs 160 bytes", "156");
  REFUSED(run, good, o = good.q, WT_ERROR_OVERLAP, "o (0x", "overlaps q");
  REFUSED(run, good, o = good.q + Q_BYTES - 2, WT_ERROR_BUFFER, "o needs", "has 2 ");
  call within = good;  // parts of one allocation, so that none is too short
  within.q = (char *)refusal_arena, within.o = within.q + 2 * Q_BYTES;
  REFUSED(run, within, o = within.q + Q_BYTES - 2, WT_ERROR_OVERLAP, "o (0x", "overlaps q");
  REFUSED(run, good, desc.sinks = (const float *)1, WT_ERROR_MISALIGNED, "desc->sinks is 0x1", "4 bytes");
  REFUSED(run, good, desc.sinks = (const float *)(void *)good.o, WT_ERROR_OVERLAP, "o (0x",
          "overlaps desc->sinks");
  REFUSED(run, good, lse = good.v, WT_ERROR_OVERLAP, "lse (0x", "overlaps v");
  REFUSED(run, good, lse = good.o, WT_ERROR_OVERLAP, "o (0x", "overlaps lse");
  if (other_memory) REFUSED(run, good, q = other_memory, WT_ERROR_BUFFER, "q is memory of device", "copy it");
  REFUSED(run, good, desc.struct_size = 0, WT_ERROR_STRUCT_SIZE, "struct_size is 0",
          "WT_ATTENTION_DESC_INIT");
  CHECK(wt_attention_forward(NULL, &good.desc, good.q, good.k, good.v, good.o, NULL, NULL) ==
                WT_ERROR_NULL_ARGUMENT &&
            strstr(wt_last_error(NULL), "context is NULL"),
        "NULL context: %s", wt_last_error(NULL));
  CHECK(wt_attention_forward(refusal_context, NULL, good.q, good.k, good.v, good.o, NULL, NULL) ==
                WT_ERROR_NULL_ARGUMENT &&
            strstr(wt_last_error(refusal_context), "desc is NULL; pass the address of a wt_attention_desc"),
        "NULL desc: %s", wt_last_error(refusal_context));
}

static void test_backward(int device, int other) {
  const call forward = good;
  good.backward = true;
  size_t need = 0;
  CHECK(wt_attention_backward_workspace_size(refusal_context, &good.desc, &need) == WT_SUCCESS && need > 0,
        "%s", wt_last_error(refusal_context));
  CHECK(hipSetDevice(device) == hipSuccess, "device");
  char *workspace = device_memory(need);
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  good.desc.workspace = workspace, good.desc.workspace_bytes = need;
  REFUSED(run, good, desc.type = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE, "WT_TYPE_F8E4M3", "backward");
  REFUSED(run, good, desc.head_dim = 256, WT_ERROR_UNSUPPORTED_SIZE, "desc->head_dim is 256", "backward");
  REFUSED(run, good, desc.value_dim = 136, WT_ERROR_UNSUPPORTED_SIZE, "value_dim is 136", "at most 128");
  REFUSED(run, good, desc.scale_q = 2, WT_ERROR_VALUE, "desc->scale_q is 2", "backward", "pass 1");
  REFUSED(run, good, desc.scale_v = 0.5f, WT_ERROR_VALUE, "desc->scale_v is 0.5");
  REFUSED(run, good, desc.deterministic = 2, WT_ERROR_VALUE, "desc->deterministic is 2");
  REFUSED(run, good, desc.waves = 5, WT_ERROR_VALUE, "desc->waves is 5", "4 or 8");
  REFUSED(run, good, desc.strides_dq.row = 10, WT_ERROR_STRIDE, "desc->strides_dq", "overlap");
  REFUSED(run, good, desc.strides_dk.head = -1, WT_ERROR_STRIDE, "desc->strides_dk.head is -1");
  REFUSED(run, good, desc.strides_dout.row = -1, WT_ERROR_STRIDE, "desc->strides_dout.row is -1");
  call crooked = good;
  crooked.desc.waves = 4, crooked.desc.strides_k.row = 129, crooked.desc.strides_k.batch = 7 * 129;
  REFUSED_CALL("4 waves with crooked rows", run, crooked, WT_ERROR_UNSUPPORTED_KERNEL, "desc->waves is 4",
               "multiples of 16 bytes");
  call eight = good;
  eight.desc.waves = 8, eight.desc.soft_cap = 30;
  REFUSED_CALL("8 waves with a soft cap", run, eight, WT_ERROR_UNSUPPORTED_KERNEL, "desc->waves is 8",
               "a soft cap", "pass 4");
  REFUSED(run, good, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL");
  REFUSED(run, good, desc.workspace_bytes = need - 1, WT_ERROR_BUFFER, "desc->workspace_bytes is",
          "workspace_size");
  REFUSED(run, good, desc.workspace = workspace + 4, WT_ERROR_MISALIGNED, "desc->workspace is 0x",
          "16 bytes");
  REFUSED(run, good, desc.workspace = workspace + 16, WT_ERROR_BUFFER, "desc->workspace needs");
  REFUSED(run, good, desc.d_sinks = (float *)(void *)good.q, WT_ERROR_NULL_ARGUMENT, "desc->sinks is NULL",
          "pass both");
  call sinks = good;
  sinks.desc.sinks = (const float *)(void *)good.q;
  sinks.desc.d_sinks = (float *)(void *)good.q;
  REFUSED_CALL("a gradient over the sinks", run, sinks, WT_ERROR_OVERLAP, "desc->d_sinks (0x", "overlaps q");
  REFUSED(run, good, lse = NULL, WT_ERROR_NULL_ARGUMENT, "lse is NULL");
  REFUSED(run, good, dout = NULL, WT_ERROR_NULL_ARGUMENT, "dout is NULL");
  REFUSED(run, good, dv = NULL, WT_ERROR_NULL_ARGUMENT, "dv is NULL");
  REFUSED(run, good, dk = good.dv, WT_ERROR_OVERLAP, "dk (0x", "overlaps dv");
  REFUSED(run, good, dq = good.q, WT_ERROR_OVERLAP, "dq (0x", "overlaps q");
  REFUSED(run, good, dv = good.dout, WT_ERROR_OVERLAP, "dv (0x", "overlaps");
  size_t bytes = 1;
  CHECK(wt_attention_backward_workspace_size(refusal_context, &good.desc, NULL) == WT_ERROR_NULL_ARGUMENT &&
            strstr(wt_last_error(refusal_context), "bytes is NULL"),
        "%s", wt_last_error(refusal_context));
  call bad = good;
  bad.desc.heads = 0;
  CHECK(
      wt_attention_backward_workspace_size(refusal_context, &bad.desc, &bytes) == WT_ERROR_SIZE && bytes == 0,
      "%s", wt_last_error(refusal_context));
  (void)hipFree(workspace);
  good = forward;
}

static void test_device(int device, int other) {
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  other_memory = device == other ? NULL : device_memory(Q_BYTES);
  refusal_begin(device);
  if (!refusal_context) return;
  good = (call){.desc = WT_ATTENTION_DESC_INIT};
  good.desc.type = WT_TYPE_BF16;
  good.desc.head_dim = 64;
  good.desc.batch = 2, good.desc.heads = 4, good.desc.kv_heads = 2;
  good.desc.queries = 5, good.desc.keys = 7;
  char **const of_queries[] = {&good.q, &good.o, &good.dout, &good.dq};
  char **const of_keys[] = {&good.k, &good.v, &good.dk, &good.dv};
  for (int i = 0; i < 4; ++i) {
    *of_queries[i] = device_memory(Q_BYTES);
    *of_keys[i] = device_memory(K_BYTES);
    CHECK(hipMemset(*of_queries[i], 0, Q_BYTES) == hipSuccess, "memory");
    CHECK(hipMemset(*of_keys[i], 0, K_BYTES) == hipSuccess, "memory");
  }
  good.lse = device_memory(LSE_BYTES);
  CHECK(hipMemset(good.lse, 0xa5, LSE_BYTES) == hipSuccess, "memory");
  refusal_watch(good.o, Q_BYTES);
  refusal_watch(good.lse, LSE_BYTES);
  refusal_watch(good.dq, Q_BYTES);
  refusal_watch(good.dk, K_BYTES);
  refusal_watch(good.dv, K_BYTES);
  int32_t *offsets = device_memory(3 * sizeof *offsets);
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  test_sizes();
  test_types();
  test_values();
  test_scores();
  test_strides();
  test_packing(offsets);
  test_pointers();
  test_backward(device, other);
  refusal_accepted("the good call", run, &good);
  int current = -1;
  CHECK(hipGetDevice(&current) == hipSuccess && current == other, "the caller's device became %d", current);
  for (int i = 0; i < 4; ++i) (void)hipFree(*of_queries[i]), (void)hipFree(*of_keys[i]);
  (void)hipFree(good.lse);
  (void)hipFree(offsets);
  (void)hipFree(other_memory);
  refusal_end();
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) test_device(device, (device + 1) % count);
  return test_result();
}
