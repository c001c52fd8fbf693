// SPDX-License-Identifier: MIT
// Knows which kernels can run the gradient of the filters, which of them is predicted to take the least time,
// and in how many parts of the output pixels. The model is that of the GEMMs (src/gemm/cost.h).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conv_filters_plan.h"
#include "core/launch.h"
#include "gemm/choice.h"
#include "gemm/cut.h"

// The general kernel comes last: it is there for what the others refuse.
#define OF_TILE(mechanism, m, n)                                                                        \
  .stem = mechanism "_" #m "x" #n, .kind = WT_KERNEL_LIBRARY, .tile_m = m, .tile_n = n, .threads = 256, \
  .inputs = WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16, .waves_m = 2, .waves_n = 2, .waves_k = 1
#define OF_4WAVE(m, n) OF_TILE("conv_filters_4wave", m, n), .needs = WT_NEEDS_TRANSPOSED_COPIES
static const wt_kernel kernels[] = {
    {OF_4WAVE(128, 128), .least_steps = 4, .stages = {[WT_GFX942] = 1, [WT_GFX950] = 2},
     .simd_waves = {[WT_GFX942] = 2, [WT_GFX950] = 2}},
    {OF_4WAVE(64, 64), .least_steps = 3, .stages = {[WT_GFX950] = 3}, .simd_waves = {[WT_GFX950] = 3}},
    {OF_TILE("conv_filters_general", 64, 64), .needs = WT_NEEDS_NOTHING,
     .stages = {[WT_GFX942] = 1, [WT_GFX950] = 1}, .simd_waves = {[WT_GFX942] = 2, [WT_GFX950] = 2}},
};
enum { KERNELS = sizeof kernels / sizeof *kernels, CHUNK_BYTES = 16 };

#define REFUSE(...) return (void)snprintf(why, size, __VA_ARGS__), true

// Twice the places of output pixels along a direction of an image, and the reach of a filter, are counted in
// 16 bits (kernels/conv/conv_taps_copier.h).
static bool refuses_extent(const char *image, int64_t padded, const char *filter, int64_t taps,
                           int64_t dilation, char *why, size_t size) {
  if (padded > INT16_MAX)
    REFUSE("needs less than 2^15 pixels with padding along desc->%s, but there are %" PRId64, image, padded);
  if (taps * dilation > INT16_MAX)
    REFUSE("needs desc->%s times its dilation below 2^15, but it is %" PRId64, filter, taps * dilation);
  return false;
}

static bool refuses_chunks(const wt_context *context, const wt_conv_filters_plan *plan,
                           const wt_kernel *kernel, char *why, size_t size) {
  const wt_conv_desc *d = &plan->desc;
  const wt_gemm_desc *product = &plan->product.desc;
  const int64_t element_bytes = (int64_t)plan->x.element_bytes;
  const int64_t least = wt_cut_least_k(context, &plan->product, kernel);
  if (!wt_context_knows(context, kernel->stem))
    REFUSE("is not compiled for %s, which the device is", context->target->name);
  if (d->c * element_bytes % CHUNK_BYTES)
    REFUSE("needs channels of whole %d bytes, but desc->c is %" PRId64, CHUNK_BYTES, d->c);
  if (d->k * element_bytes % CHUNK_BYTES)
    REFUSE("needs filters of whole %d bytes, but desc->k is %" PRId64, CHUNK_BYTES, d->k);
  if (((uintptr_t)plan->x.pointer | (uintptr_t)plan->dy.pointer) % CHUNK_BYTES)
    REFUSE("needs dy and x at multiples of %d bytes", CHUNK_BYTES);
  if (product->k < least)
    REFUSE("needs %" PRId64 " output pixels, but there are %" PRId64, least, product->k);
  if (refuses_extent("h", d->h + d->pad_top + d->pad_bottom, "r", d->r, d->dilation_h, why, size))
    return true;
  if (refuses_extent("w", d->w + d->pad_left + d->pad_right, "s", d->s, d->dilation_w, why, size))
    return true;
  if (plan->x.bytes > INT32_MAX || plan->dy.bytes > INT32_MAX)
    REFUSE("needs less than 2 GB of images and of dy, but they have %" PRIu64 " and %" PRIu64 " bytes",
           plan->x.bytes, plan->dy.bytes);
  if (product->n >= INT32_MAX / element_bytes - kernel->tile_n)
    REFUSE("needs filters of less than 2 GB each, but one has %" PRId64, product->n * element_bytes);
  return false;
}

// Returns whether the kernel cannot run the plan, and if so says why.
static bool refuses(const wt_context *context, const wt_conv_filters_plan *plan, const wt_kernel *kernel,
                    char *why, size_t size) {
  const wt_gemm_desc *product = &plan->product.desc;
  const int64_t most = (int64_t)WT_MOST_THREADS_X / kernel->threads;
  const int64_t tiles = wt_divide_up(product->m, kernel->tile_m) * wt_divide_up(product->n, kernel->tile_n);
  if (tiles > most) REFUSE("covers %" PRId64 " tiles of dw in a launch, but dw has %" PRId64, most, tiles);
  return kernel->needs != WT_NEEDS_NOTHING && refuses_chunks(context, plan, kernel, why, size);
}

static wt_candidate candidate_of(const wt_context *context, const wt_conv_filters_plan *plan,
                                 const wt_kernel *kernel) {
  wt_candidate x = {.choice = wt_cut(context, &plan->product, kernel, 1)};
  if (refuses(context, plan, kernel, x.refusal, sizeof x.refusal)) return x;
  x.left_out = !wt_context_has(context, kernel->stem);
  wt_candidate_split(context, &plan->product, &x);
  return x;
}

static wt_status choose_named(wt_context *context, wt_conv_filters_plan *plan, const char *name) {
  for (int i = 0; i < KERNELS; ++i) {
    if (strcmp(kernels[i].stem, name) != 0) continue;
    const wt_candidate x = candidate_of(context, plan, &kernels[i]);
    if (x.refusal[0])
      return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                     "desc->kernel is %s, which %s; pass NULL to have one chosen", name, x.refusal);
    if (x.left_out) return wt_fail_left_out(context, name);
    plan->product.choice = x.choice;
    return WT_SUCCESS;
  }
  return wt_fail(context, WT_ERROR_UNKNOWN_KERNEL,
                 "desc->kernel is \"%.64s\", which is not a kernel of gradients of the filters; pass NULL to "
                 "have one chosen, or a name that wt_conv_filters_chosen gave",
                 name);
}

// The general kernel's cost is not that of its instructions: it is taken where nothing else is.
static bool is_better(const wt_candidate *x, const wt_candidate *best) {
  if (!best->choice.kernel) return true;
  return x->choice.kernel->needs != WT_NEEDS_NOTHING && x->cost.cycles < best->cost.cycles;
}

static wt_status choose_best(wt_context *context, wt_conv_filters_plan *plan) {
  wt_candidate best = {.choice.kernel = NULL}, x = best;
  const char *left_out = NULL;
  for (int i = 0; i < KERNELS; ++i) {
    x = candidate_of(context, plan, &kernels[i]);
    if (x.refusal[0]) continue;
    if (x.left_out)
      left_out = kernels[i].stem;
    else if (is_better(&x, &best))
      best = x;
  }
  plan->product.choice = best.choice;
  if (best.choice.kernel) return WT_SUCCESS;
  if (left_out) return wt_fail_left_out(context, left_out);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "no kernel for %s can run this: %s %s; pass fewer filters at once", context->target->name,
                 kernels[KERNELS - 1].stem, x.refusal);
}

wt_status wt_conv_filters_choose(wt_context *context, wt_conv_filters_plan *plan) {
  const char *name = plan->desc.kernel;
  return name ? choose_named(context, plan, name) : choose_best(context, plan);
}
