// SPDX-License-Identifier: MIT
// wt_experts_forward: check everything, then enqueue the sort, the quantisation of tokens where the format
// asks for it, their dispatch to their experts, the shared network, the networks of the experts, and the
// sums. The results of the experts take the place of their tokens.
#include <stdio.h>

#include "core/launch.h"
#include "core/rows.h"
#include "experts_plan.h"

// Describes a plan whose workspace is there.
typedef struct layer {
  const experts_plan *plan;
  unsigned char *workspace;
  hipStream_t stream;
} layer;

static void *part_of(const layer *l, experts_part part) { return l->workspace + l->plan->at[part]; }

// Points to how many of the places are somebody's: the last offset.
static const int32_t *used_places(const layer *l) {
  return (const int32_t *)part_of(l, EXPERTS_OFFSETS) + l->plan->desc.experts;
}

static wt_status sort(wt_context *context, const layer *l) {
  wt_experts_sort_desc d = l->plan->sort;
  d.workspace = part_of(l, EXPERTS_SORT);
  d.workspace_bytes = l->plan->at[EXPERTS_SORT + 1] - l->plan->at[EXPERTS_SORT];
  return wt_experts_sort(context, &d, l->plan->pointers.ids, part_of(l, EXPERTS_OFFSETS), NULL,
                         part_of(l, EXPERTS_PLACES), l->stream);
}

static wt_status move(wt_context *context, const layer *l, const char *stem, const char *name,
                      wt_experts_move_args args) {
  const wt_experts_desc *d = &l->plan->desc;
  args.places = part_of(l, EXPERTS_PLACES), args.offsets = part_of(l, EXPERTS_OFFSETS);
  args.tokens = (int)d->tokens;
  args.top_k = (int)d->top_k, args.experts = (int)d->experts;
  wt_launch pieces;
  const wt_status status = wt_row_find_pieces(context, stem, name, d->tokens, args.columns, WT_PIECE_THREADS,
                                              WT_PIECE_GROUPS, &args.teams, &pieces);
  return status ? status : wt_launch_enqueue(context, &pieces, &args, l->stream);
}

// Writes an activation to EXPERTS_QUANTIZED.
static wt_status quantize(wt_context *context, const layer *l, wt_activation_desc d, const void *x,
                          const void *gate) {
  d.output = experts_output(&l->plan->desc, part_of(l, EXPERTS_SCALES));
  return wt_activate(context, &d, x, gate, part_of(l, EXPERTS_QUANTIZED), l->stream);
}

// Dispatches rows of 16-bit numbers, `token_row` of them apart.
static wt_status dispatch_rows(wt_context *context, const layer *l, const void *from, void *to,
                               int64_t columns, int64_t token_row) {
  return move(
      context, l, "experts_dispatch", "experts_dispatch",
      (wt_experts_move_args){.from = from, .to = to, .token_row = token_row, .columns = (int)columns});
}

static wt_status dispatch(wt_context *context, const layer *l) {
  const wt_experts_desc *d = &l->plan->desc;
  void *const rows = part_of(l, EXPERTS_ROWS);
  if (!experts_quantizes(&l->plan->desc))
    return dispatch_rows(context, l, l->plan->pointers.x, rows, d->hidden, d->ldx ? d->ldx : d->hidden);
  const int64_t elements = experts_row_bytes(d->type_q, d->hidden) / 2,
                scales = experts_scale_bytes(d, d->hidden) / 2;
  wt_status status = quantize(context, l, l->plan->quantize, l->plan->pointers.x, NULL);
  if (!status) status = dispatch_rows(context, l, part_of(l, EXPERTS_QUANTIZED), rows, elements, elements);
  if (!status)
    status =
        dispatch_rows(context, l, part_of(l, EXPERTS_SCALES), part_of(l, EXPERTS_ROW_SCALES), scales, scales);
  return status;
}

static wt_status combine(wt_context *context, const layer *l) {
  const wt_experts_desc *d = &l->plan->desc;
  char name[64];
  snprintf(name, sizeof name, "experts_combine_%s", wt_row_type(d->type));
  return move(
      context, l, "experts_combine", name,
      (wt_experts_move_args){.weights = l->plan->pointers.weights,
                             .from = part_of(l, EXPERTS_ROWS),
                             .to = l->plan->pointers.y,
                             .token_row = d->ldy ? d->ldy : d->hidden,
                             .columns = (int)d->hidden,
                             .begin = l->plan->shared.rows ? WT_EXPERTS_FROM_RESULT : WT_EXPERTS_FROM_ZERO});
}

// Launches the activation of a network's first `count` rows (NULL: of all), in the place of their gates or
// quantised.
static wt_status activate(wt_context *context, const layer *l, const experts_network *network,
                          const int32_t *count) {
  uint16_t *gates = part_of(l, EXPERTS_GATES);
  wt_activation_desc d = network->activation;
  d.row_count = count;
  if (experts_quantizes(&l->plan->desc)) return quantize(context, l, d, gates + network->inner, gates);
  return wt_activate(context, &d, gates + network->inner, gates, gates, l->stream);
}

// Return where that is, and the scales, if it has any.
static void *activated(const layer *l) {
  return part_of(l, experts_quantizes(&l->plan->desc) ? EXPERTS_QUANTIZED : EXPERTS_GATES);
}
static void *scales_at(const layer *l, experts_part part) {
  return experts_quantizes(&l->plan->desc) ? part_of(l, part) : NULL;
}

static wt_status run_experts(wt_context *context, const layer *l) {
  const experts_plan *plan = l->plan;
  void *rows = part_of(l, EXPERTS_ROWS), *gates = part_of(l, EXPERTS_GATES);
  const int32_t *offsets = part_of(l, EXPERTS_OFFSETS);
  wt_grouped_desc gate_up = plan->gate_up, down = plan->down;
  gate_up.x_scale = scales_at(l, EXPERTS_ROW_SCALES), down.x_scale = scales_at(l, EXPERTS_SCALES);
  wt_status status =
      wt_grouped_forward(context, &gate_up, rows, plan->pointers.w_gate_up, gates, offsets, l->stream);
  if (!status) status = activate(context, l, &plan->routed, used_places(l));
  if (!status)
    status =
        wt_grouped_forward(context, &down, activated(l), plan->pointers.w_down, rows, offsets, l->stream);
  return status;
}

// Leaves its result in y, where the sums of tokens begin.
static wt_status run_shared(wt_context *context, const layer *l) {
  const experts_plan *plan = l->plan;
  experts_product_memory gate_up = {
      .a = experts_quantizes(&plan->desc) ? part_of(l, EXPERTS_QUANTIZED) : plan->pointers.x,
      .a_scale = scales_at(l, EXPERTS_SCALES),
      .c = part_of(l, EXPERTS_GATES),
      .workspace = part_of(l, EXPERTS_PRODUCT),
      .workspace_bytes = plan->at[EXPERTS_PRODUCT + 1] - plan->at[EXPERTS_PRODUCT]};
  experts_product_memory down = gate_up;
  down.a = activated(l), down.c = plan->pointers.y;
  wt_status status = experts_product_run(context, &plan->shared_gate_up, &gate_up, l->stream);
  if (!status) status = activate(context, l, &plan->shared, NULL);
  return status ? status : experts_product_run(context, &plan->shared_down, &down, l->stream);
}

static wt_status launch(wt_context *context, const void *plan, void *workspace, hipStream_t stream) {
  const layer l = {plan, workspace, stream};
  wt_status status = sort(context, &l);
  if (!status) status = dispatch(context, &l);
  if (!status && l.plan->shared.rows) status = run_shared(context, &l);
  if (!status) status = run_experts(context, &l);
  return status ? status : combine(context, &l);
}

wt_status wt_experts_workspace_size(wt_context *context, const wt_experts_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  experts_plan plan;
  const wt_status status = experts_plan_make(context, desc, (experts_pointers){0}, &plan);
  if (!status) *bytes = experts_workspace(&plan).bytes;
  return status;
}

wt_status wt_experts_forward(wt_context *context, const wt_experts_desc *desc, const void *x,
                             const void *w_gate_up, const void *w_down, const int32_t *ids,
                             const float *weights, void *y, struct ihipStream_t *stream) {
  experts_plan plan;
  wt_status status =
      experts_plan_make(context, desc, (experts_pointers){x, w_gate_up, w_down, ids, weights, y}, &plan);
  const wt_workspace workspace = experts_workspace(&plan);
  if (!status) status = wt_workspace_check(context, &workspace);
  if (!status) status = experts_plan_check_kernels(context, &plan);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = experts_plan_check_memory(context, &plan);
  if (!status) status = wt_workspace_run(context, &workspace, launch, &plan, stream);
  wt_device_leave(previous);
  return status;
}
