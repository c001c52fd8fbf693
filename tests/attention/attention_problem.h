// SPDX-License-Identifier: MIT
// A case of attention made concrete: its tensors, its descriptor, and what is wrong with its results.
#ifndef WT_TESTS_ATTENTION_PROBLEM_H
#define WT_TESTS_ATTENTION_PROBLEM_H

#include "attention_tensors.h"
#include "tools/attention/attention_reference.h"

enum { ATTENTION_MEMORIES = 8 };

typedef struct attention_problem {
  const attention_case *c;
  attention_memory memories[ATTENTION_MEMORIES];
  int memory_count;
  attention_array q, k, v, o;
  attention_array dout, dq, dk, dv;  // only for the backward pass
  attention_memory lse, offsets, slopes;
  attention_memory sinks, d_sinks;       // a float for each head
  double *sink, *d_sink, *d_sink_bound;  // the first on the host, and the gradients as the reference has them
  attention_gradients *gradients;        // of each head of each sequence, for the backward pass
  wt_attention_desc desc;
  attention_verdict *verdict;
} attention_problem;

// Inputs are random and on the device; outputs, and the log-sum-exps, are poison.
void attention_problem_create(attention_problem *p, const attention_case *c, bool backward,
                              attention_verdict *verdict);
void attention_problem_free(attention_problem *p);

// Notes what is wrong, when it is the first.
void attention_wrong(attention_problem *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Notes the ratio of an error to its bound in *most, and whether it is more than 1. Infinities must be met.
void attention_compare(attention_problem *p, double got, double want, double bound, double *most,
                       const char *what, int sequence, int head, int row, int element);

// Returns a head of a sequence as numbers, to be freed by attention_head_free.
attention_head attention_head_of(const attention_problem *p, int sequence, int head);
void attention_head_free(attention_head *head);
int attention_kv_head(const attention_case *c, int head);

// Returns the place of the log-sum-exp of a query in p->lse.
float *attention_lse_at(const attention_problem *p, int sequence, int head, int row);

void attention_upload(const attention_memory *memory);
void attention_download(const attention_memory *memory);

#endif
