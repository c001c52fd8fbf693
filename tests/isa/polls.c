// SPDX-License-Identifier: MIT
// Tests which instructions of a program are taken to poll memory, and which of these are all that their loop
// does.
#include "sim/isa/program.h"
#include "tests/isa/harness.h"

#define BACK "s_cmp_lg_u32 s0, s1\n s_cbranch_scc1 1b\n"
#define REPEATED(times) ".rept " times "\n s_nop 0\n .endr\n"
#define GLOBAL(scope) "global_load_dword v0, v[2:3], off" scope "\n"
#define VOLATILE GLOBAL(" sc0 sc1")

typedef struct row {
  const char *code;
  unsigned polls, spins;
} row;

static const row rows[] = {
    // These go past the caches, or with a pause between the loads.
    {"1: " VOLATILE BACK, 1, 1},
    {"1: " GLOBAL(" sc1") BACK, 1, 0},
    {"1: " GLOBAL(" sc0") BACK, 1, 0},
    {"1: " GLOBAL(" nt") BACK, 0, 0},
    {"1: " GLOBAL("") BACK, 0, 0},
    {"1: " GLOBAL("") "s_sleep 1\n" BACK, 1, 0},
    {"1: " GLOBAL("") "buffer_inv sc1\n" BACK, 1, 0},
    {"1: " GLOBAL("") "s_dcache_inv\n" BACK, 1, 0},
    {"1: " GLOBAL("") "s_dcache_inv_vol\n" BACK, 1, 0},
    {"1: " GLOBAL("") "s_dcache_wb\n" BACK, 0, 0},
    {"1: " GLOBAL("") "s_nop 1\n" BACK, 0, 0},
    {"1: buffer_load_dword v0, v1, s[4:7], 0 offen sc0 sc1\n" BACK, 1, 1},
    {"1: flat_load_dword v0, v[2:3] sc0 sc1\n" BACK, 1, 1},
    {"1: global_store_dword v[2:3], v0, off sc0 sc1\n" BACK, 0, 0},
    {"1: global_store_dword v[2:3], v0, off sc0 sc1\n" VOLATILE BACK, 1, 0},
    // Atomics that return what was there have a scope bit.
    {"1: global_atomic_or v0, v[2:3], v1, off sc0\n" BACK, 1, 0},
    {"1: global_atomic_or v[2:3], v1, off\n" BACK, 0, 0},
    {"1: buffer_atomic_or v0, v1, s[4:7], 0 offen sc0\n" BACK, 1, 0},
    {"1: s_atomic_or s8, s[2:3], 0x0 glc\n" BACK, 1, 0},
    {"1: s_atomic_or s8, s[2:3], 0x0\n" BACK, 0, 0},
    // Scalar loads.
    {"1: s_load_dword s8, s[2:3], 0x0\n s_dcache_inv\n" BACK, 1, 0},
    {"1: s_load_dwordx8 s[8:15], s[2:3], 0x0\n s_dcache_inv\n" BACK, 1, 0},
    {"1: s_load_dword s8, s[2:3], 0x0 glc\n" BACK, 1, 0},
    {"1: s_buffer_load_dword s8, s[4:7], 0x0 glc\n" BACK, 1, 0},
    {"1: s_buffer_load_dwordx16 s[8:23], s[4:7], 0x0 glc\n" BACK, 1, 0},
    {"1: s_load_dword s8, s[2:3], 0x0\n" BACK, 0, 0},
    {"1: s_memtime s[8:9]\n s_sleep 1\n" BACK, 0, 0},
    {"1: s_memrealtime s[8:9]\n s_sleep 1\n" BACK, 0, 0},
    {"1: s_store_dword s8, s[2:3], 0x0 glc\n" BACK, 0, 0},
    // These are about the loop: its branches and its length. A loop of 64 instructions is looked at, and one
    // of 65 is not; of 32 and 33 for those that do nothing else.
    {"s_branch 1f\n" VOLATILE "1:\n", 0, 0},
    {"1: " VOLATILE "s_branch 1b\n", 1, 1},
    {"1: s_branch 1b\n" VOLATILE, 0, 0},
    {"1: " VOLATILE "s_cbranch_vccnz 1b\n", 1, 1},
    {"1: " VOLATILE "s_cbranch_execz 1b\n", 1, 1},
    {"1: " VOLATILE "s_setpc_b64 s[8:9]\n", 0, 0},
    {"1: " VOLATILE REPEATED("29") BACK, 1, 1},
    {"1: " VOLATILE REPEATED("30") BACK, 1, 0},
    {"1: " VOLATILE REPEATED("61") BACK, 1, 0},
    {"1: " VOLATILE REPEATED("62") BACK, 0, 0},
    // An address that changes is no place to wait at.
    {"1: v_add_u32 v2, v2, v4\n" VOLATILE BACK, 1, 0},
    {"1: " VOLATILE "v_add_u32 v3, v2, v4\n" BACK, 1, 0},
    {"1: " VOLATILE "v_add_u32 v1, v2, v4\n" BACK, 1, 1},
    {"1: " VOLATILE "v_add_u32 v4, v2, v4\n" BACK, 1, 1},
    {"1: " VOLATILE "v_mov_b32 v2, v4\n" BACK, 1, 1},
    {"1: " VOLATILE "v_swap_b32 v4, v3\n" BACK, 1, 0},
    {"1: " VOLATILE "v_mfma_f32_4x4x1f32 a[0:3], v4, v5, a[0:3]\n" BACK, 1, 0},
    {"1: " VOLATILE "s_barrier\n" BACK, 1, 0},
    {"1: " VOLATILE GLOBAL(" sc1") BACK, 2, 0},
    {"1: " VOLATILE "flat_load_dword v4, v[6:7] sc0 sc1\n" BACK, 2, 2},
    // LDS is polled where it is all the memory of the loop.
    {"1: ds_read_b32 v0, v1\n" BACK, 0, 1},
    {"1: ds_read_b32 v1, v1\n" BACK, 0, 0},
    {"1: ds_read_b32 v0, v1\n v_add_u32 v1, v1, v2\n" BACK, 0, 0},
    {"1: ds_cmpst_rtn_b32 v0, v1, v2, v3\n v_add_u32 v2, v2, v4\n" BACK, 0, 1},
    {"1: ds_write_b32 v1, v0\n" BACK, 0, 0},
    {"1: ds_read_b32 v0, v1\n ds_write_b32 v1, v2\n" BACK, 0, 0},
    {"1: ds_bpermute_b32 v0, v1, v2\n" BACK, 0, 0},
    {"1: ds_read_b32 v0, v1\n ds_bpermute_b32 v4, v5, v6\n" BACK, 0, 1},
    {"1: ds_read_b32 v0, v1\n" GLOBAL("") BACK, 0, 0},
    {"1: ds_read_b32 v0, v1\n" VOLATILE BACK, 1, 1},
};

enum { ROWS = sizeof rows / sizeof *rows };

static unsigned count(const sim_program *p, uint64_t begin, uint64_t end, unsigned flag) {
  unsigned found = 0;
  for (uint32_t i = 0; i < p->op_count; ++i)
    if (p->ops[i].offset >= begin && p->ops[i].offset < end) found += (p->ops[i].flags & flag) != 0;
  return found;
}

// Checks the program of the first `used` rows.
static void check_program(const char *target, size_t used) {
  const char *code[ROWS + 1];
  bool any = false;
  for (size_t i = 0; i < used; ++i) code[i] = rows[i].code;
  code[used] = "s_nop 0";
  isa_program *p = isa_assemble(target, code, used + 1);
  isa_begin(p, 0);
  const sim_program *program = isa_group(p)->program;
  for (size_t i = 0; i < used; ++i) {
    const uint64_t begin = isa_offset(p, i), end = isa_offset(p, i + 1);
    const unsigned polls = count(program, begin, end, SIM_F_POLLS),
                   spins = count(program, begin, end, SIM_F_SPINS);
    CHECK(polls == rows[i].polls && spins == rows[i].spins,
          "%s: %u poll, not %u; %u do nothing else, not %u:\n%s", target, polls, rows[i].polls, spins,
          rows[i].spins, rows[i].code);
    any |= rows[i].polls > 0;
  }
  CHECK(program->polls == any, "%s: %zu rows, of which %s polls", target, used, any ? "one" : "none");
  isa_free(p);
}

// Where a program polls, each lane's atomic that changes memory counts as progress, and no other does.
static void changes_of_any_lane_are_progress(const char *target) {
  static const char *const code[] = {
      "global_atomic_add v[2:3], v4, off\n s_waitcnt vmcnt(0)\n s_endpgm\n 1: " VOLATILE BACK};
  isa_program *p = isa_assemble(target, code, 1);
  uint32_t *memory = isa_memory(p, SIM_LANES * sizeof *memory);
  for (int lane = 0; lane < SIM_LANES; lane += 21)
    for (uint32_t by = 0; by < 2; ++by) {
      sim_wave *w = isa_begin(p, 0);
      sim_set_s64(w, SIM_EXEC, UINT64_C(1) << lane);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        isa_set_v64(w, 2, l, (uint64_t)(uintptr_t)&memory[l]);
        w->v[4][l] = by;
      }
      CHECK_RUN(p);
      CHECK(isa_group(p)->moved == by, "%s: lane %d adds %u, and memory is taken to be %s", target, lane, by,
            by ? "the same" : "another");
    }
  isa_free(p);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (size_t t = 0; t < 2; ++t) {
    check_program(targets[t], 0);
    check_program(targets[t], 1);
    check_program(targets[t], ROWS);
    changes_of_any_lane_are_progress(targets[t]);
  }
  return test_result();
}
