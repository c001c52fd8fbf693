// SPDX-License-Identifier: MIT
// Describes a layer of experts after checking: the calls that it is made of, and where their results lie in
// the workspace.
#ifndef WT_SRC_EXPERTS_PLAN_H
#define WT_SRC_EXPERTS_PLAN_H

#include "core/workspace.h"
#include "experts_check.h"
#include "experts_product.h"

// Describes a network on all of its rows: two products with an activation between them. Its result takes the
// place of the gate, or is quantised to other memory.
typedef struct experts_network {
  int64_t rows, inner;
  wt_activation_desc activation;
} experts_network;

// Lists the parts of the workspace, each at its byte.
typedef enum experts_part {
  EXPERTS_SORT,        // the workspace of the sort
  EXPERTS_OFFSETS,     // experts + 1 offsets
  EXPERTS_PLACES,      // the place of each pair
  EXPERTS_ROWS,        // a row of `hidden` for each pair: tokens, then the results of the experts
  EXPERTS_ROW_SCALES,  // scales of these tokens, where they are quantised
  EXPERTS_GATES,       // gates and ups of a network's rows
  EXPERTS_QUANTIZED,   // quantised tokens, then the activation of a network's rows
  EXPERTS_SCALES,      // and their scales
  EXPERTS_PRODUCT,     // the workspace of the shared network's products
  EXPERTS_PARTS
} experts_part;

// Describes the pointers of a call.
typedef struct experts_pointers {
  const void *x, *w_gate_up, *w_down;
  const int32_t *ids;
  const float *weights;
  void *y;
} experts_pointers;

enum { EXPERTS_MOST_OPERANDS = 13 };

typedef struct experts_plan {
  wt_experts_desc desc;
  experts_pointers pointers;
  wt_operand operands[EXPERTS_MOST_OPERANDS];
  int operand_count;
  wt_experts_sort_desc sort;
  experts_network routed, shared;  // shared: no rows where there is none
  wt_activation_desc quantize;     // of tokens
  wt_grouped_desc gate_up, down;   // without x_scale, which is known when there is a workspace
  experts_product shared_gate_up, shared_down;
  size_t at[EXPERTS_PARTS + 1];  // where each part begins, and the end of all
} experts_plan;

static inline bool experts_has_scales(const experts_plan *plan) { return plan->desc.type_w != 0; }

// Checks the members of a descriptor and makes the plan. The pointers are not looked at.
wt_status experts_plan_make(wt_context *context, const wt_experts_desc *desc, experts_pointers pointers,
                            experts_plan *plan);

// Checks the memory of the call; the device must be current.
wt_status experts_plan_check_memory(wt_context *context, const experts_plan *plan);

// Checks that the library has the kernels that the plan needs.
wt_status experts_plan_check_kernels(wt_context *context, const experts_plan *plan);

wt_workspace experts_workspace(const experts_plan *plan);

#endif
