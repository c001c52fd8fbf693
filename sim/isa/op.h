// SPDX-License-Identifier: MIT
// Describes the dense operation: one decoded instruction with a direct handler, resolved operands and raw
// encoding words. This header also has the row format of the instruction tables (sim/isa/tables.h) from which
// the decoder builds operations.
#ifndef SIM_ISA_OP_H
#define SIM_ISA_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/facts.h"

typedef struct sim_wave sim_wave;
typedef struct sim_op sim_op;
typedef void (*sim_exec_fn)(sim_wave *w, const sim_op *op);

// Operand types say how many dwords an operand has and how an inline constant is turned into bits.
typedef enum sim_type {
  SIM_T_NONE,
  SIM_T_B16,  // 16 bits: low half of a dword; floats written in the text become f16
  SIM_T_U16,
  SIM_T_I16,
  SIM_T_F16,
  SIM_T_BF16,
  SIM_T_B32,
  SIM_T_U32,
  SIM_T_I32,
  SIM_T_F32,
  SIM_T_PK16,  // two 16-bit integers in a dword (b16/i16/u16)
  SIM_T_PKF16,
  SIM_T_PKBF16,
  SIM_T_B64,
  SIM_T_U64,
  SIM_T_I64,
  SIM_T_F64,
  SIM_T_PKF32,  // two f32 in two dwords (also pk b32)
  SIM_T_MASK,   // 64-bit lane mask in an SGPR pair
  SIM_T_B96,
  SIM_T_B128,
  SIM_T_B192,
  SIM_T_B256,
  SIM_T_B512,
  SIM_T_B1024,
  SIM_T_ANY  // width taken from the text (memory data, descriptors, labels, hwreg(...), off)
} sim_type;

typedef enum sim_operand_kind {
  SIM_OPND_NONE,
  SIM_OPND_VGPR,     // reg = row in sim_wave.v: v0..v255 are rows 0..255, a0..a255 rows 256..511
  SIM_OPND_SGPR,     // reg = hardware number 0..127 (vcc 106, ttmp0 108, m0 124, exec 126)
  SIM_OPND_CONST,    // value = bits for `type`
  SIM_OPND_SPECIAL,  // reg = hardware source code: 235 shared_base .. 238 private_limit, 251 vccz, 252 execz,
                     // 253 scc
  SIM_OPND_OFF,      // "off" or "null": absent address
  SIM_OPND_TEXT      // label, hwreg(...), sendmsg(...): the handler reads sim_op.raw
} sim_operand_kind;

enum { SIM_NEG = 1, SIM_ABS = 2, SIM_SEXT = 4 };  // sim_operand.mods

typedef struct sim_operand {
  uint8_t kind;  // sim_operand_kind
  uint8_t type;  // sim_type of the table row
  uint8_t regs;  // dwords the text names (v[0:3] is 4); 1 for constants
  uint8_t mods;  // SIM_NEG | SIM_ABS | SIM_SEXT (from VOP3, DPP or SDWA bits)
  uint16_t reg;
  uint16_t sel;  // SDWA select: 0..3 BYTE_n, 4 WORD_0, 5 WORD_1, 6 DWORD (6 when not SDWA)
  uint64_t value;
} sim_operand;

// Returns whether both name registers of one kind that they share.
static inline bool sim_operands_overlap(const sim_operand *a, const sim_operand *b) {
  return a->kind == b->kind && a->reg < b->reg + b->regs && b->reg < a->reg + a->regs;
}

typedef enum sim_class {  // for instruction mixes and, later, timing
  SIM_CLASS_SALU,
  SIM_CLASS_SMEM,
  SIM_CLASS_VALU,
  SIM_CLASS_TRANS,
  SIM_CLASS_MFMA,
  SIM_CLASS_LDS,
  SIM_CLASS_VMEM,
  SIM_CLASS_BRANCH,
  SIM_CLASS_WAIT,
  SIM_CLASS_BARRIER,
  SIM_CLASS_OTHER
} sim_class;

enum { SIM_ON_GFX942 = 1, SIM_ON_GFX950 = 2, SIM_ON_BOTH = 3 };

// Describes one row of an instruction table.
typedef struct sim_opinfo {
  const char *name;      // mnemonic without _e32/_e64/_sdwa/_dpp
  const char *operands;  // comma-separated types in text order, '=' before a destination: "=f32,f32,f32"; '?'
                         // after = optional
  sim_exec_fn run;
  uint8_t chips;        // SIM_ON_*
  uint8_t klass;        // sim_class
  uint8_t flags;        // the meaning is private to the table's file
  uint32_t arg;         // private to the table's file (passes, bytes, condition ...)
  void (*lanes)(void);  // private to the table's file: the 64-lane function, cast by the handler
  uint64_t facts;       // SIM_ROW_*: what check mode and the timing model know of it (sim/isa/facts.h)
} sim_opinfo;

static inline sim_spread sim_row_spread(const sim_opinfo *row) {
  return (sim_spread)(row->facts >> SIM_ROW_SPREAD_SHIFT);
}

typedef struct sim_optable {
  const sim_opinfo *rows;
  size_t count;
} sim_optable;

typedef enum sim_encoding {
  SIM_ENC_PLAIN,  // SOP*, SMEM, VOP1/2/C in 32 bits (plus literal), anything without modifiers
  SIM_ENC_VOP3,
  SIM_ENC_VOP3P,  // includes MAI (MFMA)
  SIM_ENC_SDWA,
  SIM_ENC_DPP,
  SIM_ENC_DS,
  SIM_ENC_FLAT,  // FLAT, GLOBAL, SCRATCH
  SIM_ENC_MUBUF,
  SIM_ENC_MTBUF,
  SIM_ENC_SMEM
} sim_encoding;

enum {  // sim_op.flags, from the encoding's bits
  SIM_F_CLAMP = 1 << 0,
  SIM_F_SC0 = 1 << 1,
  SIM_F_SC1 = 1 << 2,
  SIM_F_NT = 1 << 3,
  SIM_F_LDS = 1 << 4,  // MUBUF lds bit; *_lds_* mnemonics of GLOBAL/SCRATCH set it too
  SIM_F_OFFEN = 1 << 5,
  SIM_F_IDXEN = 1 << 6,
  SIM_F_GDS = 1 << 7,
  SIM_F_BOUND_CTRL = 1 << 8,        // DPP: out-of-range source lanes read 0
  SIM_F_UNUSED_SEXT = 1 << 9,       // SDWA dst_unused: sign extend
  SIM_F_UNUSED_PRESERVE = 1 << 10,  // SDWA dst_unused: preserve (neither: pad with zeros)
  // This does not come from the encoding, but from the loop around the op (sim_mark_polls).
  SIM_F_POLLS = 1 << 11,  // reads memory that others may change meanwhile
  SIM_F_SPINS = 1 << 12   // looks at one place in a loop that does nothing else, until another wave writes it
};

struct sim_op {
  sim_exec_fn run;
  const sim_opinfo *info;  // NULL for an unknown instruction (run then faults)
  uint64_t offset;         // byte offset in the image
  uint32_t text;           // disassembly: offset in the program's text pool
  uint32_t raw[4];         // encoding words (literal included), zero beyond size
  uint32_t target;         // direct branches: index of the target op, UINT32_MAX when outside the program
  uint8_t size;            // bytes
  uint8_t encoding;        // sim_encoding
  uint8_t dst_count, src_count;
  uint16_t flags;                             // SIM_F_*
  uint8_t omod;                               // 0 none, 1 *2, 2 *4, 3 /2
  uint8_t op_sel, op_sel_hi, neg_lo, neg_hi;  // bit i = source i; VOP3 op_sel bit 3 = destination half
  uint8_t dst_sel;                            // SDWA destination select, as sim_operand.sel
  uint16_t dpp_ctrl;
  uint8_t row_mask, bank_mask;  // DPP
  uint8_t cbsz, abid, blgp;     // MAI
  int32_t imm;  // memory instruction offset in bytes (DS: 16 bit unsigned); SOPP/SOPK: simm16 sign-extended
  uint8_t offset0, offset1;  // DS two-address forms: unscaled
  sim_operand dst[2];
  sim_operand src[6];
};

// Returns whether MODE.VSKIP skips the operation: VALU, vector memory and LDS (CDNA4 ISA 3.5 and S_SETVSKIP).
static inline bool sim_op_is_vector(const sim_op *op) {
  const uint32_t vector =
      1u << SIM_CLASS_VALU | 1u << SIM_CLASS_TRANS | 1u << SIM_CLASS_MFMA | 1u << SIM_CLASS_VMEM;
  return op->info && (vector >> op->info->klass & 1 || op->encoding == SIM_ENC_DS);
}

// Returns whether a memory op is of a scope wider than the wave, so that other work-groups and the host may
// use the same bytes meanwhile (LLVM AMDGPUUsage, memory model gfx942, has the bits of each scope).
static inline bool sim_op_is_shared(const sim_op *op) { return op->flags & (SIM_F_SC0 | SIM_F_SC1); }

// Returns whether the op is a load or store of system scope, to which `volatile` is compiled (LLVM
// AMDGPUUsage, memory model gfx942: sc0 sc1). A relaxed atomic one looks the same.
static inline bool sim_op_is_volatile(const sim_op *op) {
  const unsigned both = SIM_F_SC0 | SIM_F_SC1;
  return op->info && op->info->klass == SIM_CLASS_VMEM && (op->flags & (both | SIM_F_LDS)) == both &&
         !(op->info->facts & (SIM_ROW_NO_MEMORY | SIM_ROW_ATOMIC));
}

// Return how many operations s_waitcnt may leave outstanding: vmcnt is in bits 3:0 and 15:14, lgkmcnt in 11:8
// (CDNA3 ISA 4.4). expcnt, in 6:4, counts nothing in compute.
static inline uint32_t sim_op_vmcnt(const sim_op *op) {
  return (op->raw[0] & 15) | (op->raw[0] >> 14 & 3) << 4;
}
static inline uint32_t sim_op_lgkmcnt(const sim_op *op) { return op->raw[0] >> 8 & 15; }

#endif
