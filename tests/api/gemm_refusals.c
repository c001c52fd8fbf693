// SPDX-License-Identifier: MIT
// wt_gemm refuses every kind of wrong argument with its own status and a sentence that names the argument and
// the value; nothing is launched and the output keeps its bytes.
#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "gemm_device.h"

typedef struct call {
  wt_gemm_desc desc;
  void *a, *b, *c;
  float *vector;      // 12 elements
  void *long_inputs;  // 8 x 1024 and 12 x 1024
} call;

static wt_context *context;
static call good;           // 8 x 12 x 16, f32 out
static void *other_memory;  // on another device

enum { A_BYTES = 8 * 16, B_BYTES = 12 * 16, C_BYTES = 8 * 12 * 4 };

// Runs the call and checks status, sentence and that nothing happened.
static void refused(const char *what, call bad, wt_status status, const char *words[], int word_count) {
  unsigned char before[C_BYTES], after[C_BYTES];
  CHECK(hipMemcpy(before, good.c, C_BYTES, hipMemcpyDeviceToHost) == hipSuccess, "%s", what);
  unsigned long long executed = workgroups_executed();
  wt_status got = wt_gemm(context, &bad.desc, bad.a, bad.b, bad.c, NULL);
  const char *sentence = wt_last_error(context);
  CHECK(got == status, "%s: status %d (%s), expected %d", what, (int)got, wt_status_string(got), (int)status);
  for (int i = 0; i < word_count; ++i)
    CHECK(strstr(sentence, words[i]), "%s: \"%s\" does not say \"%s\"", what, sentence, words[i]);
  CHECK(hipDeviceSynchronize() == hipSuccess, "%s", what);
  CHECK(workgroups_executed() == executed, "%s: something was launched", what);
  CHECK(hipMemcpy(after, good.c, C_BYTES, hipMemcpyDeviceToHost) == hipSuccess, "%s", what);
  CHECK(memcmp(before, after, C_BYTES) == 0, "%s: the output changed", what);
}

#define WORDS(...) \
  (const char *[]){__VA_ARGS__}, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))
// One wrong member: REFUSED(desc.m = 0, WT_ERROR_SIZE, "m is 0").
#define REFUSED(change, status, ...)                   \
  do {                                                 \
    call bad = good;                                   \
    bad.change;                                        \
    refused(#change, bad, status, WORDS(__VA_ARGS__)); \
  } while (0)

static void test_sizes(void) {
  REFUSED(desc.m = 0, WT_ERROR_SIZE, "desc->m is 0", "from 1");
  REFUSED(desc.n = 0, WT_ERROR_SIZE, "desc->n is 0");
  REFUSED(desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  REFUSED(desc.m = -5, WT_ERROR_SIZE, "desc->m is -5");
  REFUSED(desc.n = INT64_MIN, WT_ERROR_SIZE, "desc->n is -9223372036854775808");
  REFUSED(desc.k = (int64_t)INT_MAX + 1, WT_ERROR_SIZE, "desc->k is 2147483648");
  REFUSED(desc.batch = 0, WT_ERROR_SIZE, "desc->batch is 0");
  REFUSED(desc.batch = -1, WT_ERROR_SIZE, "desc->batch is -1");
  REFUSED(desc.lda = INT64_MAX, WT_ERROR_SIZE, "lda 9223372036854775807");
}

static void test_strides(void) {
  REFUSED(desc.lda = 15, WT_ERROR_LEADING_DIMENSION, "desc->lda is 15", "16 elements");
  REFUSED(desc.ldb = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldb is 1", "16 elements");
  REFUSED(desc.ldc = 11, WT_ERROR_LEADING_DIMENSION, "desc->ldc is 11", "12 elements");
  REFUSED(desc.ldc = -12, WT_ERROR_LEADING_DIMENSION, "desc->ldc is -12");
  REFUSED(desc.stride_a = -1, WT_ERROR_STRIDE, "desc->stride_a is -1");
  REFUSED(desc.stride_b = -128, WT_ERROR_STRIDE, "desc->stride_b is -128");
  call batched = good;
  batched.desc.batch = 2;
  refused("batch 2 with stride_c 0", batched, WT_ERROR_STRIDE, WORDS("desc->stride_c is 0", "at least 96"));
  batched.desc.stride_c = 95;
  refused("batch 2 with stride_c 95", batched, WT_ERROR_STRIDE, WORDS("desc->stride_c is 95"));
  call transposed = good;
  transposed.desc.trans_a = 1;
  transposed.desc.lda = 7;
  refused("trans_a with lda 7", transposed, WT_ERROR_LEADING_DIMENSION,
          WORDS("desc->lda is 7", "8 elements"));
}

static void test_values(void) {
  REFUSED(desc.alpha = NAN, WT_ERROR_VALUE, "alpha is", "finite");
  REFUSED(desc.beta = INFINITY, WT_ERROR_VALUE, "beta is inf");
  REFUSED(desc.scale_a = -INFINITY, WT_ERROR_VALUE, "scale_a is -inf");
  REFUSED(desc.scale_b = NAN, WT_ERROR_VALUE, "scale_b is");
  call huge = good;
  huge.desc.scale_a = huge.desc.scale_b = 1e30f;
  refused("scales whose product overflows", huge, WT_ERROR_VALUE, WORDS("alpha * scale_a * scale_b is inf"));
  REFUSED(desc.trans_a = 2, WT_ERROR_VALUE, "trans_a is 2");
  REFUSED(desc.trans_b = -1, WT_ERROR_VALUE, "trans_b is -1");
}

static void test_types(void) {
  bool ocp = is_gfx950(context);
  wt_type foreign = ocp ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3;
  const char *wanted = ocp ? "WT_TYPE_F8E5M2, WT_TYPE_BF16" : "WT_TYPE_F8E5M2_FNUZ, WT_TYPE_BF16";
  REFUSED(desc.type_a = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is WT_TYPE_F8E4M3", wanted);
  REFUSED(desc.type_a = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is WT_TYPE_F32");
  REFUSED(desc.type_a = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F8E4M3",
          "with type_a WT_TYPE_BF16 it must be the same");
  REFUSED(desc.type_a = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is unknown type (0)");
  REFUSED(desc.type_b = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F16",
          "an FP8 type of this device");
  REFUSED(desc.type_b = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F8E4M3");
  REFUSED(desc.type_c = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I32",
          "output is WT_TYPE_F32");
  REFUSED(desc.type_c = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I8");
  REFUSED(desc.type_c = (wt_type)99, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is unknown type (99)");
}

static void test_kernels(void) {
  REFUSED(desc.kernel = "gemm_99", WT_ERROR_UNKNOWN_KERNEL, "\"gemm_99\"", "wt_gemm_kernel_at");
  REFUSED(desc.kernel = "", WT_ERROR_UNKNOWN_KERNEL, "\"\"");
  call transposed = good;
  transposed.desc.trans_b = 1;
  transposed.desc.kernel = "gemm_05_direct_to_lds";
  refused("05 with trans_b", transposed, WT_ERROR_UNSUPPORTED_KERNEL,
          WORDS("gemm_05_direct_to_lds", "K contiguous", "trans_b is 1"));
}

static void test_epilogue(void) {
  static float unknown[12];
  float *vector = good.vector;
  REFUSED(desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4", "WT_ACTIVATION_");
  REFUSED(desc.activation = (wt_activation)-1, WT_ERROR_VALUE, "desc->activation is -1");
  REFUSED(desc.row_scale = unknown, WT_ERROR_BUFFER, "desc->row_scale is 0x", "hipMalloc");
  REFUSED(desc.column_scale = vector + 1, WT_ERROR_BUFFER, "desc->column_scale needs 48 bytes", "44");
  REFUSED(desc.bias = vector + 1, WT_ERROR_BUFFER, "desc->bias needs 48 bytes", "44");
  REFUSED(desc.row_scale = vector + 5, WT_ERROR_BUFFER, "desc->row_scale needs 32 bytes", "28");
  REFUSED(desc.bias = (float *)((char *)vector + 2), WT_ERROR_MISALIGNED, "desc->bias is 0x", "4 bytes");
  REFUSED(desc.row_scale = good.c, WT_ERROR_OVERLAP, "c (0x", "overlaps desc->row_scale");
  REFUSED(desc.column_scale = good.c, WT_ERROR_OVERLAP, "overlaps desc->column_scale");
  REFUSED(desc.bias = (float *)((char *)good.c + C_BYTES - 4), WT_ERROR_OVERLAP, "overlaps desc->bias");
  call rung = good;
  rung.desc.kernel = "gemm_05_direct_to_lds";
  rung.desc.bias = vector;
  refused("a rung with a bias", rung, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("gemm_05", "bias is set"));
  rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.type_a = rung.desc.type_b = WT_TYPE_BF16;
  refused("a rung with BF16", rung, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("one FP8 type", "WT_TYPE_BF16"));
  rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.type_c = WT_TYPE_F16;
  refused("a rung into F16", rung, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("type_c is WT_TYPE_F16"));
}

// 8 x 12 x 1024, for the library's kernels.
static call long_call(void) {
  call x = good;
  x.desc.k = 1024;
  x.a = good.long_inputs;
  x.b = (char *)good.long_inputs + 8 * 1024;
  return x;
}

static void test_grid_order(void) {
  REFUSED(desc.grid_window = -1, WT_ERROR_VALUE, "desc->grid_window is -1", "0 for the kernel's own");
  REFUSED(desc.grid_chunk = -7, WT_ERROR_VALUE, "desc->grid_chunk is -7");
  call rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.grid_chunk = 2;
  refused("a rung", rung, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("row by row", "grid_chunk is set"));
}

static void test_split_k(void) {
  enum { NEED = 2 * 8 * 12 * 4 };
  REFUSED(desc.split_k = -1, WT_ERROR_VALUE, "desc->split_k is -1", "0 to have it chosen");
  REFUSED(desc.split_k = 1025, WT_ERROR_VALUE, "desc->split_k is 1025", "1024");
  call split = long_call();
  split.desc.split_k = 2;
  refused("no workspace", split, WT_ERROR_NULL_ARGUMENT,
          WORDS("desc->workspace is NULL", "split_k 2", "768"));
  split.desc.workspace = good.long_inputs;
  split.desc.workspace_bytes = NEED - 1;
  refused("a short workspace", split, WT_ERROR_BUFFER, WORDS("desc->workspace_bytes is 767", "768"));
  split.desc.workspace_bytes = NEED;
  refused("a workspace over A", split, WT_ERROR_OVERLAP, WORDS("desc->workspace (0x", "overlaps a"));
  split.desc.workspace = (char *)split.b + 16;
  refused("a workspace over B", split, WT_ERROR_OVERLAP, WORDS("desc->workspace (0x", "overlaps b"));
  split.desc.workspace = good.vector;
  refused("less memory than said", split, WT_ERROR_BUFFER, WORDS("desc->workspace needs 768 bytes", "48"));
  split.desc.bias = good.vector;
  refused("a workspace over a bias", split, WT_ERROR_OVERLAP,
          WORDS("desc->workspace", "overlaps desc->bias"));
  split.desc.bias = NULL;
  split.desc.workspace = (char *)good.vector + 4;
  refused("a crooked workspace", split, WT_ERROR_MISALIGNED, WORDS("desc->workspace is 0x", "16 bytes"));
  split.desc.workspace = good.c;
  refused("a workspace over C", split, WT_ERROR_OVERLAP, WORDS("c (0x", "overlaps desc->workspace"));
  split.desc.kernel = "gemm_05_direct_to_lds";
  refused("a rung with split K", split, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("split_k is 2"));
}

static void test_copies(void) {
  call tiled = long_call();
  tiled.desc.kernel = "gemm_4wave_64x64";
  call bad = tiled;
  bad.desc.k = 64;
  refused("a short K", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("needs k of at least", "k is 64"));
  bad = tiled;
  bad.desc.lda = 1025;
  refused("crooked rows", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("16 bytes", "lda is 1025"));
  bad = tiled;
  bad.desc.ldb = (int64_t)1 << 28;
  refused("far rows", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("2 GB", "ldb is 268435456"));
  bad = tiled;
  bad.desc.batch = 2, bad.desc.stride_a = 8, bad.desc.stride_c = 96;
  refused("crooked matrices", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("16 bytes", "stride_a is 8"));
  bad = tiled;
  bad.desc.trans_b = 1;
  refused("trans_b", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("K contiguous", "trans_b is 1"));
  bad = tiled;
  bad.b = (char *)bad.b + 8;
  refused("a crooked B", bad, WT_ERROR_UNSUPPORTED_KERNEL, WORDS("16 bytes", "a or b is not"));
}

static void test_integers(void) {
  call whole = good;
  whole.desc.type_a = whole.desc.type_b = WT_TYPE_I8;
  whole.desc.type_c = WT_TYPE_I32;
  call bad = whole;
  bad.desc.type_b = WT_TYPE_BF16;
  refused("I8 with BF16", bad, WT_ERROR_UNSUPPORTED_TYPE, WORDS("desc->type_b is WT_TYPE_BF16", "the same"));
  bad = whole;
  bad.desc.alpha = 0.5f;
  refused("alpha", bad, WT_ERROR_VALUE, WORDS("desc->alpha is 0.5", "WT_TYPE_I32", "whole number"));
  bad = whole;
  bad.desc.beta = 0x1p25f;
  refused("beta", bad, WT_ERROR_VALUE, WORDS("desc->beta is 33554432", "2^24"));
  bad = whole;
  bad.desc.scale_a = 2;
  refused("scale_a", bad, WT_ERROR_VALUE, WORDS("desc->scale_a is 2", "must be 1"));
  bad = whole;
  bad.desc.scale_b = 2;
  refused("scale_b", bad, WT_ERROR_VALUE, WORDS("desc->scale_b is 2", "must be 1"));
  bad = whole;
  bad.desc.row_scale = good.vector;
  refused("row_scale", bad, WT_ERROR_VALUE, WORDS("desc->row_scale is set", "WT_TYPE_I32"));
  bad = whole;
  bad.desc.column_scale = good.vector;
  refused("column_scale", bad, WT_ERROR_VALUE, WORDS("desc->column_scale is set"));
  bad = whole;
  bad.desc.bias = good.vector;
  refused("bias", bad, WT_ERROR_VALUE, WORDS("desc->bias is set"));
  bad = whole;
  bad.desc.activation = WT_ACTIVATION_RELU;
  refused("activation", bad, WT_ERROR_VALUE, WORDS("desc->activation is set"));
}

static void test_struct_size(void) {
  REFUSED(desc.struct_size = 0, WT_ERROR_STRUCT_SIZE, "struct_size is 0", "WT_GEMM_DESC_INIT");
  REFUSED(desc.struct_size = sizeof(wt_gemm_desc) - 1, WT_ERROR_STRUCT_SIZE, "struct_size is");
  REFUSED(desc.struct_size = (size_t)-1, WT_ERROR_STRUCT_SIZE, "struct_size is");
  struct {
    wt_gemm_desc desc;
    unsigned char newer[16];
  } larger = {.desc = good.desc};
  larger.desc.struct_size = sizeof larger;
  larger.newer[5] = 1;
  unsigned long long executed = workgroups_executed();
  CHECK(wt_gemm(context, &larger.desc, good.a, good.b, good.c, NULL) == WT_ERROR_STRUCT_SIZE,
        "newer member set");
  CHECK(workgroups_executed() == executed, "something was launched");
  larger.newer[5] = 0;
  CHECK(wt_gemm(context, &larger.desc, good.a, good.b, good.c, NULL) == WT_SUCCESS, "newer members zero: %s",
        wt_last_error(context));
  CHECK(hipDeviceSynchronize() == hipSuccess, "newer members zero");

  // As earlier versions had it: what follows is not read.
  const size_t older[] = {offsetof(wt_gemm_desc, row_scale), offsetof(wt_gemm_desc, grid_window)};
  for (int i = 0; i < 2; ++i) {
    wt_gemm_desc old = good.desc;
    old.struct_size = older[i];
    memset((char *)&old + older[i], 0xff, sizeof old - older[i]);
    executed = workgroups_executed();
    CHECK(wt_gemm(context, &old, good.a, good.b, good.c, NULL) == WT_SUCCESS, "a struct of %zu bytes: %s",
          older[i], wt_last_error(context));
    CHECK(hipDeviceSynchronize() == hipSuccess && workgroups_executed() > executed, "a struct of %zu bytes",
          older[i]);
  }
  REFUSED(desc.struct_size = offsetof(wt_gemm_desc, bias), WT_ERROR_STRUCT_SIZE, "struct_size is");
}

static void test_pointers(void) {
  static unsigned char unknown[C_BYTES];
  REFUSED(a = NULL, WT_ERROR_NULL_ARGUMENT, "a is NULL");
  REFUSED(b = NULL, WT_ERROR_NULL_ARGUMENT, "b is NULL");
  REFUSED(c = NULL, WT_ERROR_NULL_ARGUMENT, "c is NULL");
  REFUSED(c = (char *)good.c + 2, WT_ERROR_MISALIGNED, "c is 0x", "4 bytes");
  REFUSED(a = unknown, WT_ERROR_BUFFER, "a is 0x", "hipMalloc");
  REFUSED(a = (char *)good.a + 1, WT_ERROR_BUFFER, "a needs 128 bytes", "127");
  REFUSED(b = (char *)good.b + 4, WT_ERROR_BUFFER, "b needs 192 bytes", "188");
  REFUSED(c = (char *)good.c + 4, WT_ERROR_BUFFER, "c needs 384 bytes", "380");
  REFUSED(desc.m = 9, WT_ERROR_BUFFER, "a needs 144 bytes", "128");
  REFUSED(desc.ldb = 17, WT_ERROR_BUFFER, "b needs 203 bytes", "192");  // the last row needs no padding
  REFUSED(c = good.a, WT_ERROR_OVERLAP, "c (0x", "overlaps a");
  REFUSED(c = good.b, WT_ERROR_OVERLAP, "overlaps b");
  REFUSED(c = (char *)good.a + A_BYTES - 4, WT_ERROR_OVERLAP, "overlaps a");
  REFUSED(a = (char *)good.c + C_BYTES - 1, WT_ERROR_OVERLAP, "overlaps a");
  REFUSED(a = (char *)good.c - A_BYTES + 1, WT_ERROR_OVERLAP, "overlaps a");
  if (other_memory) REFUSED(a = other_memory, WT_ERROR_BUFFER, "a is memory of device", "copy it");
  CHECK(wt_gemm(NULL, &good.desc, good.a, good.b, good.c, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL context");
  CHECK(strstr(wt_last_error(NULL), "context is NULL"), "%s", wt_last_error(NULL));
  CHECK(wt_gemm(context, NULL, good.a, good.b, good.c, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL desc");
  CHECK(strstr(wt_last_error(context), "desc is NULL"), "%s", wt_last_error(context));
}

static void test_device(int device, int other) {
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  other_memory = device == other ? NULL : device_memory(A_BYTES);
  CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  if (!context) return;
  CHECK(strcmp(wt_last_error(context), "") == 0, "no call failed yet");
  CHECK(hipSetDevice(device) == hipSuccess, "device");
  good.desc = small_desc(context);
  good.a = device_memory(A_BYTES);
  good.b = device_memory(B_BYTES);
  good.c = device_memory(C_BYTES);
  good.vector = device_memory(12 * sizeof(float));
  good.long_inputs = device_memory((8 + 12) * 1024);
  CHECK(hipMemset(good.a, 0x38, A_BYTES) == hipSuccess, "A");
  CHECK(hipMemset(good.b, 0x38, B_BYTES) == hipSuccess, "B");
  CHECK(hipMemset(good.c, 0xa5, C_BYTES) == hipSuccess, "C");
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  test_sizes();
  test_strides();
  test_values();
  test_types();
  test_kernels();
  test_pointers();
  test_epilogue();
  test_grid_order();
  test_split_k();
  test_copies();
  test_integers();
  test_struct_size();
  unsigned long long executed = workgroups_executed();
  CHECK(wt_gemm(context, &good.desc, good.a, good.b, good.c, NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  CHECK(workgroups_executed() > executed, "the good call launches, so the counter can tell");
  int current = -1;
  CHECK(hipGetDevice(&current) == hipSuccess && current == other, "the caller's device became %d", current);
  (void)hipFree(good.a);
  (void)hipFree(good.b);
  (void)hipFree(good.c);
  (void)hipFree(good.vector);
  (void)hipFree(good.long_inputs);
  (void)hipFree(other_memory);
  wt_context_destroy(context);
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) test_device(device, (device + 1) % count);
  return test_result();
}
