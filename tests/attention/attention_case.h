// SPDX-License-Identifier: MIT
// Runs attention through the C API against float64, for every type, mask and arrangement in memory: what the
// tests of attention share.
#ifndef WT_TESTS_ATTENTION_CASE_H
#define WT_TESTS_ATTENTION_CASE_H

#include <stdbool.h>

#include "include/wavetile.h"

enum { ATTENTION_MOST_BATCH = 8 };

typedef enum attention_layout {
  ATTENTION_BSHD,  // [batch][row][head][d]
  ATTENTION_BHSD,  // [batch][head][row][d]
  ATTENTION_QKV    // Q, K and V are columns of one matrix, [batch][row][heads of Q, of K, of V][d]
} attention_layout;

typedef struct attention_case {
  wt_type type;
  int head_dim, value_dim;
  int batch, heads, kv_heads;
  int queries, keys;                    // of each batch member, ...
  int q_lengths[ATTENTION_MOST_BATCH];  // ... or, when packed, of these
  int k_lengths[ATTENTION_MOST_BATCH];
  bool packed, causal, lse, sinks;
  bool alibi, alibi_batch;           // slopes; slopes of each sequence
  int window;                        // 0: none
  double scale;                      // 0: the default
  double soft_cap;                   // 0: none
  double dropout;                    // 0: none; its seed is that of the numbers
  double scale_q, scale_k, scale_v;  // 0: 1
  attention_layout layout;
  int padding;    // elements behind each row, head or batch member
  int shift;      // elements by which tensors miss the alignment of their memory
  double spread;  // standard deviation of the elements of Q; of the others it is 1
  double drift;   // by how much K grows from its first row to its last: maxima come late
  uint64_t seed;  // of the numbers
  // These are of the backward pass.
  bool deterministic;
  int waves;  // 0: chosen
} attention_case;

typedef struct attention_verdict {
  bool correct;
  char message[512];  // what was wrong first
  double ratios[4];   // the largest of error / bound: of O and LSE, or of dQ, dK, dV and the sinks
  unsigned long long instructions, workgroups;  // of one run
} attention_verdict;

// Runs the forward pass on the context's device, which is current, under each of the schedules
// (WT_SIM_SCHEDULE). The first result is checked against float64, the others must have its bits. Padding of
// inputs holds NaN, that of outputs must be untouched.
attention_verdict attention_case_forward(wt_context *context, const attention_case *c,
                                         const char *const *schedules, int schedule_count);

// The backward pass, given the results of an exact forward pass. When it is not deterministic, each result is
// checked, and bits may differ.
attention_verdict attention_case_backward(wt_context *context, const attention_case *c,
                                          const char *const *schedules, int schedule_count);

// Returns the type of a name: bf16, f16, f8e4m3 or f8e5m2. 0: there is none.
wt_type attention_case_type(const char *name);

// Writes a case in words: the options of attention_case_main.c.
void attention_case_text(const attention_case *c, char *text, size_t size);

#endif
