// SPDX-License-Identifier: MIT
// Checks operands, asking the HIP runtime what their pointers point to.
#include "operand.h"

#include <inttypes.h>

wt_operand wt_operand_vector(const char *name, const void *pointer, size_t element, size_t alignment,
                             int64_t count) {
  return (wt_operand){.name = name,
                      .pointer = pointer,
                      .element = element,
                      .alignment = alignment,
                      .axes = {{count, 1}},
                      .bytes = (uint64_t)count * element};
}

bool wt_operand_span(wt_operand *operand) {
  int64_t last = 0, reach, bytes;
  for (int i = 0; i < WT_AXES; ++i) {
    const wt_axis axis = operand->axes[i];
    if (axis.count == 0) continue;
    if (__builtin_mul_overflow(axis.count - 1, axis.stride, &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
  }
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, (int64_t)operand->element, &bytes))
    return false;
  operand->bytes = (uint64_t)bytes;
  return true;
}

bool wt_operand_is_injective(const wt_operand *operand) {
  wt_axis sorted[WT_AXES];
  int count = 0;
  for (int i = 0; i < WT_AXES; ++i) {
    const wt_axis axis = operand->axes[i];
    if (axis.count <= 1) continue;
    int at = count++;
    for (; at > 0 && sorted[at - 1].stride > axis.stride; --at) sorted[at] = sorted[at - 1];
    sorted[at] = axis;
  }
  int64_t span = 1;  // elements, of the axes with shorter strides
  for (int i = 0; i < count; ++i) {
    if (sorted[i].stride < span) return false;
    span += (sorted[i].count - 1) * sorted[i].stride;
  }
  return true;
}

wt_status wt_operand_batch(wt_context *context, wt_operand *operand, int64_t batch, const char *stride_name,
                           int64_t stride) {
  const int64_t one = (int64_t)(operand->bytes / operand->element);
  if (stride < 0)
    return wt_fail(context, WT_ERROR_STRIDE, "desc->%s is %" PRId64 "; pass 0 or a positive number",
                   stride_name, stride);
  int axis = 0;
  while (operand->axes[axis].count) ++axis;
  operand->axes[axis] = (wt_axis){batch, stride};
  if (!wt_operand_span(operand))
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s is %" PRId64 ", so that %s spans more than 2^63 bytes; pass a smaller one",
                   stride_name, stride, operand->name);
  if (!operand->written || wt_operand_is_injective(operand)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_STRIDE,
                 "desc->%s is %" PRId64 ", so the %" PRId64 " outputs overlap; pass at least %" PRId64,
                 stride_name, stride, batch, one);
}

static wt_status check_pointer(wt_context *context, const wt_operand *x) {
  if (!x->pointer)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "%s is NULL; pass memory of the device", x->name);
  if ((uintptr_t)x->pointer % x->alignment)
    return wt_fail(context, WT_ERROR_MISALIGNED, "%s is %p, but must be a multiple of %zu bytes", x->name,
                   x->pointer, x->alignment);
  return WT_SUCCESS;
}

static wt_status check_extent(wt_context *context, const wt_operand *x) {
  hipDeviceptr_t base = NULL;
  size_t size = 0;
  hipPointerAttribute_t attributes;
  if (hipPointerGetAttributes(&attributes, x->pointer) != hipSuccess ||
      hipMemGetAddressRange(&base, &size, (hipDeviceptr_t)(uintptr_t)x->pointer) != hipSuccess)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s is %p, which no HIP allocation contains; pass memory from hipMalloc or hipHostMalloc",
                   x->name, x->pointer);
  // Host memory (it has a host address) is reachable from every device; its memory type is numbered
  // differently in different versions of HIP, so it is not asked for.
  if (!attributes.hostPointer && attributes.device != context->device)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s is memory of device %d, but the context is for device %d; copy it there first",
                   x->name, attributes.device, context->device);
  const uint64_t left = (uint64_t)size - ((uintptr_t)x->pointer - (uintptr_t)base);
  if (x->bytes > left)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s needs %" PRIu64 " bytes for this shape, but its allocation has %" PRIu64
                   " from there; allocate more or correct the shape",
                   x->name, x->bytes, left);
  return WT_SUCCESS;
}

// Returns the bytes that an operand covers of each period of `pitch` bytes, when each of its axes either
// steps by whole periods or lies within one; 0 otherwise.
static uint64_t width_within(const wt_operand *x, uint64_t pitch) {
  uint64_t width = x->element;
  for (int i = 0; i < WT_AXES; ++i) {
    const wt_axis axis = x->axes[i];
    const uint64_t stride = (uint64_t)axis.stride * x->element;
    if (axis.count > 1 && stride % pitch) width += (uint64_t)(axis.count - 1) * stride;
  }
  return width <= pitch ? width : 0;
}

// Returns whether two operands keep to different parts of each `pitch` bytes, as different columns of one
// matrix do.
static bool apart_within(const wt_operand *x, const wt_operand *y, uint64_t pitch) {
  const uint64_t x_width = width_within(x, pitch), y_width = width_within(y, pitch);
  if (!x_width || !y_width) return false;
  const uintptr_t a = (uintptr_t)x->pointer, b = (uintptr_t)y->pointer;
  const uint64_t ahead = a >= b ? (a - b) % pitch : (pitch - (b - a) % pitch) % pitch;
  return ahead >= y_width && ahead + x_width <= pitch;
}

static bool apart(const wt_operand *x, const wt_operand *y) {
  const uintptr_t a = (uintptr_t)x->pointer, b = (uintptr_t)y->pointer;
  if (a >= b ? a - b >= y->bytes : b - a >= x->bytes) return true;
  for (int i = 0; i < WT_AXES; ++i)
    if (x->axes[i].stride > 1 && apart_within(x, y, (uint64_t)x->axes[i].stride * x->element)) return true;
  return false;
}

static wt_status check_overlap(wt_context *context, const wt_operand *out, const wt_operand *other) {
  if (apart(out, other)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_OVERLAP,
                 "%s (%p, %" PRIu64 " bytes) overlaps %s (%p, %" PRIu64
                 " bytes); pass separate memory for the output",
                 out->name, out->pointer, out->bytes, other->name, other->pointer, other->bytes);
}

static wt_status check_overlaps(wt_context *context, const wt_operand *all, int count) {
  wt_status status = WT_SUCCESS;
  for (int out = 0; out < count; ++out)
    for (int i = 0; i < count && all[out].written && !status; ++i)
      if (i != out) status = check_overlap(context, &all[out], &all[i]);
  return status;
}

wt_status wt_operands_check(wt_context *context, const wt_operand *all, int count) {
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < count && !status; ++i) status = check_pointer(context, &all[i]);
  for (int i = 0; i < count && !status; ++i) status = check_extent(context, &all[i]);
  return status ? status : check_overlaps(context, all, count);
}
