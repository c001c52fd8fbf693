// SPDX-License-Identifier: MIT
// Routing and layer in a captured stream, which would refuse any call that waits: the graph, replayed with
// other logits, gives the bits of direct calls, although each expert has other tokens then.
#include "row_matrix.h"
#include "wavetile.h"

enum { TOKENS = 304, EXPERTS = 16, TOP_K = 4, HIDDEN = 64, INNER = 32, SHARED = 24 };

typedef struct layer {
  wt_experts_route_desc route;
  wt_experts_desc desc;
  row_matrix logits, x, gate_up, down, shared_gate_up, shared_down, ids, weights, y, workspace;
} layer;

static wt_status enqueue(wt_context *context, const layer *l, hipStream_t stream) {
  int32_t *const ids = (int32_t *)(void *)l->ids.device;
  float *const weights = (float *)(void *)l->weights.device;
  const wt_status status = wt_experts_route(context, &l->route, l->logits.device, ids, weights, stream);
  return status ? status
                : wt_experts_forward(context, &l->desc, l->x.device, l->gate_up.device, l->down.device, ids,
                                     weights, l->y.device, stream);
}

static row_matrix matrix_of(wt_type type, int rows, int columns, test_rng *rng) {
  row_matrix m = row_matrix_create(type, rows, columns, columns, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) row_put(&m, i, j, row_encode(type, row_normal(rng)));
  row_upload(&m);
  return m;
}

static layer make_layer(wt_context *context, test_rng *rng) {
  layer l = {.route = WT_EXPERTS_ROUTE_DESC_INIT, .desc = WT_EXPERTS_DESC_INIT};
  l.route.tokens = TOKENS, l.route.experts = EXPERTS, l.route.top_k = TOP_K, l.route.type = WT_TYPE_F32;
  l.desc.tokens = TOKENS, l.desc.experts = EXPERTS, l.desc.top_k = TOP_K;
  l.desc.hidden = HIDDEN, l.desc.inner = INNER, l.desc.type = WT_TYPE_BF16;
  l.logits = matrix_of(WT_TYPE_F32, TOKENS, EXPERTS, rng);
  l.x = matrix_of(WT_TYPE_BF16, TOKENS, HIDDEN, rng);
  l.gate_up = matrix_of(WT_TYPE_BF16, EXPERTS * 2 * INNER, HIDDEN, rng);
  l.down = matrix_of(WT_TYPE_BF16, EXPERTS * HIDDEN, INNER, rng);
  l.shared_gate_up = matrix_of(WT_TYPE_BF16, 2 * SHARED, HIDDEN, rng);
  l.shared_down = matrix_of(WT_TYPE_BF16, HIDDEN, SHARED, rng);
  l.ids = matrix_of(WT_TYPE_I32, TOKENS, TOP_K, rng), l.weights = matrix_of(WT_TYPE_F32, TOKENS, TOP_K, rng);
  l.y = matrix_of(WT_TYPE_BF16, TOKENS, HIDDEN, rng);
  l.desc.shared_gate_up = l.shared_gate_up.device, l.desc.shared_down = l.shared_down.device;
  l.desc.shared_inner = SHARED;
  CHECK(wt_experts_workspace_size(context, &l.desc, &l.desc.workspace_bytes) == WT_SUCCESS, "%s",
        wt_last_error(context));
  l.workspace = matrix_of(WT_TYPE_F32, 1, (int)(l.desc.workspace_bytes / sizeof(float)), rng);
  l.desc.workspace = l.workspace.device;
  // No step takes memory of its own beside it.
  CHECK(wt_context_set_workspace_limit(context, 0) == WT_SUCCESS, "%s", wt_last_error(context));
  return l;
}

static void destroy_layer(layer *l) {
  row_matrix *const all[] = {&l->logits,      &l->x,   &l->gate_up, &l->down, &l->shared_gate_up,
                             &l->shared_down, &l->ids, &l->weights, &l->y,    &l->workspace};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

static hipGraphExec_t capture(wt_context *context, const layer *l, hipStream_t stream) {
  hipGraph_t graph = NULL;
  hipGraphExec_t program = NULL;
  row_ok(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "begin of the capture");
  CHECK(enqueue(context, l, stream) == WT_SUCCESS, "%s", wt_last_error(context));
  row_ok(hipStreamEndCapture(stream, &graph), "end of the capture");
  row_ok(hipGraphInstantiate(&program, graph, NULL, NULL, 0), "instantiation");
  row_ok(hipGraphDestroy(graph), "destruction");
  return program;
}

static void run(wt_context *context, test_rng *rng) {
  layer l = make_layer(context, rng);
  unsigned char *direct = malloc(l.y.bytes), *replayed = malloc(l.y.bytes), *before = calloc(1, l.y.bytes);
  hipStream_t stream = NULL;
  row_ok(hipStreamCreate(&stream), "stream");
  const hipGraphExec_t program = capture(context, &l, stream);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < TOKENS; ++i)
      for (int e = 0; e < EXPERTS; ++e) row_put(&l.logits, i, e, row_encode(WT_TYPE_F32, row_normal(rng)));
    row_upload(&l.logits);
    CHECK(enqueue(context, &l, stream) == WT_SUCCESS, "%s", wt_last_error(context));
    row_ok(hipStreamSynchronize(stream), "direct calls");
    row_download(&l.y, direct);
    row_ok(hipMemset(l.y.device, ROW_POISON, l.y.bytes), "hipMemset");
    row_ok(hipGraphLaunch(program, stream), "replay");
    row_ok(hipStreamSynchronize(stream), "replay");
    row_download(&l.y, replayed);
    CHECK(memcmp(direct, replayed, l.y.bytes) == 0, "round %d: the graph gives other bits", round);
    CHECK(memcmp(direct, before, l.y.bytes) != 0, "round %d: other logits give the same bits", round);
    memcpy(before, direct, l.y.bytes);
  }
  row_ok(hipGraphExecDestroy(program), "destruction"), row_ok(hipStreamDestroy(stream), "stream");
  free(direct), free(replayed), free(before);
  destroy_layer(&l);
}

int main(void) {
  test_rng rng = test_seed(20261128);
  row_run_devices(1, &rng, run);
  return test_result();
}
