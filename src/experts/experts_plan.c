// SPDX-License-Identifier: MIT
// Checks a descriptor of a layer of experts, and makes the descriptors of its steps.
#include "experts_plan.h"

#include <inttypes.h>
#include <string.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"

enum { MOST_INNER = WT_MOST_COLUMNS / 2, ALIGNMENT = 256 };  // of the parts of the workspace, in bytes

static wt_status check_inner(wt_context *context, const char *name, int64_t inner) {
  if (inner >= 1 && inner <= MOST_INNER) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a size from 1 to %d", name, inner,
                 MOST_INNER);
}

static wt_status check_sizes(wt_context *context, const wt_experts_desc *d) {
  wt_status status = experts_check_sizes(context, d->tokens, d->experts, d->top_k);
  if (!status && (d->hidden < 1 || d->hidden > WT_MOST_COLUMNS))
    status = wt_fail(context, WT_ERROR_SIZE, "desc->hidden is %" PRId64 "; pass a size from 1 to %d",
                     d->hidden, WT_MOST_COLUMNS);
  return status ? status : check_inner(context, "inner", d->inner);
}

static wt_status check_type(wt_context *context, wt_type type) {
  if (type == WT_TYPE_BF16 || type == WT_TYPE_F16) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->type is %s (%d), but x and y of layers of experts are WT_TYPE_BF16 or WT_TYPE_F16",
                 wt_type_name(type), (int)type);
}

static wt_status check_shared(wt_context *context, const wt_experts_desc *d) {
  const bool any = d->shared_gate_up || d->shared_down || d->shared_inner;
  if (!any) return WT_SUCCESS;
  if (!d->shared_gate_up || !d->shared_down)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->%s is NULL, but other members describe a shared network; pass it, or leave all "
                   "three at their defaults",
                   d->shared_gate_up ? "shared_down" : "shared_gate_up");
  return check_inner(context, "shared_inner", d->shared_inner);
}

// ---- memory

static wt_status make_operands(wt_context *context, experts_plan *plan) {
  const wt_experts_desc *d = &plan->desc;
  const experts_pointers *p = &plan->pointers;
  const struct {
    const char *name, *scale_name;
    const void *pointer, *scale;
    int64_t matrices, rows, columns;
    const char *columns_name;
  } weights[] = {
      {"w_gate_up", "desc->gate_up_scale", p->w_gate_up, d->gate_up_scale, d->experts, 2 * d->inner,
       d->hidden, "hidden"},
      {"w_down", "desc->down_scale", p->w_down, d->down_scale, d->experts, d->hidden, d->inner, "inner"},
      {"desc->shared_gate_up", "desc->shared_gate_up_scale", d->shared_gate_up, d->shared_gate_up_scale, 1,
       2 * d->shared_inner, d->hidden, "hidden"},
      {"desc->shared_down", "desc->shared_down_scale", d->shared_down, d->shared_down_scale, 1, d->hidden,
       d->shared_inner, "shared_inner"}};
  wt_operand *next = plan->operands;
  wt_status status =
      wt_row_matrix(context, "x", p->x, d->type, d->tokens, d->hidden, "ldx", d->ldx, false, next++);
  if (!status)
    status = wt_row_matrix(context, "y", p->y, d->type, d->tokens, d->hidden, "ldy", d->ldy, true, next++);
  for (int i = 0; i < (d->shared_inner ? 4 : 2) && !status; ++i) {
    const int64_t rows = weights[i].matrices * weights[i].rows, columns = weights[i].columns;
    if (experts_has_scales(plan))
      status = wt_byte_matrix(context, weights[i].name, weights[i].pointer, rows,
                              experts_row_bytes(d->type_w, columns), weights[i].columns_name, 0, next++);
    else
      status = wt_row_matrix(context, weights[i].name, weights[i].pointer, d->type, rows, columns,
                             weights[i].columns_name, 0, false, next++);
    if (experts_has_scales(plan) && !status)
      *next++ = experts_scale_operand(d, weights[i].scale_name, weights[i].scale, weights[i].matrices,
                                      weights[i].rows, columns);
  }
  *next++ = experts_pairs("ids", p->ids, d->tokens, d->top_k, false);
  *next++ = experts_pairs("weights", p->weights, d->tokens, d->top_k, false);
  plan->operand_count = (int)(next - plan->operands);
  return status;
}

// ---- the steps

static experts_network network_of(const wt_experts_desc *d, int64_t rows, int64_t inner) {
  experts_network network = {rows, inner, WT_ACTIVATION_DESC_INIT};
  wt_activation_desc *a = &network.activation;
  a->rows = rows, a->columns = inner, a->type = d->type, a->activation = d->activation;
  a->ldx = a->ldgate = 2 * inner;
  if (!experts_quantizes(d)) a->ldy = 2 * inner;
  return network;
}

static wt_grouped_desc grouped_of(const experts_plan *plan, int64_t n, int64_t k, int64_t ldx,
                                  const void *w_scale) {
  const wt_experts_desc *d = &plan->desc;
  wt_grouped_desc product = WT_GROUPED_DESC_INIT;
  product.groups = d->experts, product.m = plan->routed.rows, product.n = n, product.k = k;
  product.type_x = product.type_w = product.type_y = d->type;
  product.ldx = ldx;
  if (!d->type_w) return product;
  product.type_x = d->type_q, product.type_w = d->type_w;
  if (experts_quantizes(d)) product.ldx = 0;
  product.w_scale = w_scale, product.scales = d->scales, product.scales_of_w = d->scales_of_w;
  return product;
}

static void make_steps(experts_plan *plan) {
  const wt_experts_desc *d = &plan->desc;
  plan->sort = WT_EXPERTS_SORT_DESC_INIT;
  plan->sort.tokens = d->tokens, plan->sort.experts = d->experts, plan->sort.top_k = d->top_k;
  plan->routed = network_of(d, d->tokens * d->top_k, d->inner);
  plan->gate_up = grouped_of(plan, 2 * d->inner, d->hidden, d->hidden, d->gate_up_scale);
  plan->down = grouped_of(plan, d->hidden, d->inner, 2 * d->inner, d->down_scale);
  plan->quantize = WT_ACTIVATION_DESC_INIT;
  plan->quantize.rows = d->tokens, plan->quantize.columns = d->hidden, plan->quantize.type = d->type;
  plan->quantize.ldx = d->ldx;
  if (!d->shared_inner) return;
  const int64_t inner = d->shared_inner, gates = 2 * inner;
  plan->shared = network_of(d, d->tokens, inner);
  plan->shared_gate_up = experts_product_make(d, (experts_shape){d->tokens, gates, d->hidden, d->ldx, gates},
                                              d->shared_gate_up, d->shared_gate_up_scale);
  plan->shared_down = experts_product_make(d, (experts_shape){d->tokens, d->hidden, inner, gates, d->ldy},
                                           d->shared_down, d->shared_down_scale);
}

// ---- the workspace

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t gates_bytes(const experts_plan *plan, const experts_network *network) {
  return (size_t)network->rows * 2 * (size_t)network->inner * wt_type_size(plan->desc.type);
}

// Bytes that the products of the shared network can make use of.
static wt_status product_bytes(wt_context *context, const experts_plan *plan, size_t *bytes) {
  size_t down = 0;
  *bytes = 0;
  if (!plan->shared.rows) return WT_SUCCESS;
  wt_status status = experts_product_workspace(context, &plan->shared_gate_up, bytes);
  if (!status) status = experts_product_workspace(context, &plan->shared_down, &down);
  *bytes = larger(*bytes, down);
  return status;
}

// Adds the memory of what is quantised: the tokens, each once and then at the places of its pairs, and the
// activations of each network in turn.
static void add_quantized(const experts_plan *plan, size_t *bytes) {
  const wt_experts_desc *d = &plan->desc;
  const struct {
    int64_t rows, elements;
  } matrices[] = {
      {d->tokens, d->hidden}, {plan->routed.rows, d->inner}, {plan->shared.rows, d->shared_inner}};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
    const size_t rows = (size_t)matrices[i].rows;
    bytes[EXPERTS_QUANTIZED] =
        larger(bytes[EXPERTS_QUANTIZED], rows * (size_t)experts_row_bytes(d->type_q, matrices[i].elements));
    bytes[EXPERTS_SCALES] =
        larger(bytes[EXPERTS_SCALES], rows * (size_t)experts_scale_bytes(d, matrices[i].elements));
  }
  bytes[EXPERTS_ROW_SCALES] = (size_t)plan->routed.rows * (size_t)experts_scale_bytes(d, d->hidden);
}

static wt_status lay_workspace(wt_context *context, experts_plan *plan) {
  const wt_experts_desc *d = &plan->desc;
  const size_t pairs = (size_t)plan->routed.rows;
  size_t bytes[EXPERTS_PARTS] = {
      [EXPERTS_OFFSETS] = sizeof(int32_t) * ((size_t)d->experts + 1),
      [EXPERTS_PLACES] = sizeof(int32_t) * pairs,
      [EXPERTS_ROWS] = wt_type_size(d->type) * pairs * (size_t)d->hidden,
      [EXPERTS_GATES] = larger(gates_bytes(plan, &plan->routed), gates_bytes(plan, &plan->shared))};
  if (experts_quantizes(d)) add_quantized(plan, bytes);
  wt_status status = wt_experts_sort_workspace_size(context, &plan->sort, &bytes[EXPERTS_SORT]);
  if (!status) status = product_bytes(context, plan, &bytes[EXPERTS_PRODUCT]);
  for (int part = 0; part < EXPERTS_PARTS; ++part)
    plan->at[part + 1] = plan->at[part] + (bytes[part] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return status;
}

wt_status experts_plan_make(wt_context *context, const wt_experts_desc *desc, experts_pointers pointers,
                            experts_plan *plan) {
  static const wt_desc_layout layout = {"wt_experts_desc", "WT_EXPERTS_DESC_INIT", sizeof(wt_experts_desc),
                                        NULL};
  memset(plan, 0, sizeof *plan);
  plan->pointers = pointers;
  wt_status status = wt_desc_copy(context, &layout, desc, &plan->desc);
  const wt_experts_desc *d = &plan->desc;
  if (!status) status = check_sizes(context, d);
  if (!status) status = check_type(context, d->type);
  if (!status) status = wt_check_activation(context, d->activation);
  if (!status) status = check_shared(context, d);
  if (!status) status = experts_check_scales(context, &plan->desc);
  if (!status) status = make_operands(context, plan);
  if (status) return status;
  make_steps(plan);
  return lay_workspace(context, plan);
}

wt_workspace experts_workspace(const experts_plan *plan) {
  return (wt_workspace){.bytes = plan->at[EXPERTS_PARTS],
                        .what = "layers of experts",
                        .query = "wt_experts_workspace_size",
                        .given = plan->desc.workspace,
                        .given_bytes = plan->desc.workspace_bytes};
}

wt_status experts_plan_check_memory(wt_context *context, const experts_plan *plan) {
  wt_operand all[EXPERTS_MOST_OPERANDS];
  memcpy(all, plan->operands, sizeof all);
  const wt_workspace workspace = experts_workspace(plan);
  const int count = wt_workspace_add_operand(&workspace, all, plan->operand_count);
  return wt_operands_check(context, all, count);
}

wt_status experts_plan_check_kernels(wt_context *context, const experts_plan *plan) {
  const char *const stems[] = {"experts_sort", "experts_dispatch", "experts_combine",
                               experts_quantizes(&plan->desc) ? "activation_quantize" : "activation"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; ++i)
    if (!wt_context_has(context, stems[i])) return wt_fail_left_out(context, stems[i]);
  const char *name;
  wt_grouped_desc gate_up = plan->gate_up, down = plan->down;
  // The choice asks only whether there are any.
  if (experts_quantizes(&plan->desc)) gate_up.x_scale = gate_up.w_scale, down.x_scale = down.w_scale;
  wt_status status = wt_grouped_chosen(context, &gate_up, WT_GROUPED_FORWARD, &name);
  if (!status) status = wt_grouped_chosen(context, &down, WT_GROUPED_FORWARD, &name);
  if (!status && plan->shared.rows) status = experts_product_check_kernel(context, &plan->shared_gate_up);
  if (!status && plan->shared.rows) status = experts_product_check_kernel(context, &plan->shared_down);
  return status;
}
