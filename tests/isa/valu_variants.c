// SPDX-License-Identifier: MIT
// The host variants agree bit for bit: every row, random sources full of edge values, random modifiers, EXEC
// and MODE, run on equal waves by every variant this CPU has.
#include "sim/isa/program.h"
#include "tests/isa/valu_text.h"

enum { MOST_ROWS = 1024, ROUNDS = 12 };

static bool is_float(unsigned type) {
  return type == SIM_T_F32 || type == SIM_T_F16 || type == SIM_T_F64 || type == SIM_T_PKF16 ||
         type == SIM_T_PKF32;
}

// Modifiers an encoder could have produced; only the fields handlers read are set.
static void random_modifiers(sim_op *op, test_rng *rng) {
  uint64_t r = test_random(rng);
  if (strstr(op->info->name, "accvgpr") || strstr(op->info->name, "bitop3") || strstr(op->info->name, "swap"))
    return;
  if (op->encoding == SIM_ENC_PLAIN && (r & 1)) op->encoding = SIM_ENC_VOP3;
  bool real = is_float(op->dst[0].type);
  if ((op->encoding == SIM_ENC_VOP3 || op->encoding == SIM_ENC_VOP3P) && (r & 6) == 2) {
    if (real || (op->info->flags & 128)) op->flags |= SIM_F_CLAMP;
    if (real && op->encoding == SIM_ENC_VOP3) op->omod = r >> 8 & 3;
  }
  if (op->encoding == SIM_ENC_VOP3) {
    op->op_sel = r >> 16 & 15;
    for (unsigned i = 0; i < op->src_count; ++i)
      if (is_float(op->src[i].type)) op->src[i].mods = r >> (20 + 2 * i) & 3;
  } else if (op->encoding == SIM_ENC_VOP3P) {
    op->op_sel = r >> 16 & 7, op->op_sel_hi = r >> 19 & 7;
    if (real) op->neg_lo = r >> 22 & 7, op->neg_hi = r >> 25 & 7;
  }
}

static void random_wave(sim_wave *w, test_rng *rng, int round) {
  for (unsigned row = 0; row < 168; ++row)
    for (int l = 0; l < SIM_LANES; ++l) w->v[row][l] = valu_value(rng);
  for (unsigned row = SIM_ACC; row < SIM_ACC + 48; ++row)
    for (int l = 0; l < SIM_LANES; ++l) w->v[row][l] = valu_value(rng);
  sim_set_s64(w, 30, test_random(rng));
  sim_set_s64(w, SIM_VCC, test_random(rng));
  sim_set_s64(w, SIM_EXEC, round % 3 ? test_random(rng) : UINT64_MAX);
  // Every third round another rounding and denormal mode, IEEE, DX10_CLAMP and FP16_OVFL.
  uint32_t random = (uint32_t)test_random(rng);
  w->mode = round % 3 == 2 ? (random & 0x3ff) | (random & 1u << 23) : round % 3 == 1 ? 0x3f0 : 0x0f0;
}

static sim_wave *clone(const sim_wave *w) {
  void *copy = NULL;
  if (posix_memalign(&copy, 64, sizeof *w) != 0) exit(EXIT_FAILURE);
  memcpy(copy, w, sizeof *w);
  return copy;
}

static void compare(const sim_opinfo *row, const char *variant, const sim_wave *a, const sim_wave *b) {
  CHECK(memcmp(a->s, b->s, sizeof a->s) == 0, "%s: %s gives other masks", row->name, variant);
  for (unsigned r = 0; r < 512; ++r) {
    for (int l = 0; l < SIM_LANES; ++l) {
      if (a->v[r][l] == b->v[r][l]) continue;
      CHECK(false, "%s mode 0x%x: %s gives row %u lane %d = 0x%08x, not 0x%08x", row->name, a->mode, variant,
            r, l, b->v[r][l], a->v[r][l]);
      return;
    }
  }
}

static void run_row(isa_program *p, size_t snippet, int table, size_t index, test_rng *rng) {
  static const char *const names[] = {"avx512", "avx2", "portable"};
  sim_wave *w = isa_begin(p, snippet);
  const sim_op *decoded = sim_program_at(isa_group(p)->program, isa_offset(p, snippet));
  for (int round = 0; round < ROUNDS; ++round) {
    sim_op op = *decoded;
    random_wave(w, rng, round);
    if (round) random_modifiers(&op, rng);
    sim_wave *expected = NULL;
    for (int host = SIM_HOST_COUNT - 1; host >= 0; --host) {
      if (!sim_host_usable((sim_host)host)) continue;
      const sim_opinfo *row = &valu_table((sim_host)host, table)->rows[index];
      op.info = row;
      op.run = row->run;
      sim_wave *result = clone(w);
      op.run(result, &op);
      if (expected)
        compare(row, names[host], expected, result);
      else
        expected = result;
      if (result != expected) free(result);
    }
    free(expected);
  }
  CHECK(isa_group(p)->fault == SIM_FAULT_NONE, "%s: %s", decoded->info->name, isa_report(p));
}

static void chip(const char *target, int chip_bit, test_rng *rng) {
  static char lines[MOST_ROWS][160];
  const char *code[MOST_ROWS];
  struct {
    int table;
    size_t index;
  } where[MOST_ROWS];
  size_t count = 0;
  for (int t = 0; t < VALU_TABLES; ++t) {
    const sim_optable *table = valu_table(sim_host_variant(), t);
    for (size_t i = 0; i < table->count; ++i) {
      if (!(table->rows[i].chips & chip_bit)) continue;
      valu_line(&table->rows[i], lines[count], sizeof lines[count]);
      code[count] = lines[count];
      where[count].table = t, where[count++].index = i;
    }
  }
  isa_program *p = isa_assemble(target, code, count);
  for (size_t i = 0; i < count; ++i) run_row(p, i, where[i].table, where[i].index, rng);
  isa_free(p);
}

int main(void) {
  test_rng rng = test_seed(20240711);
  int variants = 0;
  for (int host = 0; host < SIM_HOST_COUNT; ++host) variants += sim_host_usable((sim_host)host);
  printf("%d of %d host variants run on this CPU\n", variants, SIM_HOST_COUNT);
  chip("gfx950", SIM_ON_GFX950, &rng);
  chip("gfx942", SIM_ON_GFX942, &rng);
  return test_result();
}
