// SPDX-License-Identifier: MIT
// Decides which operands are packed, to where, and what that takes.
#include "pack.h"

#include "core/launch.h"
#include "pieces.h"

bool wt_packs(const wt_gemm_plan *plan) { return plan->a.packed || plan->b.packed; }

static int64_t round_up(int64_t value, int64_t grain) { return wt_divide_up(value, grain) * grain; }

static int64_t batch_of(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix) {
  return matrix->stride ? plan->desc.batch : 1;
}

// Returns K of the product: whole steps where the rows of both operands are packed along K, so that both have
// zeros there.
static int64_t packed_k(const wt_context *context, const wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  const bool both = plan->a.packed && plan->b.packed && !d->trans_a && !d->trans_b;
  return both ? round_up(d->k, wt_gemm_plan_step(context, plan)) : d->k;
}

// Returns the operand as it is after packing.
static wt_gemm_matrix matrix_after(const wt_context *context, const wt_gemm_plan *plan,
                                   const wt_gemm_matrix *matrix) {
  wt_gemm_matrix m = *matrix;
  const int64_t element_bytes = (int64_t)m.element_bytes;
  *(m.transposed ? &m.rows : &m.cols) = packed_k(context, plan);
  if (!m.packed) return m;
  m.packed = false;
  m.ld = round_up(m.cols * element_bytes, WT_LINE) / element_bytes;
  if (m.stride) m.stride = m.rows * m.ld;
  m.misaligned = 0;
  // Both operands may be packed.
  const int64_t bytes = m.rows * m.ld * batch_of(plan, matrix) * element_bytes;
  m.in_llc = 2 * (double)bytes < context->target->llc_bytes;
  return m;
}

uint64_t wt_packed_bytes(const wt_context *context, const wt_gemm_plan *plan, const wt_gemm_matrix *matrix) {
  if (!matrix->packed) return 0;
  const wt_gemm_matrix m = matrix_after(context, plan, matrix);
  return (uint64_t)(m.rows * m.ld * batch_of(plan, matrix)) * m.element_bytes;
}

static uint64_t all_bytes(const wt_context *context, const wt_gemm_plan *plan) {
  return wt_packed_bytes(context, plan, &plan->a) + wt_packed_bytes(context, plan, &plan->b);
}

wt_gemm_plan wt_packed_plan(const wt_context *context, const wt_gemm_plan *plan) {
  wt_gemm_plan product = *plan;
  if (!wt_packs(plan)) return product;
  const uint64_t bytes = all_bytes(context, plan);
  product.desc.k = packed_k(context, plan);
  product.a = matrix_after(context, plan, &plan->a);
  product.b = matrix_after(context, plan, &plan->b);
  product.workspace_most_bytes = plan->workspace_most_bytes > bytes ? plan->workspace_most_bytes - bytes : 0;
  if (plan->desc.workspace) {
    product.desc.workspace = (char *)plan->desc.workspace + bytes;
    product.desc.workspace_bytes = (size_t)product.workspace_most_bytes;
  }
  return product;
}

wt_gemm_pack_operand wt_pack_operand(const wt_context *context, const wt_gemm_plan *plan,
                                     const wt_gemm_matrix *matrix, const void *from, void *to) {
  const wt_gemm_matrix packed = matrix_after(context, plan, matrix);
  const int64_t element_bytes = (int64_t)matrix->element_bytes, row = packed.ld * element_bytes;
  const int64_t pieces = row / WT_PACK_PIECE_BYTES;
  return (wt_gemm_pack_operand){.from = from,
                                .to = to,
                                .from_row_bytes = matrix->ld * element_bytes,
                                .to_row_bytes = row,
                                .from_batch_bytes = matrix->stride * element_bytes,
                                .to_batch_bytes = packed.stride * element_bytes,
                                .row_bytes = (int)(matrix->cols * element_bytes),
                                .rows = (int)matrix->rows,
                                .batch = (int)batch_of(plan, matrix),
                                .pieces_row = wt_divisor_of((unsigned)pieces)};
}

// ---- the choice

double wt_pack_cost(const wt_context *context, const wt_gemm_plan *plan) {
  return wt_packs(plan) ? wt_cost_of_moving(context, (double)all_bytes(context, plan)) : 0;
}

// Returns whether rows begin in the middle of lines.
static bool is_unaligned(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix) {
  return !wt_gemm_rows_begin_lines(matrix) ||
         (plan->desc.batch > 1 && matrix->stride * (int64_t)matrix->element_bytes % WT_LINE);
}

// Returns whether the kernel can pack it: rows are not too short, and a launch counts pieces in 31 bits.
static bool is_packable(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix) {
  const int64_t row = matrix->cols * (int64_t)matrix->element_bytes;
  return row >= WT_PACK_LEAST_ROW_BYTES && row < INT32_MAX - WT_LINE &&
         wt_divide_up(row, WT_PACK_PIECE_BYTES) + WT_LINE / WT_PACK_PIECE_BYTES < INT32_MAX / matrix->rows &&
         batch_of(plan, matrix) <= WT_MOST_GROUPS_YZ;
}

// A gain must be so large, as the cost model is no more exact.
static const double least_gain = 0.05;

void wt_pack_choose(const wt_context *context, wt_gemm_plan *plan, double cycles) {
  wt_gemm_plan tried = *plan;
  tried.a.packed = is_unaligned(plan, &plan->a), tried.b.packed = is_unaligned(plan, &plan->b);
  if (!wt_packs(&tried) || !wt_context_has(context, WT_PACK_STEM)) return;
  if ((tried.a.packed && !is_packable(plan, &plan->a)) || (tried.b.packed && !is_packable(plan, &plan->b)) ||
      all_bytes(context, &tried) > plan->workspace_most_bytes)
    return;
  wt_gemm_plan product = wt_packed_plan(context, &tried);
  const double packing = wt_pack_cost(context, &tried), most = (1 - least_gain) * cycles;
  if (packing + wt_cost_least(context, &product) >= most) return;
  const wt_candidate best = wt_best_candidate(context, &product);
  if (!best.choice.kernel || best.choice.workspace_bytes > product.workspace_most_bytes) return;
  if (packing + wt_pieces_choose(context, &product, &best) >= most) return;
  plan->a.packed = tried.a.packed, plan->b.packed = tried.b.packed;
  plan->choice = product.choice, plan->cut = product.cut;
}
