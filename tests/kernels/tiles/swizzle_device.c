// SPDX-License-Identifier: MIT
// LDS tables, swizzles and solver, run on both simulated chips and judged by plain rules: phases written as
// the lists of lanes that were published, conflicts by comparing lanes two by two, swizzles by their
// formulas, "impossible" by trying every swizzle. Arguments: code objects for gfx950 (device 0) and gfx942
// (device 1).
#include "swizzle_device.h"

#include "sim/machine/lds_banks.h"
#include "tests/kernels/ops/isa/run.h"
#include "wavetile_sim.h"

enum { GFX942, GFX950 };
enum {
  READ_B128 = 3,
  READ_B64_TR = 4,
  READ_B96_TR = 5,
  WRITE_B32 = 6,
  WRITE_B64 = 7,
  COPY_B32 = 10,
  COPY_B128 = 11
};

// Says what was published, in the order of lds_op (lds_banks.h names the sources). Lists give the first 32
// lanes of phases that the upper 32 repeat; else a phase has `each` consecutive lanes.
typedef struct published {
  const char *name;
  int bytes;
  struct {
    int banks, each;
    const char *list;
  } on[CHIPS];
} published;

#define EIGHTS "0-3,20-23/4-7,16-19/8-11,28-31/12-15,24-27"
#define SIXTEENS "0-3,12-15,20-27/4-11,16-19,28-31"
static const published kPublished[LDS_OPS] = {
    {"ds_read_b32", 4, {{32, 32, NULL}, {64, 64, NULL}}},
    {"ds_read_b64", 8, {{32, 16, NULL}, {64, 32, NULL}}},
    {"ds_read_b96", 12, {{32, 8, EIGHTS}, {32, 8, EIGHTS}}},
    {"ds_read_b128", 16, {{32, 8, EIGHTS}, {64, 16, SIXTEENS}}},
    {"ds_read_b64_tr", 8, {{32, 16, NULL}, {64, 32, NULL}}},
    {"ds_read_b96_tr", 12, {{32, 8, EIGHTS}, {32, 8, EIGHTS}}},
    {"ds_write_b32", 4, {{32, 32, NULL}, {32, 32, NULL}}},
    {"ds_write_b64", 8, {{32, 16, NULL}, {32, 16, NULL}}},
    {"ds_write_b96", 12, {{32, 8, NULL}, {32, 8, NULL}}},
    {"ds_write_b128", 16, {{32, 8, NULL}, {32, 8, NULL}}},
    {"copy of 4 bytes", 4, {{32, 32, NULL}, {32, 32, NULL}}},
    {"copy of 16 bytes", 16, {{32, 8, NULL}, {32, 8, NULL}}},
};

static int granule_of(int op) { return kPublished[op].bytes == 12 ? 16 : kPublished[op].bytes; }

static int phase_of[CHIPS][LDS_OPS][LANES], phases_of[CHIPS][LDS_OPS];

// "a-b,c-d/e-f": ranges of lanes, phase by phase.
static int read_list(const char *text, int *phase) {
  int count = 0;
  for (;;) {
    char *end;
    const long from = strtol(text, &end, 10), to = strtol(end + 1, &end, 10);
    for (long lane = from; lane <= to; ++lane) phase[lane] = count;
    if (*end != ',') ++count;
    if (*end == '\0') break;
    text = end + 1;
  }
  for (int lane = 0; lane < LANES / 2; ++lane) phase[lane + LANES / 2] = phase[lane] + count;
  return 2 * count;
}

static void read_published(void) {
  for (int chip = 0; chip < CHIPS; ++chip) {
    for (int op = 0; op < LDS_OPS; ++op) {
      const int each = kPublished[op].on[chip].each;
      const char *list = kPublished[op].on[chip].list;
      for (int lane = 0; lane < LANES; ++lane) phase_of[chip][op][lane] = lane / each;
      phases_of[chip][op] = list ? read_list(list, phase_of[chip][op]) : LANES / each;
    }
  }
}

static bool exists(int chip, int op) {
  return chip == GFX950 || (op != READ_B64_TR && op != READ_B96_TR && op != COPY_B128);
}

// The simulator counts conflicts by tables of its own. They say the same.
static void check_simulator(void) {
  for (int chip = 0; chip < CHIPS; ++chip) {
    const sim_lds_banks *banks = chip == GFX950 ? &sim_lds_banks_gfx950 : &sim_lds_banks_gfx942;
    for (int op = 0; op < LDS_OPS; ++op) {
      if (!exists(chip, op)) continue;
      const sim_lds_kind kind = op < WRITE_B32 ? SIM_LDS_READ : op < COPY_B32 ? SIM_LDS_WRITE : SIM_LDS_COPY;
      const sim_lds_rule *rule = &banks->rule[kind][kPublished[op].bytes / 4 - 1];
      CHECK((int)rule->banks == kPublished[op].on[chip].banks && (int)rule->phases == phases_of[chip][op],
            "%s, chip %d: simulated with %u banks and %u phases", kPublished[op].name, chip, rule->banks,
            rule->phases);
      for (int lane = 0; lane < LANES; ++lane) {
        uint64_t served = 0, together = 0;
        for (uint32_t phase = 0; phase < rule->phases; ++phase) {
          if (rule->lanes[phase] >> lane & 1) served |= rule->lanes[phase];
        }
        for (int other = 0; other < LANES; ++other)
          together |= (uint64_t)(phase_of[chip][op][other] == phase_of[chip][op][lane]) << other;
        CHECK(served == together, "%s, chip %d: lane %d is simulated with lanes %#llx, published %#llx",
              kPublished[op].name, chip, lane, (unsigned long long)served, (unsigned long long)together);
      }
    }
  }
}

static void check_tables(hipModule_t module, lds_table *tables) {
  void *arguments[] = {&tables};
  if (!isa_run(module, "tables", LANES, arguments)) return;
  for (int chip = 0; chip < CHIPS; ++chip) {
    for (int op = 0; op < LDS_OPS; ++op) {
      const lds_table *t = &tables[chip * LDS_OPS + op];
      const published *p = &kPublished[op];
      CHECK(t->bytes == p->bytes && t->banks == p->on[chip].banks && t->phases == phases_of[chip][op] &&
                (t->exists != 0) == exists(chip, op),
            "%s, chip %d: %d bytes, %d banks, %d phases, exists %d", p->name, chip, t->bytes, t->banks,
            t->phases, t->exists);
      for (int lane = 0; lane < LANES; ++lane) {
        CHECK(t->phase[lane] == phase_of[chip][op][lane], "%s, chip %d: lane %d in phase %d, published %d",
              p->name, chip, lane, t->phase[lane], phase_of[chip][op][lane]);
      }
    }
  }
}

// ---- swizzles by their formulas

static int formula(int which, int offset) {
  const int row = offset / 128, pair = (row >> 1) & 7;
  switch (which) {
    case 0: return offset;
    case 1: return offset ^ (pair << 4);
    case 2: return offset ^ ((pair ^ (((pair >> 1) ^ (pair >> 2)) & 1)) << 4);
    case 3: return offset ^ (((offset % 512) >> 7) << 3);
    case 4: return offset ^ (((offset % 1024) >> 9) << 5);
    default:  // bit 10 flips 8, 8 flips 6, 11 and 12 flip 4 and 5
      return offset ^ ((offset >> 10 & 1) << 8) ^ ((offset >> 8 & 1) << 6) ^ ((offset >> 11 & 3) << 4);
  }
}

static bool launch(hipModule_t module, const char *name, unsigned groups, void **arguments) {
  hipFunction_t function = NULL;
  return isa_ok(hipModuleGetFunction(&function, module, name), name) &&
         isa_ok(hipModuleLaunchKernel(function, groups, 1, 1, LANES, 1, 1, 0, NULL, arguments, NULL), name) &&
         isa_ok(hipDeviceSynchronize(), name);
}

enum { OFFSETS = 16384 };

static void check_swizzles(hipModule_t module, int (*out)[SWIZZLES][2]) {
  void *arguments[] = {&out};
  if (!launch(module, "swizzles", OFFSETS / LANES, arguments)) return;
  for (int which = 0; which < SWIZZLES; ++which) {
    int wrong = 0;
    for (int offset = 0; offset < OFFSETS; ++offset) {
      const int place = out[offset][which][0];
      wrong += place != formula(which, offset);
      wrong += place < 0 || place >= OFFSETS || out[place][which][1] != offset;
    }
    CHECK(wrong == 0, "swizzle %d: %d offsets go astray or do not come back", which, wrong);
  }
}

// ---- conflicts, phase by phase and bank by bank

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int conflict_cycles(const conflict_case *c) {
  int cycles = 0;
  const int banks = kPublished[c->op].on[c->chip].banks;
  for (int phase = 0; phase < phases_of[c->chip][c->op]; ++phase) {
    int worst = 1;
    for (int bank = 0; bank < banks; ++bank) {
      int dword[4 * LANES], count = 0, distinct = 0;
      for (int lane = 0; lane < LANES; ++lane) {
        for (int byte = 0; byte < kPublished[c->op].bytes; byte += 4) {
          const int d = (c->offset[lane] + byte) / 4;
          if (phase_of[c->chip][c->op][lane] == phase && d % banks == bank) dword[count++] = d;
        }
      }
      qsort(dword, (size_t)count, sizeof *dword, by_value);
      for (int i = 0; i < count; ++i) distinct += i == 0 || dword[i] != dword[i - 1];
      if (distinct > worst) worst = distinct;
    }
    cycles += worst - 1;
  }
  return cycles;
}

enum { CONFLICT_CASES = 1024 };

static void check_conflicts(hipModule_t module, test_rng *rng, conflict_case *cases, int *cycles) {
  for (int i = 0; i < CONFLICT_CASES; ++i) {
    conflict_case *c = &cases[i];
    c->chip = i % CHIPS, c->op = i / CHIPS % LDS_OPS;
    const int stride = 4 << test_random(rng) % 8, reach = 1 << test_random(rng) % 11;
    for (int lane = 0; lane < LANES; ++lane)
      c->offset[lane] = stride * (int)(test_random(rng) % (uint64_t)reach);
  }
  void *arguments[] = {&cases, &cycles};
  if (!launch(module, "conflicts", CONFLICT_CASES / LANES, arguments)) return;
  for (int i = 0; i < CONFLICT_CASES; ++i) {
    CHECK(cycles[i] == conflict_cycles(&cases[i]), "case %d, %s, chip %d: %d cycles, expected %d", i,
          kPublished[cases[i].op].name, cases[i].chip, cycles[i], conflict_cycles(&cases[i]));
  }
}

// ---- instructions

// Returns the conflict cycles that the simulator counts when one instruction is executed; -1 if not just one
// was.
static int touch(hipModule_t module, const conflict_case *c, int *offset, void *seen) {
  int op = c->op;
  unsigned long long before[2], after[2];
  memcpy(offset, c->offset, sizeof c->offset);
  void *arguments[] = {&op, &offset, &seen};
  wtSimLdsConflicts(1, &before[0], &before[1]);
  const bool ran = launch(module, "touch", 1, arguments);
  wtSimLdsConflicts(0, &after[0], &after[1]);
  return ran && after[0] - before[0] == 1 ? (int)(after[1] - before[1]) : -1;
}

// Random accesses cost what the rules say; published tiles conflict as they lie, and not where their swizzles
// put them. `swizzled` is what the kernel "swizzles" gave.
static void check_touches(hipModule_t module, bool gfx950, test_rng *rng, int (*swizzled)[SWIZZLES][2]) {
  int *offset = isa_memory(sizeof(int) * LANES);
  void *seen = isa_memory(16 * LANES);
  const int chip = gfx950 ? GFX950 : GFX942;
  for (int i = 0; i < 32 * COPY_B32; ++i) {
    conflict_case c = {.chip = chip, .op = i % COPY_B32};
    if (!exists(chip, c.op)) continue;
    const int stride = granule_of(c.op) << test_random(rng) % 4, reach = 1 << test_random(rng) % 9;
    for (int lane = 0; lane < LANES; ++lane)
      c.offset[lane] = stride * (int)(test_random(rng) % (uint64_t)reach);
    const int cycles = touch(module, &c, offset, seen);
    CHECK(cycles == conflict_cycles(&c), "%s, chip %d: simulated with %d conflict cycles, expected %d",
          kPublished[c.op].name, chip, cycles, conflict_cycles(&c));
  }
  static const struct {
    int op, rows, row_bytes, run, swizzle;
  } tiles[] = {{READ_B128, 16, 128, 16, 1},
               {READ_B128, 16, 128, 16, 2},
               {WRITE_B64, 16, 32, 8, 3},
               {READ_B128, 16, 64, 16, 4}};
  for (size_t i = 0; gfx950 && i < sizeof tiles / sizeof *tiles; ++i) {
    conflict_case plain = {.chip = chip, .op = tiles[i].op}, moved = plain;
    for (int lane = 0; lane < LANES; ++lane) {
      plain.offset[lane] = lane % tiles[i].rows * tiles[i].row_bytes + lane / tiles[i].rows * tiles[i].run;
      moved.offset[lane] = swizzled[plain.offset[lane]][tiles[i].swizzle][0];
    }
    const int cycles[2] = {touch(module, &plain, offset, seen), touch(module, &moved, offset, seen)};
    CHECK(cycles[0] > 0 && cycles[1] == 0, "swizzle %d: %d conflict cycles without it, %d with it",
          tiles[i].swizzle, cycles[0], cycles[1]);
  }
}

// ---- the solver

static int apply(const unsigned *target, int offset) {
  unsigned place = (unsigned)offset;
  for (unsigned left = place; left != 0; left &= left - 1) place ^= target[__builtin_ctz(left)];
  return (int)place;
}

// Tells whether access `a` of the case is served: no two lanes of a phase have different dwords in one bank.
static bool is_served(const swizzle_case *c, int a, const unsigned *target) {
  const int op = c->op[a], chip = c->chip[a], banks = kPublished[op].on[chip].banks;
  int place[LANES];
  for (int lane = 0; lane < LANES; ++lane) {
    int offset = 0;
    for (int i = 0; i < 6; ++i) offset ^= lane >> i & 1 ? c->lane_bit[a][i] : 0;
    place[lane] = op == COPY_B32 || op == COPY_B128 ? offset : apply(target, offset);
    for (int other = 0; other < lane; ++other) {
      if (phase_of[chip][op][lane] != phase_of[chip][op][other]) continue;
      for (int i = 0; i < kPublished[op].bytes; i += 4) {
        for (int k = 0; k < kPublished[op].bytes; k += 4) {
          const int x = (place[lane] + i) / 4, y = (place[other] + k) / 4;
          if (x != y && x % banks == y % banks) return false;
        }
      }
    }
  }
  return true;
}

static bool serves_all(const swizzle_case *c, const unsigned *target) {
  for (int a = 0; a < ACCESSES; ++a) {
    if (!is_served(c, a, target)) return false;
  }
  return true;
}

static int largest_granule(const swizzle_case *c) {
  int granule = 0;
  for (int a = 0; a < ACCESSES; ++a)
    granule = granule_of(c->op[a]) > granule ? granule_of(c->op[a]) : granule;
  return granule;
}

// Returns the bits that source bit j may flip: lower ones, in the row, and none inside a granule.
static unsigned may_flip(const swizzle_case *c, int j) {
  if (1 << j >= c->period) return 0;
  const int end = c->row_bytes < 1 << j ? c->row_bytes : 1 << j, granule = largest_granule(c);
  return end > granule ? (unsigned)(end - granule) : 0;
}

static int freedom(const swizzle_case *c) {
  int bits = 0;
  for (int j = 0; j < OFFSET_BITS; ++j) bits += __builtin_popcount(may_flip(c, j));
  return bits;
}

// Tries every swizzle there is within the limits.
static bool any_swizzle_serves(const swizzle_case *c) {
  unsigned target[OFFSET_BITS] = {0};
  for (;;) {
    if (serves_all(c, target)) return true;
    int j = 0;
    while (j < OFFSET_BITS) {  // counts through the subsets of what each bit may flip
      target[j] = (target[j] - may_flip(c, j)) & may_flip(c, j);
      if (target[j] != 0) break;
      ++j;
    }
    if (j == OFFSET_BITS) return false;
  }
}

// Makes random linear accesses to a tile of 1 << top bytes, aligned to what they access.
static void random_case(swizzle_case *c, test_rng *rng, bool small, const int *ops, int op_count) {
  const int top = small ? 9 : 10 + (int)(test_random(rng) % 4);
  c->row_bytes = small ? 32 << test_random(rng) % 3 : 64 << test_random(rng) % 12;
  c->period = small ? 1 << top : 1 << (9 + test_random(rng) % 10);
  for (int a = 0; a < ACCESSES; ++a) {
    c->chip[a] = (int)(test_random(rng) % CHIPS);
    do c->op[a] = ops[test_random(rng) % (uint64_t)op_count];
    while (!exists(c->chip[a], c->op[a]));
    const int low = __builtin_ctz((unsigned)granule_of(c->op[a]));
    int taken = 0;
    for (int i = 0; i < 6; ++i) {
      const int bit = 1 << (low + (int)(test_random(rng) % (uint64_t)(top - low)));
      const bool spare = (taken & bit) != 0 || test_random(rng) % 8 == 0;
      c->lane_bit[a][i] = spare ? 0 : bit;
      taken |= bit;
    }
    if (test_random(rng) % 4 == 0)
      c->lane_bit[a][test_random(rng) % 6] ^= c->lane_bit[a][test_random(rng) % 6];
  }
}

// Rows of 64 bytes have two bits for the place of 16, and each ds_read_b128 needs two of the offsets 256, 512
// and 1024, or sums of them, to flip them independently. Any two accesses can have that; three that need
// different pairs with a common sum cannot, which no counting shows.
static void crowded_case(swizzle_case *c, test_rng *rng) {
  c->row_bytes = 64, c->period = 2048;
  for (int a = 0; a < ACCESSES; ++a) {
    const int x = 1 + (int)(test_random(rng) % 7), y = 1 + (x + (int)(test_random(rng) % 6)) % 7;
    const int lane_bit[6] = {64, 128, 256 * x, 0, 256 * y, 16};
    c->chip[a] = GFX950, c->op[a] = READ_B128;
    memcpy(c->lane_bit[a], lane_bit, sizeof lane_bit);
  }
}

// That the swizzle is valid, within the limits, and serves.
static void check_solution(const swizzle_case *c, int number, const unsigned *target) {
  for (int j = 0; j < OFFSET_BITS; ++j) {
    CHECK((target[j] & ~may_flip(c, j)) == 0, "case %d: bit %d flips %#x, but may only flip %#x", number, j,
          target[j], may_flip(c, j));
  }
  for (int a = 0; a < ACCESSES; ++a)
    CHECK(is_served(c, a, target), "case %d: access %d, %s, has conflicts", number, a,
          kPublished[c->op[a]].name);
}

enum { SOLVER_CASES = 2048 };

static void check_solver(hipModule_t module, test_rng *rng, swizzle_case *cases, swizzle_answer *answers) {
  static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, wide[] = {2, 3, 5, 8, 9, 11};
  for (int i = 0; i < SOLVER_CASES; ++i) {
    if (i % 8 == 0) {
      crowded_case(&cases[i], rng);
    } else {
      random_case(&cases[i], rng, i % 2, i % 4 < 2 ? wide : all, i % 4 < 2 ? 6 : 12);
    }
  }
  void *arguments[] = {&cases, &answers};
  if (!launch(module, "solve", SOLVER_CASES / LANES, arguments)) return;
  int found = 0, simple = 0, counted = 0, searched = 0, tried = 0;
  for (int i = 0; i < SOLVER_CASES; ++i) {
    const swizzle_answer *answer = &answers[i];
    CHECK(answer->outcome != 2, "case %d: the search gave up", i);
    if (answer->outcome == 0) {
      ++found, simple += answer->simple;
      check_solution(&cases[i], i, answer->target[0]);
      if (answer->simple) check_solution(&cases[i], i, answer->target[1]);
    } else if (freedom(&cases[i]) <= 12) {
      ++tried;
      counted += answer->by_count, searched += !answer->by_count;
      CHECK(!any_swizzle_serves(&cases[i]), "case %d: called impossible, but some swizzle serves", i);
    }
  }
  printf("%d solved (%d simply); %d impossible confirmed, %d found by counting and %d by search\n", found,
         simple, tried, counted, searched);
  CHECK(found > 100 && simple > 10 && found - simple > 10 && counted > 100 && searched > 10,
        "the cases test too little");
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(gfx950 ? 950 : 942);
  check_tables(module, isa_memory(sizeof(lds_table) * CHIPS * LDS_OPS));
  int (*swizzled)[SWIZZLES][2] = isa_memory(sizeof(int) * OFFSETS * SWIZZLES * 2);
  check_swizzles(module, swizzled);
  check_touches(module, gfx950, &rng, swizzled);
  check_conflicts(module, &rng, isa_memory(sizeof(conflict_case) * CONFLICT_CASES),
                  isa_memory(sizeof(int) * CONFLICT_CASES));
  check_solver(module, &rng, isa_memory(sizeof(swizzle_case) * SOLVER_CASES),
               isa_memory(sizeof(swizzle_answer) * SOLVER_CASES));
}

int main(int argc, char **argv) {
  read_published();
  check_simulator();
  return isa_main(argc, argv, check_device);
}
