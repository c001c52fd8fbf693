// SPDX-License-Identifier: MIT
// Tests LDS atomics against literal cases, with and without return; contention; exchanges; EXEC partly off.
#include "tests/isa/lds_atomic_cases.h"

#include "tests/isa/harness.h"

enum { KEEP = 0xf0, FLUSH = 0 };  // MODE denormal bits

typedef struct ds_case {
  const char *stem, *type;  // ds_<stem>_<type>, ds_<stem>_rtn_<type>
  unsigned mode;
  uint64_t old, a, b, after;  // a and b in text order
} ds_case;

static const ds_case cases[] = {
    {"add", "u32", KEEP, 0xffffffff, 3, 0, 2},
    {"sub", "u32", KEEP, 1, 3, 0, 0xfffffffe},
    {"rsub", "u32", KEEP, 1, 3, 0, 2},
    {"inc", "u32", KEEP, 6, 7, 0, 7},
    {"inc", "u32", KEEP, 7, 7, 0, 0},
    {"dec", "u32", KEEP, 0, 7, 0, 7},
    {"dec", "u32", KEEP, 9, 7, 0, 7},
    {"dec", "u32", KEEP, 5, 7, 0, 4},
    {"min", "i32", KEEP, 5, 0xffffffff, 0, 0xffffffff},
    {"max", "i32", KEEP, 5, 0xffffffff, 0, 5},
    {"min", "u32", KEEP, 5, 0xffffffff, 0, 5},
    {"max", "u32", KEEP, 5, 0xffffffff, 0, 0xffffffff},
    {"and", "b32", KEEP, 0xf0f0, 0xff00, 0, 0xf000},
    {"or", "b32", KEEP, 0xf0f0, 0xff00, 0, 0xfff0},
    {"xor", "b32", KEEP, 0xf0f0, 0xff00, 0, 0x0ff0},
    {"mskor", "b32", KEEP, 0xffff, 0x0ff0, 0x10120, 0x1f12f},
    {"cmpst", "b32", KEEP, 5, 5, 9, 9},  // the comparison comes first
    {"cmpst", "b32", KEEP, 5, 4, 9, 5},
    {"cmpst", "f32", KEEP, 0x80000000, 0, 9, 9},  // -0 == +0
    {"cmpst", "f32", KEEP, QNAN32, QNAN32, 9, QNAN32},
    {"cmpst", "f32", KEEP, 1, 2, 9, 1},
    {"cmpst", "f32", FLUSH, 1, 2, 0x3f800000, 0x3f800000},  // denormals compare as zeros
    {"min", "f32", KEEP, 0x3f800000, 0xbf800000, 0, 0xbf800000},
    {"min", "f32", KEEP, QNAN32, 0x3f800000, 0, 0x3f800000},
    {"min", "f32", KEEP, SNAN32, 0x3f800000, 0, 0x7fc00001},
    {"min", "f32", KEEP, 0, 0x80000000, 0, 0x80000000},
    {"max", "f32", KEEP, 0x80000000, 0, 0, 0},
    {"max", "f32", KEEP, 1, 2, 0, 2},
    {"max", "f32", FLUSH, 2, 1, 0, 2},
    {"max", "f32", KEEP, 0x3f800000, QNAN32, 0, 0x3f800000},
    {"max", "f32", KEEP, 0xbf800000, SNAN32, 0, 0x7fc00001},
    {"add", "f32", KEEP, 0x3f800000, 0x40000000, 0, 0x40400000},
    {"add", "f32", KEEP, 1, 1, 0, 2},
    {"add", "f32", FLUSH, 1, 1, 0, 0},
    {"add", "f32", FLUSH, 0x00800000, 0x80c00000, 0, 0x80000000},  // result flushed
    {"add", "f32", KEEP, 0x00800000, 0x80c00000, 0, 0x80400000},
    {"add", "f32", KEEP, 0x4b800000, 0x3f800000, 0, 0x4b800000},  // 2^24 + 1: ties to even
    {"add", "f32", KEEP, SNAN32, QNAN32 + 1, 0, 0x7fc00001},      // the first NaN, quieted
    {"pk_add", "f16", FLUSH, 0x00010400, 0x00018600, 0, 0x00008000},
    {"pk_add", "f16", KEEP, 0x00010400, 0x00018600, 0, 0x00028200},
    {"add", "u64", KEEP, 0xffffffff, 1, 0, 0x100000000},
    {"sub", "u64", KEEP, 0x100000000, 1, 0, 0xffffffff},
    {"rsub", "u64", KEEP, 1, 0x100000000, 0, 0xffffffff},
    {"inc", "u64", KEEP, 0xffffffff, 0x100000000, 0, 0x100000000},
    {"dec", "u64", KEEP, 0, 0x100000000, 0, 0x100000000},
    {"min", "i64", KEEP, 5, 0xffffffffffffffff, 0, 0xffffffffffffffff},
    {"max", "i64", KEEP, 5, 0xffffffffffffffff, 0, 5},
    {"min", "u64", KEEP, 5, 0xffffffffffffffff, 0, 5},
    {"max", "u64", KEEP, 5, 0xffffffffffffffff, 0, 0xffffffffffffffff},
    {"and", "b64", KEEP, 0xf0f0f0f0f0, 0xff00ff00ff, 0, 0xf000f000f0},
    {"or", "b64", KEEP, 0xf0f0f0f0f0, 0xff00ff00ff, 0, 0xfff0fff0ff},
    {"xor", "b64", KEEP, 0xf0f0f0f0f0, 0xff00ff00ff, 0, 0x0ff00ff00f},
    {"mskor", "b64", KEEP, 0xffffffffff, 0xff0000000f, 0x120000000a, 0x12fffffffa},
    {"cmpst", "b64", KEEP, 0x100000005, 0x100000005, 9, 9},
    {"cmpst", "b64", KEEP, 0x100000005, 5, 9, 0x100000005},
    {"cmpst", "f64", KEEP, NEG0_64, 0, ONE64, ONE64},
    {"cmpst", "f64", KEEP, QNAN64, QNAN64, ONE64, QNAN64},
    {"min", "f64", FLUSH, 2, 1, 0, 2},  // both are zeros to the comparison: memory stays
    {"max", "f64", KEEP, 1, 2, 0, 2},
    {"add", "f64", FLUSH, 1, 1, 0, 2},  // the f64 adder never flushes
};
enum { COUNT = sizeof cases / sizeof cases[0] };

static bool two_operands(const char *stem) {
  return strcmp(stem, "mskor") == 0 || strcmp(stem, "cmpst") == 0;
}

// The registers are v0 for the address, v[2:3] and v[4:5] for the operands, and v[6:7] for the returned
// value.
static void check_case(isa_program *p, size_t snippet, const ds_case *c, bool wide, bool returns,
                       uint64_t exec) {
  sim_wave *w = isa_begin(p, snippet);
  w->mode = (w->mode & ~0xf0u) | c->mode;
  sim_set_s64(w, SIM_EXEC, exec);
  for (unsigned l = 0; l < 64; ++l) {
    w->v[0][l] = 8 * (63 - l);
    isa_set_v64(w, 2, l, c->a);
    isa_set_v64(w, 4, l, c->b);
    memcpy(isa_group(p)->lds + 24 + 8 * l, &c->old, 8);
  }
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l) {
    bool active = exec >> l & 1;
    uint64_t memory = 0, expected = active ? c->after : c->old;
    memcpy(&memory, isa_group(p)->lds + 24 + 8 * (63 - l), wide ? 8 : 4);
    CHECK(memory == (wide ? expected : (uint32_t)expected),
          "ds_%s_%s case %zu lane %u: memory %llx, expected %llx", c->stem, c->type, snippet / 2, l,
          (unsigned long long)memory, (unsigned long long)expected);
    uint64_t back = returns && active ? c->old : 0;
    CHECK_V32(p, 6, l, (uint32_t)back);
    CHECK_V32(p, 7, l, wide ? (uint32_t)(back >> 32) : 0);
  }
}

static void literal_cases(const char *target, const ds_case *table, size_t count) {
  static char text[2 * COUNT][96];
  const char *code[2 * COUNT];
  for (size_t i = 0; i < count; ++i) {
    bool wide = strstr(table[i].type, "64"), two = two_operands(table[i].stem);
    const char *a = wide ? "v[2:3]" : "v2",
               *b = !two   ? ""
                    : wide ? ", v[4:5]"
                           : ", v4",
               *d = wide ? "v[6:7]" : "v6";
    snprintf(text[2 * i], sizeof text[0], "ds_%s_%s v0, %s%s offset:24", table[i].stem, table[i].type, a, b);
    snprintf(text[2 * i + 1], sizeof text[0], "ds_%s_rtn_%s %s, v0, %s%s offset:24", table[i].stem,
             table[i].type, d, a, b);
    code[2 * i] = text[2 * i], code[2 * i + 1] = text[2 * i + 1];
  }
  isa_program *p = isa_assemble(target, code, 2 * count);
  for (size_t i = 0; i < 2 * count; ++i) {
    bool wide = strstr(table[i / 2].type, "64");
    check_case(p, i, &table[i / 2], wide, i % 2, ~0ull);
    check_case(p, i, &table[i / 2], wide, i % 2, 0x8000000000f00001);
  }
  isa_free(p);
}

// Runs the cases shared with global memory: "add_f64" is ds_add_f64.
static void shared_cases(const char *target, const atomic_case *table, size_t count) {
  ds_case own[32];
  static char stems[32][16];
  for (size_t i = 0; i < count; ++i) {
    const char *type = strrchr(table[i].name, '_') + 1;
    snprintf(stems[i], sizeof stems[i], "%.*s", (int)(type - table[i].name - 1), table[i].name);
    own[i] = (ds_case){stems[i], type, KEEP, table[i].old, table[i].a, 0, table[i].after};
  }
  literal_cases(target, own, count);
}

static void colliding_lanes_all_count(const char *target) {
  static const char *const code[] = {"ds_add_rtn_u32 v6, v0, v2", "ds_add_f32 v0, v2",
                                     "ds_inc_rtn_u32 v6, v0, v2"};
  isa_program *p = isa_assemble(target, code, 3);
  sim_wave *w = isa_begin(p, 0);
  for (unsigned l = 0; l < 64; ++l) w->v[2][l] = 1;
  CHECK_RUN(p);
  uint64_t seen = 0;
  for (unsigned l = 0; l < 64; ++l) seen |= 1ull << (w->v[6][l] & 63);
  CHECK(seen == ~0ull && isa_group(p)->lds[0] == 64, "64 lanes must get 64 tickets; memory %u",
        isa_group(p)->lds[0]);
  w = isa_begin(p, 1);
  for (unsigned l = 0; l < 64; ++l) w->v[2][l] = sim_bits32(0.5f);
  CHECK_RUN(p);
  float sum;
  memcpy(&sum, isa_group(p)->lds, 4);
  CHECK(sum == 32.0f, "sum %g", sum);
  w = isa_begin(p, 2);
  for (unsigned l = 0; l < 64; ++l) w->v[2][l] = 9;
  CHECK_RUN(p);
  CHECK(isa_group(p)->lds[0] == 4, "64 increments modulo 10 leave 4, got %u", isa_group(p)->lds[0]);
  isa_free(p);
}

static void exchanges(const char *target) {
  static const char *const code[] = {"ds_wrxchg_rtn_b32 v6, v0, v2",
                                     "ds_wrxchg_rtn_b64 v[6:7], v0, v[2:3]",
                                     "ds_wrxchg2_rtn_b32 v[6:7], v0, v2, v4 offset0:1 offset1:3",
                                     "ds_wrxchg2_rtn_b64 v[6:9], v0, v[2:3], v[4:5] offset0:2",
                                     "ds_wrxchg2st64_rtn_b32 v[6:7], v0, v2, v4 offset1:2",
                                     "ds_wrxchg2st64_rtn_b64 v[6:9], v0, v[2:3], v[4:5] offset0:1 offset1:2",
                                     "ds_wrap_rtn_b32 v6, v0, v2, v4",
                                     "ds_condxchg32_rtn_b64 v[6:7], v0, v[2:3]"};
  static const struct {
    unsigned words, first, second;
  } shape[6] = {{1, 0, 0}, {2, 0, 0}, {1, 4, 12}, {2, 16, 0}, {1, 0, 512}, {2, 512, 1024}};
  isa_program *p = isa_assemble(target, code, 8);
  for (size_t i = 0; i < 6; ++i) {
    sim_wave *w = isa_begin(p, i);
    sim_set_s64(w, SIM_EXEC, 1 << 5);
    w->v[0][5] = 64;
    for (unsigned k = 0; k < 2; ++k) w->v[2 + k][5] = 70 + k, w->v[4 + k][5] = 80 + k;
    for (unsigned k = 0; k < 4096; k += 4) memcpy(isa_group(p)->lds + k, &k, 4);
    CHECK_RUN(p);
    for (unsigned k = 0; k < shape[i].words; ++k) {
      uint32_t now;
      memcpy(&now, isa_group(p)->lds + 64 + shape[i].first + 4 * k, 4);
      CHECK(now == 70 + k, "%s: first is %u", code[i], now);
      CHECK_V32(p, 6 + k, 5, 64 + shape[i].first + 4 * k);
      if (i < 2) continue;
      memcpy(&now, isa_group(p)->lds + 64 + shape[i].second + 4 * k, 4);
      CHECK(now == 80 + k, "%s: second is %u", code[i], now);
      CHECK_V32(p, 6 + shape[i].words + k, 5, 64 + shape[i].second + 4 * k);
    }
  }
  for (int below = 0; below < 2; ++below) {  // memory >= data: subtract, else add data2
    sim_wave *w = isa_begin(p, 6);
    sim_set_s64(w, SIM_EXEC, 1);
    w->v[2][0] = 10, w->v[4][0] = 100;
    isa_group(p)->lds[0] = below ? 9 : 10;
    CHECK_RUN(p);
    CHECK_V32(p, 6, 0, below ? 9 : 10);
    CHECK(isa_group(p)->lds[0] == (below ? 109 : 0), "wrap left %u", isa_group(p)->lds[0]);
  }
  sim_wave *w = isa_begin(p, 7);
  sim_set_s64(w, SIM_EXEC, 1);
  w->v[0][0] = 13;  // low three bits do not count
  isa_set_v64(w, 2, 0, 0x800000050000000a);
  isa_group(p)->lds[8] = 1, isa_group(p)->lds[12] = 2;
  CHECK_RUN(p);
  CHECK_V64(p, 6, 0, 0x200000001);
  CHECK(isa_group(p)->lds[8] == 1 && isa_group(p)->lds[12] == 5, "condxchg left %u, %u", isa_group(p)->lds[8],
        isa_group(p)->lds[12]);
  isa_free(p);
}

int main(void) {
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    literal_cases(targets[i], cases, COUNT);
    shared_cases(targets[i], CASES(f64_cases));
    shared_cases(targets[i], CASES(packed_cases));
  }
  colliding_lanes_all_count("gfx942");
  colliding_lanes_all_count("gfx950");
  exchanges("gfx942");
  exchanges("gfx950");
  return test_result();
}
