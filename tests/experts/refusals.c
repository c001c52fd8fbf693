// SPDX-License-Identifier: MIT
// The calls for layers of experts refuse every kind of wrong argument with its own status and a sentence that
// names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

#include <math.h>
#include <string.h>

enum { TOKENS = 5, EXPERTS = 8, TOP_K = 2, HIDDEN = 16, INNER = 8 };

// Returns parts of the arena, 4 KB apart, and what lies `bytes` before its end.
static void *part(int i) { return refusal_arena + i * 4096; }
static void *before_end(int bytes) { return refusal_arena + REFUSAL_BYTES - bytes; }

// ---- routing

typedef struct route_call {
  wt_experts_route_desc desc;
  const void *logits;
  int32_t *ids;
  float *weights;
} route_call;

static wt_status route(const void *arguments) {
  const route_call *c = arguments;
  return wt_experts_route(refusal_context, &c->desc, c->logits, c->ids, c->weights, NULL);
}

static void test_route(void) {
  route_call good = {
      .desc = WT_EXPERTS_ROUTE_DESC_INIT, .logits = part(0), .ids = part(1), .weights = part(2)};
  good.desc.tokens = TOKENS, good.desc.experts = EXPERTS, good.desc.top_k = TOP_K;
  good.desc.type = WT_TYPE_F32;
  refusal_accepted("route", route, &good);
  REFUSED(route, good, desc.struct_size = 4, WT_ERROR_STRUCT_SIZE, "struct_size is 4",
          "WT_EXPERTS_ROUTE_DESC_INIT");
  REFUSED(route, good, desc.tokens = 0, WT_ERROR_SIZE, "desc->tokens is 0", "from 1");
  REFUSED(route, good, desc.tokens = INT32_MAX, WT_ERROR_SIZE, "desc->tokens is 2147483647",
          "2 experts each");
  REFUSED(route, good, desc.experts = 513, WT_ERROR_SIZE, "desc->experts is 513", "512");
  REFUSED(route, good, desc.experts = 0, WT_ERROR_SIZE, "desc->experts is 0");
  REFUSED(route, good, desc.top_k = 0, WT_ERROR_SIZE, "desc->top_k is 0", "64");
  REFUSED(route, good, desc.top_k = 65, WT_ERROR_SIZE, "desc->top_k is 65", "64");
  REFUSED(route, good, desc.top_k = 9, WT_ERROR_SIZE, "desc->top_k is 9", "among 8 experts");
  REFUSED(route, good, desc.type = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_I8");
  REFUSED(route, good, desc.scoring = (wt_experts_scoring)2, WT_ERROR_VALUE, "desc->scoring is 2",
          "WT_EXPERTS_SIGMOID");
  REFUSED(route, good, desc.groups = 3, WT_ERROR_SIZE, "desc->groups is 3", "which is 8");
  REFUSED(route, good, desc.groups = 0, WT_ERROR_SIZE, "desc->groups is 0", "divisor");
  REFUSED(route, good, desc.top_k_groups = 2, WT_ERROR_SIZE, "desc->top_k_groups is 2", "which is 1");
  REFUSED(route, good, desc.top_k_groups = -1, WT_ERROR_SIZE, "desc->top_k_groups is -1");
  REFUSED(route, good, desc.renormalise = 2, WT_ERROR_VALUE, "desc->renormalise is 2");
  REFUSED(route, good, desc.scale = NAN, WT_ERROR_VALUE, "scale is nan");
  REFUSED(route, good, desc.ldlogits = 7, WT_ERROR_LEADING_DIMENSION, "desc->ldlogits is 7", "8 elements");
  REFUSED(route, good, logits = NULL, WT_ERROR_NULL_ARGUMENT, "logits is NULL");
  REFUSED(route, good, ids = NULL, WT_ERROR_NULL_ARGUMENT, "ids is NULL");
  REFUSED(route, good, weights = NULL, WT_ERROR_NULL_ARGUMENT, "weights is NULL");
  REFUSED(route, good, weights = (float *)good.ids, WT_ERROR_OVERLAP, "overlaps");
  REFUSED(route, good, desc.bias = before_end(4), WT_ERROR_BUFFER, "desc->bias needs 32 bytes");
  route_call grouped = good;
  grouped.desc.groups = 4, grouped.desc.top_k_groups = 1;
  REFUSED(route, grouped, desc.top_k = 3, WT_ERROR_SIZE, "desc->top_k is 3", "among 2 experts",
          "more groups");
}

// ---- sorting

typedef struct sort_call {
  wt_experts_sort_desc desc;
  const int32_t *ids;
  int32_t *offsets, *order, *places;
} sort_call;

static wt_status sort(const void *arguments) {
  const sort_call *c = arguments;
  return wt_experts_sort(refusal_context, &c->desc, c->ids, c->offsets, c->order, c->places, NULL);
}

static void test_sort(void) {
  sort_call good = {.desc = WT_EXPERTS_SORT_DESC_INIT,
                    .ids = part(0),
                    .offsets = part(1),
                    .order = part(2),
                    .places = part(3)};
  good.desc.tokens = TOKENS, good.desc.experts = EXPERTS, good.desc.top_k = TOP_K;
  size_t bytes = 1;
  CHECK(wt_experts_sort_workspace_size(refusal_context, &good.desc, &bytes) == WT_SUCCESS && bytes == 0,
        "%zu bytes", bytes);
  CHECK(wt_experts_sort_workspace_size(refusal_context, &good.desc, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL");
  bytes = 1;
  CHECK(wt_experts_sort_workspace_size(refusal_context, NULL, &bytes) == WT_ERROR_NULL_ARGUMENT && bytes == 0,
        "desc");
  refusal_accepted("sort", sort, &good);
  REFUSED(sort, good, desc.struct_size = 4, WT_ERROR_STRUCT_SIZE, "WT_EXPERTS_SORT_DESC_INIT");
  REFUSED(sort, good, desc.tokens = -1, WT_ERROR_SIZE, "desc->tokens is -1");
  REFUSED(sort, good, desc.experts = 513, WT_ERROR_SIZE, "desc->experts is 513");
  REFUSED(sort, good, desc.top_k = 65, WT_ERROR_SIZE, "desc->top_k is 65");
  REFUSED(sort, good, ids = NULL, WT_ERROR_NULL_ARGUMENT, "ids is NULL");
  REFUSED(sort, good, offsets = NULL, WT_ERROR_NULL_ARGUMENT, "offsets is NULL");
  REFUSED(sort, good, offsets = part(0), WT_ERROR_OVERLAP, "offsets (0x", "overlaps ids");
  REFUSED(sort, good, order = good.offsets, WT_ERROR_OVERLAP, "overlaps");
  REFUSED(sort, good, places = before_end(36), WT_ERROR_BUFFER, "places needs 40 bytes");
  // These are 600 pairs, in 5 parts.
  sort_call given = good;
  given.desc.tokens = 300, given.desc.workspace = part(5), given.desc.workspace_bytes = 4 * 9 * 6;
  refusal_accepted("sort with a workspace", sort, &given);
  REFUSED(sort, given, desc.workspace_bytes = 215, WT_ERROR_BUFFER, "desc->workspace_bytes is 215",
          "need 216", "wt_experts_sort_workspace_size");
  REFUSED(sort, given, desc.workspace = (char *)part(5) + 8, WT_ERROR_MISALIGNED, "desc->workspace is 0x");
  CHECK(wt_context_set_workspace_limit(refusal_context, 215) == WT_SUCCESS, "limit");
  REFUSED(sort, given, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL", "216 bytes");
  CHECK(wt_context_set_workspace_limit(refusal_context, WT_WORKSPACE_LIMIT_DEFAULT) == WT_SUCCESS, "limit");
}

// ---- the layer

typedef struct forward_call {
  wt_experts_desc desc;
  const void *x, *w_gate_up, *w_down;
  const int32_t *ids;
  const float *weights;
  void *y;
} forward_call;

static wt_status forward(const void *arguments) {
  const forward_call *c = arguments;
  return wt_experts_forward(refusal_context, &c->desc, c->x, c->w_gate_up, c->w_down, c->ids, c->weights,
                            c->y, NULL);
}

static void test_forward_desc(forward_call good) {
  REFUSED(forward, good, desc.struct_size = 4, WT_ERROR_STRUCT_SIZE, "WT_EXPERTS_DESC_INIT");
  REFUSED(forward, good, desc.tokens = 0, WT_ERROR_SIZE, "desc->tokens is 0");
  REFUSED(forward, good, desc.experts = 0, WT_ERROR_SIZE, "desc->experts is 0");
  REFUSED(forward, good, desc.top_k = 65, WT_ERROR_SIZE, "desc->top_k is 65");
  REFUSED(forward, good, desc.hidden = 0, WT_ERROR_SIZE, "desc->hidden is 0", "1073741824");
  REFUSED(forward, good, desc.inner = (1 << 29) + 1, WT_ERROR_SIZE, "desc->inner is 536870913", "536870912");
  REFUSED(forward, good, desc.type = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_F32",
          "WT_TYPE_BF16");
  REFUSED(forward, good, desc.activation = (wt_activation)9, WT_ERROR_VALUE, "desc->activation is 9");
  REFUSED(forward, good, desc.ldx = HIDDEN - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 15", "16 elements");
  REFUSED(forward, good, desc.ldy = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is 1");
  REFUSED(forward, good, desc.shared_inner = 8, WT_ERROR_NULL_ARGUMENT, "desc->shared_gate_up is NULL");
  REFUSED(forward, good, desc.shared_gate_up = part(1), WT_ERROR_NULL_ARGUMENT, "desc->shared_down is NULL");
  forward_call shared = good;
  shared.desc.shared_gate_up = part(1), shared.desc.shared_down = part(2);
  REFUSED(forward, shared, desc.shared_inner = 0, WT_ERROR_SIZE, "desc->shared_inner is 0");
  shared.desc.shared_inner = INNER;
  refusal_accepted("forward with a shared network", forward, &shared);
  REFUSED(forward, shared, desc.shared_gate_up = before_end(16), WT_ERROR_BUFFER,
          "desc->shared_gate_up needs 512 bytes");
  REFUSED(forward, shared, desc.shared_down = before_end(16), WT_ERROR_BUFFER,
          "desc->shared_down needs 256 bytes");
}

// Tests weights in block-scaled formats.
static void test_forward_scales(forward_call good, bool gfx950) {
  const wt_type f8 = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  REFUSED(forward, good, desc.gate_up_scale = part(8), WT_ERROR_VALUE, "desc->gate_up_scale is set",
          "desc->type_w is 0");
  REFUSED(forward, good, desc.type_q = f8, WT_ERROR_VALUE, "desc->type_q is set");
  REFUSED(forward, good, desc.scales = WT_BLOCK_SCALES_F32, WT_ERROR_VALUE, "desc->scales is set");
  forward_call f32 = good;
  f32.desc.hidden = 64, f32.desc.inner = 32, f32.desc.experts = 1;
  f32.desc.type_w = f8, f32.desc.scales = WT_BLOCK_SCALES_F32;
  f32.desc.gate_up_scale = part(8), f32.desc.down_scale = part(9);
  refusal_accepted("forward with F32 scales", forward, &f32);
  REFUSED(forward, f32, desc.type_w = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_w is WT_TYPE_BF16");
  REFUSED(forward, f32, desc.type_q = WT_TYPE_F8E5M2, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q");
  REFUSED(forward, f32, desc.scales = (wt_block_scales)3, WT_ERROR_VALUE, "desc->scales is 3");
  REFUSED(forward, f32, desc.scales_of_w = (wt_scales_of_b)2, WT_ERROR_VALUE, "desc->scales_of_w is 2");
  REFUSED(forward, f32, desc.rounding = WT_SCALE_EVEN, WT_ERROR_VALUE, "desc->rounding is 2", "F32 scales");
  REFUSED(forward, f32, desc.hidden = 48, WT_ERROR_SIZE, "desc->hidden is 48", "multiple of 32");
  REFUSED(forward, f32, desc.inner = 24, WT_ERROR_SIZE, "desc->inner is 24", "multiple of 32");
  REFUSED(forward, f32, desc.gate_up_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->gate_up_scale is NULL");
  REFUSED(forward, f32, desc.down_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->down_scale is NULL");
  REFUSED(forward, f32, desc.shared_down_scale = part(8), WT_ERROR_VALUE, "desc->shared_down_scale is set",
          "no shared network");
  REFUSED(forward, f32, desc.gate_up_scale = before_end(0), WT_ERROR_BUFFER, "desc->gate_up_scale");
  REFUSED(forward, f32, desc.down_scale = (char *)part(9) + 2, WT_ERROR_MISALIGNED, "desc->down_scale",
          "4 bytes");
  REFUSED(forward, f32, w_gate_up = before_end(64 * 64 - 1), WT_ERROR_BUFFER, "w_gate_up needs 4096 bytes");
  REFUSED(forward, f32, y = part(8), WT_ERROR_OVERLAP, "overlaps desc->gate_up_scale");
  forward_call shared = f32;
  shared.desc.shared_gate_up = part(10), shared.desc.shared_down = part(11), shared.desc.shared_inner = 32;
  REFUSED(forward, shared, desc.shared_down_scale = part(8), WT_ERROR_NULL_ARGUMENT,
          "desc->shared_gate_up_scale is NULL");
  forward_call mx = f32;
  mx.desc.type_w = WT_TYPE_F4E2M1, mx.desc.scales = WT_BLOCK_SCALES_E8M0;
  if (!gfx950) {
    REFUSED(forward, mx, desc.top_k = TOP_K, WT_ERROR_UNSUPPORTED_TARGET, "gfx950", "WT_BLOCK_SCALES_F32");
    return;
  }
  mx.desc.type_q = WT_TYPE_F8E4M3;
  refusal_accepted("forward with MXFP4 weights", forward, &mx);
  REFUSED(forward, mx, desc.type_w = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w is WT_TYPE_BF16");
  REFUSED(forward, mx, desc.type_w = WT_TYPE_F6E2M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_q is WT_TYPE_F8E4M3", "the same");
  REFUSED(forward, mx, desc.type_q = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q is WT_TYPE_F16");
  REFUSED(forward, mx, desc.hidden = 96, WT_ERROR_SIZE, "desc->hidden is 96", "multiple of 64");
  REFUSED(forward, mx, desc.scales_of_w = WT_SCALES_OF_B_ROWS, WT_ERROR_VALUE, "desc->scales_of_w is set");
  REFUSED(forward, mx, desc.rounding = (wt_scale_rounding)4, WT_ERROR_VALUE, "desc->rounding is 4");
  forward_call as_it_is = mx;
  as_it_is.desc.type = as_it_is.desc.type_q = WT_TYPE_BF16;
  refusal_accepted("forward of BF16 with MXFP4 weights", forward, &as_it_is);
  REFUSED(forward, as_it_is, desc.type = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_q is WT_TYPE_BF16", "desc->type is WT_TYPE_F16");
  REFUSED(forward, as_it_is, desc.rounding = WT_SCALE_EVEN, WT_ERROR_VALUE, "desc->rounding is",
          "nothing is quantised");
  REFUSED(forward, as_it_is, desc.type_w = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_q is WT_TYPE_BF16", "the same");
  REFUSED(forward, as_it_is, desc.hidden = 80, WT_ERROR_SIZE, "desc->hidden is 80", "multiple of 32");
  REFUSED(forward, mx, desc.gate_up_scale = before_end(127), WT_ERROR_BUFFER,
          "desc->gate_up_scale needs 128 bytes");
  REFUSED(forward, mx, w_down = before_end(1023), WT_ERROR_BUFFER, "w_down needs 1024 bytes");
}

static void test_forward_memory(forward_call good) {
  REFUSED(forward, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(forward, good, w_gate_up = NULL, WT_ERROR_NULL_ARGUMENT, "w_gate_up is NULL");
  REFUSED(forward, good, w_down = NULL, WT_ERROR_NULL_ARGUMENT, "w_down is NULL");
  REFUSED(forward, good, ids = NULL, WT_ERROR_NULL_ARGUMENT, "ids is NULL");
  REFUSED(forward, good, weights = NULL, WT_ERROR_NULL_ARGUMENT, "weights is NULL");
  REFUSED(forward, good, y = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(forward, good, x = (char *)part(0) + 1, WT_ERROR_MISALIGNED, "x is 0x", "2 bytes");
  REFUSED(forward, good, w_gate_up = before_end(16), WT_ERROR_BUFFER, "w_gate_up needs 4096 bytes");
  REFUSED(forward, good, w_down = before_end(16), WT_ERROR_BUFFER, "w_down needs 2048 bytes");
  REFUSED(forward, good, y = (void *)(uintptr_t)good.x, WT_ERROR_OVERLAP, "overlaps");
  size_t bytes = 1;
  CHECK(wt_experts_workspace_size(refusal_context, &good.desc, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL");
  CHECK(wt_experts_workspace_size(refusal_context, NULL, &bytes) == WT_ERROR_NULL_ARGUMENT && bytes == 0,
        "desc");
  CHECK(wt_experts_workspace_size(refusal_context, &good.desc, &bytes) == WT_SUCCESS && bytes > 0, "size");
  CHECK(wt_context_set_workspace_limit(refusal_context, bytes - 1) == WT_SUCCESS, "limit");
  REFUSED(forward, good, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL");
  CHECK(wt_context_set_workspace_limit(refusal_context, WT_WORKSPACE_LIMIT_DEFAULT) == WT_SUCCESS, "limit");
  forward_call given = good;
  given.desc.workspace = part(9), given.desc.workspace_bytes = bytes;
  refusal_accepted("forward with a workspace", forward, &given);
  REFUSED(forward, given, desc.workspace_bytes = 1, WT_ERROR_BUFFER, "desc->workspace_bytes is 1",
          "wt_experts_workspace_size");
  REFUSED(forward, given, desc.workspace = good.y, WT_ERROR_OVERLAP, "overlaps");
}

// The workspace holds what the products of the shared network can make use of.
static void test_workspace_of_products(void) {
  wt_experts_desc d = WT_EXPERTS_DESC_INIT;
  d.tokens = 4, d.experts = d.top_k = 1, d.hidden = 8192, d.inner = 64, d.type = WT_TYPE_BF16;
  wt_gemm_desc product = WT_GEMM_DESC_INIT;
  product.m = d.tokens, product.n = 2 * d.inner, product.k = d.hidden;
  product.type_a = product.type_b = product.type_c = d.type;
  size_t without = 0, with = 0, parts = 0;
  CHECK(wt_experts_workspace_size(refusal_context, &d, &without) == WT_SUCCESS, "without");
  d.shared_gate_up = part(1), d.shared_down = part(2), d.shared_inner = d.inner;
  CHECK(wt_experts_workspace_size(refusal_context, &d, &with) == WT_SUCCESS, "with");
  CHECK(wt_gemm_workspace_size(refusal_context, &product, &parts) == WT_SUCCESS, "product");
  CHECK(with >= without + parts, "%zu bytes with a shared network, %zu without, %zu for parts of K", with,
        without, parts);
}

static void test_forward(void) {
  forward_call good = {.desc = WT_EXPERTS_DESC_INIT,
                       .x = part(0),
                       .w_gate_up = part(1),
                       .w_down = part(3),
                       .ids = part(5),
                       .weights = part(6),
                       .y = part(7)};
  wt_experts_desc *d = &good.desc;
  d->tokens = TOKENS, d->experts = EXPERTS, d->top_k = TOP_K, d->hidden = HIDDEN, d->inner = INNER;
  d->type = WT_TYPE_BF16;
  refusal_accepted("forward", forward, &good);
  test_forward_desc(good);
  test_forward_scales(good, strcmp(wt_context_target(refusal_context), "gfx950") == 0);
  test_forward_memory(good);
  test_workspace_of_products();
}

// Calls on the memory of another device than the current one leave that current.
static void each_test(int device) {
  int current = -1;
  void (*const tests[])(void) = {test_route, test_sort, test_forward};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    CHECK(hipSetDevice(1 - device) == hipSuccess, "device %d", 1 - device);
    tests[i]();
    CHECK(hipGetDevice(&current) == hipSuccess && current == 1 - device, "test %zu leaves device %d", i,
          current);
  }
  CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
}

int main(void) {
  for (int device = 0; device < 2; ++device) {
    refusal_begin(device);
    each_test(device);
    refusal_end();
  }
  return test_result();
}
