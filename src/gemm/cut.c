// SPDX-License-Identifier: MIT
// Cuts K into parts and C into tiles, and orders the tiles so that dies load few bytes.
#include "cut.h"

#include "core/launch.h"
#include "core/tile_order.h"

int64_t wt_cut_least_k(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel) {
  if (!wt_kernel_copies(kernel)) return 1;
  return kernel->least_steps * wt_gemm_plan_step(context, plan);
}

static uint64_t sums_bytes(const wt_gemm_plan *plan, int64_t parts) {
  uint64_t elements, bytes;
  if (__builtin_mul_overflow((uint64_t)plan->desc.m, (uint64_t)wt_gemm_plan_sums_row(plan), &elements) ||
      __builtin_mul_overflow(elements, (uint64_t)plan->desc.batch, &elements) ||
      __builtin_mul_overflow(elements, 4 * (uint64_t)parts, &bytes))
    return UINT64_MAX;
  return bytes;
}

// Parts are of whole grains, and the last has at least `least` elements of K.
static void cut_k(const wt_gemm_plan *plan, wt_choice *c, int64_t parts, int64_t least) {
  const int64_t k = plan->desc.k;
  const int64_t grains = wt_divide_up(k, plan->grain);
  for (int64_t per_part = wt_divide_up(grains, parts);; ++per_part) {
    c->parts = wt_divide_up(grains, per_part);
    c->k_part = c->parts > 1 ? per_part * plan->grain : k;
    if (c->parts == 1 || k - (c->parts - 1) * c->k_part >= least) break;
  }
  c->workspace_bytes = c->parts > 1 ? sums_bytes(plan, c->parts) : 0;
}

void wt_cut_k(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c, int64_t parts) {
  cut_k(plan, c, parts, wt_cut_least_k(context, plan, c->kernel));
}

bool wt_cut_is_even(const wt_gemm_plan *plan, const wt_choice *choice, int64_t parts) {
  wt_choice even = *choice;
  cut_k(plan, &even, parts, 1);
  return choice->parts == even.parts && choice->k_part == even.k_part;
}

static wt_tiles tiles_of(const wt_choice *c) {
  return (wt_tiles){c->tiles_m, c->tiles_n, c->kernel->tile_m, c->kernel->tile_n};
}

double wt_cut_rows_loaded(const wt_choice *choice, double rows_a, double rows_b) {
  const int window = choice->window < choice->tiles_m ? choice->window : (int)choice->tiles_m;
  const wt_tiles tiles = tiles_of(choice);
  return wt_tile_rows_loaded(&tiles, rows_a, rows_b, choice->chunk, window);
}

// The descriptor's order, the kernel's own, or the one that suits the problem.
static void order_tiles(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c) {
  const wt_kernel *kernel = c->kernel;
  const wt_tiles tiles = tiles_of(c);
  c->chunk = plan->desc.grid_chunk ? plan->desc.grid_chunk : kernel->chunk;
  if (!c->chunk) c->chunk = wt_tile_chunk(context, &tiles);
  c->window = plan->desc.grid_window ? plan->desc.grid_window : kernel->window;
  if (!c->window) c->window = wt_tile_window(&tiles, c->chunk);
}

wt_choice wt_cut(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                 int64_t parts) {
  const wt_gemm_desc *d = &plan->desc;
  wt_choice c = {.kernel = kernel,
                 .tiles_m = wt_divide_up(d->m, kernel->tile_m),
                 .tiles_n = wt_divide_up(d->n, kernel->tile_n)};
  order_tiles(context, plan, &c);
  wt_cut_k(context, plan, &c, parts);
  return c;
}
