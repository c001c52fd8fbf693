// SPDX-License-Identifier: MIT
// Knows which kernels can run a convolution, and which of them is predicted to take the least time.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conv_plan.h"
#include "core/launch.h"
#include "core/tile_order.h"
#include "core/types.h"

// The efficiencies are those of the GEMMs of the same schedule (kernels/gemm/instances.def). The general
// kernel is there for what the others refuse.
static const wt_conv_kernel kernels[] = {
    {"conv_general_64x64", WT_CONV_NEEDS_NOTHING, 64, 64, 256, 0, 1},
    {"conv_4wave_64x64", WT_CONV_NEEDS_CHUNKS, 64, 64, 256, 3, 35},
    {"conv_4wave_128x128", WT_CONV_NEEDS_CHUNKS, 128, 128, 256, 3, 69},
};
enum { KERNELS = sizeof kernels / sizeof *kernels, CHUNK_BYTES = 16 };

#define REFUSE(...) return (void)snprintf(why, size, __VA_ARGS__), true

// A row or a column of an image, with padding, and twice the reach of a filter are counted in 16 bits
// (kernels/conv/conv_copier.h).
static bool refuses_extent(const char *image, int64_t padded, const char *filter, int64_t taps,
                           int64_t dilation, char *why, size_t size) {
  if (padded > UINT16_MAX)
    REFUSE("needs less than 2^16 pixels with padding along desc->%s, but there are %" PRId64, image, padded);
  if (taps * dilation > UINT16_MAX / 2)
    REFUSE("needs desc->%s times its dilation below 2^15, but it is %" PRId64, filter, taps * dilation);
  return false;
}

// Returns the output pixels of an image, of a phase where there are phases.
static int64_t least_pixels(const wt_conv_plan *plan) {
  if (!plan->phases) return plan->p * plan->q;
  const int64_t rows = plan->in_h.size / plan->in_h.stride, columns = plan->in_w.size / plan->in_w.stride;
  return rows && columns ? rows * columns : 1;
}

static bool refuses_chunks(const wt_context *context, const wt_conv_plan *plan, const wt_conv_kernel *kernel,
                           char *why, size_t size) {
  const wt_conv_desc *d = &plan->desc;
  const int64_t element = (int64_t)plan->x.element, least = kernel->least_steps * context->target->step_bytes;
  if (d->c * element % CHUNK_BYTES)
    REFUSE("needs channels of whole %d bytes, but desc->%s is %" PRId64, CHUNK_BYTES, plan->channels, d->c);
  if (((uintptr_t)plan->x.pointer | (uintptr_t)plan->filters) % CHUNK_BYTES)
    REFUSE("needs %s and w at multiples of %d bytes", plan->x.name, CHUNK_BYTES);
  // Phases of fewer steps go without the main loop.
  if (!plan->phases && plan->k * element < least)
    REFUSE("needs %" PRId64 " bytes of a filter, but one has %" PRId64, least, plan->k * element);
  if (refuses_extent("h", plan->reach_h, "r", d->r, d->dilation_h, why, size)) return true;
  if (refuses_extent("w", plan->reach_w, "s", d->s, d->dilation_w, why, size)) return true;
  const int64_t touched = wt_at_most(d->n, (kernel->tile_m - 2) / least_pixels(plan) + 2);
  const int64_t image = (int64_t)plan->x.bytes / d->n;
  if (image > INT32_MAX / touched)
    REFUSE("needs less than 2 GB of images for a tile, which may touch %" PRId64 " of %" PRId64 " bytes",
           touched, image);
  if (plan->k >= INT32_MAX / (kernel->tile_n * element) - 1)
    REFUSE("needs less than 2 GB of filters for a tile, but %d of them have %" PRId64 " bytes each",
           kernel->tile_n, plan->k * element);
  return false;
}

// Returns whether the kernel cannot run the plan, and if so says why.
static bool refuses(const wt_context *context, const wt_conv_plan *plan, const wt_conv_kernel *kernel,
                    char *why, size_t size) {
  const int64_t tiles = wt_divide_up(plan->rows, kernel->tile_m) * wt_divide_up(plan->desc.k, kernel->tile_n);
  if (tiles > (int64_t)WT_MOST_THREADS_X / kernel->threads)
    REFUSE("covers %" PRId64 " tiles of y in a launch, but y has %" PRId64,
           (int64_t)WT_MOST_THREADS_X / kernel->threads, tiles);
  return kernel->needs == WT_CONV_NEEDS_CHUNKS && refuses_chunks(context, plan, kernel, why, size);
}

static double cost(const wt_context *context, const wt_conv_plan *plan, const wt_conv_kernel *kernel) {
  const double tiles = (double)(plan->phases ? plan->phases : 1) * ceil((double)plan->rows / kernel->tile_m) *
                       ceil((double)plan->desc.k / kernel->tile_n);
  return wt_tile_rounds_cost(context, tiles, (unsigned)kernel->tile_m, (unsigned)kernel->tile_n,
                             kernel->efficiency);
}

static wt_status choose_named(wt_context *context, wt_conv_plan *plan, const char *name) {
  char why[256] = "";
  for (int i = 0; i < KERNELS; ++i) {
    if (strcmp(kernels[i].stem, name) != 0) continue;
    if (refuses(context, plan, &kernels[i], why, sizeof why))
      return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                     "desc->kernel is %s, which %s; pass NULL to have one chosen", name, why);
    if (!wt_context_has(context, name)) return wt_fail_left_out(context, name);
    plan->kernel = &kernels[i];
    return WT_SUCCESS;
  }
  return wt_fail(context, WT_ERROR_UNKNOWN_KERNEL,
                 "desc->kernel is \"%.64s\", which is not a kernel of convolutions; pass NULL to have one "
                 "chosen, or a name that wt_conv_chosen gave",
                 name);
}

static wt_status choose_best(wt_context *context, wt_conv_plan *plan) {
  char why[256] = "";
  const char *left_out = NULL;
  for (int i = 0; i < KERNELS; ++i) {
    const wt_conv_kernel *kernel = &kernels[i];
    if (refuses(context, plan, kernel, why, sizeof why)) continue;
    if (!wt_context_has(context, kernel->stem)) {
      left_out = kernel->stem;
      continue;
    }
    if (!plan->kernel || cost(context, plan, kernel) < cost(context, plan, plan->kernel))
      plan->kernel = kernel;
  }
  if (plan->kernel) return WT_SUCCESS;
  if (left_out) return wt_fail_left_out(context, left_out);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "no kernel for %s can run this: %s %s; pass fewer images at once", context->target->name,
                 kernels[KERNELS - 1].stem, why);
}

wt_status wt_conv_choose(wt_context *context, wt_conv_plan *plan) {
  const char *name = plan->desc.kernel;
  const wt_status status = name ? choose_named(context, plan, name) : choose_best(context, plan);
  if (status) return status;
  plan->tiles_m = wt_divide_up(plan->rows, plan->kernel->tile_m);
  plan->tiles_n = wt_divide_up(plan->desc.k, plan->kernel->tile_n);
  return WT_SUCCESS;
}
