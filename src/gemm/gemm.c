// SPDX-License-Identifier: MIT
// wt_gemm: check, then launch the chosen kernel, and the reduction when K is split.
#include <inttypes.h>
#include <stdio.h>

#include "choice.h"
#include "core/types.h"
#include "core/workspace.h"
#include "gemm_split.h"
#include "kernels/gemm/gemm_reduce_args.h"
#include "pack.h"
#include "pieces.h"
#include "stream.h"

typedef enum grid_kind { GRID_RUNG, GRID_LIBRARY, GRID_REDUCTION, GRID_STREAM, GRID_FIX_UP } grid_kind;

// Describes one kernel over all of C and of the batch; it may take several launches.
typedef struct step {
  grid_kind grid;
  const char *stem;
  wt_launch launch;
  wt_gemm_args args;
  size_t a_element_bytes, b_element_bytes, c_element_bytes;
  unsigned tile_m, tile_n;
  int64_t rows;                // of C that a launch can take; launches of stream-K take all
  unsigned persistent_groups;  // work-groups that take all tiles of a batch; 0: there is one for each tile
} step;

// Returns the arguments with everything that the last kernel does to C.
static wt_gemm_args whole_args(const wt_gemm_plan *plan, const void *a, const void *b, void *c) {
  const wt_gemm_desc *d = &plan->desc;
  return (wt_gemm_args){
      .a = a,
      .b = b,
      .c = c,
      .m = (int)d->m,
      .n = (int)d->n,
      .k = (int)d->k,
      .alpha = wt_gemm_plan_alpha(plan),
      .beta = d->beta,
      .a_row = d->trans_a ? 1 : plan->a.ld,
      .a_col = d->trans_a ? plan->a.ld : 1,
      .b_row = d->trans_b ? 1 : plan->b.ld,
      .b_col = d->trans_b ? plan->b.ld : 1,
      .c_row = plan->c.ld,
      .a_batch = plan->a.stride,
      .b_batch = plan->b.stride,
      .c_batch = plan->c.stride,
      .type_c = (int)d->type_c,
      .activation = (int)d->activation,
      .row_scale = d->row_scale,
      .column_scale = d->column_scale,
      .bias = d->bias,
      .k_part = (int)plan->choice.k_part,
  };
}

// What the symbols of kernels that have orders of A and B say of theirs.
static const char *order_name(const wt_gemm_plan *plan) {
  if (plan->choice.kernel->needs != WT_NEEDS_TRANSPOSED_COPIES) return "";
  return !plan->desc.trans_b ? "_ta" : plan->desc.trans_a ? "_tatb" : "_tb";
}

static void name_symbol(const wt_context *context, const wt_gemm_plan *plan, char *symbol, size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  const char *a = wt_kernel_input_name(context->target, d->type_a);
  const char *b = wt_kernel_input_name(context->target, d->type_b), *c = wt_kernel_output_name(d->type_c);
  const char *stem = plan->choice.kernel->stem;
  switch (plan->choice.kernel->kind) {
    case WT_KERNEL_RUNG: snprintf(symbol, size, "%s_%s_%s", stem, a, c); break;
    case WT_KERNEL_LIBRARY:
    case WT_KERNEL_STREAM: snprintf(symbol, size, "%s%s_%s_%s", stem, order_name(plan), a, b); break;
    case WT_KERNEL_PERSISTENT: snprintf(symbol, size, "%s_%s_%s_%s", stem, a, b, c); break;
  }
}

wt_gemm_args wt_gemm_sums_args(const wt_gemm_plan *plan, wt_gemm_args args) {
  const wt_gemm_desc *d = &plan->desc;
  args.c = d->workspace;
  args.c_row = wt_gemm_sums_row(d->n);
  args.c_batch = d->m * args.c_row;
  args.c_part = d->batch * args.c_batch;
  args.type_c = d->type_a == WT_TYPE_I8 ? WT_TYPE_I32 : WT_TYPE_F32;
  args.alpha = 1, args.beta = 0, args.activation = WT_ACTIVATION_NONE;
  args.row_scale = args.column_scale = args.bias = NULL;
  return args;
}

// Returns the step that computes the product into C, or the sums of the parts of K into the workspace.
static step product_step(const wt_context *context, const wt_gemm_plan *plan, wt_gemm_args args) {
  const wt_kernel *kernel = plan->choice.kernel;
  const bool rung = kernel->kind == WT_KERNEL_RUNG, stream = kernel->kind == WT_KERNEL_STREAM;
  step s = {.grid = rung     ? GRID_RUNG
                    : stream ? GRID_STREAM
                             : GRID_LIBRARY,
            .stem = kernel->stem,
            .args = args,
            .a_element_bytes = plan->a.element_bytes,
            .b_element_bytes = plan->b.element_bytes,
            .c_element_bytes = plan->c.element_bytes,
            .tile_m = kernel->tile_m,
            .tile_n = kernel->tile_n,
            .persistent_groups = kernel->kind == WT_KERNEL_PERSISTENT ? (unsigned)context->compute_units : 0,
            .launch.threads = kernel->threads};
  const int64_t most_tiles = (int64_t)WT_MOST_THREADS_X / kernel->threads / plan->choice.tiles_n;
  s.rows = (rung ? WT_MOST_GROUPS_YZ : most_tiles) * kernel->tile_m;
  name_symbol(context, plan, s.launch.symbol, sizeof s.launch.symbol);
  if (plan->choice.parts == 1) return s;
  s.c_element_bytes = 4;
  s.args = wt_gemm_sums_args(plan, args);
  return s;
}

// The sums of the parts, and everything else there is to do, into C.
static step reduction_step(const wt_gemm_plan *plan, wt_gemm_args args) {
  const wt_gemm_desc *d = &plan->desc;
  const int64_t row = wt_gemm_sums_row(d->n);
  step s = {.grid = GRID_REDUCTION,
            .stem = WT_REDUCTION_STEM,
            .args = args,
            .a_element_bytes = 4,
            .c_element_bytes = plan->c.element_bytes,
            .launch.threads = WT_REDUCE_THREADS,
            .rows = (int64_t)WT_MOST_THREADS_X / (row + WT_REDUCE_COLUMNS * WT_REDUCE_THREADS)};
  s.args.a = d->workspace;
  s.args.a_row = row;
  s.args.a_batch = d->m * row;
  s.args.c_part = d->batch * s.args.a_batch;
  snprintf(s.launch.symbol, sizeof s.launch.symbol, WT_REDUCTION_STEM "_%s",
           d->type_a == WT_TYPE_I8 ? "i32" : "f32");
  return s;
}

// Returns the step that adds the sums of the segments of stream-K into C.
static step fix_up_step(wt_gemm_args args) {
  return (step){.grid = GRID_FIX_UP,
                .stem = WT_FIX_UP_STEM,
                .args = args,
                .launch = {.symbol = WT_FIX_UP_STEM, .threads = WT_FIX_UP_THREADS}};
}

// Returns the order of so many rows of tiles.
static wt_grid_map grid_of(const wt_choice *choice, int64_t tiles_m) {
  return wt_grid_map_of((wt_grid_order){.tiles_m = (int)tiles_m,
                                        .tiles_n = (int)choice->tiles_n,
                                        .xcds = WT_XCDS,
                                        .chunk = choice->chunk,
                                        .window = choice->window});
}

// The part of a step from `batch` and row `m` on that one launch can take.
static wt_status launch_slice(wt_context *context, const wt_gemm_plan *plan, const step *s, int64_t batch,
                              int64_t m, hipStream_t stream) {
  wt_gemm_args args = s->args;
  wt_launch launch = s->launch;
  launch.x = launch.y = 1;
  launch.z = (unsigned)wt_at_most(plan->desc.batch - batch, WT_MOST_GROUPS_YZ);
  args.m = (int)wt_at_most(plan->desc.m - m, s->rows);
  args.a = (const char *)args.a + (batch * args.a_batch + m * args.a_row) * (int64_t)s->a_element_bytes;
  args.b = (const char *)args.b + batch * args.b_batch * (int64_t)s->b_element_bytes;
  args.c = (char *)args.c + (batch * args.c_batch + m * args.c_row) * (int64_t)s->c_element_bytes;
  if (args.row_scale) args.row_scale += m;
  if (s->grid == GRID_REDUCTION) {
    const int64_t row = args.a_row / WT_REDUCE_COLUMNS;
    const wt_gemm_reduce_args all = {args, wt_divisor_of((unsigned)row), (args.k - 1) / args.k_part + 1};
    launch.x = (unsigned)wt_divide_up(args.m * row, WT_REDUCE_THREADS);
    return wt_launch_enqueue(context, &launch, &all, stream);
  }
  const int64_t tiles_m = wt_divide_up(args.m, s->tile_m);
  args.grid = grid_of(&plan->choice, tiles_m);
  launch.x = (unsigned)plan->choice.tiles_n;
  if (s->grid == GRID_RUNG)
    launch.y = (unsigned)tiles_m;
  else
    launch.x *= (unsigned)tiles_m, launch.y = (unsigned)plan->choice.parts;
  if (s->persistent_groups && s->persistent_groups < launch.x) launch.x = s->persistent_groups;
  args.groups = (int)launch.x;
  return wt_launch_enqueue(context, &launch, &args, stream);
}

// Launches either step of stream-K.
static wt_status launch_stream(wt_context *context, const wt_gemm_plan *plan, const step *s,
                               hipStream_t stream) {
  const wt_choice *c = &plan->choice;
  wt_gemm_args product = s->args;
  product.grid = grid_of(c, c->tiles_m);
  const wt_gemm_stream_args args = wt_stream_args(context, plan, product);
  const unsigned of_group = WT_FIX_UP_THREADS * WT_FIX_UP_COLUMNS;
  wt_launch launch = s->launch;
  launch.x = s->grid == GRID_STREAM
                 ? args.ranges.divisor
                 : (unsigned)args.tiles * (c->kernel->tile_m * c->kernel->tile_n / of_group);
  launch.y = launch.z = 1;
  return wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_step(wt_context *context, const wt_gemm_plan *plan, const step *s,
                             hipStream_t stream) {
  if (s->grid == GRID_STREAM || s->grid == GRID_FIX_UP) return launch_stream(context, plan, s, stream);
  wt_status status = WT_SUCCESS;
  for (int64_t batch = 0; batch < plan->desc.batch && !status; batch += WT_MOST_GROUPS_YZ)
    for (int64_t m = 0; m < plan->desc.m && !status; m += s->rows)
      status = launch_slice(context, plan, s, batch, m, stream);
  return status;
}

wt_status wt_gemm_reduction_find(wt_context *context, const wt_gemm_plan *plan, wt_launch *launch) {
  *launch = reduction_step(plan, (wt_gemm_args){0}).launch;
  return wt_launch_find(context, WT_REDUCTION_STEM, launch);
}

wt_status wt_gemm_reduction_launch(wt_context *context, const wt_gemm_plan *plan, const wt_launch *launch,
                                   wt_gemm_args args, hipStream_t stream) {
  step s = reduction_step(plan, args);
  s.launch = *launch;
  return launch_step(context, plan, &s, stream);
}

// Describes a piece of C as one or two steps.
typedef struct piece_steps {
  wt_gemm_plan plan;
  step step[2];
  int count;
} piece_steps;

static piece_steps steps_of(const wt_context *context, const wt_piece *piece, const void *a, const void *b,
                            void *c) {
  const bool is_stream = piece->plan.choice.kernel->kind == WT_KERNEL_STREAM;
  piece_steps s = {.plan = piece->plan, .count = piece->plan.choice.parts > 1 || is_stream ? 2 : 1};
  const wt_gemm_args args = whole_args(&s.plan, (const char *)a + piece->a_bytes,
                                       (const char *)b + piece->b_bytes, (char *)c + piece->c_bytes);
  s.step[0] = product_step(context, &s.plan, args);
  if (s.count == 2) s.step[1] = is_stream ? fix_up_step(args) : reduction_step(&s.plan, args);
  return s;
}

// Describes the launch that packs operands, and where the operands of the product are: as they were, or
// packed.
typedef struct packing_step {
  wt_launch launch;
  wt_gemm_pack_args args;
  const void *operand[2];
  unsigned count;  // operands that it packs; 0: there is no such launch
} packing_step;

static unsigned larger(unsigned a, int64_t b) { return b > a ? (unsigned)b : a; }

static wt_status find_packing(wt_context *context, const wt_gemm_plan *plan, const void *a, const void *b,
                              packing_step *out) {
  *out = (packing_step){.operand = {a, b}, .launch = {.threads = WT_PACK_THREADS}};
  const wt_gemm_matrix *const matrices[2] = {&plan->a, &plan->b};
  wt_launch *launch = &out->launch;
  char *to = plan->desc.workspace;
  for (int i = 0; i < 2; ++i) {
    if (!matrices[i]->packed) continue;
    const wt_gemm_pack_operand operand = wt_pack_operand(context, plan, matrices[i], out->operand[i], to);
    const int64_t pieces = (int64_t)operand.rows * operand.pieces_row.divisor;
    launch->x = larger(launch->x, wt_divide_up(pieces, WT_PACK_PIECES));
    launch->z = larger(launch->z, operand.batch);
    out->args.operand[out->count++] = operand;
    out->operand[i] = to;
    to += wt_packed_bytes(context, plan, matrices[i]);
  }
  if (!out->count) return WT_SUCCESS;
  launch->y = out->count;
  snprintf(launch->symbol, sizeof launch->symbol, WT_PACK_STEM);
  return wt_launch_find(context, WT_PACK_STEM, launch);
}

// All kernels are found before the first is launched.
static wt_status launch_all(wt_context *context, const wt_gemm_plan *plan, const void *a, const void *b,
                            void *c, hipStream_t stream) {
  piece_steps pieces[2];
  packing_step packing;
  wt_status status = find_packing(context, plan, a, b, &packing);
  const wt_gemm_plan product = wt_packed_plan(context, plan);
  const int count = wt_piece_count(&product);
  a = packing.operand[0], b = packing.operand[1];
  for (int p = 0; p < count; ++p) {
    const wt_piece piece = wt_piece_at(&product, p);
    pieces[p] = steps_of(context, &piece, a, b, c);
    for (int i = 0; i < pieces[p].count && !status; ++i)
      status = wt_launch_find(context, pieces[p].step[i].stem, &pieces[p].step[i].launch);
  }
  if (!status && packing.count) status = wt_launch_enqueue(context, &packing.launch, &packing.args, stream);
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < pieces[p].count && !status; ++i)
      status = launch_step(context, &pieces[p].plan, &pieces[p].step[i], stream);
  return status;
}

// Where K is split and the descriptor has no workspace, the context's serves for the time of the call. When
// there is none to be had, and the split was not asked for, the choice is made without.
static wt_status launch_with_workspace(wt_context *context, wt_gemm_plan *plan, const void *a, const void *b,
                                       void *c, hipStream_t stream) {
  const uint64_t bytes = wt_gemm_plan_workspace(context, plan);
  if (!bytes || plan->desc.workspace) return launch_all(context, plan, a, b, c, stream);
  void *workspace = wt_workspace_take(context, bytes, stream);
  if (!workspace && plan->desc.split_k > 1)
    return wt_fail(context, WT_ERROR_DEVICE,
                   "device %d has no memory left for the %" PRIu64
                   " bytes that split_k %d needs; free some, or pass split_k 1",
                   context->device, bytes, plan->desc.split_k);
  plan->workspace_most_bytes = 0;
  wt_status status = workspace ? WT_SUCCESS : wt_choose(context, plan);
  plan->desc.workspace = workspace;
  if (!status) status = launch_all(context, plan, a, b, c, stream);
  const wt_status given = workspace ? wt_workspace_give_back(context, workspace, stream) : WT_SUCCESS;
  return status ? status : given;
}

wt_status wt_gemm(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b, void *c,
                  struct ihipStream_t *stream) {
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, a, b, c, &plan);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = wt_gemm_plan_check_memory(context, &plan, a, b, c);
  if (!status) status = launch_with_workspace(context, &plan, a, b, c, stream);
  wt_device_leave(previous);
  return status;
}
