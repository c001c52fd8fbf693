// SPDX-License-Identifier: MIT
// What a query and a sequence get does not depend on what else is in the call: queries alone have the bits of
// O, LSE and dQ that they have among all others of a batch, packed or not, and a sequence alone has the same
// gradients. The alone calls run under schedules of their own, and K and V may lie at other alignments there.
// Usage: attention_invariant DEVICE HEAD_DIM VALUE_DIM TYPE CASES forward|general|backward
#include <hip/hip_runtime_api.h>

#include "attention_problem.h"
#include "tests/row_matrix.h"

// Describes queries `first` to `first + count` - 1 of a sequence.
typedef struct part {
  int sequence, first, count;
} part;

static bool chance(test_rng *rng, int of) { return row_between(rng, 1, of) == 1; }

// Scores of a spread and a drift that make each query raise its maximum in blocks of its own.
static attention_case random_case(test_rng *rng, wt_type type, int head_dim, int value_dim) {
  static const double spreads[] = {1, 4, 8};
  attention_case c = {.type = type,
                      .head_dim = head_dim,
                      .value_dim = value_dim,
                      .batch = row_between(rng, 2, 3),
                      .heads = 2,
                      .kv_heads = row_between(rng, 1, 2),
                      .queries = chance(rng, 3) ? row_between(rng, 1, 8) : row_between(rng, 1, 300),
                      .keys = row_between(rng, 1, 600),
                      .packed = chance(rng, 2),
                      .causal = chance(rng, 2),
                      .lse = chance(rng, 2),
                      .sinks = chance(rng, 3),
                      .layout = chance(rng, 2) ? ATTENTION_BSHD : ATTENTION_BHSD,
                      .spread = spreads[row_between(rng, 0, 2)],
                      .drift = 3.0 * row_between(rng, 0, 1),
                      .seed = test_random(rng)};
  if (c.causal && chance(rng, 3)) c.window = row_between(rng, 1, 300);
  if (chance(rng, 4)) c.padding = row_between(rng, 1, 9);
  if (chance(rng, 5)) c.shift = row_between(rng, 1, 7);
  for (int i = 0; i < c.batch && c.packed; ++i)
    c.q_lengths[i] = row_between(rng, 1, 200), c.k_lengths[i] = row_between(rng, 1, 400);
  return c;
}

// Dropped weights are a function of a query's place, and left out here. The bias is one of its position,
// which only a causal mask lets a query alone keep (keys_of).
static void generalise(test_rng *rng, attention_case *c) {
  const int unit = row_element(c->type) == 2 ? 8 : 16;
  if (chance(rng, 2)) c->soft_cap = 50;
  c->alibi = chance(rng, 2), c->alibi_batch = c->alibi && chance(rng, 2);
  c->causal = c->causal || c->alibi;
  if (c->soft_cap != 0 || c->alibi) return;
  c->head_dim = unit * row_between(rng, 1, c->head_dim / unit - 1);
  c->value_dim = unit * row_between(rng, 1, c->value_dim / unit);
}

static void *address_of(const attention_array *x, int batch, int row) {
  const int64_t elements = batch * x->strides.batch + row * x->strides.row;
  return (char *)attention_device(x) + elements * (int64_t)attention_element(x->type);
}

// Returns the keys that a sequence keeps when its queries end early, so that these stay at their positions.
static int keys_of(const attention_case *c, part which) {
  const attention_rows queries = attention_rows_of(c, which.sequence, false);
  return attention_rows_of(c, which.sequence, true).count -
         (c->causal ? queries.count - which.first - which.count : 0);
}

// Returns the descriptor of some queries of one sequence alone.
static wt_attention_desc alone(const attention_problem *p, part which) {
  wt_attention_desc d = p->desc;
  d.batch = 1, d.queries = which.count, d.keys = keys_of(p->c, which);
  d.q_offsets = d.k_offsets = NULL;
  d.strides_q = p->q.strides, d.strides_k = p->k.strides;
  d.strides_v = p->v.strides, d.strides_o = p->o.strides;
  d.strides_dq = p->dq.strides, d.strides_dk = p->dk.strides;
  d.strides_dv = p->dv.strides, d.strides_dout = p->dout.strides;
  d.d_sinks = NULL;
  if (d.alibi_slopes) d.alibi_slopes += which.sequence * d.alibi_batch_stride;
  return d;
}

// Compares some rows of a tensor with those of another like it, whose memory is on the host.
static void same_rows(const attention_array *x, const attention_array *other, attention_rows rows, int head,
                      const char *name, const char *what) {
  for (int i = 0; i < rows.count; ++i)
    for (int d = 0; d < x->dim; ++d) {
      const double a = attention_get(x, rows.batch, rows.first + i, head, d);
      const double b = attention_get(other, rows.batch, rows.first + i, head, d);
      if (memcmp(&a, &b, sizeof a) == 0) continue;
      CHECK(false, "%s of row %d, head %d, element %d is %.9g alone, and %.9g among others: %s", name, i,
            head, d, b, a, what);
      return;
    }
  CHECK(true, "%s", what);
}

// ---- forward

static attention_memory poison(size_t bytes) {
  attention_memory m = attention_memory_create(bytes);
  attention_upload(&m);
  return m;
}

static void check_forward(wt_context *context, const attention_problem *p, part which, const char *text) {
  const attention_case *c = p->c;
  const attention_rows rows = attention_rows_of(c, which.sequence, false);
  const attention_rows keys = attention_rows_of(c, which.sequence, true);
  if (keys_of(c, which) < 1) return;
  const wt_attention_desc d = alone(p, which);
  attention_memory o = poison(p->o.memory->bytes);
  attention_memory lse = poison((size_t)which.count * (size_t)c->heads * sizeof(float));
  attention_array result = p->o;
  result.memory = &o;
  const int first = rows.first + which.first;
  char what[640];
  snprintf(what, sizeof what, "queries %d to %d of sequence %d under %s of%s", which.first,
           which.first + which.count - 1, which.sequence, getenv("WT_SIM_SCHEDULE"), text);
  const wt_status status = wt_attention_forward(
      context, &d, address_of(&p->q, rows.batch, first), address_of(&p->k, keys.batch, keys.first),
      address_of(&p->v, keys.batch, keys.first), address_of(&result, rows.batch, first),
      c->lse ? (float *)lse.device : NULL, NULL);
  CHECK(status == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s: %s", what, wt_last_error(context));
  attention_download(&o), attention_download(&lse);
  for (int head = 0; head < c->heads; ++head) {
    same_rows(&p->o, &result, (attention_rows){rows.batch, first, which.count}, head, "O", what);
    const float *own = (const float *)(const void *)lse.host + head * which.count;
    CHECK(!c->lse || memcmp(own, attention_lse_at(p, which.sequence, head, which.first),
                            (size_t)which.count * sizeof(float)) == 0,
          "LSE of head %d is different alone: %s", head, what);
  }
  attention_memory_free(&o), attention_memory_free(&lse);
}

static void next_schedule(void) {
  static int next;
  setenv("WT_SIM_SCHEDULE", row_schedules[next++ % ROW_SCHEDULES], 1);
}

// Checks one query, a few, and some that begin within a wave's.
static void check_parts(wt_context *context, const attention_problem *p, int sequence, test_rng *rng,
                        void (*check)(wt_context *, const attention_problem *, part, const char *),
                        const char *text) {
  static const int most[] = {1, 8, 70};
  const int count = attention_rows_of(p->c, sequence, false).count;
  for (size_t i = 0; i < sizeof most / sizeof *most; ++i) {
    part which = {.sequence = sequence, .count = row_between(rng, 1, most[i] < count ? most[i] : count)};
    which.first = row_between(rng, 0, count - which.count);
    next_schedule();
    check(context, p, which, text);
  }
}

static void run_forward(wt_context *context, const attention_case *c, test_rng *rng, const char *text) {
  attention_verdict verdict = {.correct = true};
  attention_problem p;
  attention_problem_create(&p, c, false, &verdict);
  attention_upload(&p.lse);
  next_schedule();
  const wt_status status = wt_attention_forward(
      context, &p.desc, attention_device(&p.q), attention_device(&p.k), attention_device(&p.v),
      attention_device(&p.o), c->lse ? (float *)p.lse.device : NULL, NULL);
  CHECK(status == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s: %s", text, wt_last_error(context));
  attention_download(p.o.memory), attention_download(&p.lse);
  for (int sequence = 0; sequence < c->batch; ++sequence) {
    next_schedule();
    check_forward(context, &p, (part){sequence, 0, attention_rows_of(c, sequence, false).count}, text);
    check_parts(context, &p, sequence, rng, check_forward, text);
  }
  attention_problem_free(&p);
}

// ---- backward

typedef struct gradients {
  attention_memory memory[3];
  attention_array dq, dk, dv;
} gradients;

static gradients gradients_like(const attention_problem *p) {
  gradients g = {{poison(p->dq.memory->bytes), poison(p->dk.memory->bytes), poison(p->dv.memory->bytes)},
                 p->dq,
                 p->dk,
                 p->dv};
  return g;
}

// Adds a workspace, and calls.
static void backward(wt_context *context, wt_attention_desc d, const void *const in[5], const float *lse,
                     void *const out[3], const char *what) {
  wt_status status = wt_attention_backward_workspace_size(context, &d, &d.workspace_bytes);
  attention_memory workspace = attention_memory_create(d.workspace_bytes + 1);
  d.workspace = workspace.device;
  if (!status)
    status = wt_attention_backward(context, &d, in[0], in[1], in[2], in[3], lse, in[4], out[0], out[1],
                                   out[2], NULL);
  CHECK(status == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s: %s", what, wt_last_error(context));
  attention_memory_free(&workspace);
}

// dK and dV are sums over the queries: they are compared when those of the sequence are complete.
static void check_backward(wt_context *context, const attention_problem *p, part which, const char *text) {
  const attention_case *c = p->c;
  const attention_rows rows = attention_rows_of(c, which.sequence, false);
  const attention_rows keys = attention_rows_of(c, which.sequence, true);
  if (keys_of(c, which) < 1) return;
  gradients g = gradients_like(p);
  g.dq.memory = &g.memory[0], g.dk.memory = &g.memory[1], g.dv.memory = &g.memory[2];
  attention_memory lse = poison((size_t)which.count * (size_t)c->heads * sizeof(float));
  for (int head = 0; head < c->heads; ++head)
    memcpy((float *)(void *)lse.host + head * which.count,
           attention_lse_at(p, which.sequence, head, which.first), (size_t)which.count * sizeof(float));
  attention_upload(&lse);
  char what[640];
  snprintf(what, sizeof what, "queries %d to %d of sequence %d under %s of%s", which.first,
           which.first + which.count - 1, which.sequence, getenv("WT_SIM_SCHEDULE"), text);
  const int first = rows.first + which.first;
  backward(
      context, alone(p, which),
      (const void *const[5]){address_of(&p->q, rows.batch, first), address_of(&p->k, keys.batch, keys.first),
                             address_of(&p->v, keys.batch, keys.first), address_of(&p->o, rows.batch, first),
                             address_of(&p->dout, rows.batch, first)},
      (const float *)lse.device,
      (void *const[3]){address_of(&g.dq, rows.batch, first), address_of(&g.dk, keys.batch, keys.first),
                       address_of(&g.dv, keys.batch, keys.first)},
      what);
  for (int i = 0; i < 3; ++i) attention_download(&g.memory[i]);
  for (int head = 0; head < c->heads; ++head)
    same_rows(&p->dq, &g.dq, (attention_rows){rows.batch, first, which.count}, head, "dQ", what);
  for (int head = 0; head < c->kv_heads && which.count == rows.count; ++head) {
    same_rows(&p->dk, &g.dk, keys, head, "dK", what);
    same_rows(&p->dv, &g.dv, keys, head, "dV", what);
  }
  for (int i = 0; i < 3; ++i) attention_memory_free(&g.memory[i]);
  attention_memory_free(&lse);
}

// O and LSE are those of the forward pass.
static void run_backward(wt_context *context, attention_case *c, test_rng *rng, const char *text) {
  attention_verdict verdict = {.correct = true};
  attention_problem p;
  c->lse = true;
  attention_problem_create(&p, c, true, &verdict);
  p.desc.deterministic = 1, p.desc.waves = c->waves;
  next_schedule();
  const wt_status status =
      wt_attention_forward(context, &p.desc, attention_device(&p.q), attention_device(&p.k),
                           attention_device(&p.v), attention_device(&p.o), (float *)p.lse.device, NULL);
  CHECK(status == WT_SUCCESS && hipDeviceSynchronize() == hipSuccess, "%s: %s", text, wt_last_error(context));
  attention_download(&p.lse);
  backward(context, p.desc,
           (const void *const[5]){attention_device(&p.q), attention_device(&p.k), attention_device(&p.v),
                                  attention_device(&p.o), attention_device(&p.dout)},
           (const float *)p.lse.device,
           (void *const[3]){attention_device(&p.dq), attention_device(&p.dk), attention_device(&p.dv)}, text);
  attention_download(p.dq.memory), attention_download(p.dk.memory), attention_download(p.dv.memory);
  for (int sequence = 0; sequence < c->batch; ++sequence) {
    next_schedule();
    check_backward(context, &p, (part){sequence, 0, attention_rows_of(c, sequence, false).count}, text);
    check_parts(context, &p, sequence, rng, check_backward, text);
  }
  attention_problem_free(&p);
}

int main(int argc, char **argv) {
  if (argc != 7)
    return fprintf(stderr, "usage: %s DEVICE HEAD_DIM VALUE_DIM TYPE CASES forward|general|backward\n",
                   argv[0]),
           2;
  test_rng rng = test_seed(1913);
  wt_context *context = NULL;
  CHECK(wt_context_create(atoi(argv[1]), &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  CHECK(hipSetDevice(atoi(argv[1])) == hipSuccess, "device %s", argv[1]);
  if (!context) return test_result();
  const bool general = strcmp(argv[6], "general") == 0;
  for (int i = 0; i < atoi(argv[5]); ++i) {
    attention_case c = random_case(&rng, attention_case_type(argv[4]), atoi(argv[2]), atoi(argv[3]));
    if (general) generalise(&rng, &c);
    char text[512];
    attention_case_text(&c, text, sizeof text);
    if (strcmp(argv[6], "backward") == 0)
      run_backward(context, &c, &rng, text);
    else
      run_forward(context, &c, &rng, text);
  }
  wt_context_destroy(context);
  return test_result();
}
