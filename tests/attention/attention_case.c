// SPDX-License-Identifier: MIT
// Runs a case of attention through the C API, forward or backward, and compares it with the reference.
#include "attention_case.h"

#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention_problem.h"
#include "wavetile_sim.h"

// ---- running

// Says what a pass writes, whole memories with the gaps between rows.
enum { MOST_OUTPUTS = 4 };
typedef struct outputs {
  const attention_memory *memories[MOST_OUTPUTS];
  int count;
} outputs;

typedef wt_status (*run_pass)(wt_context *context, const attention_problem *p);

static wt_status forward(wt_context *context, const attention_problem *p) {
  return wt_attention_forward(context, &p->desc, attention_device(&p->q), attention_device(&p->k),
                              attention_device(&p->v), attention_device(&p->o),
                              p->c->lse ? (float *)p->lse.device : NULL, NULL);
}

static wt_status backward(wt_context *context, const attention_problem *p) {
  return wt_attention_backward(context, &p->desc, attention_device(&p->q), attention_device(&p->k),
                               attention_device(&p->v), attention_device(&p->o), (const float *)p->lse.device,
                               attention_device(&p->dout), attention_device(&p->dq), attention_device(&p->dk),
                               attention_device(&p->dv), NULL);
}

static bool run_once(wt_context *context, attention_problem *p, run_pass pass, const outputs *out,
                     const char *schedule) {
  setenv("WT_SIM_SCHEDULE", schedule, 1);
  for (int i = 0; i < out->count; ++i)
    (void)hipMemset(out->memories[i]->device, ATTENTION_POISON, out->memories[i]->bytes);
  if (p->desc.workspace) (void)hipMemset(p->desc.workspace, ATTENTION_POISON, p->desc.workspace_bytes);
  unsigned long long instructions = 0, workgroups = 0;
  wtSimTotals(&instructions, &workgroups);
  if (pass(context, p) != WT_SUCCESS) return attention_wrong(p, "%s", wt_last_error(context)), false;
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess)
    return attention_wrong(p, "%s under %s", hipGetErrorString(error), schedule), false;
  wtSimTotals(&p->verdict->instructions, &p->verdict->workgroups);
  p->verdict->instructions -= instructions, p->verdict->workgroups -= workgroups;
  for (int i = 0; i < out->count; ++i) attention_download(out->memories[i]);
  return true;
}

// Whether each schedule's results are checked, as those of sums in any order are; or only the first's, and
// the others must have its bits.
static void run_schedules(wt_context *context, attention_problem *p, run_pass pass, const outputs *out,
                          void (*check)(attention_problem *), bool check_each, const char *const *schedules,
                          int schedule_count) {
  unsigned char *first[MOST_OUTPUTS] = {NULL};
  for (int i = 0; i < out->count; ++i) first[i] = malloc(out->memories[i]->bytes);
  for (int s = 0; s < schedule_count && run_once(context, p, pass, out, schedules[s]); ++s) {
    if (s == 0 || check_each) check(p);
    for (int i = 0; i < out->count; ++i) {
      const attention_memory *m = out->memories[i];
      if (s == 0)
        memcpy(first[i], m->host, m->bytes);
      else if (!check_each && memcmp(first[i], m->host, m->bytes) != 0)
        attention_wrong(p, "%s gives other bits than %s", schedules[s], schedules[0]);
    }
  }
  for (int i = 0; i < out->count; ++i) free(first[i]);
}

// ---- forward

typedef struct reference {
  double *o, *o_bound, *lse, *lse_bound;
} reference;

static reference reference_of(const attention_head *head, const attention_rounding *rounding) {
  const size_t elements = (size_t)head->queries * (size_t)head->value_dim + 1,
               rows = (size_t)head->queries + 1;
  const reference r = {malloc(elements * sizeof(double)), malloc(elements * sizeof(double)),
                       malloc(rows * sizeof(double)), malloc(rows * sizeof(double))};
  attention_forward_reference(head, rounding, r.o, r.o_bound, r.lse, r.lse_bound);
  return r;
}

static void reference_free(reference *r) { free(r->o), free(r->o_bound), free(r->lse), free(r->lse_bound); }

static void check_rows(attention_problem *p, const attention_array *x, int sequence, int head,
                       attention_rows rows, const double *want, const double *bound, double *most,
                       const char *what) {
  for (int i = 0; i < rows.count; ++i)
    for (int e = 0; e < x->dim; ++e)
      attention_compare(p, attention_get(x, rows.batch, rows.first + i, head, e), want[i * x->dim + e],
                        bound[i * x->dim + e], most, what, sequence, head, i, e);
}

static void check_forward(attention_problem *p) {
  const attention_rounding rounding = attention_rounding_of(p->c->type);
  for (int sequence = 0; sequence < p->c->batch; ++sequence)
    for (int h = 0; h < p->c->heads; ++h) {
      attention_head head = attention_head_of(p, sequence, h);
      reference r = reference_of(&head, &rounding);
      check_rows(p, &p->o, sequence, h, attention_rows_of(p->c, sequence, false), r.o, r.o_bound,
                 &p->verdict->ratios[0], "O");
      for (int i = 0; i < head.queries && p->c->lse; ++i)
        attention_compare(p, (double)*attention_lse_at(p, sequence, h, i), r.lse[i], r.lse_bound[i],
                          &p->verdict->ratios[1], "LSE", sequence, h, i, 0);
      reference_free(&r);
      attention_head_free(&head);
    }
  const size_t stray = attention_stray_bytes(&p->o, 1);
  if (stray) attention_wrong(p, "%zu bytes between the rows of O were written", stray);
}

attention_verdict attention_case_forward(wt_context *context, const attention_case *c,
                                         const char *const *schedules, int schedule_count) {
  attention_verdict verdict = {.correct = true};
  attention_problem p;
  attention_problem_create(&p, c, false, &verdict);
  const outputs out = {{p.o.memory, &p.lse}, 2};
  run_schedules(context, &p, forward, &out, check_forward, false, schedules, schedule_count);
  attention_problem_free(&p);
  return verdict;
}

// ---- backward

// Makes O and LSE of a head as a perfect forward pass gives them, rounded to their types. Returns the exact
// ones, and how far off the backward pass gets them.
static reference give_forward_results(attention_problem *p, const attention_head *head,
                                      const attention_rounding *rounding, int sequence, int h) {
  const attention_rows rows = attention_rows_of(p->c, sequence, false);
  const reference r = reference_of(head, rounding);
  for (int i = 0; i < rows.count; ++i) {
    *attention_lse_at(p, sequence, h, i) = (float)r.lse[i];
    for (int e = 0; e < p->o.dim; ++e)
      attention_set(&p->o, rows.batch, rows.first + i, h, e, r.o[i * p->o.dim + e]);
  }
  for (int i = 0; i < head->queries * head->value_dim; ++i)
    r.o_bound[i] = attention_rounded_bound(rounding, r.o[i], 0);
  for (int i = 0; i < head->queries; ++i) r.lse_bound[i] = isfinite(r.lse[i]) ? 0x1p-24 * fabs(r.lse[i]) : 0;
  return r;
}

static void round_bounds(const attention_rounding *rounding, const double *values, double *bounds,
                         size_t count) {
  for (size_t i = 0; i < count; ++i) bounds[i] = attention_rounded_bound(rounding, values[i], bounds[i]);
}

static attention_gradients *gradients_at(const attention_problem *p, int sequence, int head) {
  return &p->gradients[sequence * p->c->heads + head];
}

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

// Computes what a group of heads is given and what its gradients are. The gradients of a key head's K and V
// are sums over its group, and each of its heads has them.
static void expect_group(attention_problem *p, int sequence, int kv_head) {
  const attention_case *c = p->c;
  const int group = c->heads / c->kv_heads;
  const attention_rows q_rows = attention_rows_of(c, sequence, false);
  const attention_rows k_rows = attention_rows_of(c, sequence, true);
  const attention_rounding rounding = attention_rounding_of(c->type);
  const size_t dq_count = (size_t)q_rows.count * (size_t)c->head_dim;
  const size_t dk_count = (size_t)k_rows.count * (size_t)c->head_dim;
  const size_t dv_count = (size_t)k_rows.count * (size_t)c->value_dim;
  attention_gradients g = {.dk = numbers(2 * dk_count), .dv = numbers(2 * dv_count)};
  g.dk_bound = g.dk + dk_count, g.dv_bound = g.dv + dv_count;
  for (int h = kv_head * group; h < (kv_head + 1) * group; ++h) {
    attention_head head = attention_head_of(p, sequence, h);
    double *dout = attention_gather(&p->dout, q_rows, h, 1);
    reference given = give_forward_results(p, &head, &rounding, sequence, h);
    g.dq = numbers(2 * dq_count), g.dq_bound = g.dq + dq_count;
    if (c->sinks) g.d_sink = &p->d_sink[h], g.d_sink_bound = &p->d_sink_bound[h];
    attention_backward_reference(&head, &rounding, dout, given.o_bound, given.lse_bound,
                                 (int64_t)group * q_rows.count, &g);
    round_bounds(&rounding, g.dq, g.dq_bound, dq_count);
    *gradients_at(p, sequence, h) = g;
    reference_free(&given);
    free(dout);
    attention_head_free(&head);
  }
  round_bounds(&rounding, g.dk, g.dk_bound, dk_count);
  round_bounds(&rounding, g.dv, g.dv_bound, dv_count);
}

static void expect_gradients(attention_problem *p) {
  const attention_case *c = p->c;
  p->gradients = calloc((size_t)c->batch * (size_t)c->heads, sizeof *p->gradients);
  for (int sequence = 0; sequence < c->batch; ++sequence)
    for (int kv_head = 0; kv_head < c->kv_heads; ++kv_head) expect_group(p, sequence, kv_head);
  attention_upload(p->o.memory);
  attention_upload(&p->lse);
}

static void free_gradients(attention_problem *p) {
  const attention_case *c = p->c;
  for (int i = 0; i < c->batch * c->heads; ++i) {
    free(p->gradients[i].dq);
    if (i % (c->heads / c->kv_heads) == 0) free(p->gradients[i].dk), free(p->gradients[i].dv);
  }
  free(p->gradients);
}

static void check_group(attention_problem *p, int sequence, int kv_head) {
  const attention_case *c = p->c;
  const int group = c->heads / c->kv_heads;
  const attention_rows q_rows = attention_rows_of(c, sequence, false);
  const attention_rows k_rows = attention_rows_of(c, sequence, true);
  const attention_gradients *g = NULL;
  for (int h = kv_head * group; h < (kv_head + 1) * group; ++h) {
    g = gradients_at(p, sequence, h);
    check_rows(p, &p->dq, sequence, h, q_rows, g->dq, g->dq_bound, &p->verdict->ratios[0], "dQ");
  }
  check_rows(p, &p->dk, sequence, kv_head, k_rows, g->dk, g->dk_bound, &p->verdict->ratios[1], "dK");
  check_rows(p, &p->dv, sequence, kv_head, k_rows, g->dv, g->dv_bound, &p->verdict->ratios[2], "dV");
}

static void check_sinks(attention_problem *p) {
  for (int h = 0; h < p->c->heads; ++h) {
    const double got = (double)((const float *)(const void *)p->d_sinks.host)[h], want = p->d_sink[h];
    attention_compare(p, got, want, p->d_sink_bound[h] + 0x1p-24 * fabs(want), &p->verdict->ratios[3],
                      "the gradient of the sink", 0, h, 0, 0);
  }
}

static void check_backward(attention_problem *p) {
  for (int sequence = 0; sequence < p->c->batch; ++sequence)
    for (int kv_head = 0; kv_head < p->c->kv_heads; ++kv_head) check_group(p, sequence, kv_head);
  if (p->c->sinks) check_sinks(p);
  const attention_array gradients[] = {p->dq, p->dk, p->dv};
  const bool one = p->c->layout == ATTENTION_QKV;
  for (int i = 0; i < (one ? 1 : 3); ++i) {
    const size_t stray = attention_stray_bytes(&gradients[i], one ? 3 : 1);
    if (stray) attention_wrong(p, "%zu bytes between the rows of gradients were written", stray);
  }
}

attention_verdict attention_case_backward(wt_context *context, const attention_case *c,
                                          const char *const *schedules, int schedule_count) {
  attention_verdict verdict = {.correct = true};
  attention_problem p;
  attention_problem_create(&p, c, true, &verdict);
  expect_gradients(&p);
  p.desc.deterministic = c->deterministic, p.desc.waves = c->waves;
  size_t bytes = 0;
  if (wt_attention_backward_workspace_size(context, &p.desc, &bytes) != WT_SUCCESS)
    attention_wrong(&p, "%s", wt_last_error(context));
  attention_memory workspace = attention_memory_create(bytes + 1);
  p.desc.workspace = workspace.device, p.desc.workspace_bytes = bytes;
  const bool one = c->layout == ATTENTION_QKV;
  outputs out = {{p.dq.memory, p.dk.memory, p.dv.memory}, one ? 1 : 3};
  if (c->sinks) out.memories[out.count++] = &p.d_sinks;
  run_schedules(context, &p, backward, &out, check_backward, !c->deterministic, schedules, schedule_count);
  free_gradients(&p);
  attention_memory_free(&workspace);
  attention_problem_free(&p);
  return verdict;
}
