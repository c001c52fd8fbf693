// SPDX-License-Identifier: MIT
// The gradients of the reference are the derivatives of its forward pass: central differences on small
// shapes, for every element of Q, K and V, and for the sink.
#include <math.h>
#include <string.h>

#include "tests/row_matrix.h"
#include "tools/attention/attention_reference.h"

enum { MOST = 16 * 8, D = 8, DV = 6 };

typedef struct numbers {
  double q[MOST], k[MOST], v[MOST], dout[MOST], sink;
} numbers;

static const attention_rounding exact = {0, 0, 0, 0};

static attention_head head_of(const numbers *x, const attention_head *shape) {
  attention_head h = *shape;
  h.q = x->q, h.k = x->k, h.v = x->v;
  if (h.sink) h.sink = &x->sink;
  return h;
}

// sum(dout * O), whose gradients the backward pass gives.
static double loss(const numbers *x, const attention_head *shape) {
  const attention_head h = head_of(x, shape);
  double o[MOST], bound[MOST], lse[MOST], lse_bound[MOST], sum = 0;
  attention_forward_reference(&h, &exact, o, bound, lse, lse_bound);
  for (int i = 0; i < h.queries * h.value_dim; ++i) sum += x->dout[i] * o[i];
  return sum;
}

// The error of a central difference of step h is h^2 / 6 times the third derivative, here some units, and
// 2^-53 times the loss over h.
static void compare(const char *what, numbers *x, double *values, int count, const double *gradient,
                    const attention_head *shape) {
  const double step = 1e-5;
  for (int i = 0; i < count; ++i) {
    const double value = values[i];
    values[i] = value + step;
    const double above = loss(x, shape);
    values[i] = value - step;
    const double below = loss(x, shape);
    values[i] = value;
    const double difference = (above - below) / (2 * step);
    CHECK(fabs(difference - gradient[i]) < 1e-7, "d%s[%d] is %g, but the difference says %g", what, i,
          gradient[i], difference);
  }
}

static void test(test_rng *rng, attention_head shape) {
  numbers x;
  double *all[] = {x.q, x.k, x.v, x.dout};
  for (int i = 0; i < 4; ++i)
    for (int e = 0; e < MOST; ++e) all[i][e] = row_normal(rng);
  double dq[MOST], dk[MOST] = {0}, dv[MOST] = {0}, dq_bound[MOST], dk_bound[MOST] = {0}, dv_bound[MOST] = {0};
  double d_sink = 0, d_sink_bound = 0;
  x.sink = shape.sink ? *shape.sink : 0;
  attention_gradients gradients = {dq, dk, dv, dq_bound, dk_bound, dv_bound, NULL, NULL};
  if (shape.sink) gradients.d_sink = &d_sink, gradients.d_sink_bound = &d_sink_bound;
  const attention_head h = head_of(&x, &shape);
  static const double no_errors[MOST];
  attention_backward_reference(&h, &exact, x.dout, no_errors, no_errors, h.queries, &gradients);
  compare("q", &x, x.q, h.queries * h.head_dim, dq, &shape);
  compare("k", &x, x.k, h.keys * h.head_dim, dk, &shape);
  compare("v", &x, x.v, h.keys * h.value_dim, dv, &shape);
  if (shape.sink) compare("sink", &x, &x.sink, 1, &d_sink, &shape);
}

int main(void) {
  test_rng rng = test_seed(7);
  static const double low = -1.5, high = 2.5;
  const attention_head shapes[] = {
      {.queries = 5, .keys = 9, .scale = 0.35},
      {.queries = 9, .keys = 4, .scale = 0.5, .causal = true},
      {.queries = 7, .keys = 11, .scale = 0.2, .causal = true, .window = 3},
      {.queries = 12, .keys = 12, .scale = 1, .window = 2},
      {.queries = 1, .keys = 1, .scale = 1},
      {.queries = 6, .keys = 8, .scale = 0.4, .sink = &low},
      {.queries = 9, .keys = 4, .scale = 0.5, .causal = true, .sink = &high},
      {.queries = 6, .keys = 8, .scale = 0.6, .soft_cap = 1.5},
      {.queries = 6, .keys = 8, .scale = 0.6, .slope = 0.25},
      {.queries = 7, .keys = 5, .scale = 0.8, .soft_cap = 2, .slope = -0.5, .causal = true},
      {.queries = 9, .keys = 9, .scale = 1, .soft_cap = 4, .causal = true, .sink = &low},
      {.queries = 7, .keys = 9, .scale = 0.5, .dropout = 0.4, .seed = 12, .number = 3},
      {.queries = 9, .keys = 9, .scale = 1, .soft_cap = 4, .causal = true, .sink = &low, .dropout = 0.1},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    attention_head shape = shapes[i];
    shape.head_dim = D, shape.value_dim = DV;
    test(&rng, shape);
  }
  return test_result();
}
