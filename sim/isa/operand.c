// SPDX-License-Identifier: MIT
// Parses what LLVM's disassembler prints for operands. This is done once per code object; nothing here runs
// while a kernel runs.
#include "sim/isa/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint8_t type, dwords;
} types[] = {
    {"b16", SIM_T_B16, 1},   {"u16", SIM_T_U16, 1},     {"i16", SIM_T_I16, 1},
    {"f16", SIM_T_F16, 1},   {"bf16", SIM_T_BF16, 1},   {"b32", SIM_T_B32, 1},
    {"u32", SIM_T_U32, 1},   {"i32", SIM_T_I32, 1},     {"f32", SIM_T_F32, 1},
    {"pk16", SIM_T_PK16, 1}, {"pkf16", SIM_T_PKF16, 1}, {"pkbf16", SIM_T_PKBF16, 1},
    {"b64", SIM_T_B64, 2},   {"u64", SIM_T_U64, 2},     {"i64", SIM_T_I64, 2},
    {"f64", SIM_T_F64, 2},   {"pkf32", SIM_T_PKF32, 2}, {"m64", SIM_T_MASK, 2},
    {"b96", SIM_T_B96, 3},   {"b128", SIM_T_B128, 4},   {"b192", SIM_T_B192, 6},
    {"b256", SIM_T_B256, 8}, {"b512", SIM_T_B512, 16},  {"b1024", SIM_T_B1024, 32},
    {"any", SIM_T_ANY, 0},
};

unsigned sim_type_dwords(sim_type type) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (types[i].type == type) return types[i].dwords;
  return 0;
}

bool sim_parse_signature(const char *text, sim_signature *signature) {
  memset(signature, 0, sizeof *signature);
  while (*text) {
    if (signature->count == SIM_MAX_OPERANDS) return false;
    bool destination = *text == '=';
    text += destination;
    size_t length = strcspn(text, ",?");
    uint8_t type = SIM_T_NONE;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
      if (strlen(types[i].name) == length && strncmp(text, types[i].name, length) == 0) type = types[i].type;
    if (type == SIM_T_NONE) return false;
    text += length;
    bool optional = *text == '?';
    text += optional;
    signature->operands[signature->count].type = type;
    signature->operands[signature->count].destination = destination;
    signature->operands[signature->count].optional = optional;
    ++signature->count;
    signature->optional += optional;
    if (*text == ',') {
      if (!*++text) return false;
    } else if (*text) {
      return false;
    }
  }
  return true;
}

// Takes out "/*...*/": LLVM remarks there on constants it finds odd, such as a scale of 1.0.
static void remove_remarks(char *line) {
  for (char *start; (start = strstr(line, "/*"));) {
    char *end = strstr(start, "*/");
    if (!end) return;
    memmove(start, end + 2, strlen(end + 2) + 1);
  }
}

int sim_split_line(char *line, char **mnemonic, char *pieces[SIM_MAX_OPERANDS]) {
  remove_remarks(line);
  while (isspace((unsigned char)*line)) ++line;
  *mnemonic = line;
  while (*line && !isspace((unsigned char)*line)) ++line;
  int count = 0, depth = 0;
  if (*line) *line++ = 0;
  while (isspace((unsigned char)*line)) ++line;
  while (*line) {
    if (count == SIM_MAX_OPERANDS) return -1;
    pieces[count++] = line;
    // The piece ends at a comma outside brackets; the first blank outside brackets begins the modifiers.
    char *end = NULL;
    for (; *line && (depth || *line != ','); ++line) {
      if (*line == '[' || *line == '(') ++depth;
      if (*line == ']' || *line == ')') --depth;
      if (!depth && isspace((unsigned char)*line) && !end) end = line;
    }
    bool modifiers = end != NULL;
    if (!end) end = line;
    if (*line == ',') ++line;
    *end = 0;
    if (modifiers) break;
    while (isspace((unsigned char)*line)) ++line;
  }
  return count;
}

static const struct {
  const char *name;
  uint8_t kind, regs;
  uint16_t reg;
} named[] = {
    // SGPR numbers and source codes are those of CDNA3 ISA, "Scalar data operand encodings".
    {"vcc", SIM_OPND_SGPR, 2, 106},
    {"vcc_lo", SIM_OPND_SGPR, 1, 106},
    {"vcc_hi", SIM_OPND_SGPR, 1, 107},
    {"exec", SIM_OPND_SGPR, 2, 126},
    {"exec_lo", SIM_OPND_SGPR, 1, 126},
    {"exec_hi", SIM_OPND_SGPR, 1, 127},
    {"m0", SIM_OPND_SGPR, 1, 124},
    {"flat_scratch", SIM_OPND_SGPR, 2, 102},
    {"flat_scratch_lo", SIM_OPND_SGPR, 1, 102},
    {"flat_scratch_hi", SIM_OPND_SGPR, 1, 103},
    {"xnack_mask", SIM_OPND_SGPR, 2, 104},
    {"xnack_mask_lo", SIM_OPND_SGPR, 1, 104},
    {"xnack_mask_hi", SIM_OPND_SGPR, 1, 105},
    {"src_shared_base", SIM_OPND_SPECIAL, 2, 235},
    {"src_shared_limit", SIM_OPND_SPECIAL, 2, 236},
    {"src_private_base", SIM_OPND_SPECIAL, 2, 237},
    {"src_private_limit", SIM_OPND_SPECIAL, 2, 238},
    {"src_vccz", SIM_OPND_SPECIAL, 1, 251},
    {"src_execz", SIM_OPND_SPECIAL, 1, 252},
    {"src_scc", SIM_OPND_SPECIAL, 1, 253},
    {"off", SIM_OPND_OFF, 0, 0},
    {"null", SIM_OPND_OFF, 0, 0},
};

static uint16_t half_bits(float value) {
  // Only inline constants (0.5, 1.0, 2.0, 4.0, their negatives and 1/(2 pi)) come here: normal numbers.
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, exponent = (bits >> 23 & 255) - 127 + 15, mantissa = bits & 0x7fffff;
  uint32_t rounded = (exponent << 10 | mantissa >> 13) + ((mantissa & 0x1fff) > 0x1000);
  return (uint16_t)(sign | rounded);
}

static uint64_t float_constant(const char *text, sim_type type) {
  double number = strtod(text, NULL);
  float single = (float)number;
  uint64_t wide;
  uint32_t bits;
  memcpy(&wide, &number, sizeof wide);
  memcpy(&bits, &single, sizeof bits);
  switch (type) {
    case SIM_T_B16:
    case SIM_T_U16:
    case SIM_T_I16:
    case SIM_T_F16:
    case SIM_T_PKF16:
    case SIM_T_PK16: return half_bits(single);
    case SIM_T_BF16:
    case SIM_T_PKBF16: return bits >> 16;
    case SIM_T_B64:
    case SIM_T_U64:
    case SIM_T_I64:
    case SIM_T_F64:
    case SIM_T_MASK: return wide;
    case SIM_T_PKF32: return bits | (uint64_t)bits << 32;
    default: return bits;
  }
}

static bool parse_constant(const char *text, sim_type type, sim_operand *operand) {
  char *end;
  operand->kind = SIM_OPND_CONST;
  operand->regs = 1;
  if (strchr(text, '.')) {
    strtod(text, &end);
    operand->value = float_constant(text, type);
    return *end == 0;
  }
  bool literal = strncmp(text, "0x", 2) == 0 || strncmp(text, "-0x", 3) == 0;
  int64_t number = (int64_t)strtoull(text, &end, 0);
  if (end == text || *end) return false;
  operand->value = (uint64_t)number;
  // A 32-bit literal is the high half of an f64 and is sign-extended for signed 64-bit integers (CDNA3 ISA,
  // "Literals"); inline integers are already sign-extended here.
  if (literal && type == SIM_T_F64) operand->value = (uint64_t)number << 32;
  if (literal && type == SIM_T_I64) operand->value = (uint64_t)(int64_t)(int32_t)number;
  if (type == SIM_T_PKF32) operand->value = (uint32_t)number | (uint64_t)number << 32;
  return true;
}

// "3]" or "4:7]" after the bracket.
static bool parse_range(const char *text, unsigned limit, unsigned *first, unsigned *count) {
  char *end;
  unsigned long begin = strtoul(text, &end, 10), last = begin;
  if (end == text) return false;
  if (*end == ':') {
    const char *second = end + 1;
    last = strtoul(second, &end, 10);
    if (end == second) return false;
  }
  if (strcmp(end, "]") != 0 || last < begin || last >= limit) return false;
  *first = (unsigned)begin;
  *count = (unsigned)(last - begin + 1);
  return true;
}

static bool parse_register(const char *text, sim_operand *operand) {
  static const struct {
    const char *prefix;
    uint8_t kind;
    uint16_t base, limit;
  } files[] = {{"ttmp", SIM_OPND_SGPR, 108, 16},
               {"v", SIM_OPND_VGPR, 0, 256},
               {"a", SIM_OPND_VGPR, 256, 256},
               {"s", SIM_OPND_SGPR, 0, 102}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    size_t length = strlen(files[i].prefix);
    if (strncmp(text, files[i].prefix, length) != 0) continue;
    const char *rest = text + length;
    unsigned first, count = 1;
    if (*rest == '[') {
      if (!parse_range(rest + 1, files[i].limit, &first, &count)) return false;
    } else {
      char *end;
      if (!isdigit((unsigned char)*rest)) continue;
      first = (unsigned)strtoul(rest, &end, 10);
      if (*end || first >= files[i].limit) return false;
    }
    operand->kind = files[i].kind;
    operand->reg = (uint16_t)(files[i].base + first);
    operand->regs = (uint8_t)count;
    return true;
  }
  return false;
}

bool sim_parse_operand(const char *piece, sim_type type, sim_operand *operand) {
  char text[64];
  memset(operand, 0, sizeof *operand);
  operand->type = (uint8_t)type;
  operand->sel = 6;
  size_t length = strlen(piece);
  if (length >= sizeof text) {
    operand->kind = SIM_OPND_TEXT;
    return type == SIM_T_ANY;
  }
  memcpy(text, piece, length + 1);
  // Peel -x, |x|, neg(x), abs(x), sext(x), and lit(x), which LLVM writes where a literal dword holds a value
  // that an inline constant could hold too.
  char *t = text;
  for (;;) {
    size_t n = strlen(t);
    if (t[0] == '-' && n > 1 && !isdigit((unsigned char)t[1])) {
      ++t;
    } else if (t[0] == '|' && n > 1 && t[n - 1] == '|') {
      t[n - 1] = 0;
      ++t;
    } else if ((strncmp(t, "neg(", 4) == 0 || strncmp(t, "abs(", 4) == 0 || strncmp(t, "lit(", 4) == 0) &&
               t[n - 1] == ')') {
      t[n - 1] = 0;
      t += 4;
    } else if (strncmp(t, "sext(", 5) == 0 && t[n - 1] == ')') {
      t[n - 1] = 0;
      t += 5;
    } else {
      break;
    }
  }
  for (size_t i = 0; i < sizeof named / sizeof named[0]; ++i) {
    if (strcmp(t, named[i].name) != 0) continue;
    operand->kind = named[i].kind;
    operand->reg = named[i].reg;
    operand->regs = named[i].regs;
    return true;
  }
  if (parse_register(t, operand)) return true;
  if (isdigit((unsigned char)t[0]) || (t[0] == '-' && isdigit((unsigned char)t[1])))
    return parse_constant(t, type, operand);
  operand->kind = SIM_OPND_TEXT;
  return type == SIM_T_ANY;
}
