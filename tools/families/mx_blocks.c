// SPDX-License-Identifier: MIT
// Implements the MX formats on the host.
#include "mx_blocks.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/philox.h"

static const mx_type types[] = {
    {"f4e2m1", WT_TYPE_F4E2M1, 4, 2, {"E2M1", 1, 0, 0x07, 0, 0, 1, 6.0f}},
    {"f6e2m3", WT_TYPE_F6E2M3, 6, 2, {"E2M3", 3, 0, 0x1f, 0, 0, 1, 7.5f}},
    {"f6e3m2", WT_TYPE_F6E3M2, 6, 4, {"E3M2", 2, -2, 0x1f, 0, 0, 1, 28.0f}},
    {"f8e4m3", WT_TYPE_F8E4M3, 8, 8, {"E4M3", 3, -6, 0x7e, 0x7f, 0, 1, 448.0f}},
    {"f8e5m2", WT_TYPE_F8E5M2, 8, 15, {"E5M2", 2, -14, 0x7b, 0x7f, 0x7c, 1, 57344.0f}},
};
static const char *const roundings[] = {
    [WT_SCALE_UP] = "up", [WT_SCALE_DOWN] = "down", [WT_SCALE_EVEN] = "even", [WT_SCALE_CEIL] = "ceil"};

static const char *const scale_kinds[] = {[WT_BLOCK_SCALES_E8M0] = "e8m0",
                                          [WT_BLOCK_SCALES_F32] = "f32",
                                          [WT_BLOCK_SCALES_POWER_OF_TWO] = "power-of-two"};

const mx_type *mx_type_find(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(types[i].name, name) == 0) return &types[i];
  return NULL;
}

int mx_type_option(const char *option, const char *name, const char *accepted, const mx_type **out) {
  *out = mx_type_find(name);
  if (*out) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass %s", option, name, accepted);
}

int mx_rows_option(family_job *job, int tensor, const char *option, const char *name, const char *accepted,
                   const mx_type **out) {
  *out = NULL;
  job->tensors[tensor].element = FAMILY_VALUE;
  if (strcmp(name, "bf16") == 0) {
    if (strcmp(job->dtype, name) == 0) return TOOL_OK;
    return tool_error(TOOL_USAGE, "--%s is bf16, but --dtype is %s; pass --dtype bf16, too", option,
                      job->dtype);
  }
  job->tensors[tensor].element = FAMILY_CODE;
  return mx_type_option(option, name, accepted, out);
}

int mx_check_device(const family_job *job, const char *instead) {
  const char *const device = job->run_options.device;
  if (strcasecmp(device, "sim:mi300x") != 0) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--device is %s, which has no MX formats; pass sim:mi355x%s", device,
                    instead);
}

double mx_scale(int byte) { return byte == MX_SCALE_NAN ? NAN : ldexp(1, byte - 127); }

float mx_element(const mx_type *type, const float *row, int64_t index) {
  if (!type) return row[index];
  const int64_t bit = index * type->bits;
  unsigned bytes = (unsigned)row[bit / 8];
  if (bit % 8 + type->bits > 8) bytes |= (unsigned)row[bit / 8 + 1] << 8;
  const unsigned code = bytes >> bit % 8 & ((1u << type->bits) - 1), sign = code >> (type->bits - 1);
  return fp8_decode(&type->numbers, (uint8_t)(sign << 7 | (code & ((1u << (type->bits - 1)) - 1))));
}

int mx_scale_of(const mx_type *type, wt_scale_rounding rounding, double largest) {
  int exponent;  // of the power of two above the magnitude
  const double mantissa = frexp(largest, &exponent);
  int scale = exponent - 1 - type->top;
  if (rounding == WT_SCALE_UP) scale += largest > ldexp((double)type->numbers.max, scale);
  if (rounding == WT_SCALE_EVEN) scale += mantissa >= 1 - ldexp(1, -type->numbers.mantissa_bits - 2);
  if (rounding == WT_SCALE_CEIL) scale += mantissa > 0.5;
  return largest == 0 || scale < -127 ? 0 : scale + 127;
}

bool mx_is_finite(const float *values, int64_t count, double *largest) {
  bool finite = true;
  *largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    finite = finite && isfinite(values[i]);
    if (isfinite(values[i])) *largest = fmax(*largest, fabs((double)values[i]));
  }
  return finite;
}

// Packs the nearest elements to numbers.
static void pack(const mx_type *type, const float *numbers, double *bytes) {
  unsigned packed[MX_BLOCK + 1] = {0};
  for (int i = 0; i < MX_BLOCK; ++i) {
    const unsigned code = fp8_encode(&type->numbers, numbers[i]);
    const int bit = i * type->bits;
    const unsigned element = (code >> 7 << (type->bits - 1) | (code & 0x7f)) << bit % 8;
    packed[bit / 8] |= element & 0xff, packed[bit / 8 + 1] |= element >> 8;
  }
  for (int i = 0; i < MX_BLOCK * type->bits / 8; ++i) bytes[i] = packed[i];
}

void mx_encode_scaled(const mx_type *type, int scale, const float *values, double *bytes) {
  float numbers[MX_BLOCK] = {0};
  for (int i = 0; i < MX_BLOCK && scale != MX_SCALE_NAN; ++i)
    numbers[i] = (float)((double)values[i] / mx_scale(scale));
  pack(type, numbers, bytes);
}

// Rounds a magnitude to a whole number of steps, up where the part of a step that is left and the random bits
// reach 1 together.
static double rounded(const mx_type *type, double magnitude, uint32_t random) {
  int exponent;
  frexp(magnitude, &exponent);
  if (exponent - 1 < type->numbers.min_exponent) exponent = type->numbers.min_exponent + 1;
  const double step = ldexp(1, exponent - 1 - type->numbers.mantissa_bits), whole = floor(magnitude / step);
  const double part = floor((magnitude / step - whole) * 0x1p32);
  return (part + random >= 0x1p32 ? whole + 1 : whole) * step;
}

void mx_encode_stochastic(const mx_type *type, int scale, const float *values, mx_place place,
                          double *bytes) {
  const int together = type->bits == 8 ? 1 : type->bits == 4 ? 2 : MX_BLOCK;  // elements of a random word
  float numbers[MX_BLOCK] = {0};
  uint32_t random = 0;
  for (int i = 0; i < MX_BLOCK && scale != MX_SCALE_NAN; ++i) {
    const int64_t word = (place.block * MX_BLOCK + i) / together;
    random = i % together ? random << 1 ^ (random >> 31 ? 0xc5 : 0)  // V_PRNG_B32
                          : philox_word(place.seed, (uint64_t)place.row, (uint32_t)word);
    const double number = (double)values[i] / mx_scale(scale);
    numbers[i] = (float)copysign(rounded(type, fabs(number), random), number);
  }
  pack(type, numbers, bytes);
}

void mx_encode(const mx_type *type, wt_scale_rounding rounding, const float *values, double *bytes,
               double *scale) {
  double largest;
  const int byte =
      mx_is_finite(values, MX_BLOCK, &largest) ? mx_scale_of(type, rounding, largest) : MX_SCALE_NAN;
  mx_encode_scaled(type, byte, values, bytes);
  *scale = byte;
}

void mx_tame(npy_array *bytes, const mx_type *type) {
  for (int64_t i = 0; i < npy_count(bytes); ++i) {
    const int code = (int)bytes->data[i];
    const bool strange = type && type->bits == 8 && (code & 0x7f) > type->numbers.max_code;
    bytes->data[i] = (float)(type ? code ^ (strange ? 0x40 : 0) : 119 + code % 16);
  }
}

int mx_check_columns(family_job *job) {
  if (job->columns % MX_BLOCK == 0) return TOOL_OK;
  const char *path = job->tensors[job->family->main].path;
  return tool_error(TOOL_USAGE, "%s%s %lld%s; pass a multiple of %d, of whole blocks",
                    path ? path : "--columns is", path ? " has rows of" : "", (long long)job->columns,
                    path ? " numbers" : "", MX_BLOCK);
}

int mx_rounding_find(const char *name, wt_scale_rounding *out) {
  const int found = tool_word(name, roundings, sizeof roundings / sizeof *roundings);
  if (found < 0) return tool_error(TOOL_USAGE, "--rounding is \"%s\"; pass up, down, even or ceil", name);
  *out = (wt_scale_rounding)found;
  return TOOL_OK;
}

int mx_scales_find(const char *name, wt_block_scales *out) {
  const int found = tool_word(name, scale_kinds, sizeof scale_kinds / sizeof *scale_kinds);
  if (found < 0) return tool_error(TOOL_USAGE, "--scales is \"%s\"; pass e8m0, f32 or power-of-two", name);
  *out = (wt_block_scales)found;
  return TOOL_OK;
}

const char *mx_scales_name(wt_block_scales scales) { return scale_kinds[scales]; }
