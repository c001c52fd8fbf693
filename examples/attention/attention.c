// SPDX-License-Identifier: MIT
// Computes causal attention with grouped queries, forward and backward, and checks one query by hand.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/attention/attention.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o attention
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { QUERIES = 300, HEADS = 4, KV_HEADS = 2, D = 64 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  return pointer;
}

static _Float16 *numbers(size_t count) {
  static unsigned state = 1;
  _Float16 *x = memory(count * sizeof *x);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    x[i] = (_Float16)((float)(int)(state >> 24) / 64 - 2);
  }
  return x;
}

// Returns column d of O for one query of one head, from the definition.
static double expected(const _Float16 *q, const _Float16 *k, const _Float16 *v, int query, int head, int d) {
  const int kv = head / (HEADS / KV_HEADS);
  double sum = 0, weighted = 0;
  for (int key = 0; key <= query; ++key) {
    double score = 0;
    for (int i = 0; i < D; ++i)
      score += (double)q[(query * HEADS + head) * D + i] * (double)k[(key * KV_HEADS + kv) * D + i];
    const double weight = exp(score / sqrt(D));
    sum += weight;
    weighted += weight * (double)v[(key * KV_HEADS + kv) * D + d];
  }
  return weighted / sum;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  wt_attention_desc desc = WT_ATTENTION_DESC_INIT;
  desc.type = WT_TYPE_F16;
  desc.head_dim = D;
  desc.heads = HEADS;
  desc.kv_heads = KV_HEADS;
  desc.queries = QUERIES;
  desc.causal = 1;
  const size_t q_count = QUERIES * HEADS * D, k_count = QUERIES * KV_HEADS * D;
  _Float16 *q = numbers(q_count), *k = numbers(k_count), *v = numbers(k_count), *o = numbers(q_count);
  float *lse = memory(HEADS * QUERIES * sizeof *lse);
  check(context, wt_attention_forward(context, &desc, q, k, v, o, lse, NULL));

  _Float16 *dout = numbers(q_count), *dq = numbers(q_count), *dk = numbers(k_count), *dv = numbers(k_count);
  desc.deterministic = 1;
  check(context, wt_attention_backward_workspace_size(context, &desc, &desc.workspace_bytes));
  desc.workspace = memory(desc.workspace_bytes);
  check(context, wt_attention_backward(context, &desc, q, k, v, o, lse, dout, dq, dk, dv, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  const int query = 217, head = 3;
  double worst = 0;
  for (int d = 0; d < D; ++d)
    worst = fmax(worst, fabs((double)o[(query * HEADS + head) * D + d] - expected(q, k, v, query, head, d)));
  printf("query %d of head %d is off by at most %.1e\n", query, head, worst);
  wt_context_destroy(context);
  return worst < 2e-3 ? 0 : 1;  // |V| <= 2, and P and O have 11 bits
}
