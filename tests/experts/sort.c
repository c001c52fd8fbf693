// SPDX-License-Identifier: MIT
// Tests wt_experts_sort against qsort: random numbers of tokens, experts and slots, ids of no expert among
// them, experts with everything and with nothing, with and without each result, on both simulated chips. The
// results are the same under every schedule.
//
//   sort CASES
#include "row_matrix.h"
#include "wavetile.h"

typedef struct sort_case {
  char what[160];
  wt_experts_sort_desc desc;
  int pairs;
  row_matrix ids, offsets, order, places;
  bool has_order, has_places;
  int *want;  // the pairs in their order
} sort_case;

// ---- the reference

typedef struct keyed {
  int bucket, pair;
} keyed;

static int compare(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  return x->bucket != y->bucket ? (x->bucket > y->bucket) - (x->bucket < y->bucket) : x->pair - y->pair;
}

static int id_of(const sort_case *c, int pair) { return (int)row_value(&c->ids, c->ids.host, 0, pair); }

static int bucket_of(const sort_case *c, int pair) {
  const int id = id_of(c, pair);
  return id >= 0 && id < c->desc.experts ? id : (int)c->desc.experts;
}

static int *sorted(const sort_case *c) {
  keyed *all = malloc((size_t)c->pairs * sizeof *all);
  int *pairs = malloc((size_t)c->pairs * sizeof *pairs);
  for (int i = 0; i < c->pairs; ++i) all[i] = (keyed){bucket_of(c, i), i};
  qsort(all, (size_t)c->pairs, sizeof *all, compare);
  for (int i = 0; i < c->pairs; ++i) pairs[i] = all[i].pair;
  free(all);
  return pairs;
}

static int number(const row_matrix *x, const unsigned char *data, int i) {
  return (int)row_value(x, data, 0, i);
}

static void check_results(const sort_case *c, unsigned char *const got[3]) {
  int at = 0;
  for (int e = 0; e <= c->desc.experts; ++e) {
    while (at < c->pairs && bucket_of(c, c->want[at]) < e) ++at;
    CHECK(number(&c->offsets, got[0], e) == at, "%s: offset %d is %d, expected %d", c->what, e,
          number(&c->offsets, got[0], e), at);
  }
  for (int i = 0; i < c->pairs; ++i) {
    const int pair = number(&c->order, got[1], i), place = number(&c->places, got[2], c->want[i]);
    CHECK(!c->has_order || pair == c->want[i], "%s: pair at %d is %d, expected %d", c->what, i, pair,
          c->want[i]);
    CHECK(!c->has_places || place == i, "%s: place of %d is %d, expected %d", c->what, c->want[i], place, i);
  }
  CHECK(c->has_order || memcmp(got[1], c->order.host, c->order.bytes) == 0, "%s: order was written", c->what);
  CHECK(c->has_places || memcmp(got[2], c->places.host, c->places.bytes) == 0, "%s: places were written",
        c->what);
}

// ---- runs

static bool enqueue(wt_context *context, const sort_case *c, void *workspace) {
  const row_matrix *const all[] = {&c->ids, &c->offsets, &c->order, &c->places};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_upload(all[i]);
  if (workspace) row_ok(hipMemset(workspace, ROW_POISON, c->desc.workspace_bytes), "hipMemset");
  int32_t *const order = (int32_t *)(void *)c->order.device, *const places =
                                                                 (int32_t *)(void *)c->places.device;
  const wt_status status = wt_experts_sort(context, &c->desc, (const int32_t *)(const void *)c->ids.device,
                                           (int32_t *)(void *)c->offsets.device, c->has_order ? order : NULL,
                                           c->has_places ? places : NULL, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Half of the cases bring a workspace of just the bytes that are needed.
static void *workspace_of(wt_context *context, sort_case *c, test_rng *rng) {
  void *workspace = NULL;
  size_t bytes = 0;
  CHECK(wt_experts_sort_workspace_size(context, &c->desc, &bytes) == WT_SUCCESS, "%s",
        wt_last_error(context));
  if (!bytes || row_between(rng, 0, 1)) return NULL;
  row_ok(hipMalloc(&workspace, bytes), "hipMalloc");
  c->desc.workspace = workspace, c->desc.workspace_bytes = bytes;
  return workspace;
}

static void run(wt_context *context, sort_case *c, test_rng *rng) {
  const row_matrix *const outs[3] = {&c->offsets, &c->order, &c->places};
  unsigned char *first[3], *again[3];
  for (int o = 0; o < 3; ++o) first[o] = malloc(outs[o]->bytes), again[o] = malloc(outs[o]->bytes);
  void *workspace = workspace_of(context, c, rng);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, c, workspace)) break;
    for (int o = 0; o < 3; ++o) row_download(outs[o], s ? again[o] : first[o]);
    if (s == 0) check_results(c, first);
    for (int o = 0; o < 3 && s; ++o)
      CHECK(memcmp(first[o], again[o], outs[o]->bytes) == 0, "%s: schedule %s gives other bits than %s",
            c->what, schedules[s], schedules[0]);
  }
  for (int o = 0; o < 3; ++o) free(first[o]), free(again[o]);
  row_ok(hipFree(workspace), "hipFree");
}

// ---- cases

// Returns ids of any expert, of few, of one alone, or of no expert among them.
static int random_id(test_rng *rng, int kind, int experts) {
  static const int strangers[] = {-1, INT32_MIN, INT32_MAX};
  switch (kind) {
    case 0: return experts - 1;
    case 1: return row_between(rng, 0, 3) * (experts - 1) / 3;
    case 2:
      if (row_between(rng, 0, 2) == 0)
        return row_between(rng, 0, 1) ? experts : strangers[row_between(rng, 0, 2)];
      break;
    default: break;
  }
  return row_between(rng, 0, experts - 1);
}

static int tokens_of(test_rng *rng) {
  static const int sizes[] = {1, 304, 336, 4096, 9001};
  return row_between(rng, 0, 1) ? row_between(rng, 1, 700) : sizes[row_between(rng, 0, 4)];
}

static row_matrix numbers(int count, test_rng *rng) {
  return row_matrix_create(WT_TYPE_I32, 1, count, count, 4 * row_between(rng, 0, 3));
}

static sort_case make_case(test_rng *rng) {
  static const int sizes[] = {1, 2, 8, 63, 64, 128, 256, 512};
  sort_case c = {.desc = WT_EXPERTS_SORT_DESC_INIT};
  wt_experts_sort_desc *d = &c.desc;
  d->tokens = tokens_of(rng);
  d->top_k = row_between(rng, 1, 8);
  d->experts = row_between(rng, 0, 2) ? sizes[row_between(rng, 0, 7)] : row_between(rng, 1, 512);
  c.pairs = (int)(d->tokens * d->top_k);
  c.has_order = row_between(rng, 0, 3) > 0, c.has_places = row_between(rng, 0, 3) > 0;
  c.ids = numbers(c.pairs, rng), c.offsets = numbers((int)d->experts + 1, rng);
  c.order = numbers(c.pairs, rng), c.places = numbers(c.pairs, rng);
  const int kind = row_between(rng, 0, 4);
  for (int i = 0; i < c.pairs; ++i) row_put(&c.ids, 0, i, (uint32_t)random_id(rng, kind, (int)d->experts));
  c.want = sorted(&c);
  snprintf(c.what, sizeof c.what, "tokens %d slots %d experts %d kind %d results %d%d", (int)d->tokens,
           (int)d->top_k, (int)d->experts, kind, c.has_order, c.has_places);
  return c;
}

static void run_case(wt_context *context, test_rng *rng) {
  sort_case c = make_case(rng);
  run(context, &c, rng);
  row_matrix_destroy(&c.ids), row_matrix_destroy(&c.offsets);
  row_matrix_destroy(&c.order), row_matrix_destroy(&c.places);
  free(c.want);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: sort CASES\n"), 2;
  test_rng rng = test_seed(20261126);
  row_run_devices(atoi(argv[1]), &rng, run_case);
  return test_result();
}
