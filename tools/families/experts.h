// SPDX-License-Identifier: MIT
// Declares what the command for layers of experts and its reference share.
#ifndef WT_TOOLS_EXPERTS_H
#define WT_TOOLS_EXPERTS_H

#include "experts_weights.h"

// Lists the tensors in the order in which files are read, since later ones have to fit to the sizes of
// earlier ones.
enum {
  X,
  W_GATE_UP,
  GATE_UP_SCALE,
  W_DOWN,
  DOWN_SCALE,
  SHARED_GATE_UP,
  SHARED_GATE_UP_SCALE,
  SHARED_DOWN,
  SHARED_DOWN_SCALE,
  LOGITS,
  BIAS,
  Y,
  IDS,
  WEIGHTS,
  TENSORS
};

typedef struct experts_own {
  tool_sizes tokens, experts, hidden, inner;
  long long top_k, shared_inner, groups, top_k_groups;
  const char *scoring_name, *activation_name;
  bool renormalise;
  double scale;
  wt_experts_scoring scoring;
  wt_activation activation;
  experts_format format;
} experts_own;

// Holds the sizes of the descriptors: of the files, as far as they have been read, or from the options.
typedef struct experts_sizes {
  int64_t tokens, experts, hidden, inner;
  int64_t shared_inner;  // 0: there is no shared network
} experts_sizes;
experts_sizes experts_sizes_of(const family_job *job);

// This is the function of the family (family.h).
void experts_reference_row(family_job *job, int64_t row, double *scratch);

#endif
