// SPDX-License-Identifier: MIT
// Runs a layer of experts through the C API: each token is routed to two of four experts, passes their
// networks, and gets the weighted sum of their results. All of it is compared with the definition.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/experts/experts.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o experts
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { TOKENS = 6, EXPERTS = 4, TOP_K = 2, HIDDEN = 16, INNER = 8 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  memset(pointer, 0, bytes);
  return pointer;
}

// BF16 is the upper half of a float.
static unsigned short bf16(float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return (unsigned short)(bits >> 16);
}
static float value_of(unsigned short code) {
  const unsigned bits = (unsigned)code << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Sixteenths from -1 to 1, which BF16 has, in no particular order.
static void fill(unsigned short *to, int count, int step) {
  for (int i = 0; i < count; ++i) to[i] = bf16((float)(i * step % 33 - 16) / 16);
}

static float dot(const unsigned short *a, const unsigned short *b, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += value_of(a[i]) * value_of(b[i]);
  return sum;
}

// Adds weight * (silu(gate) * up) * down^T of one expert to a token's sum.
static void add_expert(const unsigned short *x, const unsigned short *gate_up, const unsigned short *down,
                       float weight, float *sum) {
  float gated[INNER];
  for (int j = 0; j < INNER; ++j) {
    const float gate = dot(x, gate_up + j * HIDDEN, HIDDEN);
    gated[j] = gate / (1 + expf(-gate)) * dot(x, gate_up + (INNER + j) * HIDDEN, HIDDEN);
  }
  for (int i = 0; i < HIDDEN; ++i)
    for (int j = 0; j < INNER; ++j) sum[i] += weight * gated[j] * value_of(down[i * INNER + j]);
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  float *logits = memory(TOKENS * EXPERTS * sizeof *logits);
  unsigned short *x = memory(TOKENS * HIDDEN * sizeof *x), *y = memory(TOKENS * HIDDEN * sizeof *y);
  unsigned short *gate_up = memory(EXPERTS * 2 * INNER * HIDDEN * sizeof *gate_up);
  unsigned short *down = memory(EXPERTS * HIDDEN * INNER * sizeof *down);
  int32_t *ids = memory(TOKENS * TOP_K * sizeof *ids);
  float *weights = memory(TOKENS * TOP_K * sizeof *weights);
  for (int i = 0; i < TOKENS * EXPERTS; ++i) logits[i] = (float)(i * 7 % 11) / 4;
  fill(x, TOKENS * HIDDEN, 5), fill(gate_up, EXPERTS * 2 * INNER * HIDDEN, 7);
  fill(down, EXPERTS * HIDDEN * INNER, 11);

  wt_experts_route_desc route = WT_EXPERTS_ROUTE_DESC_INIT;
  route.tokens = TOKENS, route.experts = EXPERTS, route.top_k = TOP_K;
  route.type = WT_TYPE_F32, route.renormalise = 1;
  check(context, wt_experts_route(context, &route, logits, ids, weights, NULL));

  wt_experts_desc layer = WT_EXPERTS_DESC_INIT;
  layer.tokens = TOKENS, layer.experts = EXPERTS, layer.top_k = TOP_K;
  layer.hidden = HIDDEN, layer.inner = INNER, layer.type = WT_TYPE_BF16;
  check(context, wt_experts_forward(context, &layer, x, gate_up, down, ids, weights, y, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  int wrong = 0;
  for (int token = 0; token < TOKENS; ++token) {
    const int *id = ids + token * TOP_K;
    const float *weight = weights + token * TOP_K, *logit = logits + token * EXPERTS;
    // Divided by their sum, the weights of two experts are the softmax of their two logits.
    const float first = 1 / (1 + expf(logit[id[1]] - logit[id[0]]));
    float want[HIDDEN] = {0};
    printf("token %d went to experts %d and %d with %.3f and %.3f\n", token, id[0], id[1], (double)weight[0],
           (double)weight[1]);
    for (int e = 0; e < EXPERTS; ++e) wrong += e != id[0] && e != id[1] && logit[e] > logit[id[1]];
    wrong += fabsf(weight[0] - first) > 1e-6f || fabsf(weight[0] + weight[1] - 1) > 1e-6f;
    for (int s = 0; s < TOP_K; ++s)
      add_expert(x + token * HIDDEN, gate_up + id[s] * 2 * INNER * HIDDEN, down + id[s] * HIDDEN * INNER,
                 weight[s], want);
    for (int i = 0; i < HIDDEN; ++i) {
      const float got = value_of(y[token * HIDDEN + i]);
      wrong += !(fabsf(got - want[i]) <= 0.02f * fabsf(want[i]) + 0.05f);
    }
  }
  printf("%d wrong\n", wrong);
  (void)hipHostFree(logits), (void)hipHostFree(x), (void)hipHostFree(y), (void)hipHostFree(gate_up);
  (void)hipHostFree(down), (void)hipHostFree(ids), (void)hipHostFree(weights);
  wt_context_destroy(context);
  return wrong != 0;
}
