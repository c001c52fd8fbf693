// SPDX-License-Identifier: MIT
// Checks the pointers of a GEMM against its plan, asking the HIP runtime what they point to.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "gemm_plan.h"

// An operand and where it is.
typedef struct placed {
  wt_operand operand;
  const void *pointer;
  bool written;
} placed;

static wt_status check_pointer(wt_context *context, const placed *x) {
  const char *name = x->operand.name;
  if (!x->pointer)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "%s is NULL; pass memory of the device", name);
  if ((uintptr_t)x->pointer % x->operand.alignment)
    return wt_fail(context, WT_ERROR_MISALIGNED, "%s is %p, but must be a multiple of %zu bytes", name,
                   x->pointer, x->operand.alignment);
  return WT_SUCCESS;
}

static wt_status check_extent(wt_context *context, const placed *x) {
  const wt_operand *operand = &x->operand;
  const void *pointer = x->pointer;
  const char *name = operand->name;
  hipDeviceptr_t base = NULL;
  size_t size = 0;
  hipPointerAttribute_t attributes;
  if (hipPointerGetAttributes(&attributes, pointer) != hipSuccess ||
      hipMemGetAddressRange(&base, &size, (hipDeviceptr_t)(uintptr_t)pointer) != hipSuccess)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s is %p, which no HIP allocation contains; pass memory from hipMalloc or hipHostMalloc",
                   name, pointer);
  // Host memory (it has a host address) is reachable from every device; its memory type is numbered
  // differently in different versions of HIP, so it is not asked for.
  if (!attributes.hostPointer && attributes.device != context->device)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s is memory of device %d, but the context is for device %d; copy it there first", name,
                   attributes.device, context->device);
  uint64_t left = (uint64_t)size - ((uintptr_t)pointer - (uintptr_t)base);
  if (operand->bytes > left)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%s needs %" PRIu64 " bytes for this shape, but its allocation has %" PRIu64
                   " from there; allocate more or correct the shape",
                   name, operand->bytes, left);
  return WT_SUCCESS;
}

// Whether two operands lie in different columns of one larger matrix: then their rows interleave without
// touching.
static bool in_different_columns(const wt_operand *c, uintptr_t c_begin, const wt_operand *in,
                                 uintptr_t in_begin) {
  uint64_t pitch = (uint64_t)c->ld * c->element;
  if ((uint64_t)in->ld * in->element != pitch) return false;
  if ((uint64_t)c->stride * c->element % pitch || (uint64_t)in->stride * in->element % pitch) return false;
  uint64_t in_width = (uint64_t)in->cols * in->element, c_width = (uint64_t)c->cols * c->element;
  uint64_t ahead =
      c_begin >= in_begin ? (c_begin - in_begin) % pitch : (pitch - (in_begin - c_begin) % pitch) % pitch;
  return ahead >= in_width && ahead + c_width <= pitch;
}

static wt_status check_overlap(wt_context *context, const placed *out, const placed *in) {
  const wt_operand *c = &out->operand;
  uintptr_t c_begin = (uintptr_t)out->pointer, in_begin = (uintptr_t)in->pointer;
  bool apart = c_begin >= in_begin ? c_begin - in_begin >= in->operand.bytes : in_begin - c_begin >= c->bytes;
  if (apart || in_different_columns(c, c_begin, &in->operand, in_begin)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_OVERLAP,
                 "%s (%p, %" PRIu64 " bytes) overlaps %s (%p, %" PRIu64
                 " bytes); pass separate memory for the output",
                 c->name, out->pointer, c->bytes, in->operand.name, in->pointer, in->operand.bytes);
}

// What is one stretch of memory.
static placed stretch(const char *name, size_t element, size_t alignment, int64_t count,
                      const void *pointer) {
  return (placed){.operand = {.name = name,
                              .element = element,
                              .alignment = alignment,
                              .rows = 1,
                              .cols = count,
                              .ld = count,
                              .bytes = (uint64_t)count * element},
                  .pointer = pointer};
}

// What is written overlaps nothing else.
static wt_status check_overlaps(wt_context *context, const placed *all, int count) {
  wt_status status = WT_SUCCESS;
  for (int out = 0; out < count; ++out)
    for (int i = 0; i < count && all[out].written && !status; ++i)
      if (i != out) status = check_overlap(context, &all[out], &all[i]);
  return status;
}

wt_status wt_gemm_plan_check_memory(wt_context *context, const wt_gemm_plan *plan, const void *a,
                                    const void *b, const void *c) {
  const wt_gemm_desc *d = &plan->desc;
  enum { MOST = 7 };
  placed all[MOST] = {{plan->a, a, false}, {plan->b, b, false}, {plan->c, c, true}};
  int count = 3;
  if (d->row_scale) all[count++] = stretch("desc->row_scale", 4, 4, d->m, d->row_scale);
  if (d->column_scale) all[count++] = stretch("desc->column_scale", 4, 4, d->n, d->column_scale);
  if (d->bias) all[count++] = stretch("desc->bias", 4, 4, d->n, d->bias);
  if (plan->choice.workspace_bytes) {
    all[count] = stretch("desc->workspace", 1, 16, (int64_t)plan->choice.workspace_bytes, d->workspace);
    all[count++].written = true;
  }
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < count && !status; ++i) status = check_pointer(context, &all[i]);
  if (!status) status = check_overlaps(context, all, count);
  for (int i = 0; i < count && !status; ++i) status = check_extent(context, &all[i]);
  return status;
}
