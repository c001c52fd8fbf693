// SPDX-License-Identifier: MIT
// The dense MFMA handlers with f32 and i32 results: operands to f32 matrices, tiles, results to register
// rows.
//
// EXEC and MODE's rounding are ignored (CDNA4 ISA 7). i8 products and their sums of one instruction stay
// below 2^24, so the f32 tile computes them exactly; C is added modulo 2^32.
#include "sim/exec/mfma/grouped.h"
#include "sim/exec/mfma/mfma.h"

#define UNPACK SIM_VARIANT_NAME(sim_mfma_unpack)

// ---- operands

// CBSZ, ABID: of 2^CBSZ sets of neighbouring lanes, set ABID of A is seen by all (CDNA4 ISA 7). Where 2^CBSZ
// is less than the number of blocks, AMD's matrix instruction calculator broadcasts within each group of
// 2^CBSZ blocks instead; kernels are known to use the whole number only, where the two agree. BLGP: lanes of
// B.
static int a_source(int lane, const sim_mai *mai) {
  int size = SIM_LANES >> mai->cbsz;
  return lane % size + size * mai->abid;
}

static int b_source(int lane, const sim_mai *mai) {
  switch (mai->blgp) {
    case 0: return lane;
    case 1: return lane % 32;
    case 2: return lane % 32 + 32;
    case 3: return (lane + 16) % SIM_LANES;
    default: return lane % 16 + 16 * (mai->blgp - 4);
  }
}

static void remap(const uint32_t (*rows)[SIM_LANES], int regs, int (*source)(int, const sim_mai *),
                  const sim_mai *mai, uint32_t (*out)[SIM_LANES]) {
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    int from = source(lane, mai);
    for (int r = 0; r < regs; ++r) out[r][lane] = rows[r][from];
  }
}

// Holds A and B of one instruction as f32, with the element types that they had.
typedef struct operands {
  _Alignas(64) float a[SIM_MFMA_VALUES], b[SIM_MFMA_VALUES];
  sim_elem elem_a, elem_b;
} operands;

// Unpacks A and B with the broadcasts; false (after a fault) when the fields are reserved.
static bool unpack_operands(sim_wave *w, const sim_op *op, const sim_mai *mai, operands *o) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_chip chip = w->group->launch->machine->chip;
  const uint32_t (*rows_a)[SIM_LANES] = &w->v[op->src[0].reg], (*rows_b)[SIM_LANES] = &w->v[op->src[1].reg];
  if (shape->a == SIM_ELEM_BY_FORMAT) {
    static const sim_elem formats[] = {SIM_ELEM_FP8, SIM_ELEM_BF8, SIM_ELEM_FP6, SIM_ELEM_BF6, SIM_ELEM_FP4};
    if (mai->cbsz > 4 || mai->blgp > 4) {
      sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s: reserved element format cbsz %u blgp %u; 0 to 4 exist",
                op->info->name, mai->cbsz, mai->blgp);
      return false;
    }
    o->elem_a = formats[mai->cbsz];
    o->elem_b = formats[mai->blgp];
    UNPACK(rows_a, shape, o->elem_a, chip, o->a);
    UNPACK(rows_b, shape, o->elem_b, chip, o->b);
    return true;
  }
  o->elem_a = (sim_elem)shape->a;
  o->elem_b = (sim_elem)shape->b;
  if (1 << mai->cbsz > shape->blocks || mai->abid >> mai->cbsz) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1,
              "%s: cbsz %u abid %u; 2^cbsz must not exceed the %u blocks and abid must be below 2^cbsz",
              op->info->name, mai->cbsz, mai->abid, shape->blocks);
    return false;
  }
  uint32_t moved[4][SIM_LANES];
  if (mai->cbsz) {
    remap(rows_a, op->src[0].regs, a_source, mai, moved);
    rows_a = (const uint32_t (*)[SIM_LANES])moved;
  }
  UNPACK(rows_a, shape, o->elem_a, chip, o->a);
  if (mai->blgp) {
    remap(rows_b, op->src[1].regs, b_source, mai, moved);
    rows_b = (const uint32_t (*)[SIM_LANES])moved;
  }
  UNPACK(rows_b, shape, o->elem_b, chip, o->b);
  return true;
}

// C has register rows that may be read while D is written (the same rows, or disjoint ones), or a constant
// row.
typedef struct matrix_c {
  const uint32_t (*rows)[SIM_LANES];  // NULL: constant
  uint32_t copy[32][SIM_LANES];       // the constant in copy[0], or rows that D overlaps
} matrix_c;

static void read_c(sim_wave *w, const sim_op *op, const sim_mai *mai, int regs, matrix_c *c) {
  const sim_operand *o = &op->src[2];
  c->rows = NULL;
  if (o->kind != SIM_OPND_VGPR) {
    uint32_t value = (uint32_t)SIM_VARIANT_NAME(sim_mfma_constant)(mai->src2, false);
    for (int lane = 0; lane < SIM_LANES; ++lane) c->copy[0][lane] = value;
    return;
  }
  int distance = o->reg - op->dst[0].reg;
  c->rows = &w->v[o->reg];
  if (distance != 0 && distance > -regs && distance < regs) {
    memcpy(c->copy, c->rows, (size_t)regs * sizeof c->copy[0]);
    c->rows = (const uint32_t (*)[SIM_LANES])c->copy;
  }
}

// The register and lane of element (i, 0) of a block's result (CDNA4 ISA 7.1.4, output layout).
typedef struct place {
  int reg, lane;
} place;

static inline place result_place(int m, int block, int i) {
  if (m == 16) return (place){i % 4 + 4 * block, i / 4 * 16};
  return (place){i % 4 + i / 8 * 4 + 16 * block, i / 4 % 2 * 32};
}

static unsigned mode_flags(const sim_wave *w, const sim_mfma_shape *shape) {
  unsigned flags = w->mode & SIM_MODE_FP16_OVFL ? SIM_MFMA_SATURATE : 0;
  if (shape->a != SIM_ELEM_F32) return flags;
  if (!(w->mode & SIM_MODE_IN_F32)) flags |= SIM_MFMA_FLUSH_IN;
  if (!(w->mode & SIM_MODE_OUT_F32)) flags |= SIM_MFMA_FLUSH_OUT;
  return flags;
}

// ---- products

typedef struct product {
  const float *a, *b;  // [k][m] of the block
  size_t stride;
  int depth;
  bool exact;
  unsigned flags;
  sim_mfma_grouped *grouped;  // NULL: one rounding for each k
} product;

static void multiply_grouped(const product *p, const sim_mfma_scales *s, int row, int column,
                             const float *const c[16], float *const d[16]) {
  sim_mfma_grouped *g = p->grouped;
  SIM_VARIANT_NAME(sim_mfma_grouped_tile)
  (g, (size_t)(p->a - g->a.value), (size_t)(p->b - g->b.value), p->stride, p->depth, s, row, column, p->flags,
   c, d);
}

static void multiply(const product *p, const float *const c[16], float *const d[16]) {
  if (p->grouped)
    multiply_grouped(p, NULL, 0, 0, c, d);
  else if (p->flags)
    SIM_VARIANT_NAME(sim_mfma_tile_by_mode)(p->a, p->b, p->stride, p->depth, p->flags, c, d);
  else
    SIM_VARIANT_NAME(sim_mfma_tile)(p->a, p->b, p->stride, p->depth, p->exact, c, d);
}

static const _Alignas(64) float zeros[16];

static void add_i8(const product *p, const float *const c[16], float *const d[16]) {
  _Alignas(64) float sum[16][16];
  const float *zero[16];
  float *to[16];
  for (int i = 0; i < 16; ++i) {
    zero[i] = zeros;
    to[i] = sum[i];
  }
  SIM_VARIANT_NAME(sim_mfma_tile)(p->a, p->b, p->stride, p->depth, true, zero, to);
  for (int i = 0; i < 16; ++i) {
    const uint32_t *from = (const uint32_t *)(const void *)c[i];
    uint32_t *out = (uint32_t *)(void *)d[i];
    for (int j = 0; j < 16; ++j) out[j] = from[j] + (uint32_t)(int32_t)sum[i][j];
  }
}

// Returns 2^exponent. In f64 it is exact, and so is its product with another one and an f32.
static double scale_value(int exponent) {
  uint64_t bits = exponent == SIM_MFMA_NO_SCALE ? 0x7ff8000000000000u : (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Adds to the accumulator, for each 32 values of k, the dot product from zero, times 2^(scale A + scale B),
// rounded once. The hardware may apply the exponents before its internal rounding (CDNA4 ISA 7 only says that
// the exponent is added to the dot product before accumulation).
static void multiply_scaled(const product *p, const sim_mfma_scales *s, int row, int column,
                            const float *const c[16], float *const d[16]) {
  _Alignas(64) float block[16][16], acc[16][16];
  const float *zero[16];
  float *to[16];
  for (int i = 0; i < 16; ++i) {
    zero[i] = zeros;
    to[i] = block[i];
    memcpy(acc[i], c[i], sizeof acc[i]);
  }
  product part = *p;
  part.depth = 32;
  for (int kb = 0; kb < p->depth / 32; ++kb) {
    part.a = p->a + (size_t)kb * 32 * p->stride;
    part.b = p->b + (size_t)kb * 32 * p->stride;
    multiply(&part, zero, to);
    double columns[16];
    for (int j = 0; j < 16; ++j) columns[j] = scale_value(s->b[kb][column + j]);
    for (int i = 0; i < 16; ++i) SIM_VARIANT_NAME(sim_mfma_add_scaled)
    (block[i], scale_value(s->a[kb][row + i]), columns, p->flags, acc[i], acc[i]);
  }
  for (int i = 0; i < 16; ++i) memcpy(d[i], acc[i], sizeof acc[i]);
}

// Shapes with 16 or 32 rows are made of tiles of 16x16, each row of a tile being 16 neighbouring lanes of one
// register.
static void run_tiles(sim_wave *w, const sim_op *op, const sim_mfma_shape *shape, product p,
                      const sim_mfma_scales *s, const sim_mai *mai) {
  int m = shape->m;
  matrix_c c;
  read_c(w, op, mai, m * m * shape->blocks / SIM_LANES, &c);
  uint32_t (*out)[SIM_LANES] = &w->v[op->dst[0].reg];
  const float *a = p.a, *b = p.b;
  for (int block = 0; block < shape->blocks; ++block)
    for (int row = 0; row < m; row += 16)
      for (int column = 0; column < m; column += 16) {
        const float *from[16];
        float *to[16];
        for (int i = 0; i < 16; ++i) {
          place at = result_place(m, block, row + i);
          to[i] = (float *)(void *)&out[at.reg][at.lane + column];
          from[i] = (const float *)(const void *)(c.rows ? &c.rows[at.reg][at.lane + column] : c.copy[0]);
        }
        p.a = a + (size_t)block * shape->k * p.stride + row;
        p.b = b + (size_t)block * shape->k * p.stride + column;
        if (s && p.grouped)
          multiply_grouped(&p, s, row, column, from, to);
        else if (s)
          multiply_scaled(&p, s, row, column, from, to);
        else if (shape->a == SIM_ELEM_I8)
          add_i8(&p, from, to);
        else
          multiply(&p, from, to);
      }
}

// This has 4x4 in 16 blocks: lane 4 * block + column of register i is element (i, column); A(i) of the block
// is in lane 4 * block + i.
static int lane_of_a(int lane, int i) { return (lane & ~3) + i; }

// Adds row i of all blocks, from acc on.
static void add_4x4(const product *p, int i, float *acc) {
  float a[SIM_LANES];
  for (int k = 0; k < p->depth; ++k) {
    const float *b = p->b + k * SIM_LANES;
    for (int lane = 0; lane < SIM_LANES; ++lane) a[lane] = p->a[k * SIM_LANES + lane_of_a(lane, i)];
    if (!p->flags)
      SIM_VARIANT_NAME(sim_mfma_lanes)(acc, a, b, SIM_LANES, p->exact);
    else
      for (int lane = 0; lane < SIM_LANES; ++lane)
        acc[lane] = SIM_VARIANT_NAME(sim_mfma_step)(acc[lane], a[lane], b[lane], p->flags);
  }
}

// Does the same in groups: a block's depth is at most one.
static void add_4x4_grouped(const product *p, int i, float *acc) {
  const sim_mfma_grouped *g = p->grouped;
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    const sim_mfma_terms terms = {.left = p->a + lane_of_a(lane, i),
                                  .right = p->b + lane,
                                  .left_step = SIM_LANES,
                                  .right_step = SIM_LANES,
                                  .count = p->depth};
    acc[lane] = SIM_VARIANT_NAME(sim_mfma_add_group)(g, &terms, p->flags, acc[lane]);
  }
}

static void run_4x4(sim_wave *w, const sim_op *op, const sim_mfma_shape *shape, const product *p,
                    const sim_mai *mai) {
  matrix_c c;
  read_c(w, op, mai, 4, &c);
  uint32_t (*out)[SIM_LANES] = &w->v[op->dst[0].reg];
  bool i8 = shape->a == SIM_ELEM_I8;
  for (int i = 0; i < 4; ++i) {
    const uint32_t *from = c.rows ? c.rows[i] : c.copy[0];
    float acc[SIM_LANES];
    for (int lane = 0; lane < SIM_LANES; ++lane) acc[lane] = i8 ? 0.0f : sim_f32(from[lane]);
    (p->grouped ? add_4x4_grouped : add_4x4)(p, i, acc);
    for (int lane = 0; lane < SIM_LANES; ++lane)
      out[i][lane] = i8 ? from[lane] + (uint32_t)(int32_t)acc[lane] : sim_bits32(sim_canonical(acc[lane]));
  }
}

// ---- handlers

// Prepares *g where the products of the type are added in groups.
static product whole_product(const sim_wave *w, const sim_mfma_shape *shape, const operands *o,
                             sim_mfma_grouped *g) {
  size_t count = (size_t)(shape->m * shape->blocks * shape->k);
  product p = {.a = o->a,
               .b = o->b,
               .stride = shape->m == 4 ? SIM_LANES : shape->m,
               .depth = shape->k,
               .flags = mode_flags(w, shape)};
  if (w->group->mfma == SIM_MFMA_EXACT && SIM_VARIANT_NAME(sim_mfma_grouping_of)(o->elem_a).size) {
    SIM_VARIANT_NAME(sim_mfma_group)(g, o->elem_a, o->elem_b, w->group->launch->machine->chip);
    SIM_VARIANT_NAME(sim_mfma_measure)(g, o->a, count, o->b, count);
    SIM_VARIANT_NAME(sim_mfma_make_whole)(g, p.stride, (size_t)p.depth);
    p.grouped = g;
  } else {
    p.exact = SIM_VARIANT_NAME(sim_mfma_exact)(o->elem_a, o->a, count) &&
              SIM_VARIANT_NAME(sim_mfma_exact)(o->elem_b, o->b, count);
  }
  return p;
}

void SIM_VARIANT_NAME(sim_mfma_dense)(sim_wave *w, const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_mai mai = sim_mai_fields(op, false);
  operands o;
  sim_mfma_grouped grouped;
  if (!unpack_operands(w, op, &mai, &o)) return;
  product p = whole_product(w, shape, &o, &grouped);
  if (shape->m == 4)
    run_4x4(w, op, shape, &p, &mai);
  else
    run_tiles(w, op, shape, p, NULL, &mai);
}

// Reads one scale operand: a VGPR whose lane m * block + row holds the row's byte, or an inline constant's
// exponent.
static void read_scale(const sim_wave *w, unsigned code, unsigned byte, int m, int blocks,
                       int16_t (*out)[32]) {
  for (int kb = 0; kb < blocks; ++kb)
    for (int row = 0; row < m; ++row) {
      uint32_t bits = code >= 256 ? w->v[code - 256][kb * m + row] >> (8 * byte)
                                  : (uint32_t)SIM_VARIANT_NAME(sim_mfma_constant)(code, false) >> 23;
      out[kb][row] = (bits & 255) == 255 ? SIM_MFMA_NO_SCALE : (int16_t)((bits & 255) - 127);
    }
}

// The first pair of words (mfma_ld_scale) names the scales: sources 0 and 1, byte {OP_SEL_HI[i], OP_SEL[i]}.
void SIM_VARIANT_NAME(sim_mfma_scaled)(sim_wave *w, const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_mai mai = sim_mai_fields(op, true);
  unsigned code_a = op->raw[1] & 0x1ff, code_b = op->raw[1] >> 9 & 0x1ff;
  unsigned byte_a = (op->raw[0] >> 11 & 1) | (op->raw[1] >> 27 & 1) << 1;
  unsigned byte_b = (op->raw[0] >> 12 & 1) | (op->raw[1] >> 28 & 1) << 1;
  if (code_a < 128 || code_b < 128) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1,
              "%s: a scale in an SGPR; VGPRs and inline constants are allowed", op->info->name);
    return;
  }
  if (!(mai.abid & 1)) {  // scales forced to 1.0
    code_a = code_b = 242;
  }
  operands o;
  sim_mfma_grouped grouped;
  if (!unpack_operands(w, op, &mai, &o)) return;
  sim_mfma_scales s;
  read_scale(w, code_a, byte_a, shape->m, shape->k / 32, s.a);
  read_scale(w, code_b, byte_b, shape->m, shape->k / 32, s.b);
  run_tiles(w, op, shape, whole_product(w, shape, &o, &grouped), &s, &mai);
}
