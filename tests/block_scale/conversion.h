// SPDX-License-Identifier: MIT
// Declares a conversion to blocks and back, with its memory: what the tests of MX formats and of F32 scales
// share.
#ifndef WT_TESTS_BLOCK_SCALE_CONVERSION_H
#define WT_TESTS_BLOCK_SCALE_CONVERSION_H

#include "row_matrix.h"

typedef struct conversion {
  char what[280];
  wt_block_scale_desc desc;
  row_matrix x, q, scale, back;  // back has the rows and elements of q
} conversion;

// Holds what a conversion left in memory.
typedef struct conversion_results {
  unsigned char *q, *scale, *back;
} conversion_results;

static inline conversion_results conversion_download(const conversion *c) {
  conversion_results r = {malloc(c->q.bytes), malloc(c->scale.bytes), malloc(c->back.bytes)};
  row_download(&c->q, r.q), row_download(&c->scale, r.scale), row_download(&c->back, r.back);
  return r;
}

static inline void conversion_release(conversion_results *r) { free(r->q), free(r->scale), free(r->back); }

static inline void conversion_destroy(conversion *c) {
  row_matrix *const all[] = {&c->x, &c->q, &c->scale, &c->back};
  for (int i = 0; i < 4; ++i) row_matrix_destroy(all[i]);
}

static inline bool conversion_enqueue(wt_context *context, const conversion *c) {
  const row_matrix *const all[] = {&c->x, &c->q, &c->scale, &c->back};
  for (int i = 0; i < 4; ++i) row_upload(all[i]);
  wt_block_scale_desc back = c->desc;
  back.along = WT_BLOCKS_ALONG_ROWS;
  back.rows = c->back.rows, back.columns = c->back.columns, back.ldx = c->back.ld;
  wt_status status = wt_quantize_blocks(context, &c->desc, c->x.device, c->q.device, c->scale.device, NULL);
  if (!status)
    status = wt_dequantize_blocks(context, &back, c->q.device, c->scale.device, c->back.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Converts under every schedule, all of which must give the same bits, and write nothing between rows.
// Returns the results, which are NULL where the first call failed.
static inline conversion_results conversion_run(wt_context *context, const conversion *c) {
  conversion_results first = {NULL, NULL, NULL};
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!conversion_enqueue(context, c)) break;
    conversion_results r = conversion_download(c);
    if (s == 0) {
      first = r;
      continue;
    }
    CHECK(memcmp(r.q, first.q, c->q.bytes) == 0 && memcmp(r.scale, first.scale, c->scale.bytes) == 0 &&
              memcmp(r.back, first.back, c->back.bytes) == 0,
          "%s: schedule %s gives other bits than %s", c->what, schedules[s], schedules[0]);
    conversion_release(&r);
  }
  if (!first.q) return first;
  CHECK(row_gaps_kept(&c->q, first.q), "%s: something between the rows of q was written", c->what);
  CHECK(row_gaps_kept(&c->scale, first.scale), "%s: something between the rows of scales was written",
        c->what);
  CHECK(row_gaps_kept(&c->back, first.back), "%s: something between the rows of x was written", c->what);
  return first;
}

#endif
