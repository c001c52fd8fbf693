// SPDX-License-Identifier: MIT
// Cuts K into parts and C into tiles, and orders the tiles so that dies load few bytes.
#include "cut.h"

#include "core/launch.h"
#include "core/tile_order.h"
#include "stream.h"

int64_t wt_cut_least_k(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel) {
  if (!wt_kernel_copies(kernel)) return 1;
  return kernel->least_steps * wt_gemm_plan_step(context, plan);
}

wt_status wt_cut_check_split(wt_context *context, int32_t split_k) {
  if (split_k >= 0 && split_k <= WT_MAX_SPLIT) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->split_k is %d; pass 0 to have it chosen, 1 for none, or up to %d parts", split_k,
                 WT_MAX_SPLIT);
}

uint64_t wt_cut_sums_bytes(int64_t m, int64_t n, int64_t batch, int64_t parts) {
  uint64_t elements, bytes;
  if (parts == 1) return 0;
  if (__builtin_mul_overflow((uint64_t)m, (uint64_t)wt_gemm_sums_row(n), &elements) ||
      __builtin_mul_overflow(elements, (uint64_t)batch, &elements) ||
      __builtin_mul_overflow(elements, 4 * (uint64_t)parts, &bytes))
    return UINT64_MAX;
  return bytes;
}

wt_cut_parts wt_cut_into(int64_t k, int64_t grain, int64_t parts, int64_t least) {
  const int64_t grains = wt_divide_up(k, grain);
  for (int64_t per_part = wt_divide_up(grains, parts);; ++per_part) {
    const int64_t count = wt_divide_up(grains, per_part), k_part = per_part * grain;
    if (count == 1) return (wt_cut_parts){1, k};
    if (k - (count - 1) * k_part >= least) return (wt_cut_parts){count, k_part};
  }
}

static void cut_k(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c, int64_t parts,
                  int64_t least) {
  const wt_gemm_desc *d = &plan->desc;
  const wt_cut_parts cut = wt_cut_into(d->k, plan->grain, parts, least);
  c->parts = cut.parts, c->k_part = cut.k_part;
  c->workspace_bytes = wt_cut_sums_bytes(d->m, d->n, d->batch, cut.parts);
  if (c->kernel->kind == WT_KERNEL_STREAM) {
    const wt_stream_cut ranges = wt_stream_cut_of(context, plan, c->kernel, c->tiles_m * c->tiles_n);
    c->workspace_bytes = wt_stream_bytes(c->kernel, &ranges);
  }
}

void wt_cut_k(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c, int64_t parts) {
  cut_k(context, plan, c, parts, wt_cut_least_k(context, plan, c->kernel));
}

bool wt_cut_is_even(const wt_context *context, const wt_gemm_plan *plan, const wt_choice *choice,
                    int64_t parts) {
  wt_choice even = *choice;
  cut_k(context, plan, &even, parts, 1);
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

// The descriptor's order, the kernel's own, or the one that suits the problem. Kernels for one line of tiles
// have no other order than that of the work-groups.
static void order_tiles(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c) {
  const wt_kernel *kernel = c->kernel;
  const wt_tiles tiles = tiles_of(c);
  const int32_t chunk = kernel->one_line ? 0 : plan->desc.grid_chunk;
  const int32_t window = kernel->one_line ? 0 : plan->desc.grid_window;
  c->chunk = chunk ? chunk : kernel->chunk;
  if (!c->chunk) c->chunk = wt_tile_chunk(context, &tiles);
  c->window = window ? window : kernel->window;
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
