// SPDX-License-Identifier: MIT
// Checks, arguments and launches of products with scales.
#include "scaled.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/tile_order.h"
#include "core/types.h"

static double cost(const wt_context *context, const wt_scaled_kernel *kernel, int64_t m, int64_t n) {
  const double tiles = (double)wt_divide_up(m, kernel->tile_m) * (double)wt_divide_up(n, kernel->tile_n);
  return wt_tile_rounds_cost(context, tiles, kernel->tile_m, kernel->tile_n, kernel->efficiency);
}

const wt_scaled_kernel *wt_scaled_better(const wt_context *context, const wt_scaled_kernel *best,
                                         const wt_scaled_kernel *other, int64_t m, int64_t n) {
  if (!best) return other;
  const bool best_built = wt_context_has(context, best->name), built = wt_context_has(context, other->name);
  if (best_built != built) return built ? other : best;
  return cost(context, other, m, n) > cost(context, best, m, n) ? best : other;
}

bool wt_scaled_suits_persistent(const wt_scaled_product *p, wt_scaled_rows rows) {
  enum { ALIGNMENT = 16, COLUMNS = 8, MOST_TILE = 512 };  // columns of a store; rows of a tile, and some more
  const bool is_plain = p->beta == 0 && !p->bias && p->activation == WT_ACTIVATION_NONE;
  if (!is_plain || p->batch != 1 || wt_type_size(p->type_c) != 2) return false;
  const int64_t c_row = (rows.ldc ? rows.ldc : p->n) * 2, most = INT32_MAX / MOST_TILE;
  const uintptr_t mixed = (uintptr_t)p->a.pointer | (uintptr_t)p->b.pointer | (uintptr_t)p->c.pointer |
                          (uintptr_t)rows.mixed | (uintptr_t)c_row;
  return mixed % ALIGNMENT == 0 && p->n % COLUMNS == 0 && rows.most < most && p->k < most && c_row < most;
}

wt_status wt_scaled_check_sizes(wt_context *context, const wt_scaled_product *product) {
  wt_status status = wt_check_size(context, "m", product->m);
  if (!status) status = wt_check_size(context, "n", product->n);
  if (!status) status = wt_check_size(context, "k", product->k);
  return status;
}

wt_status wt_scaled_check_epilogue(wt_context *context, const wt_scaled_product *product) {
  wt_status status = wt_check_finite(context, "alpha", product->alpha);
  if (!status) status = wt_check_finite(context, "beta", product->beta);
  if (!status) status = wt_check_activation(context, product->activation);
  return status;
}

int wt_scaled_operands(const wt_scaled_product *product, wt_operand *all) {
  const wt_operand *const operands[] = {&product->a, &product->a_scale, &product->b, &product->b_scale,
                                        &product->c};
  int count = 0;
  for (int i = 0; i < 5; ++i)
    if (operands[i]->name) all[count++] = *operands[i];
  if (product->c_scale.name) all[count++] = product->c_scale;
  if (product->bias) all[count++] = wt_operand_vector("desc->bias", product->bias, 4, 4, product->n);
  return count;
}

wt_status wt_scaled_check_memory(wt_context *context, const wt_scaled_product *product) {
  wt_operand all[WT_SCALED_OPERANDS];
  return wt_operands_check(context, all, wt_scaled_operands(product, all));
}

wt_gemm_args wt_scaled_args(const wt_scaled_product *product) {
  return (wt_gemm_args){.a = product->a.pointer,
                        .b = product->b.pointer,
                        .c = (void *)(uintptr_t)product->c.pointer,
                        .m = (int)product->m,
                        .n = (int)product->n,
                        .k = (int)product->k,
                        .alpha = product->alpha,
                        .beta = product->beta,
                        .a_row = product->a.axes[0].stride,
                        .a_col = 1,
                        .b_row = product->b.axes[0].stride,
                        .b_col = 1,
                        .c_row = product->c.axes[0].stride,
                        .type_c = (int)product->type_c,
                        .activation = (int)product->activation,
                        .bias = product->bias,
                        .a_batch = product->a.axes[2].stride,
                        .b_batch = product->b.axes[2].stride,
                        .c_batch = product->c.axes[2].stride,
                        .k_part = (int)product->k_part};
}

// Moves the operands in the arguments on, with their scales. Strides of A and B are those of elements of a
// byte, or in bytes.
static void advance(const wt_scaled_product *product, void *args, wt_scaled_move *move, int64_t members,
                    int64_t rows) {
  wt_gemm_args *gemm = args;
  const int64_t element_bytes = product->parts > 1 ? 4 : (int64_t)product->c.element_bytes;
  gemm->a = (const char *)gemm->a + members * gemm->a_batch + rows * gemm->a_row;
  gemm->b = (const char *)gemm->b + members * gemm->b_batch;
  gemm->c = (char *)gemm->c + (members * gemm->c_batch + rows * gemm->c_row) * element_bytes;
  move(args, members, rows);
}

wt_status wt_scaled_launch(wt_context *context, const wt_scaled_product *product,
                           const wt_scaled_kernel *kernel, void *args, wt_scaled_move *move,
                           wt_scaled_rotate *rotate, hipStream_t stream) {
  wt_gemm_args *gemm = args;
  const int64_t tiles_n = wt_divide_up(product->n, kernel->tile_n);
  const int64_t most = (int64_t)WT_MOST_THREADS_X / kernel->threads / tiles_n * kernel->tile_m;
  wt_launch groups = {.y = (unsigned)product->parts, .threads = kernel->threads};
  snprintf(groups.symbol, sizeof groups.symbol, "%s%s%s", kernel->name, kernel->is_persistent ? "_" : "",
           kernel->is_persistent ? wt_row_type(product->type_c) : "");
  wt_status status = wt_launch_find(context, kernel->name, &groups);
  for (int64_t first = 0; first < product->batch && !status; first += WT_MOST_GROUPS_YZ) {
    groups.z = (unsigned)wt_at_most(product->batch - first, WT_MOST_GROUPS_YZ);
    for (int64_t m = 0; m < product->m && !status; m += most) {
      const int64_t rows = wt_at_most(product->m - m, most);
      const wt_tiles tiles = {wt_divide_up(rows, kernel->tile_m), tiles_n, kernel->tile_m, kernel->tile_n};
      gemm->m = (int)rows;
      gemm->grid = wt_tile_map(context, &tiles);
      groups.x = (unsigned)(tiles.tiles_m * tiles.tiles_n);
      if (kernel->is_persistent) {
        const wt_grid_order order = wt_tile_order_by_dies(context, &tiles);
        gemm->grid = wt_grid_map_of(order);
        rotate(args, order);
        groups.x = (unsigned)wt_at_most(groups.x, context->compute_units);
      }
      gemm->groups = (int)groups.x;
      status = wt_launch_enqueue(context, &groups, args, stream);
      advance(product, args, move, 0, rows);
    }
    advance(product, args, move, WT_MOST_GROUPS_YZ, -product->m);
  }
  return status;
}
