// SPDX-License-Identifier: MIT
// Makes the runs of a random layer of experts: with the context's workspace or one of just the bytes that are
// needed, under several schedules, which give the same bits. Only the sort has LDS bank conflicts.
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

static inline unsigned long long layer_conflicts(int count) {
  unsigned long long conflicts = 0;
  CHECK(wtSimLdsConflicts(count, NULL, &conflicts) == 0, "conflicts are not counted");
  return conflicts;
}

// Where the sort counts in LDS follows from the ids, so that it may have bank conflicts. Returns the cycles
// that it loses to them.
static inline unsigned long long layer_sort_conflicts(wt_context *context, const layer_case *c) {
  wt_experts_sort_desc d = WT_EXPERTS_SORT_DESC_INIT;
  d.tokens = c->desc->tokens, d.experts = c->desc->experts, d.top_k = c->desc->top_k;
  const int experts = (int)d.experts, pairs = (int)(d.tokens * d.top_k);
  row_matrix offsets = row_matrix_create(WT_TYPE_I32, 1, experts + 1, experts + 1, 0);
  row_matrix places = row_matrix_create(WT_TYPE_I32, 1, pairs, pairs, 0);
  const unsigned long long before = layer_conflicts(1);
  const wt_status status =
      wt_experts_sort(context, &d, (const int32_t *)(const void *)c->ids->device,
                      (int32_t *)(void *)offsets.device, NULL, (int32_t *)(void *)places.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  row_ok(hipDeviceSynchronize(), c->what);
  const unsigned long long conflicts = layer_conflicts(0) - before;
  row_matrix_destroy(&offsets), row_matrix_destroy(&places);
  return conflicts;
}

static inline void layer_run(wt_context *context, const layer_case *c, test_rng *rng) {
  void *workspace = layer_workspace(context, c, rng);
  unsigned char *first = malloc(c->y->bytes), *again = malloc(c->y->bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    const unsigned long long before = layer_conflicts(s == 0);
    if (!layer_enqueue(context, c, workspace)) break;
    const unsigned long long lost = layer_conflicts(0) - before;
    const unsigned long long of_sort = s == 0 ? layer_sort_conflicts(context, c) : lost;
    CHECK(lost == of_sort, "%s: %llu cycles are lost to LDS bank conflicts, of which %llu in the sort",
          c->what, lost, of_sort);
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
