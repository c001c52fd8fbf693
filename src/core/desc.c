// SPDX-License-Identifier: MIT
// Copies and checks descriptors.
#include "desc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

enum { MAX_DESC_SIZE = 4096 };  // no future version of a descriptor is larger; bounds the scan of its tail

static wt_status fail_size(wt_context *context, const wt_desc_layout *layout, size_t size) {
  char older[64] = "";
  size_t at = 0;
  for (const size_t *each = layout->older; each && *each && at < sizeof older; ++each)
    at += (size_t)snprintf(older + at, sizeof older - at, "%zu and ", *each);
  return wt_fail(context, WT_ERROR_STRUCT_SIZE,
                 "desc->struct_size is %zu, but this library knows %s%zu; start from %s", size, older,
                 layout->size, layout->init);
}

static bool is_older(const wt_desc_layout *layout, size_t size) {
  for (const size_t *each = layout->older; each && *each; ++each)
    if (size == *each) return true;
  return false;
}

wt_status wt_desc_copy(wt_context *context, const wt_desc_layout *layout, const void *desc, void *out) {
  memset(out, 0, layout->size);
  if (!context)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "context is NULL; pass one made by wt_context_create");
  if (!desc)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "desc is NULL; pass the address of a %s", layout->type);
  size_t size;
  memcpy(&size, desc, sizeof size);
  const bool older = is_older(layout, size);
  if (!older && (size < layout->size || size > MAX_DESC_SIZE)) return fail_size(context, layout, size);
  const unsigned char *bytes = desc;
  for (size_t i = layout->size; i < size; ++i)
    if (bytes[i])
      return wt_fail(
          context, WT_ERROR_STRUCT_SIZE,
          "desc->struct_size is %zu and byte %zu is not zero, but this library knows the first %zu bytes; "
          "leave newer members at zero or use a newer library",
          size, i, layout->size);
  memcpy(out, desc, older ? size : layout->size);
  memcpy(out, &layout->size, sizeof size);
  return WT_SUCCESS;
}

wt_status wt_check_size(wt_context *context, const char *name, int64_t value) {
  if (value < 1 || value > INT32_MAX)
    return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a size from 1 to %d", name, value,
                   INT32_MAX);
  return WT_SUCCESS;
}

wt_status wt_check_flag(wt_context *context, const char *name, int32_t value) {
  if (value != 0 && value != 1)
    return wt_fail(context, WT_ERROR_VALUE, "desc->%s is %d; pass 0 or 1", name, value);
  return WT_SUCCESS;
}

wt_status wt_check_finite(wt_context *context, const char *name, float value) {
  if (isfinite(value)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE, "desc: %s is %g; pass finite numbers", name, (double)value);
}

wt_status wt_check_activation(wt_context *context, wt_activation value) {
  if (value >= WT_ACTIVATION_NONE && value <= WT_ACTIVATION_SILU) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE, "desc->activation is %d; pass a WT_ACTIVATION_* number",
                 (int)value);
}

wt_status wt_check_float_type(wt_context *context, const char *name, wt_type type) {
  if (type == WT_TYPE_F32 || type == WT_TYPE_BF16 || type == WT_TYPE_F16) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->%s is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16", name,
                 wt_type_name(type), (int)type);
}

wt_status wt_check_fp8_type(wt_context *context, const char *name, wt_type type) {
  const bool ocp = context->target->ocp;
  if (ocp ? type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E5M2
          : type == WT_TYPE_F8E4M3_FNUZ || type == WT_TYPE_F8E5M2_FNUZ)
    return WT_SUCCESS;
  const char *kind = ocp ? "" : "_FNUZ";
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->%s is %s (%d), but FP8 on %s is WT_TYPE_F8E4M3%s or WT_TYPE_F8E5M2%s", name,
                 wt_type_name(type), (int)type, context->target->name, kind, kind);
}

wt_status wt_check_scale_rounding(wt_context *context, const char *name, wt_scale_rounding value) {
  if ((unsigned)value <= WT_SCALE_CEIL) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->%s is %d; pass WT_SCALE_UP (0), WT_SCALE_DOWN (1), WT_SCALE_EVEN (2) or "
                 "WT_SCALE_CEIL (3)",
                 name, (int)value);
}
