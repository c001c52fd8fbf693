// SPDX-License-Identifier: MIT
// Tests atomics on memory through buffer, global and flat instructions: literal cases, returned values, EXEC,
// faults, the host's threads, and how each depends on the order of work-groups.
#include <pthread.h>

#include "sim/exec/aperture.h"
#include "sim/exec/memory/atomic.h"
#include "tests/isa/buffer_test.h"
#include "tests/isa/lds_atomic_cases.h"

// add_f32 flushes denormals in the L2 whatever MODE says.
static const atomic_case f32_cases[] = {
    {"add_f32", 0x3f800000, 0x40000000, 0, 0x40400000}, {"add_f32", 1, 1, 0, 0},
    {"add_f32", 0x00800000, 0x80c00000, 0, 0x80000000}, {"add_f32", 0x3f800000, 1, 0, 0x3f800000},
    {"add_f32", INF32, 0xff800000, 0, 0xffc00000},      {"add_f32", SNAN32, 0x3f800000, 0, 0x7fc00001},
    {"add_f32", 0x4b800000, 0x40400000, 0, 0x4b800002},  // 2^24 + 3: ties to even
};

enum space { BUFFER, GLOBAL, GLOBAL_SADDR, FLAT, SPACES };
enum { MOST = 32 };

// The registers are v1 for the offset, v[2:3] for the address, v[4:7] for the data (operand, then
// comparison), and v[8:9] for what is returned (the data for buffers).
static void make_code(char text[96], enum space space, const char *name, bool wide, bool returns) {
  bool compare = strncmp(name, "cmpswap", 7) == 0;
  const char *suffix = wide && !strstr(name, "f64") ? "_x2" : "";
  const char *data = compare ? (wide ? "v[4:7]" : "v[4:5]") : wide ? "v[4:5]" : "v4";
  const char *result = !returns ? "" : wide ? "v[8:9], " : "v8, ", *sc0 = returns ? " sc0" : "";
  switch (space) {
    case BUFFER:
      snprintf(text, 96, "buffer_atomic_%s%s %s, v1, s[8:11], s3 offen offset:16%s", name, suffix, data, sc0);
      break;
    case GLOBAL:
      snprintf(text, 96, "global_atomic_%s%s %sv[2:3], %s, off offset:-16%s", name, suffix, result, data,
               sc0);
      break;
    case GLOBAL_SADDR:
      snprintf(text, 96, "global_atomic_%s%s %sv1, %s, s[6:7] offset:8%s", name, suffix, result, data, sc0);
      break;
    default:
      snprintf(text, 96, "flat_atomic_%s%s %sv[2:3], %s offset:24%s", name, suffix, result, data, sc0);
      break;
  }
}

static void check_case(isa_program *p, size_t snippet, enum space space, const atomic_case *c, bool wide,
                       bool returns, uint64_t exec) {
  static const int shift[SPACES] = {16, -16, 8, 24};  // instruction offset
  sim_wave *w = isa_begin(p, snippet);
  uint8_t *memory = isa_memory(p, 1024);
  w->mode &= ~0xf0u;  // memory atomics do not look at MODE
  set_buffer(w, memory, 0, 1024, RAW32);
  w->s[3] = 128;
  sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory + 128);
  sim_set_s64(w, SIM_EXEC, exec);
  for (unsigned l = 0; l < 64; ++l) {
    w->v[1][l] = 8 * (63 - l);
    isa_set_v64(w, 2, l, (uint64_t)(uintptr_t)memory + 128 + 8 * (63 - l));
    isa_set_v64(w, 4, l, c->a);
    isa_set_v64(w, wide ? 6 : 5, l, c->b);
    memcpy(memory + 128 + shift[space] + 8 * l, &c->old, wide ? 8 : 4);
  }
  CHECK_RUN(p);
  unsigned row = space == BUFFER ? 4 : 8;
  for (unsigned l = 0; l < 64; ++l) {
    bool active = exec >> l & 1;
    uint64_t now = 0, expected = active ? c->after : c->old;
    memcpy(&now, memory + 128 + shift[space] + 8 * (63 - l), wide ? 8 : 4);
    CHECK(now == expected, "%s space %d lane %u: memory %llx, expected %llx", c->name, (int)space, l,
          (unsigned long long)now, (unsigned long long)expected);
    uint64_t back = returns && active ? c->old : space == BUFFER ? c->a : 0;
    CHECK_V32(p, row, l, (uint32_t)back);
    if (wide) CHECK_V32(p, row + 1, l, (uint32_t)(back >> 32));
  }
}

static void literal_cases(const char *target, const atomic_case *cases, size_t count, bool wide) {
  static char text[2 * SPACES * MOST][96];
  const char *code[2 * SPACES * MOST];
  size_t n = 0;
  struct {
    enum space space;
    size_t index;
    bool returns;
  } what[2 * SPACES * MOST];
  for (size_t i = 0; i < count; ++i)
    for (int space = 0; space < SPACES; ++space)
      for (int returns = 0; returns < 2; ++returns) {
        // gfx942 has no buffer_atomic_pk_add_bf16.
        if (space == BUFFER && strcmp(cases[i].name, "pk_add_bf16") == 0 && strcmp(target, "gfx942") == 0)
          continue;
        make_code(text[n], (enum space)space, cases[i].name, wide, returns);
        what[n].space = (enum space)space, what[n].index = i, what[n].returns = returns;
        code[n] = text[n];
        ++n;
      }
  isa_program *p = isa_assemble(target, code, n);
  for (size_t i = 0; i < n; ++i) {
    check_case(p, i, what[i].space, &cases[what[i].index], wide, what[i].returns, ~0ull);
    check_case(p, i, what[i].space, &cases[what[i].index], wide, what[i].returns, 0x4000000010000001);
  }
  isa_free(p);
}

static void flat_atomics_reach_lds(const char *target) {
  static const char *const code[] = {"flat_atomic_add v8, v[2:3], v4 offset:8 sc0",
                                     "flat_atomic_add_f32 v[2:3], v4"};
  isa_program *p = isa_assemble(target, code, 2);
  sim_wave *w = isa_begin(p, 0);
  for (unsigned l = 0; l < 64; ++l) {
    w->v[4][l] = 2;
    isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE) + 100);
  }
  CHECK_RUN(p);
  uint64_t seen = 0;
  for (unsigned l = 0; l < 64; ++l) seen |= 1ull << (w->v[8][l] / 2 & 63);
  CHECK(seen == ~0ull && isa_group(p)->lds[108] == 128, "tickets %llx, LDS %u", (unsigned long long)seen,
        isa_group(p)->lds[108]);
  w = isa_begin(p, 1);  // in LDS, MODE decides about denormals: kept here
  sim_set_s64(w, SIM_EXEC, 1);
  w->v[4][0] = 3;
  isa_group(p)->lds[0] = 4;
  isa_set_v64(w, 2, 0, sim_aperture_base(SIM_SHARED_APERTURE));
  CHECK_RUN(p);
  CHECK(isa_group(p)->lds[0] == 7, "LDS holds %u", isa_group(p)->lds[0]);
  isa_free(p);
}

// This holds also when the kernel's scratch per lane is no multiple of eight bytes.
static void flat_atomics_reach_scratch(const char *target) {
  static const char *const code[] = {"flat_atomic_add_x2 v[8:9], v[2:3], v[4:5] offset:8 sc0"};
  isa_program *p = isa_assemble(target, code, 1);
  sim_wave *w = isa_begin(p, 0);
  uint8_t *scratch = isa_memory(p, 64 * 20);
  w->scratch = (uint64_t)(uintptr_t)scratch, w->scratch_stride = 20;
  for (unsigned l = 0; l < 64; ++l) {
    memcpy(scratch + 20 * l + 8, &l, sizeof l);
    isa_set_v64(w, 2, l, sim_aperture_base(SIM_PRIVATE_APERTURE));
    isa_set_v64(w, 4, l, 1ull << 32);
  }
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l) {
    uint64_t now;
    memcpy(&now, scratch + 20 * l + 8, 8);
    CHECK(now == (1ull << 32 | l), "lane %u: %llx", l, (unsigned long long)now);
    CHECK_V64(p, 8, l, l);
  }
  isa_free(p);
}

static void misaligned_and_outside_fault(const char *target) {
  static const char *const code[] = {
      "global_atomic_add v1, v4, s[6:7]", "global_atomic_add_x2 v1, v[4:5], s[6:7]",
      "buffer_atomic_add_x2 v[4:5], v1, s[8:11], 0 offen", "flat_atomic_add v[2:3], v4"};
  isa_program *p = isa_assemble(target, code, 4);
  for (size_t i = 0; i < 3; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint8_t *memory = isa_memory(p, 64);
    set_buffer(w, memory, 0, 64, RAW32);
    sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory);
    w->v[1][44] = i == 0 ? 2 : 4;
    CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 44");
  }
  sim_wave *w = isa_begin(p, 3);
  sim_set_s64(w, SIM_EXEC, 1ull << 50);
  isa_set_v64(w, 2, 50, 0x1000);
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 50");
  w = isa_begin(p, 3);
  for (unsigned l = 0; l < 64; ++l) isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE) + 2);
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 0");
  isa_free(p);
}

// Two host threads, each its own work-group, add to one place.
static void *run_program(void *program) {
  isa_program *p = program;
  return (void *)(uintptr_t)isa_run(p);
}

static void adds_from_several_host_threads_are_not_lost(const char *target) {
  static const char *const code[] = {
      "s_movk_i32 s0, 300\n1:\n global_atomic_add v1, v4, s[6:7]\n global_atomic_add_f32 v1, v5, s[6:7] "
      "offset:4\n"
      "global_atomic_add_x2 v1, v[6:7], s[6:7] offset:8\n s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n "
      "s_cbranch_scc1 1b"};
  isa_program *p[2];
  uint8_t *memory = NULL;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    p[i] = isa_assemble(target, code, 1);
    sim_wave *w = isa_begin(p[i], 0);
    if (i == 0) memory = isa_memory(p[0], 64);
    sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory);
    for (unsigned l = 0; l < 64; ++l)
      w->v[4][l] = 1, w->v[5][l] = sim_bits32(1.0f), isa_set_v64(w, 6, l, 1ull << 32);
  }
  for (int i = 0; i < 2; ++i) {
    int status = pthread_create(&threads[i], NULL, run_program, p[i]);
    CHECK(status == 0, "no thread");
  }
  for (int i = 0; i < 2; ++i) {
    void *fault;
    pthread_join(threads[i], &fault);
    CHECK(fault == NULL, "%s", isa_report(p[i]));
  }
  uint32_t sum;
  float real;
  uint64_t wide;
  memcpy(&sum, memory, 4), memcpy(&real, memory + 4, 4), memcpy(&wide, memory + 8, 8);
  CHECK(sum == 38400 && real == 38400.0f && wide == 38400ull << 32, "sums %u, %g, %llx", sum, (double)real,
        (unsigned long long)wide);
  isa_free(p[1]);
  isa_free(p[0]);
}

static void order_classes(const char *target) {
  static const struct {
    const char *code;
    sim_atomic_order order;
  } classes[] = {
      {"global_atomic_add v1, v4, s[6:7]", SIM_ORDER_ADD},
      {"global_atomic_sub_x2 v1, v[4:5], s[6:7]", SIM_ORDER_ADD},
      {"buffer_atomic_or v4, off, s[8:11], 0", SIM_ORDER_OR},
      {"buffer_atomic_smax v4, off, s[8:11], 0", SIM_ORDER_SMAX},
      {"flat_atomic_umin v[2:3], v4", SIM_ORDER_UMIN},
      {"global_atomic_add v8, v1, v4, s[6:7] sc0", SIM_ORDER_FIXED},
      {"global_atomic_swap v1, v4, s[6:7]", SIM_ORDER_FIXED},
      {"global_atomic_inc v1, v4, s[6:7]", SIM_ORDER_FIXED},
      {"global_atomic_add_f32 v1, v4, s[6:7]", SIM_ORDER_FIXED},
      {"ds_add_rtn_u32 v8, v1, v4", SIM_ORDER_NONE},
      {"global_load_dword v8, v1, s[6:7] sc0", SIM_ORDER_NONE},
      {"v_mov_b32 v0, v1", SIM_ORDER_NONE},
  };
  enum { COUNT = sizeof classes / sizeof classes[0] };
  const char *code[COUNT];
  for (size_t i = 0; i < COUNT; ++i) code[i] = classes[i].code;
  isa_program *p = isa_assemble(target, code, COUNT);
  for (size_t i = 0; i < COUNT; ++i) {
    const sim_wave *w = isa_begin(p, i);
    sim_atomic_order order = sim_atomic_order_of(&w->group->program->ops[w->pc]);
    CHECK(order == classes[i].order, "%s: order %d, expected %d", code[i], (int)order, (int)classes[i].order);
  }
  isa_free(p);
}

int main(void) {
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    literal_cases(targets[i], CASES(integer_cases32), false);
    literal_cases(targets[i], CASES(integer_cases64), true);
    literal_cases(targets[i], CASES(f32_cases), false);
    literal_cases(targets[i], CASES(f64_cases), true);
    literal_cases(targets[i], CASES(packed_cases), false);
  }
  flat_atomics_reach_lds("gfx942");
  flat_atomics_reach_lds("gfx950");
  flat_atomics_reach_scratch("gfx942");
  flat_atomics_reach_scratch("gfx950");
  misaligned_and_outside_fault("gfx942");
  misaligned_and_outside_fault("gfx950");
  adds_from_several_host_threads_are_not_lost("gfx942");
  adds_from_several_host_threads_are_not_lost("gfx950");
  order_classes("gfx942");
  order_classes("gfx950");
  return test_result();
}
