// SPDX-License-Identifier: MIT
// This is a scalar model of matrix instructions, written from the published layout formulas (CDNA4 ISA 7.1.4)
// and from the mnemonic alone. It shares nothing with sim/exec/mfma: values are decoded with ldexp, one
// element at a time.
#ifndef WT_TESTS_ISA_MFMA_REFERENCE_H
#define WT_TESTS_ISA_MFMA_REFERENCE_H

#include <stdbool.h>

#include "sim/exec/wave.h"

typedef enum ref_type {
  REF_F32,
  REF_XF32,
  REF_F16,
  REF_BF16,
  REF_I8,
  REF_FP8,
  REF_BF8,
  REF_FP6,
  REF_BF6,
  REF_FP4,
  REF_F64,
  REF_F8F6F4
} ref_type;

typedef struct ref_shape {
  int m, n, k, blocks;
  ref_type a, b;
  char d;  // 'f' f32, 'i' i32, 'd' f64
  bool sparse, scaled;
} ref_shape;

// Describes one instruction as a test wrote it: register rows (AGPRs from 256) and modifiers.
typedef struct ref_case {
  ref_shape shape;
  bool ocp;  // gfx950
  int a, b, c, d;
  bool c_constant;
  uint64_t c_value;
  int cbsz, abid, blgp;
  int scale[2], scale_byte[2];  // VGPR rows of the scales (-1: 1.0) and the byte of each
  bool flush_in, flush_out, saturate;
  bool fast;      // WT_SIM_MFMA=fast: one rounding for each k
  bool integers;  // data are small integers: the result must equal the integer sum
} ref_case;

// Parses the mnemonic; false when it is not a matrix instruction.
bool ref_parse(const char *name, ref_shape *shape);
int ref_bits(ref_type type);
// f8f6f4: the type that CBSZ or BLGP names.
ref_type ref_format(int field);
// Returns the registers per lane of operand A or B, and of D.
int ref_registers(const ref_shape *shape, ref_type type, bool is_a);
int ref_result_registers(const ref_shape *shape);
// Returns the value of a code, exact.
double ref_decode(ref_type type, bool ocp, uint64_t code);
// Computes the expected rows of D from the registers before the instruction. False when integer data did not
// give the integer sum.
bool ref_run(const ref_case *c, const uint32_t (*v)[SIM_LANES], uint32_t (*out)[SIM_LANES]);

#endif
