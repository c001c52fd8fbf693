// SPDX-License-Identifier: MIT
// Every matrix instruction of both chips, on every host variant, gives the bits of the reference: integer
// data, real data and arbitrary bit patterns; results in VGPRs and AGPRs; C in place, apart, constant and
// overlapping.
#include "mfma_ops.h"

enum { MAX_CASES = 1024 };
static mfma_case cases[MAX_CASES];
static size_t case_count;

static const char *mnemonic;
static ref_shape shape;

static mfma_case *new_case(int d, int a, int b, int c) {
  if (case_count == MAX_CASES) abort();
  mfma_case *n = &cases[case_count++];
  *n = (mfma_case){.ref = {.shape = shape, .d = d, .a = a, .b = b, .c = c, .scale = {100, 101}}};
  return n;
}

static void dense_forms(void) {
  const int v = 0, acc = SIM_ACC;
  mfma_write(new_case(acc + 8, v + 2, v + 40, acc + 8), mnemonic, NULL);  // in place in AGPRs
  mfma_write(new_case(v + 32, acc + 4, v + 12, v + 64), mnemonic, NULL);  // A in AGPRs, C elsewhere
  mfma_case *c = new_case(v + 32, v + 32, acc + 16, v + 32);              // D over A, B in AGPRs
  c->mixed = true;
  mfma_write(c, mnemonic, NULL);
  if (ref_result_registers(&shape) <= 4) {  // larger results may not overlap C in part (LLVM refuses it)
    mfma_write(new_case(acc + 34, v + 6, v + 20, acc + 32), mnemonic, NULL);
    mfma_write(new_case(acc + 30, v + 6, v + 6, acc + 32), mnemonic, NULL);
  }
  c = new_case(v + 120, v + 10, acc + 20, 0);
  c->ref.c_constant = true;
  c->ref.c_value = shape.d == 'd' ? 0xc000000000000000u : shape.d == 'i' ? 0xc0000000u : 0xc0000000u;
  mfma_write(c, mnemonic, "-2.0");
  c = new_case(v + 120, v + 10, acc + 20, 0);
  c->ref.c_constant = true;
  mfma_write(c, mnemonic, "0");
  c = new_case(acc + 120, v + 10, acc + 20, 0);
  c->ref.c_constant = true;
  c->mixed = true;
  c->ref.c_value = 64;  // an integer constant is not converted
  mfma_write(c, mnemonic, "64");
}

static void format_forms(void) {
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b) {
      mfma_case *c = new_case(SIM_ACC + 16, 10 + 2 * a, 40 + 2 * b, SIM_ACC + 16);
      c->ref.cbsz = a;
      c->ref.blgp = b;
      c->ref.scale_byte[0] = (a + b) % 4;  // every byte of either scale occurs
      c->ref.scale_byte[1] = (a + 3 * b + 1) % 4;
      mfma_write(c, mnemonic, NULL);
    }
}

static void sparse_forms(void) {
  int sets = 16 / (ref_registers(&shape, shape.a, true) * 32 / ref_bits(shape.a));
  for (int set = 0; set < sets; ++set) {
    mfma_case *c = new_case(SIM_ACC * (set & 1) + 16, 10, SIM_ACC * (set >> 1) + 40, 60);
    c->ref.abid = set;
    mfma_write(c, mnemonic, NULL);
  }
  mfma_case *c = new_case(16, SIM_ACC + 10, 40, 60);
  c->ref.cbsz = 1;  // the first set, whatever ABID says
  c->ref.abid = sets - 1;
  mfma_write(c, mnemonic, NULL);
}

static void check_chip(const char *target, uint8_t chip, test_rng *rng) {
  case_count = 0;
  const sim_optable *table = &sim_table_mfma_portable;
  size_t rows = 0;
  for (size_t i = 0; i < table->count; ++i) {
    mnemonic = table->rows[i].name;
    if (!(table->rows[i].chips & chip) || !ref_parse(mnemonic, &shape)) continue;
    ++rows;
    if (shape.sparse)
      sparse_forms();
    else if (shape.a == REF_F8F6F4)
      format_forms();
    if (!shape.sparse) dense_forms();
  }
  mfma_check_all(target, cases, case_count, rng);
  printf("%s: %zu instructions in %zu forms\n", target, rows, case_count);
}

// The assembler's own list: whatever it prints for one of the 128 opcodes of the encoding must have a row.
static void check_no_opcode_missing(const char *target) {
  static char lines[128][64];
  const char *code[128];
  for (unsigned opcode = 0; opcode < 128; ++opcode) {  // a[4:], v[0:], v[8:], a[16:]
    snprintf(lines[opcode], sizeof lines[opcode], ".long 0x%08x, 0x04421100", 0xd3808004u | opcode << 16);
    code[opcode] = lines[opcode];
  }
  isa_program *p = isa_assemble(target, code, 128);
  isa_begin(p, 0);
  const sim_program *program = isa_group(p)->program;
  int found = 0;
  for (size_t opcode = 0; opcode < 128; ++opcode) {
    const sim_op *op = sim_program_at(program, isa_offset(p, opcode));
    const char *text = op ? sim_op_text(program, op) : "";
    ref_shape printed;
    char name[64];
    if (sscanf(text, " %63s", name) != 1 || !ref_parse(name, &printed)) continue;
    ++found;
    CHECK(op->info, "%s opcode %zu has no row: %s", target, opcode, text);
  }
  CHECK(found == (strcmp(target, "gfx950") == 0 ? 66 : 46), "%d matrix opcodes on %s", found, target);
  printf("%s: %d matrix opcodes\n", target, found);
  isa_free(p);
}

int main(void) {
  test_rng rng = test_seed(20260101);
  check_chip("gfx942", SIM_ON_GFX942, &rng);
  check_chip("gfx950", SIM_ON_GFX950, &rng);
  check_no_opcode_missing("gfx942");
  check_no_opcode_missing("gfx950");
  return test_result() | mfma_test_result();
}
