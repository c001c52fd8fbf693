// SPDX-License-Identifier: MIT
// Runs random cases of attention: every kernel, mask and arrangement in memory, lengths of 1 to some
// hundreds. Each is within its error bound of float64, gives the same bits under every schedule, and has no
// LDS bank conflict; but sums of the backward pass that are not asked to be deterministic may differ. Usage:
// attention_random DEVICE HEAD_DIM VALUE_DIM TYPE CASES forward|deterministic|atomic [4|8|general] With the
// number of waves, or for the general kernels: heads up to this size, and what they alone can do.
#include <hip/hip_runtime_api.h>

#include "attention_case.h"
#include "tests/row_matrix.h"
#include "wavetile_sim.h"

static bool chance(test_rng *rng, int of) { return row_between(rng, 1, of) == 1; }

// Returns a length: often at a multiple of the kernels' blocks and tiles, or beside one.
static int length(test_rng *rng, int most) {
  const int units[] = {1, 32, 64, 256};
  const int unit = units[row_between(rng, 0, 3)];
  int value = row_between(rng, 1, most / unit) * unit + (unit > 1 ? row_between(rng, -1, 1) : 0);
  return value < 1 ? 1 : value;
}

static attention_case random_case(test_rng *rng, wt_type type, int head_dim, int value_dim) {
  static const int heads[][2] = {{1, 1}, {2, 2}, {2, 1}, {4, 2}, {6, 2}, {3, 1}};
  static const double spreads[] = {0.2, 1, 4}, drifts[] = {0, 0, 3};
  const int *h = heads[row_between(rng, 0, 5)];
  attention_case c = {.type = type,
                      .head_dim = head_dim,
                      .value_dim = value_dim,
                      .batch = row_between(rng, 1, 2),
                      .heads = h[0],
                      .kv_heads = h[1],
                      .queries = length(rng, 520),
                      .keys = length(rng, 700),
                      .packed = chance(rng, 3),
                      .causal = chance(rng, 2),
                      .lse = !chance(rng, 5),
                      .sinks = chance(rng, 3),
                      .layout = (attention_layout)row_between(rng, 0, 2),
                      .spread = spreads[row_between(rng, 0, 2)],
                      .drift = drifts[row_between(rng, 0, 2)],
                      .seed = test_random(rng)};
  if (chance(rng, 3)) c.window = chance(rng, 4) ? 1 : length(rng, 300);
  if (chance(rng, 3)) c.scale = row_between(rng, 1, 40) / 64.0;
  if (chance(rng, 3)) c.padding = chance(rng, 2) ? 16 * row_between(rng, 1, 3) : row_between(rng, 1, 9);
  if (chance(rng, 5)) c.shift = row_between(rng, 1, 7);
  if (type != WT_TYPE_BF16 && type != WT_TYPE_F16) {
    c.scale_q = row_between(rng, 1, 32) / 16.0;
    c.scale_k = row_between(rng, 1, 32) / 16.0;
    c.scale_v = row_between(rng, 1, 32) / 16.0;
  }
  if (c.layout == ATTENTION_QKV && !c.packed) c.keys = c.queries;
  if (!c.packed) return c;
  c.batch = row_between(rng, 1, 4);
  for (int i = 0; i < c.batch; ++i) {
    // One of the sequences may be empty, but not all.
    c.q_lengths[i] = i > 0 && chance(rng, 4) ? 0 : length(rng, 300);
    c.k_lengths[i] = c.layout == ATTENTION_QKV ? c.q_lengths[i]
                     : i > 0 && chance(rng, 4) ? 0
                                               : length(rng, 400);
  }
  return c;
}

// Makes a case one for the general kernels.
static void generalise(test_rng *rng, attention_case *c) {
  static const double caps[] = {1, 8, 50};
  const int unit = c->type == WT_TYPE_BF16 || c->type == WT_TYPE_F16 ? 8 : 16;
  if (chance(rng, 2)) c->soft_cap = caps[row_between(rng, 0, 2)];
  c->alibi = chance(rng, 2), c->alibi_batch = c->alibi && chance(rng, 2);
  if (unit == 8 && chance(rng, 2)) c->dropout = row_between(rng, 1, 99) / 100.0;
  if ((c->soft_cap == 0 && !c->alibi && c->dropout == 0) || chance(rng, 2)) {
    c->head_dim = unit * row_between(rng, 1, c->head_dim / unit - 1);
    c->value_dim = unit * row_between(rng, 1, c->value_dim / unit);
  }
}

static void run(wt_context *context, const attention_case *c, bool backward) {
  char text[512];
  attention_case_text(c, text, sizeof text);
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  const attention_verdict v = (backward ? attention_case_backward : attention_case_forward)(
      context, c, row_case_schedules(), ROW_CASE_SCHEDULES);
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && conflicts == 0, "%llu conflict cycles: %s",
        conflicts, text);
  CHECK(v.correct, "%s\n  %s", text, v.message);
}

int main(int argc, char **argv) {
  if (argc != 7 && argc != 8)
    return fprintf(stderr, "usage: %s DEVICE HEAD_DIM VALUE_DIM TYPE CASES PASS [WAVES|general]\n", argv[0]),
           2;
  const bool backward = strcmp(argv[6], "forward") != 0;
  test_rng rng = test_seed(2027);
  wt_context *context = NULL;
  CHECK(wt_context_create(atoi(argv[1]), &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  CHECK(hipSetDevice(atoi(argv[1])) == hipSuccess, "device %s", argv[1]);
  if (!context) return test_result();
  for (int i = 0; i < atoi(argv[5]); ++i) {
    attention_case c = random_case(&rng, attention_case_type(argv[4]), atoi(argv[2]), atoi(argv[3]));
    c.deterministic = strcmp(argv[6], "deterministic") == 0;
    if (argc == 8 && strcmp(argv[7], "general") == 0) {
      generalise(&rng, &c);
    } else if (argc == 8) {
      c.waves = atoi(argv[7]);
      if (c.waves == 4) c.padding = c.padding / 8 * 8, c.shift = c.shift / 8 * 8;  // needs aligned rows
    }
    run(context, &c, backward);
  }
  wt_context_destroy(context);
  return test_result();
}
