// SPDX-License-Identifier: MIT
// Every scalar opcode that LLVM's disassembler knows for a chip decodes to a row of the tables. All opcode
// numbers of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM are tried, so nothing depends on a list of names; only the
// operations refused on purpose are listed, with the reason, and must fault by name.
#include "sim/isa/tables.h"
#include "tests/isa/harness.h"

static const struct {
  const char *name, *code, *reason;
} refused[] = {
    {"s_rfe_b64", "s_rfe_b64 s[4:5]", "returns from a trap handler; there is none"},
    {"s_rfe_restore_b64", "s_rfe_restore_b64 s[4:5], s2", "returns from a trap handler; there is none"},
    {"s_endpgm_saved", "s_endpgm_saved", "ends a wave whose context a trap handler has saved"},
    {"s_endpgm_ordered_ps_done", "s_endpgm_ordered_ps_done", "ordered pixel shaders"},
    {"s_sendmsghalt", "s_sendmsghalt sendmsg(MSG_INTERRUPT)", "halts until a host debugger resumes the wave"},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

// Encodings: CDNA3 ISA, chapter "Microcode formats". Registers are multiples of four so that any width
// decodes.
typedef struct encoding {
  const char *name;
  uint32_t first, shift, count;  // word of opcode 0, position and number of opcodes
  uint32_t second;               // second word of 64-bit encodings, else a harmless literal or s_nop
  unsigned at_least;             // opcodes the manual lists, so that an empty sweep cannot pass
} encoding;

static const encoding encodings[] = {
    {"SOP2", 0x80080408, 23, 96, 0xbf800000, 50},
    {"SOP1", 0xbe840008, 8, 256, 0xbf800000, 53},
    {"SOPC", 0xbf000408, 16, 128, 0xbf800000, 20},
    {"SOPK", 0xb0041001, 23, 28, 0xbf800000, 20},
    {"SOPP", 0xbf800000, 16, 128, 0xbf800000, 24},
    {"SMEM", 0xc0020804, 18, 256, 0x00000010, 78},
    {"SMEM without operands", 0xc0000000, 18, 256, 0x00000000, 84},
};

static bool is_refused(const char *name) {
  for (int i = 0; i < REFUSED; ++i)
    if (strcmp(refused[i].name, name) == 0) return true;
  return false;
}

// The handler that refuses serves exactly the operations of the list.
static void refusal_is_listed(void) {
  const sim_opinfo *example = sim_find_opinfo(refused[0].name, SIM_ON_GFX950);
  for (size_t i = 0; example && i < sim_table_control.count; ++i) {
    const sim_opinfo *row = &sim_table_control.rows[i];
    CHECK((row->run == example->run) == is_refused(row->name),
          "%s is refused without being listed, or listed"
          " without being refused",
          row->name);
  }
}

static void sweep(const char *target, const encoding *e) {
  static char text[256][48];
  const char *code[256];
  for (uint32_t op = 0; op < e->count; ++op) {
    snprintf(text[op], sizeof text[op], ".long 0x%08x, 0x%08x", e->first + (op << e->shift), e->second);
    code[op] = text[op];
  }
  isa_program *p = isa_assemble(target, code, e->count);
  isa_begin(p, 0);
  const sim_program *program = isa_group(p)->program;
  unsigned known = 0;
  for (uint32_t number = 0; number < e->count; ++number) {
    const sim_op *op = sim_program_at(program, isa_offset(p, number));
    const char *line = op ? sim_op_text(program, op) : "";
    if (!op || strncmp(line, ".long", 5) == 0) continue;
    ++known;
    CHECK(op->info, "%s %s opcode %u is not in the tables: %s", target, e->name, number, line);
    if (!op->info) continue;
    CHECK(op->run == op->info->run, "%s %s opcode %u has operands its row does not take: %s", target, e->name,
          number, line);
  }
  CHECK(known >= e->at_least, "%s %s: only %u opcodes decode", target, e->name, known);
  isa_free(p);
}

static void refuses(const char *target) {
  const char *code[REFUSED];
  for (int i = 0; i < REFUSED; ++i) code[i] = refused[i].code;
  isa_program *p = isa_assemble(target, code, REFUSED);
  for (int i = 0; i < REFUSED; ++i) {
    isa_begin(p, (size_t)i);
    CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, refused[i].name);
  }
  isa_free(p);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int t = 0; t < 2; ++t) {
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; ++i) sweep(targets[t], &encodings[i]);
    refuses(targets[t]);
  }
  refusal_is_listed();
  return test_result();
}
