// SPDX-License-Identifier: MIT
// Makes the runs of a random layer of experts: with the context's workspace or one of just the bytes that are
// needed, under several schedules, which give the same bits.
#ifndef WT_TESTS_EXPERTS_LAYER_RUNS_H
#define WT_TESTS_EXPERTS_LAYER_RUNS_H

#include "row_matrix.h"
#include "wavetile.h"

typedef struct layer_case {
  const char *what;
  wt_experts_desc *desc;
  const row_matrix *x, *gate_up, *down, *ids, *weights, *y;
  const void *of;  // what the functions take
  void (*upload)(const void *of);
  void (*check_token)(const void *of, const unsigned char *got, int token);
} layer_case;

static inline bool layer_enqueue(wt_context *context, const layer_case *c, void *workspace) {
  c->upload(c->of);
  if (workspace) row_ok(hipMemset(workspace, ROW_POISON, c->desc->workspace_bytes), "hipMemset");
  const wt_status status =
      wt_experts_forward(context, c->desc, c->x->device, c->gate_up->device, c->down->device,
                         (const int32_t *)(const void *)c->ids->device,
                         (const float *)(const void *)c->weights->device, c->y->device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Half of the cases bring a workspace of just the bytes that are needed, all of them NaN.
static inline void *layer_workspace(wt_context *context, const layer_case *c, test_rng *rng) {
  void *workspace = NULL;
  size_t bytes = 0;
  CHECK(wt_experts_workspace_size(context, c->desc, &bytes) == WT_SUCCESS && bytes > 0, "%s",
        wt_last_error(context));
  if (row_between(rng, 0, 1)) return NULL;
  row_ok(hipMalloc(&workspace, bytes), "hipMalloc");
  c->desc->workspace = workspace, c->desc->workspace_bytes = bytes;
  return workspace;
}

static inline void layer_run(wt_context *context, const layer_case *c, test_rng *rng) {
  void *workspace = layer_workspace(context, c, rng);
  unsigned char *first = malloc(c->y->bytes), *again = malloc(c->y->bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!layer_enqueue(context, c, workspace)) break;
    row_download(c->y, s == 0 ? first : again);
    for (int token = 0; token < c->y->rows && s == 0; ++token) c->check_token(c->of, first, token);
    CHECK(s > 0 || row_gaps_kept(c->y, first), "%s: something between the rows was written", c->what);
    CHECK(s == 0 || memcmp(first, again, c->y->bytes) == 0, "%s: schedule %s gives other bits than %s",
          c->what, schedules[s], schedules[0]);
  }
  free(first), free(again);
  row_ok(hipFree(workspace), "hipFree");
}

#endif
