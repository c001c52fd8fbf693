// SPDX-License-Identifier: MIT
// Checks the pointers of a GEMM against its plan, asking the HIP runtime what they point to.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "gemm_plan.h"

static wt_status check_pointer(wt_context *context, const wt_operand *operand, const void *pointer) {
  char name = operand->name;
  if (!pointer)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "%c is NULL; pass memory of the device", name);
  if ((uintptr_t)pointer % operand->element)
    return wt_fail(context, WT_ERROR_MISALIGNED,
                   "%c is %p, but must be a multiple of its element size, %zu bytes", name, pointer,
                   operand->element);
  return WT_SUCCESS;
}

static wt_status check_extent(wt_context *context, const wt_operand *operand, const void *pointer) {
  char name = operand->name;
  hipDeviceptr_t base = NULL;
  size_t size = 0;
  hipPointerAttribute_t attributes;
  if (hipPointerGetAttributes(&attributes, pointer) != hipSuccess ||
      hipMemGetAddressRange(&base, &size, (hipDeviceptr_t)(uintptr_t)pointer) != hipSuccess)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%c is %p, which no HIP allocation contains; pass memory from hipMalloc or hipHostMalloc",
                   name, pointer);
  // Host memory (it has a host address) is reachable from every device; its memory type is numbered
  // differently in different versions of HIP, so it is not asked for.
  if (!attributes.hostPointer && attributes.device != context->device)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%c is memory of device %d, but the context is for device %d; copy it there first", name,
                   attributes.device, context->device);
  uint64_t left = (uint64_t)size - ((uintptr_t)pointer - (uintptr_t)base);
  if (operand->bytes > left)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "%c needs %" PRIu64 " bytes for this shape, but its allocation has %" PRIu64
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

static wt_status check_overlap(wt_context *context, const wt_operand *c, const void *c_pointer,
                               const wt_operand *in, const void *in_pointer) {
  uintptr_t c_begin = (uintptr_t)c_pointer, in_begin = (uintptr_t)in_pointer;
  bool apart = c_begin >= in_begin ? c_begin - in_begin >= in->bytes : in_begin - c_begin >= c->bytes;
  if (apart || in_different_columns(c, c_begin, in, in_begin)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_OVERLAP,
                 "c (%p, %" PRIu64 " bytes) overlaps %c (%p, %" PRIu64
                 " bytes); pass separate memory for the output",
                 c_pointer, c->bytes, in->name, in_pointer, in->bytes);
}

wt_status wt_gemm_plan_check_memory(wt_context *context, const wt_gemm_plan *plan, const void *a,
                                    const void *b, const void *c) {
  const wt_operand *operands[3] = {&plan->a, &plan->b, &plan->c};
  const void *pointers[3] = {a, b, c};
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < 3 && !status; ++i) status = check_pointer(context, operands[i], pointers[i]);
  for (int i = 0; i < 2 && !status; ++i)
    status = check_overlap(context, &plan->c, c, operands[i], pointers[i]);
  for (int i = 0; i < 3 && !status; ++i) status = check_extent(context, operands[i], pointers[i]);
  return status;
}
