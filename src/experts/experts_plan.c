// SPDX-License-Identifier: MIT
// Checks a descriptor of a layer of experts, and makes the descriptors of its steps.
#include "experts_plan.h"

#include <inttypes.h>
#include <string.h>

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
                 "desc->type is %s (%d), but layers of experts take WT_TYPE_BF16 or WT_TYPE_F16",
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
    const char *name;
    const void *pointer;
    int64_t rows, columns;
    const char *ld_name;
    int64_t ld;
    bool written;
  } matrices[] = {
      {"x", p->x, d->tokens, d->hidden, "ldx", d->ldx, false},
      {"y", p->y, d->tokens, d->hidden, "ldy", d->ldy, true},
      {"w_gate_up", p->w_gate_up, d->experts * 2 * d->inner, d->hidden, "hidden", 0, false},
      {"w_down", p->w_down, d->experts * d->hidden, d->inner, "inner", 0, false},
      {"desc->shared_gate_up", d->shared_gate_up, 2 * d->shared_inner, d->hidden, "hidden", 0, false},
      {"desc->shared_down", d->shared_down, d->hidden, d->shared_inner, "shared_inner", 0, false}};
  const int count = d->shared_inner ? 6 : 4;
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < count && !status; ++i)
    status = wt_row_matrix(context, matrices[i].name, matrices[i].pointer, d->type, matrices[i].rows,
                           matrices[i].columns, matrices[i].ld_name, matrices[i].ld, matrices[i].written,
                           &plan->operands[i]);
  plan->operands[count] = experts_pairs("ids", p->ids, d->tokens, d->top_k, false);
  plan->operands[count + 1] = experts_pairs("weights", p->weights, d->tokens, d->top_k, false);
  plan->operand_count = count + 2;
  return status;
}

// ---- the steps

static experts_network network_of(const wt_experts_desc *d, int64_t rows, int64_t inner) {
  experts_network network = {rows, inner, WT_ACTIVATION_DESC_INIT};
  wt_activation_desc *a = &network.activation;
  a->rows = rows, a->columns = inner, a->type = d->type, a->activation = d->activation;
  a->ldx = a->ldgate = a->ldy = 2 * inner;
  return network;
}

static wt_grouped_desc grouped_of(const experts_plan *plan, int64_t n, int64_t k, int64_t ldx) {
  const wt_experts_desc *d = &plan->desc;
  wt_grouped_desc product = WT_GROUPED_DESC_INIT;
  product.groups = d->experts, product.m = plan->routed.rows, product.n = n, product.k = k;
  product.type_x = product.type_w = product.type_y = d->type;
  product.ldx = ldx;
  return product;
}

static wt_gemm_desc shared_of(const experts_plan *plan, int64_t n, int64_t k, int64_t lda, int64_t ldc) {
  const wt_experts_desc *d = &plan->desc;
  wt_gemm_desc product = WT_GEMM_DESC_INIT;
  product.m = d->tokens, product.n = n, product.k = k;
  product.type_a = product.type_b = product.type_c = d->type;
  product.lda = lda, product.ldc = ldc;
  return product;
}

static void make_steps(experts_plan *plan) {
  const wt_experts_desc *d = &plan->desc;
  plan->sort = WT_EXPERTS_SORT_DESC_INIT;
  plan->sort.tokens = d->tokens, plan->sort.experts = d->experts, plan->sort.top_k = d->top_k;
  plan->routed = network_of(d, d->tokens * d->top_k, d->inner);
  plan->gate_up = grouped_of(plan, 2 * d->inner, d->hidden, d->hidden);
  plan->down = grouped_of(plan, d->hidden, d->inner, 2 * d->inner);
  if (!d->shared_inner) return;
  plan->shared = network_of(d, d->tokens, d->shared_inner);
  plan->shared_gate_up = shared_of(plan, 2 * d->shared_inner, d->hidden, d->ldx, 2 * d->shared_inner);
  plan->shared_down = shared_of(plan, d->hidden, d->shared_inner, 2 * d->shared_inner, d->ldy);
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
  wt_status status = wt_gemm_workspace_size(context, &plan->shared_gate_up, bytes);
  if (!status) status = wt_gemm_workspace_size(context, &plan->shared_down, &down);
  *bytes = larger(*bytes, down);
  return status;
}

static wt_status lay_workspace(wt_context *context, experts_plan *plan) {
  const wt_experts_desc *d = &plan->desc;
  const size_t pairs = (size_t)plan->routed.rows;
  size_t bytes[EXPERTS_PARTS] = {
      [EXPERTS_OFFSETS] = sizeof(int32_t) * ((size_t)d->experts + 1),
      [EXPERTS_PLACES] = sizeof(int32_t) * pairs,
      [EXPERTS_ROWS] = wt_type_size(d->type) * pairs * (size_t)d->hidden,
      [EXPERTS_GATES] = larger(gates_bytes(plan, &plan->routed), gates_bytes(plan, &plan->shared))};
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
  static const char *const stems[] = {"experts_sort", "experts_dispatch", "experts_combine", "activation"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; ++i)
    if (!wt_context_has(context, stems[i])) return wt_fail_left_out(context, stems[i]);
  const char *name;
  wt_status status = wt_grouped_chosen(context, &plan->gate_up, WT_GROUPED_FORWARD, &name);
  if (!status) status = wt_grouped_chosen(context, &plan->down, WT_GROUPED_FORWARD, &name);
  if (!status && plan->shared.rows) status = wt_gemm_chosen(context, &plan->shared_gate_up, &name);
  if (!status && plan->shared.rows) status = wt_gemm_chosen(context, &plan->shared_down, &name);
  return status;
}
