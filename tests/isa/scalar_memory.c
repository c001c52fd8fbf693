// SPDX-License-Identifier: MIT
// Scalar memory: widths, the three offset forms, ignored low address bits, descriptor bounds, stores,
// atomics, faults outside allocations.
#include "sim/exec/order.h"
#include "tests/isa/harness.h"

enum { S = 8, D = 32 };  // s[8:9] base or s[8:11] descriptor, s12 offset, results from s32 on

static void set_base(sim_wave *w, const void *base) { sim_set_s64(w, S, (uint64_t)(uintptr_t)base); }

static void set_descriptor(sim_wave *w, const void *base, uint32_t stride, uint32_t records) {
  sim_set_s64(w, S, (uint64_t)(uintptr_t)base | (uint64_t)stride << 48);
  w->s[S + 2] = records;
  w->s[S + 3] = 0x00020000;
}

static uint32_t pattern(unsigned i) { return 0xa0000000u + i; }

static void loads(const char *target) {
  static const struct {
    const char *code;
    uint32_t offset;        // s12
    unsigned first, count;  // dwords of the buffer that must arrive
  } cases[] = {
      {"s_load_dword s32, s[8:9], 0x0", 0, 0, 1},
      {"s_load_dword s32, s[8:9], 0x10", 0, 4, 1},
      {"s_load_dwordx2 s[32:33], s[8:9], 0x8", 0, 2, 2},
      {"s_load_dwordx4 s[32:35], s[8:9], 0x4", 0, 1, 4},
      {"s_load_dwordx8 s[32:39], s[8:9], 0x20", 0, 8, 8},
      {"s_load_dwordx16 s[32:47], s[8:9], 0x40", 0, 16, 16},
      {"s_load_dword s32, s[8:9], s12", 20, 5, 1},
      {"s_load_dword s32, s[8:9], s12 offset:0x8", 20, 7, 1},
      {"s_load_dword s32, s[8:9], s12 offset:-0x8", 20, 3, 1},
      {"s_load_dword s32, s[8:9], s12", 23, 5, 1},  // low bits of the offset are ignored
      {"s_load_dword s32, s[8:9], 0x7", 0, 1, 1},
      {"s_load_dword s32, s[8:9], s12 offset:0x3", 3, 0, 1},  // of each part before they are added
      {"s_mov_b32 m0, s12\n s_load_dword s32, s[8:9], m0", 12, 3, 1},
      {"s_scratch_load_dword s32, s[8:9], 0x8", 0, 2, 1},
      {"s_scratch_load_dword s32, s[8:9], s12", 4, 64, 1},  // the register counts 64 bytes
      {"s_scratch_load_dwordx2 s[32:33], s[8:9], 0xc", 0, 3, 2},
      {"s_scratch_load_dwordx4 s[32:35], s[8:9], s12", 4, 64, 4},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, COUNT);
  uint32_t *memory = isa_memory(p, 512);
  for (unsigned i = 0; i < 128; ++i) memory[i] = pattern(i);
  for (int i = 0; i < COUNT; ++i) {
    for (unsigned low = 0; low < 4; low += 3) {  // low bits of the base are ignored too
      sim_wave *w = isa_begin(p, (size_t)i);
      set_base(w, (const char *)memory + low);
      w->s[12] = cases[i].offset;
      w->s[D + cases[i].count] = 0x5a5a5a5a;
      CHECK_RUN(p);
      for (unsigned j = 0; j < cases[i].count; ++j) CHECK_S32(p, D + j, pattern(cases[i].first + j));
      CHECK_S32(p, D + cases[i].count, 0x5a5a5a5a);
    }
  }
  isa_free(p);
}

// Dwords past the bounds read 0; nothing is read outside the allocation.
static void buffer_bounds(const char *target) {
  static const char *const code[] = {
      "s_buffer_load_dwordx4 s[32:35], s[8:11], s12", "s_buffer_load_dwordx16 s[32:47], s[8:11], 0x0",
      "s_buffer_load_dword s32, s[8:11], s12 offset:0x4", "s_buffer_load_dwordx2 s[32:33], s[8:11], s12",
      "s_buffer_load_dwordx8 s[32:39], s[8:11], 0x4"};
  static const struct {
    int code;
    uint32_t stride, records, offset;
    unsigned first, readable, count;
  } cases[] = {
      {0, 0, 64, 0, 0, 4, 4},   {0, 0, 64, 56, 14, 2, 4},        {0, 0, 64, 64, 16, 0, 4},
      {0, 0, 0, 0, 0, 0, 4},    {0, 0, 64, 0xfffffff0, 0, 0, 4}, {1, 0, 40, 0, 0, 10, 16},
      {1, 16, 3, 0, 0, 12, 16},  // with a stride records are counted
      {2, 0, 64, 0, 1, 1, 1},   {2, 0, 64, 60, 16, 0, 1},        {3, 0, 63, 56, 14, 2, 2},
      {3, 0, 60, 56, 14, 1, 2}, {4, 8, 4, 0, 1, 7, 8},
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  uint32_t *memory = isa_memory(p, 64);
  for (unsigned i = 0; i < 16; ++i) memory[i] = pattern(i);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sim_wave *w = isa_begin(p, (size_t)cases[i].code);
    set_descriptor(w, memory, cases[i].stride, cases[i].records);
    w->s[12] = cases[i].offset;
    for (unsigned j = 0; j < 16; ++j) w->s[D + j] = 0x5a5a5a5a;
    CHECK_RUN(p);
    for (unsigned j = 0; j < cases[i].count; ++j)
      CHECK_S32(p, D + j, j < cases[i].readable ? pattern(cases[i].first + j) : 0);
  }
  isa_free(p);
}

static void stores(const char *target) {
  static const char *const code[] = {
      "s_store_dword s32, s[8:9], 0x4",
      "s_store_dwordx2 s[32:33], s[8:9], 0x8\n s_mov_b64 s[32:33], 0",  // data is taken at issue
      "s_store_dwordx4 s[32:35], s[8:9], s12",
      "s_buffer_store_dwordx4 s[32:35], s[8:11], 0x8",
      "s_scratch_store_dword s32, s[8:9], s12",
      "s_scratch_store_dwordx2 s[32:33], s[8:9], 0x14",
      "s_scratch_store_dwordx4 s[32:35], s[8:9], s12",
      "s_buffer_store_dword s32, s[8:11], s12",
      "s_buffer_store_dwordx2 s[32:33], s[8:11], 0x10",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  uint32_t *memory = isa_memory(p, 512);
  static const struct {
    uint32_t offset, records;
    unsigned first, count;
  } wanted[] = {{0, 0, 1, 1}, {0, 0, 2, 2},  {16, 0, 4, 4},  {0, 16, 2, 2}, {4, 0, 64, 1},
                {0, 0, 5, 2}, {4, 0, 64, 4}, {12, 16, 3, 1}, {0, 20, 4, 1}};
  for (size_t i = 0; i < sizeof code / sizeof code[0]; ++i) {
    memset(memory, 0, 512);
    sim_wave *w = isa_begin(p, i);
    set_base(w, memory);
    w->s[12] = wanted[i].offset;
    if (wanted[i].records) set_descriptor(w, memory, 0, wanted[i].records);
    for (unsigned j = 0; j < 4; ++j) w->s[D + j] = pattern(j);
    CHECK_RUN(p);
    for (unsigned j = 0; j < 128; ++j) {
      bool written = j >= wanted[i].first && j < wanted[i].first + wanted[i].count;
      uint32_t want = written ? pattern(j - wanted[i].first) : 0;
      CHECK(memory[j] == want, "%s: dword %u is %#x, expected %#x", code[i], j, memory[j], want);
    }
  }
  isa_free(p);
}

static void atomics(const char *target) {
  static const struct {
    const char *name;
    uint64_t old, data, compare, want32, want64;
  } cases[] = {
      {"swap", 5, 9, 0, 9, 9},
      {"cmpswap", 5, 9, 5, 9, 9},
      {"cmpswap", 5, 9, 6, 5, 5},
      {"cmpswap", 5ull << 32 | 1, 9, 5ull << 32 | 1, 9, 9},
      {"cmpswap", 5ull << 32 | 1, 9, 1, 9, 5ull << 32 | 1},
      {"add", 0xffffffff, 2, 0, 1, 0x100000001ull},
      {"sub", 1, 2, 0, 0xffffffff, ~0ull},
      {"smin", 0xffffffff, 1, 0, 0xffffffff, 1},  // -1 in 32 bits, 2^32 - 1 in 64
      {"smin", 5, 7, 0, 5, 5},
      {"smax", 5, 7, 0, 7, 7},
      {"smin", 3, ~0ull, 0, 0xffffffff, ~0ull},
      {"umin", 0xffffffff, 1, 0, 1, 1},
      {"smin", 1ull << 63, 1, 0, 0, 1ull << 63},
      {"smin", 1, 1ull << 63, 0, 0, 1ull << 63},
      {"smax", 0xffffffff, 1, 0, 1, 0xffffffff},
      {"smax", 1ull << 63, 1, 0, 1, 1},
      {"smax", 1, 1ull << 63, 0, 1, 1},
      {"umax", 0xffffffff, 1, 0, 0xffffffff, 0xffffffff},
      {"and", 0xff, 0x18, 0, 0x18, 0x18},
      {"or", 0xf0, 0x0f, 0, 0xff, 0xff},
      {"xor", 0xff, 0x0f, 0, 0xf0, 0xf0},
      {"inc", 4, 5, 0, 5, 5},
      {"inc", 5, 5, 0, 0, 0},
      {"dec", 0, 5, 0, 5, 5},
      {"dec", 6, 5, 0, 5, 5},
      {"dec", 3, 5, 0, 2, 2},
  };
  enum { COUNT = sizeof cases / sizeof cases[0], FORMS = 8 };
  static char text[COUNT * FORMS][96];
  const char *code[COUNT * FORMS];
  for (int i = 0; i < COUNT * FORMS; ++i) {
    int form = i % FORMS;
    bool x2 = form & 1, buffer = form & 2, glc = form & 4,
         compare = strcmp(cases[i / FORMS].name, "cmpswap") == 0;
    static const char *const data[] = {"s32", "s[32:33]", "s[32:35]"};
    snprintf(text[i], sizeof text[i], "s_%satomic_%s%s %s, %s, 0x8%s", buffer ? "buffer_" : "",
             cases[i / FORMS].name, x2 ? "_x2" : "", data[x2 + compare], buffer ? "s[8:11]" : "s[8:9]",
             glc ? " glc" : "");
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, COUNT * FORMS);
  uint64_t *memory = isa_memory(p, 64);
  for (int i = 0; i < COUNT * FORMS; ++i) {
    int form = i % FORMS, at = i / FORMS;
    bool x2 = form & 1, buffer = form & 2, glc = form & 4;
    memset(memory, 0xee, 64);
    memory[1] = x2 ? cases[at].old : (0xeeeeeeeeull << 32 | (uint32_t)cases[at].old);
    sim_wave *w = isa_begin(p, (size_t)i);
    set_base(w, memory);
    if (buffer) set_descriptor(w, memory, 0, 64);
    sim_set_s64(w, D, cases[at].data);
    if (x2) {
      sim_set_s64(w, D + 2, cases[at].compare);
    } else {
      w->s[D + 1] = (uint32_t)cases[at].compare;
    }
    CHECK_RUN(p);
    uint64_t want = x2 ? cases[at].want64 : (0xeeeeeeeeull << 32 | cases[at].want32);
    CHECK(memory[1] == want, "%s: memory holds %#llx, expected %#llx", code[i], (unsigned long long)memory[1],
          (unsigned long long)want);
    CHECK(memory[2] == 0xeeeeeeeeeeeeeeeeull, "%s wrote past its data", code[i]);
    if (x2) {
      CHECK_S64(p, D, glc ? cases[at].old : cases[at].data);
    } else {
      CHECK_S32(p, D, (uint32_t)(glc ? cases[at].old : cases[at].data));
    }
  }
  isa_free(p);
}

// Atomics whose result depends on the order of work-groups wait for the earlier ones; here an earlier one has
// failed, so waiting ends the work-group.
static void takes_turns(const char *target) {
  static const struct {
    const char *code;
    bool ordered;
  } cases[] = {
      {"s_atomic_add s32, s[8:9], 0x0", false},  {"s_atomic_add s32, s[8:9], 0x0 glc", true},
      {"s_atomic_umax s32, s[8:9], 0x0", false}, {"s_atomic_xor_x2 s[32:33], s[8:9], 0x0", false},
      {"s_atomic_swap s32, s[8:9], 0x0", true},  {"s_atomic_cmpswap s[32:33], s[8:9], 0x0", true},
      {"s_atomic_inc s32, s[8:9], 0x0", true},   {"s_atomic_dec s32, s[8:9], 0x0", true},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, COUNT);
  void *memory = isa_memory(p, 64);
  sim_order order;
  void *parked;
  bool stalled;
  sim_order_init(&order, 2, 2, 1);
  sim_order_next(&order, 0, &parked, &stalled);
  sim_order_fault(&order, 0);
  for (int i = 0; i < COUNT; ++i) {
    set_base(isa_begin(p, (size_t)i), memory);
    isa_group(p)->position = 1;
    isa_group(p)->order = &order;
    bool ended = isa_run(p) != SIM_FAULT_NONE;
    CHECK(ended == cases[i].ordered, "%s %s the order", code[i], ended ? "waits for" : "does not wait for");
  }
  sim_order_destroy(&order);
  isa_free(p);
}

static void faults(const char *target) {
  static const char *const code[] = {
      "s_load_dwordx2 s[32:33], s[8:9], 0x3c", "s_store_dword s32, s[8:9], -0x4",
      "s_atomic_add s32, s[8:9], 0x40",        "s_atomic_add_x2 s[32:33], s[8:9], 0x4",
      "s_load_dwordx4 s[32:35], s[8:9], 0x0",  "s_buffer_load_dword s32, s[8:11], 0x40"};
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  char *memory = isa_memory(p, 64);
  for (size_t i = 0; i < 3; ++i) {
    set_base(isa_begin(p, i), memory);
    CHECK_FAULT(p, SIM_FAULT_ADDRESS, "nearest allocation");
  }
  set_base(isa_begin(p, 3), memory);
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "not 8-byte aligned");
  // Twelve bytes are loaded as sixteen, which is allowed only when alignment keeps them together.
  uint32_t *three = isa_memory(p, 12);
  for (unsigned i = 0; i < 3; ++i) three[i] = pattern(i);
  sim_wave *w = isa_begin(p, 4);
  set_base(w, three);
  w->s[D + 3] = 1;
  CHECK_RUN(p);
  for (unsigned i = 0; i < 3; ++i) CHECK_S32(p, D + i, pattern(i));
  CHECK_S32(p, D + 3, 0);
  set_base(isa_begin(p, 4), three + 1);
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "past the end");
  // The allocations a group remembers are only a shortcut: others are still found, and an end is still an
  // end.
  w = isa_begin(p, 4);
  CHECK(sim_find_allocation(isa_group(p), (uint64_t)(uintptr_t)three), "an allocation is found");
  set_base(w, memory);
  CHECK_RUN(p);
  set_base(isa_begin(p, 0), three);
  CHECK(sim_find_allocation(isa_group(p), (uint64_t)(uintptr_t)three), "an allocation is found");
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "past the end");
  // A descriptor that promises more than the allocation holds.
  set_descriptor(isa_begin(p, 5), memory, 0, 128);
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "past the end");
  isa_free(p);
}

int main(void) {
  loads("gfx942");
  loads("gfx950");
  buffer_bounds("gfx942");
  buffer_bounds("gfx950");
  stores("gfx942");
  stores("gfx950");
  atomics("gfx942");
  atomics("gfx950");
  takes_turns("gfx942");
  takes_turns("gfx950");
  faults("gfx942");
  faults("gfx950");
  return test_result();
}
