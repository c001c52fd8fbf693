// SPDX-License-Identifier: MIT
// Holds the table of element types, and rounds to them.
#include "element.h"

#include <math.h>
#include <string.h>

static const element_type types[] = {
    {"f8e4m3", "", 1, WT_TYPE_F8E4M3, WT_TYPE_F8E4M3_FNUZ, &fp8_e4m3, &fp8_e4m3_fnuz, true, false, 0},
    {"f8e5m2", "", 1, WT_TYPE_F8E5M2, WT_TYPE_F8E5M2_FNUZ, &fp8_e5m2, &fp8_e5m2_fnuz, true, false, 0},
    {"bf16", "BF16", 2, WT_TYPE_BF16, WT_TYPE_BF16, NULL, NULL, true, true, 0x1p-8},
    {"f16", "F16", 2, WT_TYPE_F16, WT_TYPE_F16, NULL, NULL, true, true, 0x1p-11},
    {"f32", "F32", 4, WT_TYPE_F32, WT_TYPE_F32, NULL, NULL, false, true, 0x1p-24},
    {"i8", "I8", 1, WT_TYPE_I8, WT_TYPE_I8, NULL, NULL, true, false, 0},
    {"i32", "I32", 4, WT_TYPE_I32, WT_TYPE_I32, NULL, NULL, false, true, 0},
};

const element_type *element_type_find(const char *name, bool output) {
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(types[i].name, name) == 0 && (output ? types[i].output : types[i].input)) return &types[i];
  return NULL;
}

static bool is_ocp(const char *target) { return strcmp(target, "gfx950") == 0; }

wt_type element_type_on(const element_type *type, const char *target) {
  return is_ocp(target) ? type->ocp : type->fnuz;
}

const fp8_format *element_format_on(const element_type *type, const char *target) {
  return is_ocp(target) ? type->format_ocp : type->format_fnuz;
}

const char *element_type_title(const element_type *type, const char *target) {
  const fp8_format *format = element_format_on(type, target);
  return format ? format->name : type->title;
}

void element_encode(const element_type *type, const fp8_format *format, float value, void *out) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint16_t bf16 =
      (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // nearest even; value is finite
  const _Float16 f16 = (_Float16)value;
  const int8_t i8 = (int8_t)fmaxf(-128, fminf(127, rintf(value)));
  const int32_t i32 = type->ocp == WT_TYPE_I32 ? (int32_t)value : 0;
  const uint8_t fp8 = format ? fp8_encode(format, value) : 0;
  switch (type->ocp) {
    case WT_TYPE_BF16: memcpy(out, &bf16, sizeof bf16); break;
    case WT_TYPE_F16: memcpy(out, &f16, sizeof f16); break;
    case WT_TYPE_F32: memcpy(out, &value, sizeof value); break;
    case WT_TYPE_I8: memcpy(out, &i8, sizeof i8); break;
    case WT_TYPE_I32: memcpy(out, &i32, sizeof i32); break;
    default: memcpy(out, &fp8, sizeof fp8); break;
  }
}

float element_decode(const element_type *type, const fp8_format *format, const void *code) {
  uint32_t bits = 0;
  float value;
  _Float16 f16;
  int32_t whole;
  memcpy(&bits, code, type->size);
  switch (type->ocp) {
    case WT_TYPE_BF16:
      bits <<= 16;
      memcpy(&value, &bits, sizeof value);
      return value;
    case WT_TYPE_F16: memcpy(&f16, code, sizeof f16); return (float)f16;
    case WT_TYPE_F32: memcpy(&value, code, sizeof value); return value;
    case WT_TYPE_I8: return (int8_t)bits;
    case WT_TYPE_I32: memcpy(&whole, code, sizeof whole); return (float)whole;
    default: return fp8_decode(format, (uint8_t)bits);
  }
}

bool element_overflows(const element_type *type, float value) {
  unsigned char code[sizeof(float)];
  if (!isfinite(value) || (type->ocp != WT_TYPE_BF16 && type->ocp != WT_TYPE_F16)) return false;
  element_encode(type, NULL, value, code);
  return !isfinite(element_decode(type, NULL, code));
}
