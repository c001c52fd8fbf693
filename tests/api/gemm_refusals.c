// SPDX-License-Identifier: MIT
// wt_gemm refuses every kind of wrong argument with its own status and a sentence that names the argument and
// the value; nothing is launched and the output keeps its bytes.
#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "gemm_device.h"
#include "tests/refusal.h"

typedef struct call {
  wt_gemm_desc desc;
  void *a, *b, *c;
  float *vector;      // 12 elements
  void *long_inputs;  // 8 x 1024 and 12 x 1024
} call;

static call good;           // 8 x 12 x 16, f32 out
static void *other_memory;  // on another device

enum { A_BYTES = 8 * 16, B_BYTES = 12 * 16, C_BYTES = 8 * 12 * 4 };

static wt_status run(const void *arguments) {
  const call *x = arguments;
  return wt_gemm(refusal_context, &x->desc, x->a, x->b, x->c, NULL);
}

static void test_sizes(void) {
  REFUSED(run, good, desc.m = 0, WT_ERROR_SIZE, "desc->m is 0", "from 1");
  REFUSED(run, good, desc.n = 0, WT_ERROR_SIZE, "desc->n is 0");
  REFUSED(run, good, desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  REFUSED(run, good, desc.m = -5, WT_ERROR_SIZE, "desc->m is -5");
  REFUSED(run, good, desc.n = INT64_MIN, WT_ERROR_SIZE, "desc->n is -9223372036854775808");
  REFUSED(run, good, desc.k = (int64_t)INT_MAX + 1, WT_ERROR_SIZE, "desc->k is 2147483648");
  REFUSED(run, good, desc.batch = 0, WT_ERROR_SIZE, "desc->batch is 0");
  REFUSED(run, good, desc.batch = -1, WT_ERROR_SIZE, "desc->batch is -1");
  REFUSED(run, good, desc.lda = INT64_MAX, WT_ERROR_SIZE, "lda 9223372036854775807");
}

static void test_strides(void) {
  REFUSED(run, good, desc.lda = 15, WT_ERROR_LEADING_DIMENSION, "desc->lda is 15", "16 elements");
  REFUSED(run, good, desc.ldb = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldb is 1", "16 elements");
  REFUSED(run, good, desc.ldc = 11, WT_ERROR_LEADING_DIMENSION, "desc->ldc is 11", "12 elements");
  REFUSED(run, good, desc.ldc = -12, WT_ERROR_LEADING_DIMENSION, "desc->ldc is -12");
  REFUSED(run, good, desc.stride_a = -1, WT_ERROR_STRIDE, "desc->stride_a is -1");
  REFUSED(run, good, desc.stride_b = -128, WT_ERROR_STRIDE, "desc->stride_b is -128");
  call batched = good;
  batched.desc.batch = 2;
  REFUSED_CALL("batch 2 with stride_c 0", run, batched, WT_ERROR_STRIDE, "desc->stride_c is 0",
               "at least 96");
  batched.desc.stride_c = 95;
  REFUSED_CALL("batch 2 with stride_c 95", run, batched, WT_ERROR_STRIDE, "desc->stride_c is 95");
  call transposed = good;
  transposed.desc.trans_a = 1;
  transposed.desc.lda = 7;
  REFUSED_CALL("trans_a with lda 7", run, transposed, WT_ERROR_LEADING_DIMENSION, "desc->lda is 7",
               "8 elements");
}

static void test_values(void) {
  REFUSED(run, good, desc.alpha = NAN, WT_ERROR_VALUE, "alpha is", "finite");
  REFUSED(run, good, desc.beta = INFINITY, WT_ERROR_VALUE, "beta is inf");
  REFUSED(run, good, desc.scale_a = -INFINITY, WT_ERROR_VALUE, "scale_a is -inf");
  REFUSED(run, good, desc.scale_b = NAN, WT_ERROR_VALUE, "scale_b is");
  call huge = good;
  huge.desc.scale_a = huge.desc.scale_b = 1e30f;
  REFUSED_CALL("scales whose product overflows", run, huge, WT_ERROR_VALUE,
               "alpha * scale_a * scale_b is inf");
  REFUSED(run, good, desc.trans_a = 2, WT_ERROR_VALUE, "trans_a is 2");
  REFUSED(run, good, desc.trans_b = -1, WT_ERROR_VALUE, "trans_b is -1");
}

static void test_types(void) {
  bool ocp = is_gfx950(refusal_context);
  wt_type foreign = ocp ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3;
  const char *wanted = ocp ? "WT_TYPE_F8E5M2, WT_TYPE_BF16" : "WT_TYPE_F8E5M2_FNUZ, WT_TYPE_BF16";
  REFUSED(run, good, desc.type_a = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is WT_TYPE_F8E4M3",
          wanted);
  REFUSED(run, good, desc.type_a = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is WT_TYPE_F32");
  REFUSED(run, good, desc.type_a = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F8E4M3",
          "with type_a WT_TYPE_BF16 it must be the same");
  REFUSED(run, good, desc.type_a = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is unknown type (0)");
  REFUSED(run, good, desc.type_b = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F16",
          "an FP8 type of this device");
  REFUSED(run, good, desc.type_b = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_F8E4M3");
  REFUSED(run, good, desc.type_c = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I32",
          "output is WT_TYPE_F32");
  REFUSED(run, good, desc.type_c = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I8");
  REFUSED(run, good, desc.type_c = (wt_type)99, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_c is unknown type (99)");
}

static void test_kernels(void) {
  REFUSED(run, good, desc.kernel = "gemm_99", WT_ERROR_UNKNOWN_KERNEL, "\"gemm_99\"", "wt_gemm_kernel_at");
  REFUSED(run, good, desc.kernel = "", WT_ERROR_UNKNOWN_KERNEL, "\"\"");
  call transposed = good;
  transposed.desc.trans_b = 1;
  transposed.desc.kernel = "gemm_05_direct_to_lds";
  REFUSED_CALL("05 with trans_b", run, transposed, WT_ERROR_UNSUPPORTED_KERNEL, "gemm_05_direct_to_lds",
               "K contiguous", "trans_b is 1");
}

static void test_epilogue(void) {
  static float unknown[12];
  float *vector = good.vector;
  REFUSED(run, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4",
          "WT_ACTIVATION_");
  REFUSED(run, good, desc.activation = (wt_activation)-1, WT_ERROR_VALUE, "desc->activation is -1");
  REFUSED(run, good, desc.row_scale = unknown, WT_ERROR_BUFFER, "desc->row_scale is 0x", "hipMalloc");
  REFUSED(run, good, desc.column_scale = vector + 1, WT_ERROR_BUFFER, "desc->column_scale needs 48 bytes",
          "44");
  REFUSED(run, good, desc.bias = vector + 1, WT_ERROR_BUFFER, "desc->bias needs 48 bytes", "44");
  REFUSED(run, good, desc.row_scale = vector + 5, WT_ERROR_BUFFER, "desc->row_scale needs 32 bytes", "28");
  REFUSED(run, good, desc.bias = (float *)((char *)vector + 2), WT_ERROR_MISALIGNED, "desc->bias is 0x",
          "4 bytes");
  REFUSED(run, good, desc.row_scale = good.c, WT_ERROR_OVERLAP, "c (0x", "overlaps desc->row_scale");
  REFUSED(run, good, desc.column_scale = good.c, WT_ERROR_OVERLAP, "overlaps desc->column_scale");
  REFUSED(run, good, desc.bias = (float *)((char *)good.c + C_BYTES - 4), WT_ERROR_BUFFER,
          "desc->bias needs 48 bytes", "has 4 ");
  call within = good;
  within.c = refusal_arena;
  REFUSED(run, within, desc.bias = (float *)((char *)within.c + C_BYTES - 4), WT_ERROR_OVERLAP,
          "overlaps desc->bias");
  call rung = good;
  rung.desc.kernel = "gemm_05_direct_to_lds";
  rung.desc.bias = vector;
  REFUSED_CALL("a rung with a bias", run, rung, WT_ERROR_UNSUPPORTED_KERNEL, "gemm_05", "bias is set");
  rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.type_a = rung.desc.type_b = WT_TYPE_BF16;
  REFUSED_CALL("a rung with BF16", run, rung, WT_ERROR_UNSUPPORTED_KERNEL, "one FP8 type", "WT_TYPE_BF16");
  rung = good;
  rung.desc.kernel = "gemm_pc_4p8c";
  REFUSED_CALL("BF16's rung with FP8", run, rung, WT_ERROR_UNSUPPORTED_KERNEL, "BF16 inputs", "WT_TYPE_F8");
  rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.type_c = WT_TYPE_F16;
  REFUSED_CALL("a rung into F16", run, rung, WT_ERROR_UNSUPPORTED_KERNEL, "type_c is WT_TYPE_F16");
}

// Returns a call of 8 x 12 x 1024, for the library's kernels.
static call long_call(void) {
  call x = good;
  x.desc.k = 1024;
  x.a = good.long_inputs;
  x.b = (char *)good.long_inputs + 8 * 1024;
  return x;
}

static void test_grid_order(void) {
  REFUSED(run, good, desc.grid_window = -1, WT_ERROR_VALUE, "desc->grid_window is -1",
          "0 for the kernel's own");
  REFUSED(run, good, desc.grid_chunk = -7, WT_ERROR_VALUE, "desc->grid_chunk is -7");
  call rung = good;
  rung.desc.kernel = "gemm_01_naive";
  rung.desc.grid_chunk = 2;
  REFUSED_CALL("a rung", run, rung, WT_ERROR_UNSUPPORTED_KERNEL, "own order of tiles", "grid_chunk is set");
}

static void test_batch_invariant(void) {
  REFUSED(run, good, desc.batch_invariant = 2, WT_ERROR_VALUE, "desc->batch_invariant is 2", "0 or 1");
  REFUSED(run, good, desc.reserved = 5, WT_ERROR_VALUE, "desc->reserved is 5", "leave it at 0");
  call named = long_call();
  named.desc.batch_invariant = 1;
  named.desc.kernel = "gemm_skinny_16x64";
  REFUSED_CALL("waves that share K", run, named, WT_ERROR_UNSUPPORTED_KERNEL, "order of its own",
               "batch_invariant is 1");
  named.desc.kernel = "gemm_4wave_64x64";
  named.desc.k = 769, named.desc.lda = named.desc.ldb = 784;
  named.desc.split_k = 4;
  REFUSED_CALL("a short last part", run, named, WT_ERROR_UNSUPPORTED_KERNEL, "in each part", "split_k 4");
}

static void test_split_k(void) {
  enum { NEED = 2 * 8 * 12 * 4 };
  REFUSED(run, good, desc.split_k = -1, WT_ERROR_VALUE, "desc->split_k is -1", "0 to have it chosen");
  REFUSED(run, good, desc.split_k = 1025, WT_ERROR_VALUE, "desc->split_k is 1025", "1024");
  call split = long_call();
  split.desc.split_k = 2;
  CHECK(wt_context_set_workspace_limit(refusal_context, 0) == WT_SUCCESS, "a context without workspace");
  REFUSED_CALL("no workspace", run, split, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL", "split_k 2",
               "768");
  split.desc.workspace = good.long_inputs;
  split.desc.workspace_bytes = NEED - 1;
  REFUSED_CALL("a short workspace", run, split, WT_ERROR_BUFFER, "desc->workspace_bytes is 767", "768");
  split.desc.workspace_bytes = NEED;
  REFUSED_CALL("a workspace over A", run, split, WT_ERROR_OVERLAP, "desc->workspace (0x", "overlaps a");
  split.desc.workspace = (char *)split.b + 16;
  REFUSED_CALL("a workspace over B", run, split, WT_ERROR_OVERLAP, "desc->workspace (0x", "overlaps b");
  split.desc.workspace = good.vector;
  REFUSED_CALL("less memory than said", run, split, WT_ERROR_BUFFER, "desc->workspace needs 768 bytes", "48");
  split.desc.bias = good.vector;
  REFUSED_CALL("a workspace that is too short and overlaps", run, split, WT_ERROR_BUFFER, "768 bytes", "48");
  split.desc.bias = split.desc.workspace = (void *)refusal_arena;
  REFUSED_CALL("a workspace over a bias", run, split, WT_ERROR_OVERLAP, "desc->workspace",
               "overlaps desc->bias");
  split.desc.bias = NULL;
  split.desc.workspace = (char *)good.vector + 4;
  REFUSED_CALL("a crooked workspace", run, split, WT_ERROR_MISALIGNED, "desc->workspace is 0x", "16 bytes");
  split.desc.workspace = split.c = refusal_arena;
  REFUSED_CALL("a workspace over C", run, split, WT_ERROR_OVERLAP, "c (0x", "overlaps desc->workspace");
  split.desc.kernel = "gemm_05_direct_to_lds";
  REFUSED_CALL("a rung with split K", run, split, WT_ERROR_UNSUPPORTED_KERNEL, "split_k is 2");
}

static void test_copies(void) {
  call tiled = long_call();
  tiled.desc.kernel = "gemm_4wave_64x64";
  call bad = tiled;
  bad.desc.k = 64;
  REFUSED_CALL("a short K", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "needs k of at least", "k is 64");
  bad = tiled;
  bad.desc.lda = 1026;
  REFUSED_CALL("crooked rows", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "4 bytes", "lda is 1026");
  bad = tiled;
  bad.desc.ldb = (int64_t)1 << 28;
  REFUSED_CALL("far rows", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "2 GB", "ldb is 268435456");
  bad.desc.kernel = "gemm_skinny_16x64";
  REFUSED_CALL("far rows of few", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "2 GB", "ldb is 268435456");
  bad = tiled;
  bad.desc.kernel = "gemm_skinny_16x16", bad.desc.m = 17, bad.desc.n = 17, bad.desc.ldc = 17;
  REFUSED_CALL("many rows and columns", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "m of at most 16",
               "n of at most 16", "m is 17 and n is 17");
  bad = tiled;
  bad.desc.batch = 2, bad.desc.stride_a = 2, bad.desc.stride_c = 96;
  REFUSED_CALL("crooked matrices", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "4 bytes", "stride_a is 2");
  bad = tiled;
  bad.desc.trans_b = 1;
  REFUSED_CALL("trans_b", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "K contiguous", "trans_b is 1");
  bad = tiled;
  bad.b = (char *)bad.b + 2;
  REFUSED_CALL("a crooked B", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "4 bytes", "a or b is not");
}

// Tests what kernels that copy transposed operands need besides.
static void test_transposed_copies(void) {
  call transposed = long_call();
  transposed.desc.kernel = "gemm_4wave_transposed_128x128";
  if (!is_gfx950(refusal_context)) {
    REFUSED_CALL("on gfx942", run, transposed, WT_ERROR_UNSUPPORTED_KERNEL, "not compiled for gfx942");
    return;
  }
  REFUSED_CALL("plain", run, transposed, WT_ERROR_UNSUPPORTED_KERNEL, "A, B or both transposed");
  transposed.desc.trans_a = 1, transposed.desc.m = transposed.desc.lda = 64;
  call bad = transposed;
  bad.desc.m = 8;
  REFUSED_CALL("a short row", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "at least 16 bytes",
               "those of a have 8 elements");
  bad = transposed;
  bad.desc.lda = (int64_t)1 << 22;
  REFUSED_CALL("far k", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "2 GB", "lda is 4194304");
  bad = transposed;
  bad.desc.type_a = bad.desc.type_b = WT_TYPE_F8E5M2;
  REFUSED_CALL("E5M2", run, bad, WT_ERROR_UNSUPPORTED_KERNEL,
               "takes A and B of one type, FP8 E4M3, BF16 or F16");
}

// Tests what a persistent kernel leaves to the others.
static void test_persistent(void) {
  call persistent = long_call();
  persistent.desc.kernel = "gemm_4wave_persistent_256x256";
  persistent.desc.n = 8, persistent.desc.type_c = WT_TYPE_BF16;
  if (!is_gfx950(refusal_context)) {
    REFUSED_CALL("on gfx942", run, persistent, WT_ERROR_UNSUPPORTED_KERNEL, "not compiled for gfx942");
    return;
  }
  CHECK(run(&persistent) == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s",
        wt_last_error(refusal_context));
  REFUSED(run, persistent, desc.type_c = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_KERNEL, "BF16 or F16",
          "type_c is WT_TYPE_F32");
  REFUSED(run, persistent, desc.bias = good.vector, WT_ERROR_UNSUPPORTED_KERNEL, "alpha only", "bias is set");
  REFUSED(run, persistent, desc.beta = 2, WT_ERROR_UNSUPPORTED_KERNEL, "alpha only", "beta is 2");
  REFUSED(run, persistent, desc.split_k = 2, WT_ERROR_UNSUPPORTED_KERNEL, "does not split K", "split_k is 2");
  REFUSED(run, persistent, desc.k = 640, WT_ERROR_UNSUPPORTED_KERNEL, "needs k of at least 768", "k is 640");
  REFUSED(run, persistent, desc.k = 896 + 64, WT_ERROR_UNSUPPORTED_KERNEL, "steps of 128", "k is 960");
  REFUSED(run, persistent, desc.n = 12, WT_ERROR_UNSUPPORTED_KERNEL, "8 columns", "n is 12");
  REFUSED(run, persistent, desc.ldc = 12, WT_ERROR_UNSUPPORTED_KERNEL, "rows of C", "ldc is 12");
  REFUSED(run, persistent, desc.ldc = 1 << 22, WT_ERROR_UNSUPPORTED_KERNEL, "2 GB", "ldc is 4194304");
  REFUSED(run, persistent, c = (char *)good.c + 8, WT_ERROR_UNSUPPORTED_KERNEL, "rows of C",
          "c is not at one");
}

// A stream-K kernel leaves these to the others.
static void test_stream(void) {
  call stream = long_call();
  stream.desc.kernel = "gemm_4wave_stream_256x256";
  stream.desc.n = 8, stream.desc.type_c = WT_TYPE_BF16;
  CHECK(wt_context_set_workspace_limit(refusal_context, (size_t)128 << 20) == WT_SUCCESS, "the usual limit");
  CHECK(run(&stream) == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s",
        wt_last_error(refusal_context));
  size_t bytes = 0;
  CHECK(wt_gemm_workspace_size(refusal_context, &stream.desc, &bytes) == WT_SUCCESS && bytes > 0,
        "%zu bytes of workspace", bytes);
  REFUSED(run, stream, desc.split_k = 1, WT_ERROR_UNSUPPORTED_KERNEL, "cuts K", "split_k is 1");
  REFUSED(run, stream, desc.batch_invariant = 1, WT_ERROR_UNSUPPORTED_KERNEL, "order of its own");
  call bad = stream;
  bad.desc.batch = 2, bad.desc.stride_c = 64;
  REFUSED_CALL("a batch", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "one product", "batch is 2");
  bad = stream;
  bad.desc.workspace = good.vector, bad.desc.workspace_bytes = 16;
  REFUSED_CALL("little workspace", run, bad, WT_ERROR_UNSUPPORTED_KERNEL, "bytes of workspace",
               "16 are allowed");
  CHECK(wt_context_set_workspace_limit(refusal_context, 0) == WT_SUCCESS, "a context without workspace");
}

static void test_integers(void) {
  call whole = good;
  whole.desc.type_a = whole.desc.type_b = WT_TYPE_I8;
  whole.desc.type_c = WT_TYPE_I32;
  call bad = whole;
  bad.desc.type_b = WT_TYPE_BF16;
  REFUSED_CALL("I8 with BF16", run, bad, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is WT_TYPE_BF16",
               "the same");
  bad = whole;
  bad.desc.alpha = 0.5f;
  REFUSED_CALL("alpha", run, bad, WT_ERROR_VALUE, "desc->alpha is 0.5", "WT_TYPE_I32", "whole number");
  bad = whole;
  bad.desc.beta = 0x1p25f;
  REFUSED_CALL("beta", run, bad, WT_ERROR_VALUE, "desc->beta is 33554432", "2^24");
  bad = whole;
  bad.desc.scale_a = 2;
  REFUSED_CALL("scale_a", run, bad, WT_ERROR_VALUE, "desc->scale_a is 2", "must be 1");
  bad = whole;
  bad.desc.scale_b = 2;
  REFUSED_CALL("scale_b", run, bad, WT_ERROR_VALUE, "desc->scale_b is 2", "must be 1");
  bad = whole;
  bad.desc.row_scale = good.vector;
  REFUSED_CALL("row_scale", run, bad, WT_ERROR_VALUE, "desc->row_scale is set", "WT_TYPE_I32");
  bad = whole;
  bad.desc.column_scale = good.vector;
  REFUSED_CALL("column_scale", run, bad, WT_ERROR_VALUE, "desc->column_scale is set");
  bad = whole;
  bad.desc.bias = good.vector;
  REFUSED_CALL("bias", run, bad, WT_ERROR_VALUE, "desc->bias is set");
  bad = whole;
  bad.desc.activation = WT_ACTIVATION_RELU;
  REFUSED_CALL("activation", run, bad, WT_ERROR_VALUE, "desc->activation is set");
}

static void test_struct_size(void) {
  REFUSED(run, good, desc.struct_size = 0, WT_ERROR_STRUCT_SIZE, "struct_size is 0", "WT_GEMM_DESC_INIT");
  REFUSED(run, good, desc.struct_size = sizeof(wt_gemm_desc) - 1, WT_ERROR_STRUCT_SIZE, "struct_size is");
  REFUSED(run, good, desc.struct_size = (size_t)-1, WT_ERROR_STRUCT_SIZE, "struct_size is");
  struct {
    wt_gemm_desc desc;
    unsigned char newer[16];
  } larger = {.desc = good.desc};
  larger.desc.struct_size = sizeof larger;
  larger.newer[5] = 1;
  unsigned long long executed = refusal_workgroups();
  CHECK(wt_gemm(refusal_context, &larger.desc, good.a, good.b, good.c, NULL) == WT_ERROR_STRUCT_SIZE,
        "newer member set");
  CHECK(refusal_workgroups() == executed, "something was launched");
  larger.newer[5] = 0;
  CHECK(wt_gemm(refusal_context, &larger.desc, good.a, good.b, good.c, NULL) == WT_SUCCESS,
        "newer members zero: %s", wt_last_error(refusal_context));
  CHECK(hipDeviceSynchronize() == hipSuccess, "newer members zero");

  // This is as earlier versions had it: what follows is not read.
  const size_t older[] = {offsetof(wt_gemm_desc, row_scale), offsetof(wt_gemm_desc, grid_window)};
  for (int i = 0; i < 2; ++i) {
    wt_gemm_desc old = good.desc;
    old.struct_size = older[i];
    memset((char *)&old + older[i], 0xff, sizeof old - older[i]);
    executed = refusal_workgroups();
    CHECK(wt_gemm(refusal_context, &old, good.a, good.b, good.c, NULL) == WT_SUCCESS,
          "a struct of %zu bytes: %s", older[i], wt_last_error(refusal_context));
    CHECK(hipDeviceSynchronize() == hipSuccess && refusal_workgroups() > executed, "a struct of %zu bytes",
          older[i]);
  }
  REFUSED(run, good, desc.struct_size = offsetof(wt_gemm_desc, bias), WT_ERROR_STRUCT_SIZE, "struct_size is");
}

static void test_pointers(void) {
  static unsigned char unknown[C_BYTES];
  REFUSED(run, good, a = NULL, WT_ERROR_NULL_ARGUMENT, "a is NULL");
  REFUSED(run, good, b = NULL, WT_ERROR_NULL_ARGUMENT, "b is NULL");
  REFUSED(run, good, c = NULL, WT_ERROR_NULL_ARGUMENT, "c is NULL");
  REFUSED(run, good, c = (char *)good.c + 2, WT_ERROR_MISALIGNED, "c is 0x", "4 bytes");
  REFUSED(run, good, a = unknown, WT_ERROR_BUFFER, "a is 0x", "hipMalloc");
  REFUSED(run, good, a = (char *)good.a + 1, WT_ERROR_BUFFER, "a needs 128 bytes", "127");
  REFUSED(run, good, b = (char *)good.b + 4, WT_ERROR_BUFFER, "b needs 192 bytes", "188");
  REFUSED(run, good, c = (char *)good.c + 4, WT_ERROR_BUFFER, "c needs 384 bytes", "380");
  REFUSED(run, good, desc.m = 9, WT_ERROR_BUFFER, "a needs 144 bytes", "128");
  REFUSED(run, good, desc.ldb = 17, WT_ERROR_BUFFER, "b needs 203 bytes",
          "192");  // the last row needs no padding
  // What is too short and overlaps is too short.
  REFUSED(run, good, c = good.a, WT_ERROR_BUFFER, "c needs 384 bytes", "128");
  REFUSED(run, good, a = (char *)good.c + C_BYTES - 1, WT_ERROR_BUFFER, "a needs 128 bytes", "has 1 ");
  call within = good;  // parts of one allocation, so that none is too short
  within.a = refusal_arena, within.b = refusal_arena + 4096, within.c = refusal_arena + 8192;
  REFUSED(run, within, c = within.a, WT_ERROR_OVERLAP, "c (0x", "overlaps a");
  REFUSED(run, within, c = within.b, WT_ERROR_OVERLAP, "overlaps b");
  REFUSED(run, within, c = (char *)within.a + A_BYTES - 4, WT_ERROR_OVERLAP, "overlaps a");
  REFUSED(run, within, a = (char *)within.c + C_BYTES - 1, WT_ERROR_OVERLAP, "overlaps a");
  REFUSED(run, within, a = (char *)within.c - A_BYTES + 1, WT_ERROR_OVERLAP, "overlaps a");
  if (other_memory) REFUSED(run, good, a = other_memory, WT_ERROR_BUFFER, "a is memory of device", "copy it");
  CHECK(wt_gemm(NULL, &good.desc, good.a, good.b, good.c, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL context");
  CHECK(strstr(wt_last_error(NULL), "context is NULL"), "%s", wt_last_error(NULL));
  CHECK(wt_gemm(refusal_context, NULL, good.a, good.b, good.c, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL desc");
  CHECK(strstr(wt_last_error(refusal_context), "desc is NULL"), "%s", wt_last_error(refusal_context));
}

static void test_device(int device, int other) {
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  other_memory = device == other ? NULL : device_memory(A_BYTES);
  refusal_begin(device);
  if (!refusal_context) return;
  CHECK(strcmp(wt_last_error(refusal_context), "") == 0, "no call failed yet");
  good.desc = small_desc(refusal_context);
  good.a = device_memory(A_BYTES);
  good.b = device_memory(B_BYTES);
  good.c = device_memory(C_BYTES);
  good.vector = device_memory(12 * sizeof(float));
  good.long_inputs = device_memory((8 + 12) * 1024);
  CHECK(hipMemset(good.a, 0x38, A_BYTES) == hipSuccess, "A");
  CHECK(hipMemset(good.b, 0x38, B_BYTES) == hipSuccess, "B");
  CHECK(hipMemset(good.c, 0xa5, C_BYTES) == hipSuccess, "C");
  refusal_watch(good.c, C_BYTES);
  CHECK(hipSetDevice(other) == hipSuccess, "other device");
  test_sizes();
  test_strides();
  test_values();
  test_types();
  test_kernels();
  test_pointers();
  test_epilogue();
  test_grid_order();
  test_batch_invariant();
  test_split_k();
  test_copies();
  test_transposed_copies();
  test_persistent();
  test_stream();
  test_integers();
  test_struct_size();
  refusal_accepted("the good call", run, &good);
  int current = -1;
  CHECK(hipGetDevice(&current) == hipSuccess && current == other, "the caller's device became %d", current);
  (void)hipFree(good.a);
  (void)hipFree(good.b);
  (void)hipFree(good.c);
  (void)hipFree(good.vector);
  (void)hipFree(good.long_inputs);
  (void)hipFree(other_memory);
  refusal_end();
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) test_device(device, (device + 1) % count);
  return test_result();
}
