// SPDX-License-Identifier: MIT
// Attention of one head of one sequence in float64, from the definition (wavetile/attention.h), with bounds
// of what rounding may do to the results of an implementation in f32.
#ifndef WT_TOOLS_ATTENTION_REFERENCE_H
#define WT_TOOLS_ATTENTION_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "wavetile.h"

// The rows are one after the other. The numbers are what Q, K and V stand for: scales are part of `scale` and
// of v's numbers.
typedef struct attention_head {
  int queries, keys, head_dim, value_dim;
  const double *q, *k, *v;
  double scale;     // scale of Q K^T
  double soft_cap;  // of the scaled scores; 0: none
  double slope;     // ALiBi, see attention_bias; 0: none
  bool causal;
  int64_t window;      // 0: none
  const double *sink;  // the score that is in the sum alone; NULL: none
  double dropout;      // probability of dropping a weight; 0: none
  uint64_t seed;       // of the dropout
  uint32_t number;     // of the head among those of all sequences, for the dropout
} attention_head;

// Half the distance between neighbours, relative to them, and the smallest half distance there is.
typedef struct attention_rounding {
  double p, p_smallest;  // of the type that P has as a factor
  double o, o_smallest;  // of the type of the result
} attention_rounding;

// Returns the rounding of the kernels for tensors of a type. P is at least 1 where a query's score is the
// largest, and 16 in FP8 (kernels/attention/attention_softmax.h).
attention_rounding attention_rounding_of(wt_type type);

// Returns whether a query sees a key.
bool attention_sees(const attention_head *head, int query, int key);

// Returns what ALiBi adds to the score of a query and a key.
double attention_bias(const attention_head *head, int query, int key);

// Returns the factor of a weight: 0 where it is dropped, 1 where there is no dropout.
double attention_kept(const attention_head *head, int query, int key);

// Computes O (queries x value_dim), the logarithms of the sums (queries), and what their errors are at most.
//
// The bounds, with u = 2^-24, for a query with scores s and weights w, which sum to 1:
//   e_j, of the j-th exponential: u (n_d scale |q| |k_j| + |s_j| + |s_j - max| + range + 3 rescales + 10),
//     that is the dot product, the scale, the difference to a maximum that lags by up to 2^8, the factors of
//     later maxima, and exp2 itself; and 4 u (soft_cap + |bias|)
//   O:   sum of w |v| (u_p + e) + |O| sum of w e + u n_k (sum of w |v| + |O|), and the last rounding
//   LSE: sum of w e + u (n_k + 2 |LSE| + 4)
// With dropout, w in the sums of O is multiplied by its factor (attention_kept), which has an error of 2 u.
// The sink's exponential has the error of a score whose dot product is exact.
// n = min(N, 8 sqrt N) for sums of N terms (tools/gemm/verify.h says why); |q| |k_j| is not less than the sum
// of the products' magnitudes (Cauchy-Schwarz).
void attention_forward_reference(const attention_head *head, const attention_rounding *rounding, double *o,
                                 double *o_bound, double *lse, double *lse_bound);

// Describes the gradients of sum(dout * O) by Q, K and V, and what their errors are at most.
typedef struct attention_gradients {
  double *dq, *dk, *dv;
  double *dq_bound, *dk_bound, *dv_bound;
  double *d_sink, *d_sink_bound;  // a number each; NULL where there is no sink
} attention_gradients;

// Sets dq and adds to dk, dv, d_sink and their bounds, as heads that share K and V do; `terms` is how many
// queries all of them have. The bounds leave out the last rounding, for which see attention_rounded_bound.
//
// They hold for an implementation that is given an O and an LSE of these errors, and rounds P and
// dS = P (dP - delta) to the type before it multiplies them. With e, as above, of the exponentials (which
// here are relative to LSE), dP = dout V^T and delta = rowsum(dout * O):
//   dP - delta: u n_dv (|dout| |v| + |delta|) + sum |dout| (the error of O)
//   dS: P (e |dP - delta| + the above + 3 u |dP - delta|), dV: sum of |dout| P (u_p + e), dQ and dK: scale
//   times the sum of |k| or |q| times (the error of dS + u_p |dS|), and u n for the sums.
//   with a soft cap, dS also has a factor f = 1 - (s / soft_cap)^2, of error 8 u + 2 e / soft_cap
//   with dropout, P of dV and dout V^T are multiplied by the factor of the weight, of error 2 u
//   d_sink: with p the sink's exponential relative to LSE, the sum of p (e |delta| + the error of delta).
void attention_backward_reference(const attention_head *head, const attention_rounding *rounding,
                                  const double *dout, const double *o_error, const double *lse_error,
                                  int64_t terms, attention_gradients *to);

// Returns a bound with the rounding of the result added.
double attention_rounded_bound(const attention_rounding *rounding, double value, double bound);

#endif
