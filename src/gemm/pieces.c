// SPDX-License-Identifier: MIT
// Decides where C is cut, and what its pieces are.
//
// Large tiles are the fastest where they fill all compute units, round after round. A last round of few tiles
// takes as long as a full one, and so does a last row of tiles that has few rows. The second piece is what
// such a round or row would have computed, with smaller tiles or K in parts.
#include "pieces.h"

#include "core/launch.h"

int wt_piece_count(const wt_gemm_plan *plan) { return plan->cut.row || plan->cut.column ? 2 : 1; }

// Returns so many rows and columns of an operand from its row `first` on, and sets *bytes to how far behind
// its first element they begin.
static wt_gemm_matrix part_of(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix, int64_t first,
                              int64_t rows, int64_t columns, int64_t *bytes) {
  wt_gemm_matrix part = *matrix;
  const bool transposed = matrix->transposed;
  part.rows = transposed ? columns : rows, part.cols = transposed ? rows : columns;
  *bytes = first * (transposed ? 1 : matrix->ld) * (int64_t)matrix->element;
  part.misaligned = (matrix->misaligned + (size_t)*bytes) % 16;
  wt_operand operand = wt_gemm_operand(plan, &part, NULL);
  (void)wt_operand_span(&operand);  // which is no longer than that of the whole
  part.bytes = operand.bytes;
  return part;
}

static wt_piece cut_out(const wt_gemm_plan *plan, int64_t row, int64_t column, int64_t m, int64_t n) {
  wt_piece piece = {.plan = *plan, .row = row, .column = column};
  wt_gemm_desc *d = &piece.plan.desc;
  d->m = m, d->n = n;
  if (d->row_scale) d->row_scale += row;
  if (d->column_scale) d->column_scale += column;
  if (d->bias) d->bias += column;
  piece.plan.a = part_of(plan, &plan->a, row, m, d->k, &piece.a);
  piece.plan.b = part_of(plan, &plan->b, column, n, d->k, &piece.b);
  piece.plan.c = part_of(plan, &plan->c, row, m, n, &piece.c);
  piece.c += column * (int64_t)plan->c.element;
  piece.plan.c.misaligned = (plan->c.misaligned + (size_t)piece.c) % 16;
  piece.plan.cut = (wt_gemm_cut){.row = 0};
  return piece;
}

static wt_piece first_of(const wt_gemm_plan *plan, const wt_gemm_cut *cut) {
  const wt_gemm_desc *d = &plan->desc;
  return cut_out(plan, 0, 0, cut->row ? cut->row : d->m, cut->column ? cut->column : d->n);
}

static wt_piece second_of(const wt_gemm_plan *plan, const wt_gemm_cut *cut) {
  const wt_gemm_desc *d = &plan->desc;
  wt_piece second = cut_out(plan, cut->row, cut->column, d->m - cut->row, d->n - cut->column);
  second.plan.choice = cut->choice;
  return second;
}

wt_piece wt_piece_at(const wt_gemm_plan *plan, int nth) {
  return nth ? second_of(plan, &plan->cut) : first_of(plan, &plan->cut);
}

// ---- where it is cut

// Describes a place to cut, and the best kernel for the first piece of those whose tiles end there.
typedef struct place {
  wt_gemm_cut cut;
  wt_candidate first;
} place;

typedef struct places {
  place at[32];  // there are few different tiles, and up to four places for each
  int count;
} places;

static place *find_place(places *all, int64_t row, int64_t column) {
  for (int i = 0; i < all->count; ++i)
    if (all->at[i].cut.row == row && all->at[i].cut.column == column) return &all->at[i];
  if (all->count == (int)(sizeof all->at / sizeof *all->at)) return NULL;
  place *new = &all->at[all->count++];
  *new = (place){.cut = {.row = row, .column = column}};
  return new;
}

static void add_place(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                      int64_t row, int64_t column, places *all) {
  if (row >= plan->desc.m || column >= plan->desc.n || (!row && !column)) return;
  const wt_gemm_cut cut = {.row = row, .column = column};
  const wt_piece first = first_of(plan, &cut);
  const wt_candidate x = wt_candidate_of(context, &first.plan, kernel);
  place *p = x.refusal[0] ? NULL : find_place(all, row, column);
  if (p && (!p->first.choice.kernel || wt_candidate_better(&x, &p->first))) p->first = x;
}

// Adds the places behind the last whole tile, and behind the last whole round.
static void add_places_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                          places *all) {
  const wt_gemm_desc *d = &plan->desc;
  const int64_t tile_m = kernel->tile_m, tile_n = kernel->tile_n, units = context->compute_units;
  const int64_t tall = wt_divide_up(d->m, tile_m), wide = wt_divide_up(d->n, tile_n);
  const int64_t whole = tall * wide * d->batch / units * units / d->batch;  // tiles of whole rounds
  const int64_t last_row = d->m / tile_m * tile_m, last_column = d->n / tile_n * tile_n;
  const int64_t round_row = whole / wide * tile_m, round_column = whole / tall * tile_n;
  add_place(context, plan, kernel, last_row, 0, all);
  add_place(context, plan, kernel, 0, last_column, all);
  if (round_row != last_row) add_place(context, plan, kernel, round_row, 0, all);
  if (round_column != last_column) add_place(context, plan, kernel, 0, round_column, all);
}

// Smaller tiles are never the fastest for what they fill.
enum { LEAST_TILE = 128 };

static places places_of(const wt_context *context, const wt_gemm_plan *plan) {
  places all = {.count = 0};
  for (size_t i = 0; i < wt_kernel_count; ++i) {
    const wt_kernel *kernel = &wt_kernels[i];
    if (kernel->kind != WT_KERNEL_RUNG && kernel->tile_m >= LEAST_TILE && kernel->tile_n >= LEAST_TILE)
      add_places_of(context, plan, kernel, &all);
  }
  return all;
}

// A cut must promise so much, as the cost model is no more exact.
static const double least_gain = 0.1;

double wt_pieces_choose(const wt_context *context, wt_gemm_plan *plan, const wt_candidate *whole) {
  const wt_gemm_desc *d = &plan->desc;
  plan->choice = whole->choice, plan->cut = (wt_gemm_cut){.row = 0};
  if (whole->choice.kernel->kind == WT_KERNEL_RUNG || d->grid_window || d->grid_chunk || d->split_k > 1)
    return whole->cost.cycles;
  const places all = places_of(context, plan);
  double cycles = whole->cost.cycles, least = (1 - least_gain) * cycles;
  for (int i = 0; i < all.count; ++i) {
    const place *p = &all.at[i];
    const wt_piece piece = second_of(plan, &p->cut);
    if (p->first.cost.cycles + wt_cost_least(context, &piece.plan) >= least) continue;
    const wt_candidate second = wt_best_candidate(context, &piece.plan);
    if (!second.choice.kernel || p->first.cost.cycles + second.cost.cycles >= least) continue;
    cycles = least = p->first.cost.cycles + second.cost.cycles;
    plan->choice = p->first.choice, plan->cut = p->cut, plan->cut.choice = second.choice;
  }
  return cycles;
}
