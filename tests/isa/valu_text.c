// SPDX-License-Identifier: MIT
#include "tests/isa/valu_text.h"

const sim_optable *valu_table(sim_host host, int index) {
  static const sim_optable *const tables[VALU_TABLES][SIM_HOST_COUNT] = {
      SIM_VARIANTS_OF(sim_table_valu_int),     SIM_VARIANTS_OF(sim_table_valu_float),
      SIM_VARIANTS_OF(sim_table_valu_wide),    SIM_VARIANTS_OF(sim_table_valu_trans),
      SIM_VARIANTS_OF(sim_table_valu_convert), SIM_VARIANTS_OF(sim_table_valu_compare),
      SIM_VARIANTS_OF(sim_table_valu_dot),     SIM_VARIANTS_OF(sim_table_valu_scale),
  };
  return tables[index][host];
}

bool valu_line(const sim_opinfo *row, char *line, size_t size) {
  sim_signature signature;
  if (!sim_parse_signature(row->operands, &signature)) return false;
  int length = snprintf(line, size, "%s", row->name);
  unsigned source = 0;
  // For VOP2 with a 32-bit literal, this is its place in the text.
  int literal = strncmp(row->name, "v_fmaak", 7) == 0 || strncmp(row->name, "v_madak", 7) == 0   ? 3
                : strncmp(row->name, "v_fmamk", 7) == 0 || strncmp(row->name, "v_madmk", 7) == 0 ? 2
                                                                                                 : -1;
  for (unsigned i = 0; i < signature.count; ++i) {
    if (signature.operands[i].optional) continue;
    bool destination = signature.operands[i].destination;
    sim_type type = (sim_type)signature.operands[i].type;
    unsigned dwords = sim_type_dwords(type), first = destination ? 0 : 40 * (1 + source);
    char file = 'v';
    if (strstr(row->name, "accvgpr_mov") || strstr(row->name, destination ? "accvgpr_write" : "accvgpr_read"))
      file = 'a';
    if (type == SIM_T_MASK) file = 's', first = destination ? 20 : 30;
    source += !destination;
    const char *comma = i ? "," : "";
    if (literal == (int)i)
      length += snprintf(line + length, size - (size_t)length, "%s 0x1234", comma);
    else if (dwords == 1)
      length += snprintf(line + length, size - (size_t)length, "%s %c%u", comma, file, first);
    else
      length += snprintf(line + length, size - (size_t)length, "%s %c[%u:%u]", comma, file, first,
                         first + dwords - 1);
  }
  return true;
}

uint32_t valu_value(test_rng *rng) {
  static const uint32_t edges[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
      0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000, 0x3f800000, 0xbf800000,
      0x3f000000, 0x40490fdb, 0x7fffffff, 0xffffffff, 0x7fff,     0x8000,     0x7c00,     0xfc00,
      0x7e00,     0x7d01,     0x0001,     0x03ff,     0x0400,     0x7bff,     0x3c00,     0xbc00,
      0x7f80,     0x7fc0,     0x3ff00000, 0x7ff00000, 0x7ff80000, 0xfff00001, 0x00100000, 0x43e00000,
      0xc3e00000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x4f000000, 0xcf000000, 0x4f800000,
      31,         32,         33,         64};
  uint64_t r = test_random(rng);
  switch (r & 7) {
    case 0:
    case 1: return edges[(r >> 8) % (sizeof edges / sizeof edges[0])];
    case 2: return (uint32_t)(r >> 8) % 100;                                        // small integers
    case 3: return sim_bits32((float)((int32_t)(r >> 40) - (1 << 23)) * 0x1p-14f);  // ordinary numbers
    case 4: return (uint32_t)(r >> 8 & 0x8000ffff) | 0x3f800000;                    // near one
    default: return (uint32_t)(r >> 32);
  }
}
