// SPDX-License-Identifier: MIT
// The tables and LLVM agree: every row assembles on the chips it claims and comes back as that row, and every
// vector ALU opcode that the disassembler knows has a row.
#include "tests/isa/valu_text.h"

enum { MOST_ROWS = 1024 };

// Opcodes LLVM prints that the manual does not define on these chips; they must fault by name.
static const char *const undefined[] = {"v_screen_partition_4se_b32"};

static bool is_undefined(const char *line) {
  for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; ++i)
    if (strncmp(line, undefined[i], strlen(undefined[i])) == 0) return true;
  return false;
}

static void rows_assemble(const char *target, int chip) {
  static char lines[MOST_ROWS][160];
  const char *code[MOST_ROWS];
  const sim_opinfo *rows[MOST_ROWS];
  size_t count = 0;
  for (int t = 0; t < VALU_TABLES; ++t) {
    const sim_optable *table = valu_table(sim_host_variant(), t);
    for (size_t i = 0; i < table->count; ++i) {
      const sim_opinfo *row = &table->rows[i];
      if (!(row->chips & chip)) continue;
      CHECK(valu_line(row, lines[count], sizeof lines[count]), "%s: malformed signature %s", row->name,
            row->operands);
      code[count] = lines[count];
      rows[count++] = row;
    }
  }
  static bool accepted[MOST_ROWS];
  isa_accepted(target, code, count, accepted);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    CHECK(accepted[i], "%s: the assembler refuses %s", target, code[i]);
    if (accepted[i]) code[kept] = code[i], rows[kept++] = rows[i];
  }
  isa_program *p = isa_assemble(target, code, kept);
  isa_begin(p, 0);
  for (size_t i = 0; i < kept; ++i) {
    const sim_op *op = sim_program_at(isa_group(p)->program, isa_offset(p, i));
    CHECK(op && op->info == rows[i], "%s: '%s' decodes to %s", target, code[i],
          op && op->info ? op->info->name : "nothing");
    CHECK(op && op->run == rows[i]->run, "%s: the decoder does not take the operands of '%s'", target,
          code[i]);
  }
  printf("%s: %zu rows\n", target, kept);
  isa_free(p);
}

// A row of another chip must not answer.
static void chips_are_separate(void) {
  CHECK(!sim_find_opinfo("v_bitop3_b32", SIM_ON_GFX942), "v_bitop3_b32 is gfx950 only");
  CHECK(!sim_find_opinfo("v_cvt_pk_bf16_f32", SIM_ON_GFX942), "v_cvt_pk_bf16_f32 is gfx950 only");
  CHECK(sim_find_opinfo("v_cvt_pk_fp8_f32", SIM_ON_GFX942) !=
            sim_find_opinfo("v_cvt_pk_fp8_f32", SIM_ON_GFX950),
        "the 8-bit formats of the two chips differ");
}

typedef struct encoding {
  const char *name;
  uint32_t first, shift, count;  // word of opcode 0, position and number of opcodes
  uint32_t second;
  unsigned at_least;
} encoding;

static const encoding encodings[] = {
    {"VOP1", 0x7e000108, 9, 128, 0xbf800000, 80},
    {"VOP2", 0x00001108, 25, 62, 0x3f800000, 55},
    {"VOPC", 0x7c001108, 17, 256, 0xbf800000, 198},
    {"VOP3 with three vector sources", 0xd0000000, 16, 1024, 0x04221108, 450},
    {"VOP3 with a scalar third source", 0xd0001400, 16, 1024, 0x00221108, 40},
    {"VOP3P", 0xd3804000, 16, 45, 0x1c221108, 29},
    {"VOP3P packed f32", 0xd3b04000, 16, 4, 0x1c221108, 4},
    {"accvgpr", 0xd3d84000, 16, 2, 0x18000108, 2},
};

static void opcodes_have_rows(const char *target, const encoding *e) {
  static char text[1024][48];
  const char *code[1024];
  for (uint32_t op = 0; op < e->count; ++op) {
    snprintf(text[op], sizeof text[op], ".long 0x%08x, 0x%08x", e->first + (op << e->shift), e->second);
    code[op] = text[op];
  }
  isa_program *p = isa_assemble(target, code, e->count);
  isa_begin(p, 0);
  unsigned known = 0;
  for (uint32_t number = 0; number < e->count; ++number) {
    const sim_op *op = sim_program_at(isa_group(p)->program, isa_offset(p, number));
    const char *line = op ? sim_op_text(isa_group(p)->program, op) : "";
    // Not every opcode takes these sources: LLVM then prints a remark, or the next encoding family.
    if (!op || strncmp(line, "v_", 2) != 0 || strchr(line, '/') || strstr(line, "mfma") ||
        strstr(line, "smfmac"))
      continue;
    ++known;
    if (is_undefined(line)) {
      CHECK(!op->info, "%s has a row although the manual does not define it", line);
      continue;
    }
    CHECK(op->info, "%s %s opcode %u is not in the tables: %s", target, e->name, number, line);
    if (op->info)
      CHECK(op->run == op->info->run, "%s %s opcode %u has operands its row does not take: %s", target,
            e->name, number, line);
  }
  CHECK(known >= e->at_least, "%s %s: only %u opcodes decode", target, e->name, known);
  isa_free(p);
}

int main(void) {
  rows_assemble("gfx942", SIM_ON_GFX942);
  rows_assemble("gfx950", SIM_ON_GFX950);
  chips_are_separate();
  for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; ++i) {
    opcodes_have_rows("gfx942", &encodings[i]);
    opcodes_have_rows("gfx950", &encodings[i]);
  }
  return test_result();
}
