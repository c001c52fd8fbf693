// SPDX-License-Identifier: MIT
// Writes, decodes, fills and runs MFMA test cases on every host variant.
#include "mfma_ops.h"

#include <math.h>
#include <stdarg.h>

static const sim_optable *const tables[SIM_HOST_COUNT] = SIM_VARIANTS_OF(sim_table_mfma);
const char *const mfma_variant_names[SIM_HOST_COUNT] = {"avx512", "avx2", "portable"};

bool mfma_usable(sim_host variant) {
  static bool told[SIM_HOST_COUNT];
  if (sim_host_usable(variant)) return true;
  if (!told[variant]) printf("SKIPPED variant %s: this CPU cannot run it\n", mfma_variant_names[variant]);
  told[variant] = true;
  return false;
}

bool mfma_op(isa_program *p, size_t snippet, sim_host variant, sim_op *op) {
  if (!mfma_usable(variant)) return false;
  const sim_program *program = isa_group(p)->program;
  const sim_op *decoded = sim_program_at(program, isa_offset(p, snippet));
  CHECK(decoded && decoded->info, "snippet %zu: %s is not in the tables", snippet,
        decoded ? sim_op_text(program, decoded) : "nothing");
  if (!decoded || !decoded->info) return false;
  const sim_optable *table = tables[variant];
  for (size_t i = 0; i < table->count; ++i) {
    if (strcmp(table->rows[i].name, decoded->info->name) != 0) continue;
    // The decoder's own handler stands for a form it rejected.
    bool accepted = decoded->run == decoded->info->run;
    CHECK(accepted, "operands of %s were not decoded", sim_op_text(program, decoded));
    *op = *decoded;
    op->info = &table->rows[i];
    op->run = op->info->run;
    return accepted;
  }
  CHECK(false, "%s has no row in the %s table", decoded->info->name, mfma_variant_names[variant]);
  return false;
}

// ---- text

static void append(mfma_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(mfma_case *c, const char *format, ...) {
  size_t used = strlen(c->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->text + used, sizeof c->text - used, format, arguments);
  va_end(arguments);
}

static void append_registers(mfma_case *c, const char *before, int row, int count) {
  char file = row < SIM_ACC ? 'v' : 'a';
  row %= SIM_ACC;
  if (count == 1)
    append(c, "%s%c%d", before, file, row);
  else
    append(c, "%s%c[%d:%d]", before, file, row, row + count - 1);
}

void mfma_write(mfma_case *c, const char *name, const char *constant) {
  const ref_case *r = &c->ref;
  const ref_shape *s = &r->shape;
  bool by_format = s->a == REF_F8F6F4;
  c->text[0] = 0;
  append(c, "%s", name);
  append_registers(c, " ", r->d, ref_result_registers(s));
  append_registers(c, ", ", r->a, ref_registers(s, by_format ? ref_format(r->cbsz) : s->a, true));
  append_registers(c, ", ", r->b, ref_registers(s, by_format ? ref_format(r->blgp) : s->b, false));
  if (constant)
    append(c, ", %s", constant);
  else
    append_registers(c, ", ", r->c, s->sparse ? 1 : ref_result_registers(s));
  if (s->scaled) {
    append(c, ", v%d, v%d", r->scale[0], r->scale[1]);
    append(c, " op_sel:[%d,%d,0] op_sel_hi:[%d,%d,0]", r->scale_byte[0] & 1, r->scale_byte[1] & 1,
           r->scale_byte[0] / 2, r->scale_byte[1] / 2);
  }
  if (r->cbsz) append(c, " cbsz:%d", r->cbsz);
  if (r->abid) append(c, " abid:%d", r->abid);
  if (r->blgp && s->d == 'd')
    append(c, " neg:[%d,%d,%d]", r->blgp & 1, r->blgp >> 1 & 1, r->blgp >> 2);
  else if (r->blgp)
    append(c, " blgp:%d", r->blgp);
}

// ---- data

static uint64_t float_bits(double value, int bits) {
  float single = (float)value;
  uint64_t wide;
  uint32_t narrow;
  memcpy(&wide, &value, sizeof wide);
  memcpy(&narrow, &single, sizeof narrow);
  return bits == 64 ? wide : bits == 32 ? narrow : narrow >> 16;  // 16: bf16
}

static uint64_t random_integer(test_rng *rng, ref_type type, bool ocp) {
  static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200};
  uint64_t r = test_random(rng);
  if (type == REF_F16) return halves[r % 8];
  if (ref_bits(type) >= 16) return float_bits((double)(int)(r % 7) - 3, ref_bits(type));
  for (;; r = test_random(rng)) {
    uint64_t code = r & ((1u << ref_bits(type)) - 1);
    double value = ref_decode(type, ocp, code);
    if (value >= -4 && value <= 4 && value == (int)value) return code;
  }
}

static uint64_t random_real(test_rng *rng, ref_type type, bool ocp) {
  uint64_t r = test_random(rng);
  if (type == REF_F16) return (r & 0x83ff) | (8 + r / 65536 % 12) << 10;
  if (type == REF_I8) return r & 255;
  if (ref_bits(type) >= 16) return float_bits(ldexp((double)(int64_t)r, -61), ref_bits(type));
  for (;; r = test_random(rng)) {
    uint64_t code = r & ((1u << ref_bits(type)) - 1);
    if (isfinite(ref_decode(type, ocp, code))) return code;
  }
}

// Any bits; of the wide formats an eighth are special values or close to the ends of the range.
static uint64_t random_bits(test_rng *rng, ref_type type) {
  static const uint32_t special[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u,
                                     0x7fc00001u, 0x00000001u, 0x807fffffu, 0x7f7fffffu,
                                     0x00800000u, 0x7f7f0000u, 0x1f800000u, 0x9f000000u};
  uint64_t r = test_random(rng), choice = test_random(rng);
  if (choice % 8 || ref_bits(type) < 16) return r;
  uint32_t bits = special[choice / 8 % (sizeof special / sizeof special[0])];
  if (type == REF_F64) return (uint64_t)bits << 32 | (r & 1);
  return type == REF_BF16  ? bits >> 16
         : type == REF_F16 ? (bits >> 16 & 0x8000) | (bits >> 13 & 0x7c00)
                           : bits;
}

// Mostly zeros, so that single products meet C: products just beyond the largest f32 or below the smallest,
// next to accumulators that bring the sum back into range. A product rounded before the addition shows here.
static uint64_t random_extreme(test_rng *rng, ref_type type, bool ocp, bool huge) {
  static const uint32_t factors[2][4] = {{0x1c810000u, 0x9c810000u, 0x1a7f0000u, 0x20030000u},
                                         {0x5f800000u, 0xdf800000u, 0x5f7f0000u, 0x3f800000u}};
  uint64_t r = test_random(rng);
  if (r % 8) return 0;
  if (type == REF_F16 || type == REF_F64 || ref_bits(type) < 16) return random_real(rng, type, ocp);
  return factors[huge][r / 8 % 4] >> (type == REF_BF16 ? 16 : 0);
}

static uint64_t random_accumulator(test_rng *rng, ref_type type, bool ocp) {
  static const uint32_t sums[] = {0xff7fffffu, 0x7f7fffffu, 0x00000001u,
                                  0x80000003u, 0x00800000u, 0x80000000u};
  return type == REF_F64 ? random_real(rng, type, ocp) : sums[test_random(rng) % 6];
}

static uint64_t random_code(test_rng *rng, ref_type type, bool ocp, mfma_data kind, bool accumulator) {
  switch (kind) {
    case MFMA_INTEGERS: return random_integer(rng, type, ocp);
    case MFMA_REALS: return random_real(rng, type, ocp);
    case MFMA_HUGE:
    case MFMA_TINY:
      return accumulator ? random_accumulator(rng, type, ocp)
                         : random_extreme(rng, type, ocp, kind == MFMA_HUGE);
    default: return random_bits(rng, type);
  }
}

static void fill_operand(sim_wave *w, int row, int registers, ref_type type, bool ocp, mfma_data kind,
                         test_rng *rng, bool accumulator) {
  int bits = ref_bits(type);
  for (int lane = 0; lane < SIM_LANES; ++lane)
    for (int item = 0; item < registers * 32 / bits; ++item) {
      uint64_t code = random_code(rng, type, ocp, kind, accumulator);
      for (int i = 0; i < bits; ++i) {
        int at = item * bits + i;
        uint32_t *word = &w->v[row + at / 32][lane];
        *word = (*word & ~(1u << at % 32)) | (uint32_t)(code >> i & 1) << at % 32;
      }
    }
}

static void fill(sim_wave *w, const ref_case *r, mfma_data kind, test_rng *rng) {
  const ref_shape *s = &r->shape;
  for (int row = 0; row < 512; ++row)
    for (int lane = 0; lane < SIM_LANES; ++lane) w->v[row][lane] = (uint32_t)test_random(rng);
  ref_type d_type = s->d == 'd' ? REF_F64 : REF_F32;
  ref_type a = s->a == REF_F8F6F4 ? ref_format(r->cbsz) : s->a,
           b = s->b == REF_F8F6F4 ? ref_format(r->blgp) : s->b;
  if (s->d != 'i' && (s->sparse || !r->c_constant))
    fill_operand(w, s->sparse ? r->d : r->c, ref_result_registers(s), d_type, r->ocp, kind, rng, true);
  fill_operand(w, r->a, ref_registers(s, a, true), a, r->ocp, kind, rng, false);
  fill_operand(w, r->b, ref_registers(s, b, false), b, r->ocp, kind, rng, false);
  for (int n = 0; n < 2 && s->scaled; ++n)  // mostly moderate scales
    for (int lane = 0; lane < SIM_LANES && kind != MFMA_ANY_BITS; ++lane) {
      uint32_t *word = &w->v[r->scale[n]][lane];
      *word = 0x78787878u + (*word & 0x0f0f0f0fu);
    }
  w->s[SIM_EXEC] = (uint32_t)test_random(rng);  // ignored by matrix instructions
  w->s[SIM_EXEC + 1] = (uint32_t)test_random(rng);
}

// ---- checks

static void check_rows(const sim_wave *w, const uint32_t (*before)[SIM_LANES],
                       const uint32_t (*expected)[SIM_LANES], const mfma_case *c, const char *variant,
                       mfma_data kind) {
  static const char *const kinds[] = {"integers", "reals", "any bits", "huge", "tiny"};
  int first = c->ref.d, count = ref_result_registers(&c->ref.shape), different = 0, row = 0, lane = 0;
  uint32_t want = 0;
  for (int r = 0; r < 512; ++r) {
    const uint32_t *target = r >= first && r < first + count ? expected[r - first] : before[r];
    for (int l = 0; l < SIM_LANES; ++l)
      if (w->v[r][l] != target[l] && !different++) {
        row = r;
        lane = l;
        want = target[l];
      }
  }
  CHECK(different == 0, "%s, %s, %s, %s: %d dwords differ, first row %d lane %d: %08x, expected %08x",
        c->text, variant, kinds[kind], c->ref.fast ? "fast" : "exact", different, row, lane, w->v[row][lane],
        want);
}

static void check_case(isa_program *p, size_t snippet, mfma_case *c, mfma_data kind, sim_mfma_mode mfma,
                       test_rng *rng) {
  static uint32_t before[512][SIM_LANES], expected[32][SIM_LANES];
  sim_wave *w = isa_begin(p, snippet);
  isa_group(p)->mfma = mfma;
  uint32_t mode = (w->mode & ~c->mode_clear) | c->mode_set;
  fill(w, &c->ref, kind, rng);
  memcpy(before, w->v, sizeof before);
  c->ref.integers = kind == MFMA_INTEGERS && !c->mixed;
  c->ref.fast = mfma == SIM_MFMA_FAST;
  CHECK(ref_run(&c->ref, (const uint32_t (*)[SIM_LANES])before, expected),
        "%s: the reference does not give the integer sum", c->text);
  for (int v = 0; v < SIM_HOST_COUNT; ++v) {
    sim_op op;
    if (!mfma_op(p, snippet, (sim_host)v, &op)) continue;
    memcpy(w->v, before, sizeof before);
    w->mode = mode;
    op.run(w, &op);
    CHECK(isa_group(p)->fault == SIM_FAULT_NONE, "%s: %s", c->text, isa_group(p)->report);
    check_rows(w, (const uint32_t (*)[SIM_LANES])before, (const uint32_t (*)[SIM_LANES])expected, c,
               mfma_variant_names[v], kind);
    isa_record_op(isa_group(p)->program, sim_program_at(isa_group(p)->program, isa_offset(p, snippet)));
  }
}

void mfma_check_all(const char *target, mfma_case *cases, size_t count, test_rng *rng) {
  const char **lines = calloc(count, sizeof *lines);
  if (!lines) abort();
  for (size_t i = 0; i < count; ++i) lines[i] = cases[i].text;
  isa_program *p = isa_assemble(target, lines, count);
  for (size_t i = 0; i < count; ++i) {
    cases[i].ref.ocp = strcmp(target, "gfx950") == 0;
    for (int kind = 0; kind < MFMA_DATA_COUNT; ++kind)
      for (int mfma = SIM_MFMA_EXACT; mfma <= SIM_MFMA_FAST; ++mfma)
        check_case(p, i, &cases[i], (mfma_data)kind, (sim_mfma_mode)mfma, rng);
  }
  isa_free(p);
  free(lines);
}

int mfma_test_result(void) { return test_result(); }
