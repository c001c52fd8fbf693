// SPDX-License-Identifier: MIT
// Checks of a convolution's descriptor member by member, as every pass makes them.
#include "conv_check.h"

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

// Describes one direction of a convolution, and the names of its members.
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

static wt_status check_geometry(wt_context *context, const wt_conv_desc *d, int64_t *p, int64_t *q) {
  const direction rows = {
      "h", "r", "pad_top and pad_bottom", d->h, d->r, d->stride_h, d->pad_top, d->pad_bottom, d->dilation_h};
  const direction columns = {
      "w", "s", "pad_left and pad_right", d->w, d->s, d->stride_w, d->pad_left, d->pad_right, d->dilation_w};
  wt_status status = check_direction(context, &rows, p);
  if (!status) status = check_direction(context, &columns, q);
  return status;
}

wt_status wt_conv_check_types(wt_context *context, wt_conv_type input, wt_conv_type other,
                              wt_conv_type output) {
  const wt_target *target = context->target;
  const char *kind = target->ocp ? "" : "_FNUZ";
  const unsigned inputs = wt_kernel_inputs(target, input.type, input.type);
  if (!(inputs & (WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16)))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but convolutions on %s take WT_TYPE_F8E4M3%s, WT_TYPE_F8E5M2%s, "
                   "WT_TYPE_BF16 or WT_TYPE_F16 there",
                   input.name, wt_type_name(input.type), (int)input.type, target->name, kind, kind);
  if (other.type != input.type)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but with %s %s it must be the same", other.name,
                   wt_type_name(other.type), (int)other.type, input.name, wt_type_name(input.type));
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

wt_status wt_conv_check_product(wt_context *context, const char *what, const char *remedy, int64_t a,
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

wt_status wt_conv_tensor(wt_context *context, const char *name, const void *pointer, wt_type type,
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

wt_status wt_conv_check_begin(wt_context *context, const wt_conv_desc *desc, wt_conv_desc *copy, int64_t *p,
                              int64_t *q) {
  static const wt_desc_layout layout = {"wt_conv_desc", "WT_CONV_DESC_INIT", sizeof(wt_conv_desc), NULL};
  wt_status status = wt_desc_copy(context, &layout, desc, copy);
  if (!status) status = check_sizes(context, copy);
  if (!status) status = check_geometry(context, copy, p, q);
  if (!status) status = check_epilogue(context, copy);
  return status;
}

wt_status wt_conv_check_plain(wt_context *context, const wt_conv_desc *d) {
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
