// SPDX-License-Identifier: MIT
// Tests wt_experts_route against the definition in float64: random numbers of tokens, experts, slots and
// groups, both scorings, biases, types and strides, on both simulated chips. Logits and biases are of few
// different values, so that ties are frequent; ids are compared exactly but where different numbers lie
// closer together than f32 can tell, which the reference finds out. The bits are the same under every
// schedule.
//
//   route CASES
#include "row_matrix.h"
#include "wavetile.h"

enum { MOST_EXPERTS = 512, MOST_SLOTS = 64, MOST_GROUPS = 64 };

typedef struct route_case {
  char what[240];
  wt_experts_route_desc desc;
  row_matrix logits, bias, ids, weights;
} route_case;

// ---- the reference

// Holds what is compared in a choice: a value, the inputs that it was made of (equal inputs are a tie in any
// arithmetic), and whether it can still be chosen.
typedef struct rival {
  double value, inputs[4];
  bool eligible;
} rival;

// Numbers that are computed in f32 are told apart if they differ by more than this.
static double resolution(const rival *a, const rival *b) {
  return 1e-5 * (1 + fabs(a->value) + fabs(b->value));
}

// A NaN loses against every number.
static bool beats(const rival *a, const rival *b) {
  return a->eligible && (!b->eligible || a->value > b->value || (isnan(b->value) && !isnan(a->value)));
}

// Returns the best of `count` rivals, the first of equal ones; *clear becomes false if another is too close
// to it.
static int best_of(const rival *all, int count, bool exact, bool *clear) {
  int best = 0;
  for (int i = 1; i < count; ++i)
    if (beats(&all[i], &all[best])) best = i;
  for (int i = 0; i < count && !exact; ++i) {
    const bool same = memcmp(all[i].inputs, all[best].inputs, sizeof all[i].inputs) == 0;
    if (i != best && all[i].eligible && !same &&
        fabs(all[i].value - all[best].value) <= resolution(&all[i], &all[best]))
      *clear = false;
  }
  return best;
}

typedef struct token {
  double score[MOST_EXPERTS];
  rival experts[MOST_EXPERTS];
  bool by_logit, clear;  // clear: the choice does not hang on rounding
  int ids[MOST_SLOTS];
  double weights[MOST_SLOTS];
} token;

static void score_token(const route_case *c, int row, token *t) {
  const wt_experts_route_desc *d = &c->desc;
  double max = -INFINITY, sum = 0;
  for (int e = 0; e < d->experts; ++e) {
    const double logit = row_value(&c->logits, c->logits.host, row, e);
    max = logit > max ? logit : max;
  }
  for (int e = 0; e < d->experts; ++e) sum += exp(row_value(&c->logits, c->logits.host, row, e) - max);
  t->by_logit = !d->bias && (d->scoring == WT_EXPERTS_SOFTMAX || d->top_k_groups % d->groups == 0);
  for (int e = 0; e < d->experts; ++e) {
    const double logit = row_value(&c->logits, c->logits.host, row, e);
    const double bias = d->bias ? row_value(&c->bias, c->bias.host, 0, e) : 0;
    t->score[e] = d->scoring == WT_EXPERTS_SOFTMAX ? exp(logit - max) / sum : 1 / (1 + exp(-logit));
    t->experts[e] = (rival){t->by_logit ? logit : t->score[e] + bias, {logit, bias}, true};
  }
}

// Returns the value of a group: its best expert, or the sum of its two best.
static rival group_of(const route_case *c, token *t, int group) {
  const wt_experts_route_desc *d = &c->desc;
  const int size = (int)(d->experts / d->groups);
  rival members[MOST_EXPERTS];
  memcpy(members, t->experts + group * size, (size_t)size * sizeof *members);
  bool ignored = true;  // which of two close ones is better does not change the value
  const int first = best_of(members, size, true, &ignored);
  rival result = members[first];
  if (d->scoring == WT_EXPERTS_SOFTMAX || size == 1) return result;
  members[first].eligible = false;
  const int second = best_of(members, size, true, &ignored);
  result.value += members[second].value;
  memcpy(result.inputs + 2, members[second].inputs, 2 * sizeof(double));
  return result;
}

static void choose_groups(const route_case *c, token *t) {
  const wt_experts_route_desc *d = &c->desc;
  const int groups = (int)d->groups, size = (int)(d->experts / d->groups);
  const int wanted = d->top_k_groups ? (int)d->top_k_groups : groups;
  rival all[MOST_GROUPS];
  bool chosen[MOST_GROUPS] = {false};
  if (wanted == groups) return;
  for (int g = 0; g < groups; ++g) all[g] = group_of(c, t, g);
  for (int i = 0; i < wanted; ++i) {
    const int best = best_of(all, groups, t->by_logit, &t->clear);
    chosen[best] = true, all[best].eligible = false;
  }
  for (int e = 0; e < d->experts; ++e) t->experts[e].eligible = chosen[e / size];
}

static void route_token(const route_case *c, int row, token *t) {
  const wt_experts_route_desc *d = &c->desc;
  double sum = 0;
  t->clear = true;
  score_token(c, row, t);
  choose_groups(c, t);
  for (int s = 0; s < d->top_k; ++s) {
    t->ids[s] = best_of(t->experts, (int)d->experts, t->by_logit, &t->clear);
    t->experts[t->ids[s]].eligible = false;
    t->weights[s] = t->score[t->ids[s]];
    sum += t->weights[s];
  }
  for (int s = 0; s < d->top_k; ++s)
    t->weights[s] *= (d->renormalise ? (sum == 0 ? 0 : 1 / sum) : 1) * (double)d->scale;
}

// ---- runs

static int tokens_seen, tokens_unclear;

// The exponential has an error of |x| / 2^24 for an argument x, of up to 24 here; then a few roundings.
static void check_token(const route_case *c, const unsigned char *ids, const unsigned char *weights,
                        int row) {
  token t;
  route_token(c, row, &t);
  ++tokens_seen;
  if (!t.clear) {
    ++tokens_unclear;
    return;
  }
  for (int s = 0; s < c->desc.top_k; ++s) {
    const int id = (int)row_value(&c->ids, ids, row, s);
    const double weight = row_value(&c->weights, weights, row, s), bound = 0x1p-18 * fabs(t.weights[s]);
    CHECK(id == t.ids[s], "%s: slot %d of token %d is expert %d, expected %d", c->what, s, row, id, t.ids[s]);
    CHECK(fabs(weight - t.weights[s]) <= bound + 0x1p-126,
          "%s: weight of slot %d of token %d is %.9g, expected %.9g", c->what, s, row, weight, t.weights[s]);
  }
}

static bool enqueue(wt_context *context, const route_case *c) {
  const row_matrix *const all[] = {&c->logits, &c->bias, &c->ids, &c->weights};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_upload(all[i]);
  const wt_status status =
      wt_experts_route(context, &c->desc, c->logits.device, (int32_t *)(void *)c->ids.device,
                       (float *)(void *)c->weights.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

static void run(wt_context *context, const route_case *c) {
  unsigned char *ids[2], *weights[2];
  for (int i = 0; i < 2; ++i) ids[i] = malloc(c->ids.bytes), weights[i] = malloc(c->weights.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, c)) break;
    row_download(&c->ids, ids[s > 0]), row_download(&c->weights, weights[s > 0]);
    for (int row = 0; row < c->ids.rows && s == 0; ++row) check_token(c, ids[0], weights[0], row);
    CHECK(s == 0 || (memcmp(ids[0], ids[1], c->ids.bytes) == 0 &&
                     memcmp(weights[0], weights[1], c->weights.bytes) == 0),
          "%s: schedule %s gives other bits than %s", c->what, schedules[s], schedules[0]);
  }
  for (int i = 0; i < 2; ++i) free(ids[i]), free(weights[i]);
}

// ---- cases

static int tokens_of(test_rng *rng) {
  static const int sizes[] = {1, 4, 5, 304, 336};
  return row_between(rng, 0, 2) ? row_between(rng, 1, 40) : sizes[row_between(rng, 0, 4)];
}

static void set_sizes(wt_experts_route_desc *d, test_rng *rng) {
  static const int sizes[] = {1, 8, 60, 64, 128, 160, 256, 512};
  d->tokens = tokens_of(rng);
  d->experts = row_between(rng, 0, 2) ? sizes[row_between(rng, 0, 7)] : row_between(rng, 1, MOST_EXPERTS);
  if (row_between(rng, 0, 1)) {
    do d->groups = row_between(rng, 1, MOST_GROUPS);
    while (d->experts % d->groups);
    d->top_k_groups = row_between(rng, 0, (int)d->groups);
  }
  const int64_t groups = d->top_k_groups ? d->top_k_groups : d->groups;
  const int64_t most = d->experts / d->groups * groups;
  const int usual = row_between(rng, 0, 4) ? 8 : MOST_SLOTS;
  d->top_k = row_between(rng, 1, most < usual ? (int)most : usual);
}

static route_case make_case(test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  route_case c = {.desc = WT_EXPERTS_ROUTE_DESC_INIT};
  wt_experts_route_desc *d = &c.desc;
  set_sizes(d, rng);
  d->type = types[row_between(rng, 0, 2)];
  d->scoring = (wt_experts_scoring)row_between(rng, 0, 1);
  d->renormalise = row_between(rng, 0, 1);
  d->scale = row_between(rng, 0, 1) ? 1.0f : 2.5f;
  const int tokens = (int)d->tokens, experts = (int)d->experts, slots = (int)d->top_k;
  const int ld = experts + (row_between(rng, 0, 1) ? 0 : row_between(rng, 1, 9));
  d->ldlogits = ld == experts && row_between(rng, 0, 1) ? 0 : ld;
  c.logits =
      row_matrix_create(d->type, tokens, experts, ld, (int)row_element(d->type) * row_between(rng, 0, 3));
  c.bias = row_matrix_create(WT_TYPE_F32, 1, experts, experts, 4 * row_between(rng, 0, 3));
  c.ids = row_matrix_create(WT_TYPE_I32, tokens, slots, slots, 4 * row_between(rng, 0, 3));
  c.weights = row_matrix_create(WT_TYPE_F32, tokens, slots, slots, 4 * row_between(rng, 0, 3));
  if (row_between(rng, 0, 1)) d->bias = (const float *)(const void *)c.bias.device;
  // Makes ties, or normally distributed numbers; where logits are compared, also such as have the same scores
  // in f32.
  const bool few = row_between(rng, 0, 2) > 0, exact = !d->bias && d->top_k_groups % d->groups == 0;
  const double shift = exact && row_between(rng, 0, 1) ? 32 : 0;
  for (int i = 0; i < tokens; ++i)
    for (int e = 0; e < experts; ++e)
      row_put(&c.logits, i, e,
              row_encode(d->type, shift + (few ? 0.25 * row_between(rng, -12, 12) : 2 * row_normal(rng))));
  for (int e = 0; e < experts; ++e)
    row_put(&c.bias, 0, e, row_encode(WT_TYPE_F32, 0.0625 * row_between(rng, -4, 4)));
  snprintf(c.what, sizeof c.what,
           "tokens %d experts %d slots %d groups %d of %d type %d scoring %d bias %d renormalise %d ld %d",
           tokens, experts, slots, (int)d->top_k_groups, (int)d->groups, (int)d->type, (int)d->scoring,
           d->bias != NULL, d->renormalise, ld);
  return c;
}

static void destroy_case(route_case *c) {
  row_matrix_destroy(&c->logits), row_matrix_destroy(&c->bias);
  row_matrix_destroy(&c->ids), row_matrix_destroy(&c->weights);
}

// NaN comes after every number and minus infinity after every finite one; a sum of scores of 0 gives weights
// 0.
static void special_numbers(wt_context *context, test_rng *rng) {
  (void)rng;
  enum { EXPERTS = 4 };
  static const struct {
    const char *what;
    double logits[EXPERTS];
    wt_experts_scoring scoring;
    int ids[EXPERTS];
    double weights[EXPERTS];
  } cases[] = {
      {"NaN and infinity", {NAN, 0, -INFINITY, 0}, WT_EXPERTS_SIGMOID, {1, 3, 2, 0}, {0.5, 0.5, 0, NAN}},
      {"NaN in a softmax", {NAN, 0, -INFINITY, 0}, WT_EXPERTS_SOFTMAX, {1, 3, 2, 0}, {NAN, NAN, NAN, NAN}},
      {"nothing to choose",
       {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
       WT_EXPERTS_SOFTMAX,
       {0, 1, 2, 3},
       {0}},
      {"zeros of both signs",
       {-0.0, 0, 0, -0.0},
       WT_EXPERTS_SOFTMAX,
       {0, 1, 2, 3},
       {0.25, 0.25, 0.25, 0.25}}};
  row_matrix logits = row_matrix_create(WT_TYPE_F32, 1, EXPERTS, EXPERTS, 0);
  row_matrix ids = row_matrix_create(WT_TYPE_I32, 1, EXPERTS, EXPERTS, 0);
  row_matrix weights = row_matrix_create(WT_TYPE_F32, 1, EXPERTS, EXPERTS, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    wt_experts_route_desc d = WT_EXPERTS_ROUTE_DESC_INIT;
    d.tokens = 1, d.experts = d.top_k = EXPERTS, d.type = WT_TYPE_F32, d.scoring = cases[i].scoring;
    // Divided by their sum, zeros stay zeros.
    d.renormalise = cases[i].weights[0] == 0;
    for (int e = 0; e < EXPERTS; ++e) row_put(&logits, 0, e, row_encode(WT_TYPE_F32, cases[i].logits[e]));
    row_upload(&logits);
    const wt_status status = wt_experts_route(context, &d, logits.device, (int32_t *)(void *)ids.device,
                                              (float *)(void *)weights.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", cases[i].what, wt_last_error(context));
    row_download(&ids, ids.host), row_download(&weights, weights.host);
    for (int s = 0; s < EXPERTS; ++s) {
      const int id = (int)row_value(&ids, ids.host, 0, s);
      const double weight = row_value(&weights, weights.host, 0, s), want = cases[i].weights[s];
      CHECK(id == cases[i].ids[s], "%s: slot %d is expert %d, expected %d", cases[i].what, s, id,
            cases[i].ids[s]);
      CHECK(isnan(want) ? isnan(weight) : fabs(weight - want) <= 1e-6,
            "%s: weight of slot %d is %g, expected %g", cases[i].what, s, weight, want);
    }
  }
  row_matrix_destroy(&logits), row_matrix_destroy(&ids), row_matrix_destroy(&weights);
}

static void run_case(wt_context *context, test_rng *rng) {
  route_case c = make_case(rng);
  run(context, &c);
  destroy_case(&c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: route CASES\n"), 2;
  test_rng rng = test_seed(20261125);
  row_each_device(1, &rng, special_numbers);
  row_each_device(atoi(argv[1]), &rng, run_case);
  CHECK(tokens_unclear * 10 < tokens_seen, "%d of %d tokens hang on rounding", tokens_unclear, tokens_seen);
  printf("%d of %d tokens hang on rounding\n", tokens_unclear, tokens_seen);
  return test_result();
}
