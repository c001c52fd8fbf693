// SPDX-License-Identifier: MIT
// Checks a convolution's descriptor member by member.
#include "conv_plan.h"

#include <inttypes.h>
#include <string.h>

#include "core/desc.h"
#include "core/types.h"
#include "gemm/kernels.h"

static wt_status check_sizes(wt_context *context, const wt_conv_desc *d) {
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"n", d->n},
               {"h", d->h},
               {"w", d->w},
               {"c", d->c},
               {"k", d->k},
               {"r", d->r},
               {"s", d->s},
               {"stride_h", d->stride_h},
               {"stride_w", d->stride_w},
               {"dilation_h", d->dilation_h},
               {"dilation_w", d->dilation_w}};
  wt_status status = WT_SUCCESS;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; ++i)
    status = wt_check_size(context, sizes[i].name, sizes[i].value);
  const struct {
    const char *name;
    int64_t value;
  } pads[] = {{"pad_top", d->pad_top},
              {"pad_bottom", d->pad_bottom},
              {"pad_left", d->pad_left},
              {"pad_right", d->pad_right}};
  for (size_t i = 0; i < sizeof pads / sizeof *pads && !status; ++i)
    if (pads[i].value < 0 || pads[i].value > INT32_MAX)
      status = wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass 0 or more, up to %d",
                       pads[i].name, pads[i].value, INT32_MAX);
  return status;
}

// One direction of a convolution, and the names of its members.
typedef struct direction {
  const char *image, *filter, *pads;
  int64_t size, taps, stride, before, after, dilation;
} direction;

static wt_status check_direction(wt_context *context, const direction *d, int64_t *out) {
  const int64_t padded = d->size + d->before + d->after;
  if (padded > INT32_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s is %" PRId64 ", which with %s is %" PRId64 "; pass less than 2^31 together",
                   d->image, d->size, d->pads, padded);
  if (d->taps - 1 > (padded - 1) / d->dilation)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s is %" PRId64 ", and its taps are %" PRId64
                   " apart, but desc->%s with its padding is %" PRId64
                   "; pass a filter that is no larger than that",
                   d->filter, d->taps, d->dilation, d->image, padded);
  *out = (padded - 1 - (d->taps - 1) * d->dilation) / d->stride + 1;
  return WT_SUCCESS;
}

static wt_status check_geometry(wt_context *context, wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  const direction rows = {
      "h", "r", "pad_top and pad_bottom", d->h, d->r, d->stride_h, d->pad_top, d->pad_bottom, d->dilation_h};
  const direction columns = {
      "w", "s", "pad_left and pad_right", d->w, d->s, d->stride_w, d->pad_left, d->pad_right, d->dilation_w};
  wt_status status = check_direction(context, &rows, &plan->p);
  if (!status) status = check_direction(context, &columns, &plan->q);
  return status;
}

// A member of the descriptor that is a type.
typedef struct named_type {
  const char *name;
  wt_type type;
} named_type;

// `input` is what is multiplied with w.
static wt_status check_types(wt_context *context, named_type input, wt_type type_w, named_type output) {
  const wt_target *target = context->target;
  const char *kind = target->ocp ? "" : "_FNUZ";
  const unsigned inputs = wt_kernel_inputs(target, input.type, input.type);
  if (!(inputs & (WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16)))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but convolutions on %s take WT_TYPE_F8E4M3%s, WT_TYPE_F8E5M2%s, "
                   "WT_TYPE_BF16 or WT_TYPE_F16 there",
                   input.name, wt_type_name(input.type), (int)input.type, target->name, kind, kind);
  if (type_w != input.type)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_w is %s (%d), but with %s %s it must be the same", wt_type_name(type_w),
                   (int)type_w, input.name, wt_type_name(input.type));
  if (output.type != WT_TYPE_F32 && output.type != WT_TYPE_BF16 && output.type != WT_TYPE_F16)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but this result is WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   output.name, wt_type_name(output.type), (int)output.type);
  return WT_SUCCESS;
}

static wt_status check_epilogue(wt_context *context, const wt_conv_desc *d) {
  wt_status status = wt_check_finite(context, "alpha", d->alpha);
  if (!status) status = wt_check_finite(context, "beta", d->beta);
  if (!status) status = wt_check_activation(context, d->activation);
  return status;
}

// The product of up to three sizes, when it is at most 2^31 - 1.
static wt_status check_product(wt_context *context, const char *what, const char *remedy, int64_t a,
                               int64_t b, int64_t c, int64_t *out) {
  int64_t product;
  if (!__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) &&
      product <= INT32_MAX) {
    *out = product;
    return WT_SUCCESS;
  }
  return wt_fail(context, WT_ERROR_SIZE,
                 "%s are %" PRId64 " x %" PRId64 " x %" PRId64 ", more than %d together; %s", what, a, b, c,
                 INT32_MAX, remedy);
}

// An array without gaps.
static wt_status make_tensor(wt_context *context, const char *name, const void *pointer, wt_type type,
                             const int64_t sizes[4], wt_operand *out) {
  const size_t element = wt_type_size(type);
  *out = (wt_operand){.name = name, .pointer = pointer, .element = element, .alignment = element};
  int64_t stride = 1;
  for (int i = 3; i >= 0; --i) {
    out->axes[i] = (wt_axis){sizes[i], stride};
    if (__builtin_mul_overflow(stride, sizes[i], &stride) || stride > INT64_MAX / (int64_t)element)
      return wt_fail(context, WT_ERROR_SIZE,
                     "%s has %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64
                     " elements, which is more than 2^63 bytes; pass smaller sizes",
                     name, sizes[0], sizes[1], sizes[2], sizes[3]);
  }
  return wt_operand_span(out) ? WT_SUCCESS : WT_ERROR_SIZE;
}

static wt_status make_tensors(wt_context *context, wt_conv_plan *plan, const wt_conv_desc *d, const void *x,
                              const void *w, const void *y) {
  const int64_t sizes_x[] = {d->n, d->h, d->w, d->c}, sizes_w[] = {d->k, d->r, d->s, d->c};
  const int64_t sizes_y[] = {d->n, plan->p, plan->q, d->k};
  wt_status status = make_tensor(context, "x", x, d->type_x, sizes_x, &plan->x);
  if (!status) status = make_tensor(context, "w", w, d->type_w, sizes_w, &plan->w);
  if (!status) status = make_tensor(context, "y", y, d->type_y, sizes_y, &plan->y);
  return status;
}

// What a convolution and its gradients have in common: copies the descriptor and checks all but its types.
static wt_status begin(wt_context *context, const wt_conv_desc *desc, wt_conv_plan *plan) {
  static const wt_desc_layout layout = {"wt_conv_desc", "WT_CONV_DESC_INIT", sizeof(wt_conv_desc), NULL};
  memset(plan, 0, sizeof *plan);
  wt_status status = wt_desc_copy(context, &layout, desc, &plan->desc);
  if (!status) status = check_sizes(context, &plan->desc);
  if (!status) status = check_geometry(context, plan);
  if (!status) status = check_epilogue(context, &plan->desc);
  return status;
}

wt_status wt_conv_plan_make(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                            const void *y, wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  wt_status status = begin(context, desc, plan);
  if (!status)
    status =
        check_types(context, (named_type){"type_x", d->type_x}, d->type_w, (named_type){"type_y", d->type_y});
  if (status) return status;
  const int64_t element = (int64_t)wt_type_size(d->type_x);
  status = check_product(context, "the output pixels, desc->n with p and q of each image,",
                         "pass fewer images at once", d->n, plan->p, plan->q, &plan->rows);
  if (!status)
    status = check_product(context, "the bytes of a filter, desc->r, desc->s and those of desc->c channels,",
                           "pass a smaller filter", d->r, d->s, d->c * element, &plan->k);
  if (!status) status = make_tensors(context, plan, d, x, w, y);
  if (status) return status;
  plan->k /= element;
  plan->y.written = true;
  plan->channels = "c", plan->filters = w;
  plan->spread_h = plan->spread_w = 1;
  plan->reach_h = d->h + d->pad_top + d->pad_bottom, plan->reach_w = d->w + d->pad_left + d->pad_right;
  return wt_conv_choose(context, plan);
}

// A gradient has no epilogue but alpha and beta.
static wt_status check_plain(wt_context *context, const wt_conv_desc *d) {
  const struct {
    const char *name;
    bool set;
  } members[] = {{"filter_scale", d->filter_scale != NULL},
                 {"bias", d->bias != NULL},
                 {"activation", d->activation != WT_ACTIVATION_NONE}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
    if (members[i].set)
      return wt_fail(
          context, WT_ERROR_VALUE,
          "desc->%s is set, but the gradient is that of the sums alone; leave it at 0, and apply it "
          "to dy",
          members[i].name);
  return WT_SUCCESS;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Makes the convolution of dy of the one that `plan` has. Pixel (p, q) of dy and tap (r, s) give pixel (p *
// stride_h - pad_top + r * dilation_h, ...) of dx. With the taps rotated by 180 degrees, r' = r_last - r, and
// from dx's side: its pixel h and tap r' meet at place p * stride_h = h - (reach - pad_top) + r' *
// dilation_h, where reach is r_last * dilation_h.
static void rotate_filters(wt_conv_plan *plan) {
  wt_conv_desc *d = &plan->desc;
  const wt_conv_desc forward = *d;
  const int64_t reach_h = (d->r - 1) * d->dilation_h, reach_w = (d->s - 1) * d->dilation_w;
  d->h = plan->p, d->w = plan->q, d->c = forward.k, d->k = forward.c;
  plan->p = forward.h, plan->q = forward.w;
  plan->spread_h = forward.stride_h, plan->spread_w = forward.stride_w;
  d->stride_h = d->stride_w = 1;
  d->pad_top = reach_h - forward.pad_top, d->pad_left = reach_w - forward.pad_left;
  d->type_x = forward.type_y, d->type_y = forward.type_x;
  plan->reach_h = larger(d->h + reach_h, forward.h + forward.pad_top);
  plan->reach_w = larger(d->w + reach_w, forward.w + forward.pad_left);
}

wt_status wt_conv_plan_make_backward(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                     const void *w, const void *dx, wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  wt_status status = begin(context, desc, plan);
  if (!status) status = check_plain(context, d);
  if (!status)
    status =
        check_types(context, (named_type){"type_y", d->type_y}, d->type_w, (named_type){"type_x", d->type_x});
  if (status) return status;
  const int64_t element = (int64_t)wt_type_size(d->type_y);
  int64_t unused;
  status = check_product(context, "the output pixels, desc->n with p and q of each image,",
                         "pass fewer images at once", d->n, plan->p, plan->q, &unused);
  if (!status)
    status = check_product(context, "the pixels, desc->n, desc->h and desc->w,", "pass fewer images at once",
                           d->n, d->h, d->w, &plan->rows);
  if (!status)
    status = check_product(context,
                           "the bytes of a channel's taps, desc->r, desc->s and those of desc->k filters,",
                           "pass a smaller filter", d->r, d->s, d->k * element, &plan->k);
  if (!status) status = make_tensors(context, plan, d, dx, w, dy);
  if (status) return status;
  const wt_operand of_dx = plan->x;
  plan->x = plan->y, plan->y = of_dx;
  plan->x.name = "dy", plan->y.name = "dx";
  plan->y.written = true;
  plan->k /= element;
  plan->channels = "k", plan->filters = d->workspace;
  rotate_filters(plan);
  return wt_conv_choose(context, plan);
}
