// SPDX-License-Identifier: MIT
// Converts the packed values of MFMA operands to f32, exactly (xf32 alone drops bits), in the order that the
// product needs.
//
// All formats share one lane layout (CDNA4 ISA 7.1.4): with G = 64 / (m * blocks) lanes per row, lane l
// belongs to row l % m of block (l / m) % blocks and holds the k slice number g = l / m / blocks. So 16
// neighbouring lanes are 16 neighbouring rows, and one register row converts into whole rows of [k][m].
#include "sim/exec/mfma/expand.h"

static int elem_bits(sim_elem elem) {
  switch (elem) {
    case SIM_ELEM_F32:
    case SIM_ELEM_XF32: return 32;
    case SIM_ELEM_F16:
    case SIM_ELEM_BF16: return 16;
    case SIM_ELEM_FP6:
    case SIM_ELEM_BF6: return 6;
    case SIM_ELEM_FP4: return 4;
    default: return 8;
  }
}

typedef struct layout {
  size_t width;   // columns of an output row
  int k, slices;  // depth, lanes that share a row
  int blocks, per_lane;
  int run;  // items that follow each other in k; where a lane holds two runs, they lie K / 2 apart
} layout;

static inline int k_of(const layout *l, int slice, int item) {
  return item / l->run * (l->k / 2) + l->run * slice + item % l->run;
}

// Calls expand(row, out, stride) for every 16 lanes of every register row.
#define FOR_ROWS(expand)                                                                  \
  for (int r = 0; r * items < l.per_lane; ++r)                                            \
    for (size_t lane = 0; lane < SIM_LANES; lane += 16) {                                 \
      int part = (int)(lane / l.width), block = part % l.blocks, slice = part / l.blocks; \
      size_t k = (size_t)(block * l.k + k_of(&l, slice, r * items));                      \
      expand(rows[r] + lane, out + k * l.width + lane % l.width, l.width);                \
    }

// Unpacks 6-bit items: each lane has 32, densely packed in 6 dwords.
static void unpack_6bit(const uint32_t (*rows)[SIM_LANES], const layout *l, sim_elem elem, float *out) {
  for (int item = 0; item < l->per_lane; ++item) {
    int bit = 6 * item, low = bit / 32, high = (bit + 5) / 32;
    for (size_t lane = 0; lane < SIM_LANES; lane += 16) {
      float *to = out + (size_t)k_of(l, (int)(lane / l->width), item) * l->width + lane % l->width;
      if (elem == SIM_ELEM_FP6)
        expand_fp6(rows[low] + lane, rows[high] + lane, bit % 32, to);
      else
        expand_bf6(rows[low] + lane, rows[high] + lane, bit % 32, to);
    }
  }
}

void SIM_VARIANT_NAME(sim_mfma_unpack)(const uint32_t (*rows)[SIM_LANES], const sim_mfma_shape *shape,
                                       sim_elem elem, sim_chip chip, float *out) {
  layout l = {.width = shape->m, .k = shape->k, .blocks = shape->blocks};
  if (shape->m < 16) {  // every lane is a column of its own
    l.width = SIM_LANES;
    l.blocks = 1;
  }
  l.slices = SIM_LANES / (int)l.width / l.blocks;
  l.per_lane = l.k / l.slices;
  int items = 32 / elem_bits(elem);  // per dword
  // 32 bytes per lane are two runs of 16 (CDNA4 ISA 7: f8f6f4 with 8-bit data, B of the deep SMFMAC).
  l.run = elem_bits(elem) * l.per_lane == 256 ? l.per_lane / 2 : l.per_lane;
  bool ocp = chip == SIM_GFX950;
  switch (elem) {
    case SIM_ELEM_F32: FOR_ROWS(expand_f32) break;
    case SIM_ELEM_XF32: FOR_ROWS(expand_xf32) break;
    case SIM_ELEM_F16: FOR_ROWS(expand_f16) break;
    case SIM_ELEM_BF16: FOR_ROWS(expand_bf16) break;
    case SIM_ELEM_I8: FOR_ROWS(expand_i8) break;
    case SIM_ELEM_FP8:
      if (ocp)
        FOR_ROWS(expand_fp8_ocp)
      else
        FOR_ROWS(expand_fp8_fnuz)
      break;
    case SIM_ELEM_BF8:
      if (ocp)
        FOR_ROWS(expand_bf8_ocp)
      else
        FOR_ROWS(expand_bf8_fnuz)
      break;
    case SIM_ELEM_FP4: FOR_ROWS(expand_fp4) break;
    default: unpack_6bit(rows, &l, elem, out);
  }
}

uint64_t SIM_VARIANT_NAME(sim_mfma_constant)(unsigned code, bool wide) {
  static const double floats[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  if (code >= 128 && code <= 192) return code - 128;
  if (code >= 193 && code <= 208) return wide ? (uint64_t)(192 - (int64_t)code) : (uint32_t)(192 - (int)code);
  if (code == 248) return wide ? 0x3fc45f306dc9c882u : 0x3e22f983u;  // 1 / (2 pi)
  if (code < 240 || code > 247) return 0;
  double value = floats[code - 240];
  if (!wide) return sim_bits32((float)value);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
