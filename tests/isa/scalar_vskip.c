// SPDX-License-Identifier: MIT
// VSKIP: while MODE has the bit, no vector instruction is executed and none counts (CDNA4 ISA 3.5,
// S_SETVSKIP).
#include "sim/timing/timing.h"
#include "tests/isa/buffer_test.h"

enum { MEMORY_BYTES = 1024, MARK = 0x5a5a5a5a };

// There is one of every kind that is skipped. s[4:5] and v[2:3] are addresses, s[8:11] is a descriptor.
static const char *const skipped[] = {
    "v_mov_b32 v8, 1",
    "v_add_f64 v[8:9], v[10:11], 1.0",
    "v_exp_f32 v8, v9",
    "v_cmp_eq_u32 vcc, v0, v0",
    "v_cmpx_ne_u32 exec, v0, v0",
    "v_readlane_b32 s20, v0, 3",
    "v_readfirstlane_b32 s20, v1",
    "v_writelane_b32 v8, 1, 3",
    "v_mfma_f32_4x4x1_16b_f32 v[8:11], v12, v13, 1.0",
    "v_accvgpr_write_b32 a8, 1",
    "ds_write_b32 v0, v1",
    "ds_read_b32 v8, v0",
    "ds_add_u32 v0, v1",
    "ds_swizzle_b32 v8, v1 offset:5",
    "global_load_dword v8, v0, s[4:5]",
    "global_store_dword v0, v1, s[4:5]",
    "global_atomic_add v0, v1, s[4:5]",
    "global_atomic_pk_add_bf16 v0, v1, s[4:5]",
    "flat_load_dword v8, v[2:3]",
    "flat_store_dword v[2:3], v1",
    "buffer_load_dword v8, v0, s[8:11], 0 offen",
    "buffer_store_dword v1, v0, s[8:11], 0 offen",
    "buffer_load_dword v0, s[8:11], 0 offen lds",
    "global_load_dword v8, v[14:15], off",  // an address that would fault
    "ds_read_b32 v8, v14",
    "ds_gws_barrier v0 gds",
};
enum { KINDS = sizeof skipped / sizeof *skipped, CODE_SIZE = 256 };

static sim_wave *begin(isa_program *p, size_t snippet, uint8_t *memory, sim_schedule schedule) {
  sim_wave *w = isa_begin(p, snippet);
  isa_group(p)->schedule = schedule;
  memset(memory, 0x11, MEMORY_BYTES);
  memset(isa_group(p)->lds, 0x22, ISA_LDS_BYTES);
  for (unsigned r = 8; r < 16; ++r)
    for (unsigned l = 0; l < SIM_LANES; ++l) w->v[r][l] = w->v[SIM_ACC + r][l] = MARK;
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    w->v[0][l] = 4 * l;
    w->v[1][l] = 7 + l;
    isa_set_v64(w, 2, l, (uint64_t)(uintptr_t)memory + 4 * l);
  }
  sim_set_s64(w, 4, (uint64_t)(uintptr_t)memory);
  set_buffer(w, memory, 0, MEMORY_BYTES, RAW32);
  w->s[20] = MARK;
  w->s[2] = 1u << 13;
  return w;
}

static bool is_filled(const uint8_t *bytes, size_t count, uint8_t with) {
  for (size_t i = 0; i < count; ++i)
    if (bytes[i] != with) return false;
  return true;
}

static bool left_alone(const isa_program *p, const sim_wave *w, const uint8_t *memory) {
  for (unsigned r = 8; r < 16; ++r)
    for (unsigned l = 0; l < SIM_LANES; ++l)
      if (w->v[r][l] != MARK || w->v[SIM_ACC + r][l] != MARK) return false;
  return w->s[20] == MARK && sim_exec(w) == ~0ull && !sim_s64(w, SIM_VCC) && !w->pending.vm_issued &&
         !w->pending.lds_issued && is_filled(memory, MEMORY_BYTES, 0x11) &&
         is_filled(isa_group((isa_program *)(uintptr_t)p)->lds, ISA_LDS_BYTES, 0x22);
}

// The scalar instructions around a skipped one are executed; s22 gets IB_STS, which holds the counters.
static void skips_every_kind(const char *target, sim_schedule schedule) {
  static char text[KINDS][CODE_SIZE];
  const char *code[KINDS];
  for (size_t i = 0; i < KINDS; ++i) {
    snprintf(text[i], CODE_SIZE,
             "s_setvskip s2, 13\n s_mov_b32 m0, 0\n s_nop 0\n %s\n s_getreg_b32 s22, hwreg(HW_REG_IB_STS)\n"
             "s_add_u32 s21, s21, 1\n %s\n s_setvskip 0, 0\n",
             skipped[i], skipped[i]);
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, KINDS);
  uint8_t *memory = isa_memory(p, MEMORY_BYTES);
  for (size_t i = 0; i < KINDS; ++i) {
    sim_wave *w = begin(p, i, memory, schedule);
    CHECK_RUN(p);
    CHECK(left_alone(p, w, memory), "%s: %s was executed", target, skipped[i]);
    CHECK_S32(p, 21, 1);
    CHECK_S32(p, 22, 0);
    CHECK(w->instructions == 7, "%s: %s: %llu instructions", target, skipped[i],
          (unsigned long long)w->instructions);
    CHECK(!(w->mode & SIM_MODE_VSKIP), "VSKIP is still on");
  }
  isa_free(p);
}

// S1 counts from bit 0 and modulo 32; what it selects becomes the mode.
static void takes_one_bit(const char *target) {
  static const char *const code[] = {
      "s_setvskip s2, s3\n s_getreg_b32 s20, hwreg(HW_REG_MODE, 28, 1)\n v_mov_b32 v8, 1",
      "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s2\n s_nop 1\n v_mov_b32 v8, 1",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 2), 2\n s_nop 1\n v_mov_b32 v8, 1",
      ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1\n s_nop 1\n v_mov_b32 v9, 1\n"
       "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\n s_nop 1\n v_mov_b32 v8, 1"),
  };
  static const struct {
    uint32_t s2, s3;
    bool on;
  } bits[] = {{1, 0, true},
              {~1u, 0, false},
              {1u << 31, 31, true},
              {~(1u << 31), 31, false},
              {1u << 5, 32 + 5, true},
              {1u << 5, 6, false},
              {1u << 4, 5, false},
              {~0u, ~0u, true}};
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof *code);
  for (size_t i = 0; i < sizeof bits / sizeof *bits; ++i) {
    sim_wave *w = isa_begin(p, 0);
    w->s[2] = bits[i].s2, w->s[3] = bits[i].s3;
    CHECK_RUN(p);
    CHECK_S32(p, 20, bits[i].on);
    CHECK_V32(p, 8, 5, !bits[i].on);
  }
  for (uint32_t s2 = 0; s2 < 2; ++s2) {
    isa_begin(p, 1)->s[2] = s2;
    CHECK_RUN(p);
    CHECK_V32(p, 8, 0, !s2);
  }
  isa_begin(p, 2);
  CHECK_RUN(p);
  CHECK_V32(p, 8, 0, 0);
  isa_begin(p, 3);
  CHECK_RUN(p);
  CHECK_V32(p, 8, 0, 1);
  CHECK_V32(p, 9, 0, 0);
  isa_free(p);
}

// This is how fused kernels use it: a bit for each row says whether its atomic is left out. The loads before
// are in flight, and the wait after counts only what was issued.
static const char rows_of_mask[] =
    "global_load_dword v8, v0, s[4:5] offset:256\n"
    "global_load_dword v9, v0, s[4:5] offset:512\n"
    "s_setvskip s2, 0\n global_load_dword v10, v0, s[4:5] offset:512\n s_setvskip 0, 0\n"
    "s_waitcnt vmcnt(1)\n v_mov_b32 v11, v8\n"
    "s_setvskip s2, 0\n global_atomic_add v0, v1, s[4:5]\n s_setvskip 0, 0\n"
    "s_setvskip s2, 1\n global_atomic_add v0, v1, s[4:5]\n s_setvskip 0, 0\n"
    "s_setvskip s2, 2\n global_atomic_add v0, v1, s[4:5]\n s_setvskip 0, 0\n"
    // There is a branch that is not taken, one that is, and a loop that is left, all while vector
    // instructions are off.
    "s_setvskip 1, 0\n s_mov_b32 s20, 3\n 1: v_mov_b32 v12, 1\n s_sub_u32 s20, s20, 1\n v_mov_b32 v12, 2\n"
    "s_cmp_lg_u32 s20, 0\n v_mov_b32 v12, 3\n s_cbranch_scc1 1b\n v_mov_b32 v12, 4\n s_branch 2f\n"
    "s_mov_b32 s20, 9\n 2: v_mov_b32 v12, 5\n s_setvskip 0, 0\n v_mov_b32 v13, 6";

static void works_as_a_mask(const char *target, sim_schedule schedule) {
  const char *const code[] = {rows_of_mask};
  isa_program *p = isa_assemble(target, code, 1);
  uint32_t *memory = isa_memory(p, MEMORY_BYTES);
  for (uint32_t mask = 0; mask < 8; ++mask) {
    sim_wave *w = begin(p, 0, (uint8_t *)memory, schedule);
    for (unsigned l = 0; l < 64; ++l) memory[l] = 100, memory[64 + l] = 1000 + l;
    w->s[2] = mask;
    CHECK_RUN(p);
    const uint32_t added = 3 - (uint32_t)__builtin_popcount(mask);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      CHECK(memory[l] == 100 + added * (7 + l), "%s, mask %u: %u", target, mask, memory[l]);
      if (mask & 1) CHECK_V32(p, 11, l, 1000 + l);  // two loads in flight: vmcnt(1) waits for the first
    }
    CHECK_V32(p, 12, 1, MARK);
    CHECK_V32(p, 13, 1, 6);
    CHECK_S32(p, 20, 0);
  }
  isa_free(p);
}

// The reader of a trace visits the ops that were executed, and no others.
static void is_left_out_of_traces(const char *target) {
  const char *const code[] = {rows_of_mask};
  isa_program *p = isa_assemble(target, code, 1);
  uint8_t *memory = isa_memory(p, MEMORY_BYTES);
  for (uint32_t mask = 0; mask < 8; ++mask) {
    sim_wave *w = begin(p, 0, memory, SIM_LATE);
    w->s[2] = mask;
    sim_group_trace trace = {.waves = NULL};
    sim_timing_plan plan = {.dies = 1, .count = 1, .groups = &trace};
    void *tracer = sim_timing_observer.open(&plan);
    isa_group(p)->part = SIM_TIMING_DETAIL;
    sim_watch_group(isa_group(p), SIM_SEAT_TIMING, &sim_timing_observer, tracer);
    sim_timing_observer.begin(tracer, isa_group(p));
    CHECK_RUN(p);
    sim_timing_observer.end(tracer, isa_group(p));
    sim_timing_observer.close(tracer);
    const sim_program *program = isa_group(p)->program;
    sim_trace_access lines[SIM_TRACE_LINES];
    sim_trace_reader r = sim_trace_read(&trace.waves[0], program);
    uint64_t visited = 0, vector_memory = 0;
    bool ended = false;
    while (!ended && visited < 100) {
      const sim_op *op = &program->ops[r.op];
      ended = strcmp(op->info->name, "s_endpgm") == 0;
      vector_memory += op->info->klass == SIM_CLASS_VMEM;
      ++visited;
      const uint32_t count = sim_trace_next_access(&r, program, lines);
      CHECK((op->info->klass == SIM_CLASS_VMEM) == (count == 2), "%s: %s touches %u lines", target,
            op->info->name, count);
    }
    CHECK(ended && sim_trace_ended(&r), "%s, mask %u: the trace does not end with the wave", target, mask);
    CHECK(visited == w->instructions, "%s, mask %u: %llu ops, %llu instructions", target, mask,
          (unsigned long long)visited, (unsigned long long)w->instructions);
    CHECK(vector_memory == w->pending.vm_issued, "%s, mask %u: %llu accesses, %u issued", target, mask,
          (unsigned long long)vector_memory, w->pending.vm_issued);
    sim_trace_free(&trace);
  }
  isa_free(p);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static const sim_schedule schedules[] = {SIM_LATE,      SIM_EARLY,    SIM_LOCKSTEP, SIM_RANDOM,
                                           SIM_LATE_VMEM, SIM_LATE_LDS, SIM_TIMED};
  for (int t = 0; t < 2; ++t) {
    takes_one_bit(targets[t]);
    is_left_out_of_traces(targets[t]);
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; ++s) {
      skips_every_kind(targets[t], schedules[s]);
      works_as_a_mask(targets[t], schedules[s]);
    }
  }
  return test_result();
}
