// SPDX-License-Identifier: MIT
// Builds a dense operation: operands come from LLVM's text, modifiers from the encoding's bit fields (CDNA3
// and CDNA4 ISA, chapter "Microcode formats"; every field below is named as there).
#include "sim/isa/decode.h"

#include <string.h>

#include "sim/isa/lookup.h"

static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((2u << (high - low)) - 1);
}

// Takes the encoding suffix off the mnemonic; *modified tells DPP and SDWA.
static void strip_suffix(char *name, sim_encoding *modified) {
  static const struct {
    const char *suffix;
    sim_encoding encoding;
  } suffixes[] = {
      {"_e32", SIM_ENC_PLAIN}, {"_e64", SIM_ENC_PLAIN}, {"_sdwa", SIM_ENC_SDWA}, {"_dpp", SIM_ENC_DPP}};
  *modified = SIM_ENC_PLAIN;
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
    size_t n = strlen(suffixes[i].suffix);
    if (length > n && strcmp(name + length - n, suffixes[i].suffix) == 0) {
      name[length - n] = 0;
      *modified = suffixes[i].encoding;
      return;
    }
  }
}

static sim_encoding encoding_of(uint32_t word, sim_encoding modified) {
  if (modified != SIM_ENC_PLAIN) return modified;
  if (bits(word, 31, 23) == 0x1a7) return SIM_ENC_VOP3P;
  switch (bits(word, 31, 26)) {
    case 0x30: return SIM_ENC_SMEM;
    case 0x34: return SIM_ENC_VOP3;
    case 0x36: return SIM_ENC_DS;
    case 0x37: return SIM_ENC_FLAT;
    case 0x38: return SIM_ENC_MUBUF;
    case 0x3a: return SIM_ENC_MTBUF;
    default: return SIM_ENC_PLAIN;
  }
}

static void flag(sim_op *op, uint32_t word, unsigned bit, unsigned value) {
  if (word >> bit & 1) op->flags |= (uint16_t)value;
}

// Sets NEG and ABS of the first sources from bit masks.
static void set_mods(sim_op *op, unsigned neg, unsigned abs) {
  for (unsigned i = 0; i < op->src_count && i < 3; ++i)
    op->src[i].mods |= (uint8_t)((neg >> i & 1 ? SIM_NEG : 0) | (abs >> i & 1 ? SIM_ABS : 0));
}

static void decode_vop3(sim_op *op) {
  uint32_t low = op->raw[0], high = op->raw[1];
  flag(op, low, 15, SIM_F_CLAMP);
  op->omod = (uint8_t)bits(high, 28, 27);
  bool vop3b = op->dst_count == 2;  // bits 14:8 are the scalar destination there
  set_mods(op, bits(high, 31, 29), vop3b ? 0 : bits(low, 10, 8));
  if (!vop3b) op->op_sel = (uint8_t)bits(low, 14, 11);
}

static void decode_vop3p(sim_op *op) {
  uint32_t low = op->raw[0], high = op->raw[1];
  op->op_sel = (uint8_t)bits(low, 13, 11);
  op->op_sel_hi = (uint8_t)(bits(high, 28, 27) | bits(low, 14, 14) << 2);
  op->neg_lo = (uint8_t)bits(high, 31, 29);
  op->neg_hi = (uint8_t)bits(low, 10, 8);
  flag(op, low, 15, SIM_F_CLAMP);
  // MAI fields; the scaled form is a pair, the scale load first and the MFMA after it.
  uint32_t mai_low = op->size == 16 ? op->raw[2] : low, mai_high = op->size == 16 ? op->raw[3] : high;
  op->cbsz = (uint8_t)bits(mai_low, 10, 8);
  op->abid = (uint8_t)bits(mai_low, 14, 11);
  op->blgp = (uint8_t)bits(mai_high, 31, 29);
}

static void decode_sdwa(sim_op *op) {
  uint32_t word = op->raw[1];
  bool compare = bits(op->raw[0], 31, 25) == 0x3e;
  if (!compare) {
    op->dst_sel = (uint8_t)bits(word, 10, 8);
    if (bits(word, 12, 11) == 1) op->flags |= SIM_F_UNUSED_SEXT;
    if (bits(word, 12, 11) == 2) op->flags |= SIM_F_UNUSED_PRESERVE;
    flag(op, word, 13, SIM_F_CLAMP);
    op->omod = (uint8_t)bits(word, 15, 14);
  }
  for (unsigned i = 0; i < op->src_count && i < 2; ++i) {
    uint32_t field = word >> (16 + 8 * i);
    op->src[i].sel = (uint16_t)bits(field, 2, 0);
    op->src[i].mods = (uint8_t)((field >> 3 & 1 ? SIM_SEXT : 0) | (field >> 4 & 1 ? SIM_NEG : 0) |
                                (field >> 5 & 1 ? SIM_ABS : 0));
  }
}

static void decode_dpp(sim_op *op) {
  uint32_t word = op->raw[1];
  op->dpp_ctrl = (uint16_t)bits(word, 16, 8);
  flag(op, word, 19, SIM_F_BOUND_CTRL);
  set_mods(op, bits(word, 20, 20) | bits(word, 22, 22) << 1, bits(word, 21, 21) | bits(word, 23, 23) << 1);
  op->bank_mask = (uint8_t)bits(word, 27, 24);
  op->row_mask = (uint8_t)bits(word, 31, 28);
}

static void decode_modifiers(sim_op *op) {
  uint32_t low = op->raw[0], high = op->raw[1];
  op->dst_sel = 6;
  op->op_sel_hi = 7;
  switch ((sim_encoding)op->encoding) {
    case SIM_ENC_PLAIN: op->imm = (int16_t)low; break;  // SOPP and SOPK
    case SIM_ENC_VOP3: decode_vop3(op); break;
    case SIM_ENC_VOP3P: decode_vop3p(op); break;
    case SIM_ENC_SDWA: decode_sdwa(op); break;
    case SIM_ENC_DPP: decode_dpp(op); break;
    case SIM_ENC_DS:
      op->imm = (int32_t)bits(low, 15, 0);
      op->offset0 = (uint8_t)bits(low, 7, 0);
      op->offset1 = (uint8_t)bits(low, 15, 8);
      flag(op, low, 16, SIM_F_GDS);
      break;
    case SIM_ENC_FLAT:
      op->imm = (int32_t)(low << 19) >> 19;
      flag(op, low, 16, SIM_F_SC0);
      flag(op, low, 17, SIM_F_NT);
      flag(op, low, 25, SIM_F_SC1);
      if (op->info->facts & SIM_ROW_DIRECT) op->flags |= SIM_F_LDS;
      break;
    case SIM_ENC_MUBUF:
      op->imm = (int32_t)bits(low, 11, 0);
      flag(op, low, 12, SIM_F_OFFEN);
      flag(op, low, 13, SIM_F_IDXEN);
      flag(op, low, 14, SIM_F_SC0);
      flag(op, low, 15, SIM_F_SC1);
      flag(op, low, 16, SIM_F_LDS);
      flag(op, low, 17, SIM_F_NT);
      break;
    case SIM_ENC_MTBUF:
      op->imm = (int32_t)bits(low, 11, 0);
      flag(op, low, 12, SIM_F_OFFEN);
      flag(op, low, 13, SIM_F_IDXEN);
      flag(op, low, 14, SIM_F_SC0);
      flag(op, high, 21, SIM_F_SC1);
      flag(op, high, 22, SIM_F_NT);
      break;
    case SIM_ENC_SMEM:
      if (low >> 17 & 1) op->imm = (int32_t)(high << 11) >> 11;
      flag(op, low, 16, SIM_F_SC0);
      break;
  }
}

// Matches the text's operands against the signature; optional operands are left out from the left until the
// counts agree.
static bool decode_operands(sim_op *op, const sim_signature *signature, char **pieces, int count) {
  int surplus = signature->count - count;
  if (surplus < 0 || surplus > signature->optional) return false;
  int piece = 0;
  for (unsigned i = 0; i < signature->count; ++i) {
    if (signature->operands[i].optional && surplus > 0) {
      --surplus;
      continue;
    }
    bool destination = signature->operands[i].destination;
    if (destination ? op->dst_count == 2 : op->src_count == 6) return false;
    sim_operand *operand = destination ? &op->dst[op->dst_count++] : &op->src[op->src_count++];
    sim_type type = (sim_type)signature->operands[i].type;
    if (!sim_parse_operand(pieces[piece++], type, operand)) return false;
    bool is_register = operand->kind == SIM_OPND_VGPR || operand->kind == SIM_OPND_SGPR;
    unsigned dwords = sim_type_dwords(type);
    if (dwords && is_register && operand->regs != dwords) return false;
  }
  return true;
}

void sim_decode_op(sim_op *op, char *line, int chip_bit) {
  char *mnemonic, *pieces[SIM_MAX_OPERANDS];
  sim_encoding modified;
  int count = sim_split_line(line, &mnemonic, pieces);
  strip_suffix(mnemonic, &modified);
  const sim_row_entry *entry = sim_find_row(mnemonic, chip_bit);
  op->target = UINT32_MAX;
  op->run = sim_run_unknown;
  if (!entry) return;
  op->info = entry->row;
  op->encoding = (uint8_t)encoding_of(op->raw[0], modified);
  op->run = sim_run_bad_operands;
  if (!entry->valid || count < 0 || !decode_operands(op, &entry->signature, pieces, count)) return;
  decode_modifiers(op);
  op->run = entry->row->run;
}

// Returns whether an SDWA select is 7 or the "unused" field is 3.
static bool is_reserved_sdwa(const uint32_t word[2]) {
  if (word[0] >> 31 || bits(word[0], 8, 0) != 0xf9) return false;
  const bool compare = word[0] >> 25 == 0x3e;
  const bool sources = bits(word[1], 18, 16) == 7 || bits(word[1], 26, 24) == 7;
  return sources || (!compare && (bits(word[1], 10, 8) == 7 || bits(word[1], 12, 11) == 3));
}

// Recognises the number of a literal where an encoding has none, and A and B of v_mfma_*_f8f6f4 that are no
// vector registers.
static bool is_reserved_operand(const uint32_t word[2]) {
  enum { VOP3 = 0x34, MUBUF = 0x38, MTBUF = 0x3a, LITERAL = 255, FIRST_VGPR = 256 };
  enum {
    COMPARES = 0x100,
    READFIRSTLANE = 0x142,
    READLANE = 0x289
  };  // VOP3 opcodes with an SGPR destination
  const uint32_t encoding = word[0] >> 26, opcode = bits(word[0], 25, 16);
  const uint32_t source[] = {bits(word[1], 8, 0), bits(word[1], 17, 9), bits(word[1], 26, 18)};
  if (encoding == MUBUF || encoding == MTBUF) return bits(word[1], 31, 24) == LITERAL;  // soffset
  if (encoding != VOP3) return false;
  const bool scalar = opcode < COMPARES || opcode == READFIRSTLANE || opcode == READLANE;
  const bool f8f6f4 = opcode == 0x3ad || opcode == 0x3ae;
  return source[0] == LITERAL || source[1] == LITERAL || source[2] == LITERAL ||
         (scalar && bits(word[0], 7, 0) == LITERAL) ||
         (f8f6f4 && (source[0] < FIRST_VGPR || source[1] < FIRST_VGPR));
}

bool sim_is_reserved(const uint8_t *code, size_t left) {
  uint32_t word[4] = {0};
  if (left < 2 * sizeof *word) return false;
  memcpy(word, code, left < sizeof word ? left : sizeof word);
  const bool scaled = word[0] >> 16 == 0xd3ac;  // the scales of the f8f6f4 instruction that follows
  return is_reserved_sdwa(word) || is_reserved_operand(word) || (scaled && is_reserved_operand(word + 2));
}
