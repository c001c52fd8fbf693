// SPDX-License-Identifier: MIT
// Every integer atomic of every path to memory on all pairs of edge operands, equal, smallest and largest
// ones among them, against a reference written from the ISA manual's pseudocode. A lane has a pair of its
// own; scalar atomics take one pair after the other.
#include "tests/isa/harness.h"

typedef enum path { PATH_GLOBAL, PATH_FLAT, PATH_BUFFER, PATH_LDS, PATH_SCALAR, PATH_COUNT } path;

// Describes the wanted content of memory: o is the old one, d the data, c what cmpswap compares with, as
// numbers without sign, so and sd as signed numbers.
typedef struct values {
  uint64_t o, d, c;
  int64_t so, sd;
} values;

#define ATOMICS(X)                                \
  X(swap, "wrxchg", "b", x.d)                     \
  X(cmpswap, "cmpst", "b", x.o - x.c ? x.o : x.d) \
  X(add, "add", "u", x.o + x.d)                   \
  X(sub, "sub", "u", x.o + ~x.d + 1)              \
  X(smin, "min", "i", x.so > x.sd ? x.d : x.o)    \
  X(umin, "min", "u", x.o > x.d ? x.d : x.o)      \
  X(smax, "max", "i", x.so > x.sd ? x.o : x.d)    \
  X(umax, "max", "u", x.o > x.d ? x.o : x.d)      \
  X(and, "and", "b", ~(~x.o | ~x.d))              \
  X(or, "or", "b", ~(~x.o & ~x.d))                \
  X(xor, "xor", "b", (x.o | x.d) - (x.o & x.d))   \
  X(inc, "inc", "u", x.o < x.d ? x.o + 1 : 0)     \
  X(dec, "dec", "u", !x.o ? x.d : x.d < x.o ? x.d : x.o - 1)

#define DEFINE(name, lds_name, lds_type, want) \
  static uint64_t want_##name(values x) { return want; }
#define ROW(name, lds_name, lds_type, want) {#name, lds_name, lds_type, want_##name},
ATOMICS(DEFINE)
static const struct {
  const char *name, *lds_name, *lds_type;
  uint64_t (*want)(values);
} atomics[] = {ATOMICS(ROW)};
enum { ATOMIC_COUNT = sizeof atomics / sizeof *atomics, COUNT = PATH_COUNT * ATOMIC_COUNT * 2, EDGES = 8 };

static const uint64_t edges[2][EDGES] = {
    {0, 1, 6, 7, INT32_MAX, 1u << 31, UINT32_MAX - 1, UINT32_MAX},
    {0, 1, UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX - 1, UINT64_MAX}};

static uint64_t cut(uint64_t value, bool wide) { return wide ? value : (uint32_t)value; }

static uint64_t wanted(int atomic, bool wide, uint64_t old, uint64_t data, uint64_t compare) {
  const values x = {old, data, compare, wide ? (int64_t)old : (int32_t)old,
                    wide ? (int64_t)data : (int32_t)data};
  return cut(atomics[atomic].want(x), wide);
}

// The data are in v[4:5] or s[4:5], and the registers behind it hold what cmpswap compares with, which LDS
// takes from v[8:9]. The old value comes back.
static void write_code(char text[96], path where, int atomic, bool wide) {
  const char *name = atomics[atomic].name, *x2 = wide ? "_x2" : "";
  const bool compares = strcmp(name, "cmpswap") == 0;
  static const char *const registers[] = {"4", "[4:5]", "[4:7]"};
  const char *data = registers[wide + compares], *result = registers[wide];
  switch (where) {
    case PATH_GLOBAL:
      snprintf(text, 96, "global_atomic_%s%s v%s, v[2:3], v%s, off sc0\n s_waitcnt vmcnt(0)", name, x2,
               result, data);
      break;
    case PATH_FLAT:
      snprintf(text, 96, "flat_atomic_%s%s v%s, v[2:3], v%s sc0\n s_waitcnt vmcnt(0) lgkmcnt(0)", name, x2,
               result, data);
      break;
    case PATH_BUFFER:
      snprintf(text, 96, "buffer_atomic_%s%s v%s, v1, s[8:11], 0 offen sc0\n s_waitcnt vmcnt(0)", name, x2,
               data);
      break;
    case PATH_LDS:
      snprintf(text, 96, "ds_%s_rtn_%s%s v%s, v1, %s%s%s\n s_waitcnt lgkmcnt(0)", atomics[atomic].lds_name,
               atomics[atomic].lds_type, wide ? "64" : "32", result,
               compares ? wide ? "v[8:9], " : "v8, " : "", "v", result);
      break;
    default: snprintf(text, 96, "s_atomic_%s%s s%s, s[2:3], 0x0 glc\n s_waitcnt lgkmcnt(0)", name, x2, data);
  }
}

// Sets registers that hold `value`, and behind it what cmpswap compares with.
static void set_data(uint32_t *at, size_t stride, bool wide, uint64_t value, uint64_t compare) {
  const uint64_t words[2] = {value, compare};
  for (int i = 0; i < 2; ++i)
    for (int half = 0; half <= wide; ++half)
      at[stride * (size_t)(i * (1 + wide) + half)] = (uint32_t)(words[i] >> 32 * half);
}

static void compare_result(const char *code, int atomic, bool wide, uint64_t old, uint64_t data,
                           uint64_t compare, uint64_t got, uint64_t returned) {
  const uint64_t want = wanted(atomic, wide, old, data, compare);
  CHECK(got == want && returned == old,
        "%s of %llx with %llx, %llx: memory holds %llx, expected %llx; %llx came back", code,
        (unsigned long long)old, (unsigned long long)data, (unsigned long long)compare,
        (unsigned long long)got, (unsigned long long)want, (unsigned long long)returned);
}

// What cmpswap compares with is the old value in every other lane.
static uint64_t compared(const uint64_t *edge, int pair) {
  return edge[pair % 2 ? pair / EDGES : (pair / EDGES + pair) % EDGES];
}

static void vector_atomic(isa_program *p, size_t snippet, const char *code, path where, int atomic, bool wide,
                          void *memory) {
  const uint64_t *edge = edges[wide];
  const unsigned bytes = wide ? 8 : 4;
  sim_wave *w = isa_begin(p, snippet);
  unsigned char *base = where == PATH_LDS ? isa_group(p)->lds : memory;
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    memcpy(base + l * bytes, &edge[l / EDGES], bytes);
    w->v[1][l] = l * bytes;
    isa_set_v64(w, 2, l, (uint64_t)(uintptr_t)base + l * bytes);
    set_data(&w->v[4][l], SIM_LANES, wide, edge[l % EDGES], compared(edge, (int)l));
    if (where == PATH_LDS) set_data(&w->v[8][l], SIM_LANES, wide, compared(edge, (int)l), 0);
  }
  sim_set_s64(w, 8, (uint64_t)(uintptr_t)memory);
  w->s[10] = SIM_LANES * bytes;
  w->s[11] = 0x00020000;
  CHECK_RUN(p);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    uint64_t got = 0, returned = w->v[4][l] | (wide ? (uint64_t)w->v[5][l] << 32 : 0);
    memcpy(&got, base + l * bytes, bytes);
    compare_result(code, atomic, wide, edge[l / EDGES], edge[l % EDGES], compared(edge, (int)l), got,
                   returned);
  }
}

static void scalar_atomic(isa_program *p, size_t snippet, const char *code, int atomic, bool wide,
                          void *memory) {
  const uint64_t *edge = edges[wide];
  for (int pair = 0; pair < EDGES * EDGES; ++pair) {
    uint64_t got = 0;
    memcpy(memory, &edge[pair / EDGES], 8);
    sim_wave *w = isa_begin(p, snippet);
    sim_set_s64(w, 2, (uint64_t)(uintptr_t)memory);
    set_data(&w->s[4], 1, wide, edge[pair % EDGES], compared(edge, pair));
    CHECK_RUN(p);
    memcpy(&got, memory, wide ? 8 : 4);
    compare_result(code, atomic, wide, edge[pair / EDGES], edge[pair % EDGES], compared(edge, pair), got,
                   wide ? sim_s64(w, 4) : w->s[4]);
  }
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static char text[COUNT][96];
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    write_code(text[i], (path)(i / 2 / ATOMIC_COUNT), i / 2 % ATOMIC_COUNT, i % 2);
    code[i] = text[i];
  }
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, COUNT);
    void *memory = isa_memory(p, SIM_LANES * 8);
    for (int i = 0; i < COUNT; ++i) {
      const path where = (path)(i / 2 / ATOMIC_COUNT);
      if (where == PATH_SCALAR)
        scalar_atomic(p, (size_t)i, code[i], i / 2 % ATOMIC_COUNT, i % 2, memory);
      else
        vector_atomic(p, (size_t)i, code[i], where, i / 2 % ATOMIC_COUNT, i % 2, memory);
    }
    isa_free(p);
  }
  return test_result();
}
