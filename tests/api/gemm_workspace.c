// SPDX-License-Identifier: MIT
// A context has workspace for a split K: a call without one of its own splits K, as far as the limit allows;
// calls under way on different streams have different memory; a graph owns what was captured; without memory
// the call does without a split; and all is freed with the context.
#include <stdatomic.h>
#include <unistd.h>

#include "gemm_device.h"

enum { M = 64, N = 60, K = 8192 };

static wt_context *context;
static int device;

static wt_gemm_desc long_k(void) {
  wt_gemm_desc desc = small_desc(context);
  desc.m = M, desc.n = N, desc.k = K;
  return desc;
}

static void explained(const wt_gemm_desc *desc, const char *what, const char *word) {
  char text[8192];
  CHECK(wt_gemm_explain(context, desc, text, sizeof text, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK(strstr(text, word), "%s: no \"%s\" in\n%s", what, word, text);
}

static size_t free_memory(void) {
  size_t available = 0, total = 0;
  CHECK(hipMemGetInfo(&available, &total) == hipSuccess, "hipMemGetInfo");
  return available;
}

// Describes a product whose elements are all K * value.
typedef struct product {
  void *a, *b;
  float *c;
  hipStream_t stream;
} product;

static void set_value(product *p, float value) {
  CHECK(hipMemset(p->a, fp8_encode(e4m3_format(context), value), M * K) == hipSuccess, "A");
  CHECK(hipMemset(p->c, 0xff, M * N * sizeof(float)) == hipSuccess, "C");
}

static product make_product(float value) {
  product p = {
      .a = device_memory(M * K), .b = device_memory(N * K), .c = device_memory(M * N * sizeof(float))};
  CHECK(hipStreamCreate(&p.stream) == hipSuccess, "hipStreamCreate");
  CHECK(hipMemset(p.b, fp8_encode(e4m3_format(context), 1), N * K) == hipSuccess, "B");
  set_value(&p, value);
  return p;
}

static void multiply(const product *p, const wt_gemm_desc *desc) {
  CHECK(wt_gemm(context, desc, p->a, p->b, p->c, p->stream) == WT_SUCCESS, "%s", wt_last_error(context));
}

static void check_product(const product *p, float value, const char *what) {
  static float c[M * N];
  int wrong = 0;
  CHECK(hipStreamSynchronize(p->stream) == hipSuccess, "%s: hipStreamSynchronize", what);
  CHECK(hipMemcpy(c, p->c, sizeof c, hipMemcpyDeviceToHost) == hipSuccess, "%s: hipMemcpy", what);
  for (int i = 0; i < M * N; ++i) wrong += !(c[i] == K * value);
  CHECK(wrong == 0, "%s: %d of %d elements are wrong", what, wrong, M * N);
}

static void free_product(product *p) {
  CHECK(hipFree(p->a) == hipSuccess && hipFree(p->b) == hipSuccess && hipFree(p->c) == hipSuccess, "hipFree");
  CHECK(hipStreamDestroy(p->stream) == hipSuccess, "hipStreamDestroy");
}

static void test_limit(void) {
  wt_gemm_desc desc = long_k();
  size_t bytes = 0;
  CHECK(wt_gemm_workspace_size(context, &desc, &bytes) == WT_SUCCESS, "%s", wt_last_error(context));
  explained(&desc, "the default", "parts of");
  CHECK(wt_context_set_workspace_limit(context, bytes) == WT_SUCCESS, "%s", wt_last_error(context));
  explained(&desc, "just enough", "parts of");
  CHECK(wt_context_set_workspace_limit(context, 0) == WT_SUCCESS, "%s", wt_last_error(context));
  explained(&desc, "forbidden", "split K     none");
  explained(&desc, "forbidden", "with a workspace of");
  product p = make_product(2);
  const unsigned long long before = workgroups_executed();
  multiply(&p, &desc);
  check_product(&p, 2, "forbidden");
  const unsigned long long whole = workgroups_executed() - before;
  desc.split_k = 2;
  CHECK(wt_gemm(context, &desc, p.a, p.b, p.c, p.stream) == WT_ERROR_NULL_ARGUMENT, "a split without memory");
  CHECK(strstr(wt_last_error(context), "limit of 0; pass"), "%s", wt_last_error(context));
  desc.split_k = 0;
  CHECK(wt_context_set_workspace_limit(context, WT_WORKSPACE_LIMIT_DEFAULT) == WT_SUCCESS, "the default");
  set_value(&p, 3);
  multiply(&p, &desc);
  check_product(&p, 3, "the default again");
  CHECK(workgroups_executed() - before > 3 * whole, "the default call splits K");
  CHECK(wt_context_set_workspace_limit(NULL, 0) == WT_ERROR_NULL_ARGUMENT, "NULL context");
  free_product(&p);
}

static atomic_bool gate;
static void pass_gate(void *unused) {
  (void)unused;
  while (!gate) usleep(100);
}

// Both calls wait behind a gate, so that both workspaces are taken at once.
static void test_streams(void) {
  const wt_gemm_desc desc = long_k();
  size_t bytes = 0;
  CHECK(wt_gemm_workspace_size(context, &desc, &bytes) == WT_SUCCESS, "%s", wt_last_error(context));
  product p[2] = {make_product(1), make_product(2)};
  const size_t before = free_memory();
  gate = false;
  for (int i = 0; i < 2; ++i)
    CHECK(hipLaunchHostFunc(p[i].stream, pass_gate, NULL) == hipSuccess, "hipLaunchHostFunc");
  for (int i = 0; i < 2; ++i) multiply(&p[i], &desc);
  const size_t taken = before - free_memory();
  gate = true;
  CHECK(taken >= 2 * bytes, "two calls under way have %zu bytes, and each needs %zu", taken, bytes);
  check_product(&p[0], 1, "the first stream");
  check_product(&p[1], 2, "the second stream");
  free_product(&p[0]), free_product(&p[1]);
}

// The graph is launched several times, with calls of the same context on the same stream between.
static void test_graph(void) {
  const wt_gemm_desc desc = long_k();
  product p = make_product(1), other = make_product(4);
  hipGraph_t graph;
  hipGraphExec_t exec;
  multiply(&other, &desc);  // loads the kernels, which a capture must not
  CHECK(hipStreamBeginCapture(p.stream, hipStreamCaptureModeThreadLocal) == hipSuccess, "capture");
  multiply(&p, &desc);
  CHECK(hipStreamEndCapture(p.stream, &graph) == hipSuccess, "the end of the capture");
  CHECK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0) == hipSuccess, "hipGraphInstantiate");
  CHECK(hipGraphDestroy(graph) == hipSuccess, "hipGraphDestroy");
  for (int value = 1; value <= 3; ++value) {
    set_value(&p, (float)value);
    set_value(&other, (float)(value + 4));
    CHECK(hipGraphLaunch(exec, p.stream) == hipSuccess, "hipGraphLaunch");
    multiply(&other, &desc);
    check_product(&p, (float)value, "a launch of the graph");
    check_product(&other, (float)(value + 4), "a call beside it");
  }
  CHECK(hipGraphExecDestroy(exec) == hipSuccess, "hipGraphExecDestroy");
  free_product(&p), free_product(&other);
}

static void test_no_memory(void) {
  wt_gemm_desc desc = long_k();
  product p = make_product(2);
  multiply(&p, &desc);
  check_product(&p, 2, "with memory");
  void *rest = device_memory(free_memory());
  set_value(&p, 3);
  multiply(&p, &desc);
  check_product(&p, 3, "without memory");
  CHECK(hipGetLastError() == hipSuccess, "the failed allocation is not the caller's concern");
  desc.split_k = 4;
  CHECK(wt_gemm(context, &desc, p.a, p.b, p.c, p.stream) == WT_ERROR_DEVICE, "a split that was asked for");
  CHECK(strstr(wt_last_error(context), "split_k 4 needs; free some"), "%s", wt_last_error(context));
  CHECK(hipFree(rest) == hipSuccess, "hipFree");
  free_product(&p);
}

// Operands that would be packed are taken as they are. (This is a small product that is packed on MI300X.)
static void test_no_memory_to_pack(void) {
  enum { SIDE = 768, DEPTH = 2049 };
  wt_gemm_desc desc = small_desc(context);
  desc.m = desc.n = SIDE, desc.k = DEPTH;
  const int one = fp8_encode(e4m3_format(context), 1);
  void *a = device_memory(SIDE * DEPTH), *b = device_memory(SIDE * DEPTH);
  float *c = device_memory(SIDE * SIDE * sizeof *c), first = 0;
  CHECK(hipMemset(a, one, SIDE * DEPTH) == hipSuccess && hipMemset(b, one, SIDE * DEPTH) == hipSuccess,
        "A, B");
  explained(&desc, "with memory", "packed");
  void *rest = device_memory(free_memory());
  CHECK(wt_gemm(context, &desc, a, b, c, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK(hipMemcpy(&first, c, sizeof first, hipMemcpyDeviceToHost) == hipSuccess && first == DEPTH,
        "an element without memory to pack: %g", (double)first);
  CHECK(hipGetLastError() == hipSuccess, "the failed allocation is not the caller's concern");
  CHECK(hipFree(a) == hipSuccess && hipFree(b) == hipSuccess && hipFree(c) == hipSuccess &&
            hipFree(rest) == hipSuccess,
        "hipFree");
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (device = 0; device < count; ++device) {
    CHECK(hipSetDevice(device) == hipSuccess, "hipSetDevice");
    const size_t before = free_memory();
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    test_limit();
    test_streams();
    test_graph();
    test_no_memory();
    if (!is_gfx950(context)) test_no_memory_to_pack();
    wt_context_destroy(context);
    CHECK(free_memory() == before, "%zu bytes are free at the end, and %zu were before", free_memory(),
          before);
  }
  return test_result();
}
