// SPDX-License-Identifier: MIT
// `timed`: instructions and memory operations take what the chip's table of timing says, and what is right
// only by that timing is right.
#include "tests/isa/buffer_test.h"

#define STAMP(reg) "s_memtime s[" reg "]\n s_waitcnt lgkmcnt(0)\n"
#define TIMES_8(code) code code code code code code code code

enum { NOPS, SLEEP, LDS_READ, LOAD, SCALAR_LOAD, MATRIX, TIMED_CODES };

static const char *const measured[TIMED_CODES] = {
    [NOPS] = STAMP("20:21") TIMES_8("s_nop 15\n") STAMP("22:23"),
    [SLEEP] = STAMP("20:21") "s_sleep 10\n" STAMP("22:23"),
    [LDS_READ] = STAMP("20:21") "ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n" STAMP("22:23"),
    [LOAD] = STAMP("20:21") "global_load_dword v2, v0, s[4:5]\n s_waitcnt vmcnt(0)\n" STAMP("22:23"),
    [SCALAR_LOAD] = STAMP("20:21") "s_load_dword s2, s[4:5], 0\n s_waitcnt lgkmcnt(0)\n" STAMP("22:23"),
    [MATRIX] = STAMP("20:21") TIMES_8("v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[2:3], a[0:15]\n")
        STAMP("22:23"),
};

// Measures what the code between the stamps takes; the stamps themselves cost a scalar access and two slots.
static void takes_what_the_table_says(const char *target) {
  isa_program *p = isa_assemble(target, measured, TIMED_CODES);
  void *memory = isa_memory(p, 256);
  uint64_t took[TIMED_CODES];
  for (size_t i = 0; i < TIMED_CODES; ++i) {
    sim_wave *w = isa_begin(p, i);
    isa_group(p)->schedule = SIM_TIMED;
    sim_set_s64(w, 4, (uint64_t)(uintptr_t)memory);
    CHECK_RUN(p);
    took[i] = sim_s64(w, 22) - sim_s64(w, 20);
  }
  const sim_timing *t = isa_group(p)->launch->machine->timing;
  const uint64_t stamps = t->scalar_latency + 3 * t->slot_cycles, slack = 4 * t->slot_cycles;
  // 8 * 16 wait states; 10 * 64 clocks; eight times 8 passes of 4 cycles, less what issues under the last.
  const uint64_t expected[TIMED_CODES] = {
      8 * 16 * t->slot_cycles, 10 * 64, t->lds_latency, t->l2_latency, t->scalar_latency, 7 * 8 * 4,
  };
  for (size_t i = 0; i < TIMED_CODES; ++i)
    CHECK(took[i] >= expected[i] && took[i] <= expected[i] + stamps + slack,
          "%s code %zu: %llu cycles, expected %llu to %llu", target, i, (unsigned long long)took[i],
          (unsigned long long)expected[i], (unsigned long long)(expected[i] + stamps + slack));
  isa_free(p);
}

enum { OLD = 0x01d, NEW = 0x2e3 };

// Wave 0 (s0 = 0) overwrites the LDS that wave 1 reads, and no barrier keeps them apart.
static const char *const races[] = {
    // The copy is issued before the read, but memory takes longer than LDS.
    "s_mov_b32 m0, 0\n s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1f\n"
    "buffer_load_dword v0, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n s_endpgm\n"
    "1: ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)",
    // The reader sleeps until what the writer does must have happened.
    "s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1f\n ds_write_b32 v0, v1\n s_endpgm\n"
    "1: s_sleep 8\n ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)",
};

static uint32_t read_by_wave_1(isa_program *p, size_t snippet, sim_schedule schedule) {
  sim_wave *w = isa_begin_waves(p, snippet, 2);
  uint32_t *memory = isa_memory(p, 256);
  isa_group(p)->schedule = schedule;
  for (uint32_t i = 0; i < 64; ++i) memory[i] = NEW, memcpy(isa_group(p)->lds + 4 * i, &(uint32_t){OLD}, 4);
  for (uint32_t i = 0; i < 2; ++i) {
    w[i].s[0] = i;
    set_buffer(&w[i], memory, 0, 256, RAW32);
    for (uint32_t l = 0; l < SIM_LANES; ++l) w[i].v[0][l] = 4 * l, w[i].v[1][l] = NEW;
  }
  CHECK_RUN(p);
  for (uint32_t l = 1; l < SIM_LANES; ++l)
    CHECK(w[1].v[2][l] == w[1].v[2][0], "lane %u reads %#x, lane 0 %#x", l, w[1].v[2][l], w[1].v[2][0]);
  return w[1].v[2][0];
}

static void is_right_by_timing(const char *target) {
  isa_program *p = isa_assemble(target, races, 2);
  CHECK(read_by_wave_1(p, 0, SIM_TIMED) == OLD, "%s: the copy overtakes the read", target);
  CHECK(read_by_wave_1(p, 0, SIM_LOCKSTEP) == OLD, "%s: the copy overtakes the read in lockstep", target);
  CHECK(read_by_wave_1(p, 0, SIM_EARLY) == NEW, "%s: under early the copy should show", target);
  CHECK(read_by_wave_1(p, 1, SIM_TIMED) == NEW, "%s: the write is late", target);
  isa_free(p);
}

// Tests when the memory unit reads the data of a store: LDS holds NEW + its dword's number, lane l of row r
// begins with 100 * r + l, v1 is 4 * lane and v3 is 16 * lane.
typedef struct store_case {
  const char *what, *code;
  unsigned rows;          // stored from v16 on
  unsigned first, count;  // rows whose data come from LDS in time
  unsigned step, offset;  // dword of LDS that lane l has in row `first`: l * step + offset
  uint64_t lanes;         // that do
} store_case;

#define STORE "buffer_store_dword v16, v1, s[8:11], 0 offen\n"
static const store_case stores[] = {
    {"as kernels ship that work on gfx942", "ds_read_b32 v16, v1\n s_barrier\n s_nop 8\n" STORE, 1, 16, 1, 1,
     0, ~0ull},
    {"a read that has long been there", "ds_read_b32 v16, v1\n s_nop 15\n s_nop 15\n" STORE, 1, 16, 1, 1, 0,
     ~0ull},
    {"a read just before the store", "ds_read_b32 v16, v1\n s_nop 3\n" STORE, 1, 16, 1, 1, 0, ~0ull},
    {"one row of four",
     "ds_read_b32 v18, v1\n s_nop 3\n buffer_store_dwordx4 v[16:19], v3, s[8:11], 0 offen\n", 4, 18, 1, 1, 0,
     ~0ull},
    {"the last rows of a read",
     "ds_read_b128 v[14:17], v3\n s_nop 7\n global_store_dwordx4 v3, v[16:19], s[4:5]\n", 4, 16, 2, 4, 2,
     ~0ull},
    {"lanes that were on",
     "s_mov_b64 exec, 1\n ds_read_b32 v16, v1\n s_mov_b64 exec, -1\n s_nop 3\n" STORE "v_mov_b32 v16, 7\n", 1,
     16, 1, 1, 0, 1},
    {"what the wave writes after the store stays out, what a read brings does not",
     "ds_read_b32 v17, v1\n s_nop 3\n global_store_dwordx2 v4, v[16:17], s[4:5]\n v_mov_b32 v16, 7\n", 2, 17,
     1, 1, 0, ~0ull},
    {"a read of another register", "ds_read_b32 v17, v1\n s_nop 3\n" STORE "v_mov_b32 v16, 7\n", 1, 0, 0, 0,
     0, 0},
    {"memory is slower than that", "global_load_dword v16, v1, s[4:5] offset:2048\n" STORE, 1, 0, 0, 0, 0, 0},
    {"a load that is in time for a later store only",
     "global_load_dword v16, v1, s[4:5] offset:2048\n" STORE "s_nop 15\n s_nop 15\n s_nop 15\n s_nop 11\n"
     "buffer_store_dword v16, v1, s[8:11], 0 offen offset:1024\n",
     1, 0, 0, 0, 0, 0},
    {"a read that is issued after the store", STORE "ds_read_b32 v16, v1\n", 1, 0, 0, 0, 0, 0},
};
enum { STORES = sizeof stores / sizeof *stores, STORE_BYTES = 4096 };

static void check_stores(isa_program *p, size_t number, uint32_t waves, sim_schedule schedule) {
  const store_case *c = &stores[number];
  uint32_t *memory = isa_memory(p, STORE_BYTES);
  sim_wave *w = isa_begin_waves(p, number, waves);
  isa_group(p)->schedule = schedule;
  for (uint32_t i = 0; i < 256; ++i) memcpy(isa_group(p)->lds + 4 * i, &(uint32_t){NEW + i}, 4);
  for (uint32_t n = 0; n < waves; ++n) {
    sim_set_s64(&w[n], 4, (uint64_t)(uintptr_t)memory);
    set_buffer(&w[n], memory, 0, STORE_BYTES, RAW32);
    for (uint32_t l = 0; l < SIM_LANES; ++l) {
      w[n].v[1][l] = 4 * l, w[n].v[3][l] = 16 * l, w[n].v[4][l] = 8 * l;
      for (uint32_t r = 14; r < 20; ++r) w[n].v[r][l] = 100 * r + l;
    }
  }
  CHECK_RUN(p);
  for (uint32_t l = 0; l < SIM_LANES; ++l)
    for (uint32_t r = 16; r < 16 + c->rows; ++r) {
      const bool changed = schedule == SIM_TIMED && r - c->first < c->count && c->lanes >> l & 1;
      const uint32_t expected = changed ? NEW + l * c->step + c->offset + (r - c->first) : 100 * r + l;
      const uint32_t stored = memory[l * c->rows + r - 16];
      CHECK(stored == expected, "%s, %u waves: lane %u of v%u stores %u, expected %u", c->what, waves, l, r,
            stored, expected);
    }
}

static void store_data_are_read_late(const char *target) {
  const char *code[STORES];
  for (size_t i = 0; i < STORES; ++i) code[i] = stores[i].code;
  isa_program *p = isa_assemble(target, code, STORES);
  for (size_t i = 0; i < STORES; ++i) check_stores(p, i, 1, SIM_TIMED);
  for (uint32_t waves = 2; waves <= 16; ++waves) check_stores(p, 0, waves, SIM_TIMED);
  check_stores(p, 0, 4, SIM_LATE);  // a missing wait is wrong every time
  isa_free(p);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int t = 0; t < 2; ++t)
    takes_what_the_table_says(targets[t]), is_right_by_timing(targets[t]),
        store_data_are_read_late(targets[t]);
  return test_result();
}
