// SPDX-License-Identifier: MIT
// Declares what the files of this folder share: operand access, unpacking to f32 and the 16x16 tile product.
// Compiled once per host variant, so every external name carries the variant's suffix.
#ifndef SIM_EXEC_MFMA_MFMA_H
#define SIM_EXEC_MFMA_MFMA_H

#include "sim/exec/mfma/shape.h"
#include "sim/exec/wave.h"
#include "sim/isa/tables.h"

enum { SIM_MFMA_VALUES = 64 * 32 };  // values of A or of B that one instruction reads: at most 32 per lane

// Lists departures from the plain arithmetic, all off in the default MODE.
enum {
  SIM_MFMA_FLUSH_IN = 1,   // f32 denormal inputs read as zero
  SIM_MFMA_FLUSH_OUT = 2,  // f32 denormal results become zero
  SIM_MFMA_SATURATE = 4    // FP16_OVFL: an overflow from finite operands gives the largest finite value
};

// Describes the MAI encoding's fields (CDNA3 ISA, VOP3P-MAI). In the 16-byte scaled form they are in the
// second pair of words.
typedef struct sim_mai {
  uint8_t cbsz, abid, blgp;
  uint16_t src2;  // 9-bit source code: inline constants are below 256
} sim_mai;

static inline sim_mai sim_mai_fields(const sim_op *op, bool scaled) {
  const uint32_t *raw = op->raw + (scaled ? 2 : 0);
  return (sim_mai){raw[0] >> 8 & 7, raw[0] >> 11 & 15, raw[1] >> 29, raw[1] >> 18 & 0x1ff};
}

// Returns the bits of an inline constant as an operand of 32 or 64 bits (CDNA3 ISA, table of source operand
// encodings).
uint64_t SIM_VARIANT_NAME(sim_mfma_constant)(unsigned code, bool wide);

// Reads `regs` register rows of operand A or B and writes f32 values as [block][k][m] (one block with 64
// columns when m is 4, where a lane's column is its number).
void SIM_VARIANT_NAME(sim_mfma_unpack)(const uint32_t (*rows)[SIM_LANES], const sim_mfma_shape *shape,
                                       sim_elem elem, sim_chip chip, float *out);

// d[i][j] = c[i][j] + sum over k of a[k * stride + i] * b[k * stride + j] for 16 rows i of 16 columns j, one
// rounding per term in k order. NaN results are 0x7fc00000. exact: the caller vouches that every product is
// exact in f32.
void SIM_VARIANT_NAME(sim_mfma_tile)(const float *a, const float *b, size_t stride, int depth, bool exact,
                                     const float *const c[16], float *const d[16]);
// Computes the same product under SIM_MFMA_* flags (not zero): it does every step as v_fma_f32 would, one
// element at a time.
void SIM_VARIANT_NAME(sim_mfma_tile_by_mode)(const float *a, const float *b, size_t stride, int depth,
                                             unsigned flags, const float *const c[16], float *const d[16]);
// Does one step of sim_mfma_tile_by_mode.
float SIM_VARIANT_NAME(sim_mfma_step)(float acc, float a, float b, unsigned flags);

// Computes d[j] = c[j] + block[j] * (a * b[j]) for 16 columns: the product is rounded to f32 once, then the
// sum.
void SIM_VARIANT_NAME(sim_mfma_add_scaled)(const float *block, double a, const double *b, unsigned flags,
                                           const float *c, float *d);

// Computes acc[i] = a[i] * b[i] + acc[i], fused, for lanes; NaNs are not made canonical.
void SIM_VARIANT_NAME(sim_mfma_lanes)(float *acc, const float *a, const float *b, int count, bool exact);

// Returns true when products of the values are exact in f32 on hosts that round a product before adding it.
bool SIM_VARIANT_NAME(sim_mfma_exact)(sim_elem elem, const float *values, size_t count);

// These are the handlers.
void SIM_VARIANT_NAME(sim_mfma_dense)(sim_wave *w, const sim_op *op);
void SIM_VARIANT_NAME(sim_mfma_scaled)(sim_wave *w, const sim_op *op);
void SIM_VARIANT_NAME(sim_mfma_f64)(sim_wave *w, const sim_op *op);
void SIM_VARIANT_NAME(sim_mfma_sparse)(sim_wave *w, const sim_op *op);

// Holds the shape of each table row; the row's arg is its index.
extern const sim_mfma_shape SIM_VARIANT_NAME(sim_mfma_shapes)[];
static inline const sim_mfma_shape *sim_mfma_shape_of(const sim_op *op) {
  return &SIM_VARIANT_NAME(sim_mfma_shapes)[op->info->arg];
}

// Returns how many passes of four cycles the instruction holds the pipe. An 8-bit operand of the f8f6f4 forms
// doubles them: formats 0 and 1 have 8 bits (LLVM; ISA4 chapter 7).
static inline unsigned sim_mfma_passes(const sim_op *op, sim_chip chip) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  const sim_mai mai = sim_mai_fields(op, op->info->facts & SIM_ROW_SCALED);
  const bool wide = shape->a == SIM_ELEM_BY_FORMAT && (mai.cbsz < 2 || mai.blgp < 2);
  return shape->passes[chip] * (wide ? 2u : 1u);
}

// Returns x, or for a NaN the one that every NaN result becomes.
static inline float sim_canonical(float x) { return x != x ? sim_f32(0x7fc00000u) : x; }

#endif
