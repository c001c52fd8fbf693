// SPDX-License-Identifier: MIT
// Bank conflicts of every form of LDS access against the specification: strides, shared dwords, random
// addresses, partial EXEC.
#include "tests/isa/lds_conflicts.h"

#include "sim/exec/aperture.h"
#include "tests/isa/buffer_test.h"

typedef struct form {
  const char *code;  // address in v1 (for FLAT in v[2:3]), results in v[8:11], data in v[12:15]
  lds_way way;
  unsigned bytes;
  unsigned align;   // addresses must be multiples of it
  unsigned first;   // byte offset of the first access
  unsigned second;  // byte offset of the second access, 0: there is none
  bool on_gfx950_only, all_lanes;
} form;

static const form forms[] = {
    {"ds_read_u8 v8, v1 offset:3", LDS_READ, 1, 1, 3, 0, false, false},
    {"ds_read_i16 v8, v1", LDS_READ, 2, 2, 0, 0, false, false},
    {"ds_read_u16_d16_hi v8, v1", LDS_READ, 2, 1, 0, 0, false, false},
    {"ds_read_b32 v8, v1 offset:64", LDS_READ, 4, 4, 64, 0, false, false},
    {"ds_read_b64 v[8:9], v1", LDS_READ, 8, 8, 0, 0, false, false},
    {"ds_read_b64 v[8:9], v1 offset:1", LDS_READ, 8, 1, 1, 0, false, false},
    {"ds_read_b96 v[8:10], v1", LDS_READ, 12, 4, 0, 0, false, false},
    {"ds_read_b128 v[8:11], v1", LDS_READ, 16, 16, 0, 0, false, false},
    {"ds_read_b128 v[8:11], v1 offset:32", LDS_READ, 16, 1, 32, 0, false, false},
    {"ds_write_b8 v1, v12", LDS_WRITE, 1, 1, 0, 0, false, false},
    {"ds_write_b16_d16_hi v1, v12", LDS_WRITE, 2, 2, 0, 0, false, false},
    {"ds_write_b32 v1, v12", LDS_WRITE, 4, 4, 0, 0, false, false},
    {"ds_write_b64 v1, v[12:13] offset:8", LDS_WRITE, 8, 8, 8, 0, false, false},
    {"ds_write_b96 v1, v[12:14]", LDS_WRITE, 12, 4, 0, 0, false, false},
    {"ds_write_b128 v1, v[12:15]", LDS_WRITE, 16, 16, 0, 0, false, false},
    {"ds_write_b128 v1, v[12:15] offset:5", LDS_WRITE, 16, 1, 5, 0, false, false},
    {"ds_read2_b32 v[8:9], v1 offset0:3 offset1:64", LDS_READ, 4, 4, 12, 256, false, false},
    {"ds_read2_b64 v[8:11], v1 offset0:9 offset1:1", LDS_READ, 8, 8, 72, 8, false, false},
    {"ds_read2st64_b32 v[8:9], v1 offset0:2 offset1:5", LDS_READ, 4, 4, 512, 1280, false, false},
    {"ds_read2st64_b64 v[8:11], v1 offset0:0 offset1:2", LDS_READ, 8, 8, 0, 1024, false, false},
    {"ds_write2_b32 v1, v12, v13 offset0:0 offset1:1", LDS_WRITE, 4, 4, 0, 4, false, false},
    {"ds_write2_b64 v1, v[12:13], v[14:15] offset0:1 offset1:7", LDS_WRITE, 8, 8, 8, 56, false, false},
    {"ds_write2st64_b32 v1, v12, v13 offset0:1 offset1:3", LDS_WRITE, 4, 4, 256, 768, false, false},
    {"ds_write2st64_b64 v1, v[12:13], v[14:15] offset0:3 offset1:1", LDS_WRITE, 8, 8, 1536, 512, false,
     false},
    {"ds_add_u32 v1, v12 offset:16", LDS_READ, 4, 4, 16, 0, false, false},
    {"ds_add_rtn_u64 v[8:9], v1, v[12:13]", LDS_READ, 8, 8, 0, 0, false, false},
    {"ds_cmpst_rtn_b32 v8, v1, v12, v13", LDS_READ, 4, 4, 0, 0, false, false},
    {"ds_wrxchg2_rtn_b32 v[8:9], v1, v12, v13 offset0:1 offset1:33", LDS_READ, 4, 4, 4, 132, false, false},
    {"ds_wrxchg2st64_rtn_b64 v[8:11], v1, v[12:13], v[14:15] offset1:1", LDS_READ, 8, 8, 0, 512, false,
     false},
    {"flat_load_dwordx4 v[8:11], v[2:3]", LDS_READ, 16, 16, 0, 0, false, false},
    {"flat_store_dwordx2 v[2:3], v[12:13] offset:24", LDS_WRITE, 8, 8, 24, 0, false, false},
    {"flat_atomic_add v[2:3], v12", LDS_READ, 4, 4, 0, 0, false, false},
    {"ds_read_b64_tr_b16 v[8:9], v1 offset:8", LDS_READ, 8, 8, 8, 0, true, true},
    {"ds_read_b64_tr_b8 v[8:9], v1", LDS_READ, 8, 8, 0, 0, true, true},
    {"ds_read_b64_tr_b4 v[8:9], v1", LDS_READ, 8, 8, 0, 0, true, true},
    {"ds_read_b96_tr_b6 v[8:10], v1", LDS_READ, 12, 16, 0, 0, true, true},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *target;
static isa_program *program;

// Runs one form with these lane addresses and compares with the specification; returns the cycles.
static uint64_t run_form(size_t number, uint64_t exec, const uint32_t address[SIM_LANES], const char *what) {
  const form *f = &forms[number];
  uint32_t first[SIM_LANES], second[SIM_LANES];
  sim_wave *w = isa_begin(program, number);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    w->v[1][l] = address[l];
    isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE) + address[l]);
    first[l] = address[l] + f->first;
    second[l] = address[l] + f->second;
  }
  sim_set_s64(w, SIM_EXEC, exec);
  sim_lds_count got = lds_run_counted(program);
  uint64_t expected = lds_expected(target, f->way, f->bytes, exec, first);
  if (f->second) expected += lds_expected(target, f->way, f->bytes, exec, second);
  CHECK(got.conflict_cycles == expected, "%s %s, %s, EXEC %llx: %llu conflict cycles, expected %llu", target,
        f->code, what, (unsigned long long)exec, (unsigned long long)got.conflict_cycles,
        (unsigned long long)expected);
  bool flat_without_lanes = strncmp(f->code, "flat", 4) == 0 && !exec;
  CHECK(got.executions == !flat_without_lanes, "%s %s executed %llu times", target, f->code,
        (unsigned long long)got.executions);
  return got.conflict_cycles;
}

static unsigned own_bytes(const form *f) { return f->bytes < f->align ? f->align : f->bytes; }

static void strides(size_t number) {
  const form *f = &forms[number];
  for (unsigned stride = f->align; stride <= 512; stride = stride < 64 ? stride + f->align : 2 * stride) {
    uint32_t address[SIM_LANES];
    char what[40];
    for (unsigned l = 0; l < SIM_LANES; ++l) address[l] = stride * l;
    snprintf(what, sizeof what, "stride %u", stride);
    uint64_t cycles = run_form(number, ~0ull, address, what);
    // Next to each other there is nothing to conflict, except where dwords are divided or skipped.
    if (f->align >= 4 && stride == own_bytes(f) && f->bytes != 12)
      CHECK(cycles == 0, "%s %s: consecutive accesses conflict", target, f->code);
    if (stride == 512) CHECK(cycles > 0, "%s %s: stride 512 does not conflict", target, f->code);
  }
}

static void shared_dwords(size_t number) {
  uint32_t address[SIM_LANES];
  for (unsigned l = 0; l < SIM_LANES; ++l) address[l] = 2048;
  CHECK(run_form(number, ~0ull, address, "one address") == 0, "%s %s: one address conflicts", target,
        forms[number].code);
  for (unsigned l = 0; l < SIM_LANES; ++l) address[l] = l % 2 ? 2048 : 4096;
  CHECK(run_form(number, ~0ull, address, "two addresses") > 0, "%s %s: two addresses of one bank", target,
        forms[number].code);
}

static void random_addresses(size_t number, test_rng *rng) {
  const form *f = &forms[number];
  uint64_t cycles[2] = {0, 0};
  for (unsigned round = 0; round < 24; ++round) {
    uint32_t address[SIM_LANES], range = 1u << (8 + round % 3 * 3);
    for (unsigned l = 0; l < SIM_LANES; ++l)
      address[l] = (uint32_t)test_random(rng) % range / f->align * f->align;
    cycles[0] += run_form(number, ~0ull, address, "random addresses");
    if (f->all_lanes) continue;
    run_form(number, 0, address, "random addresses");
    run_form(number, 1ull << round, address, "random addresses");
    cycles[1] += run_form(number, test_random(rng) & test_random(rng), address, "random addresses");
    // What inactive lanes hold does not matter, not even an address outside LDS.
    uint64_t exec = test_random(rng);
    for (unsigned l = 0; l < SIM_LANES; ++l)
      if (!(exec >> l & 1)) address[l] = f->align == 1 ? 0xfffff001 : 0xfffff000;
    run_form(number, exec, address, "inactive lanes elsewhere");
  }
  CHECK(cycles[0] > 0 && (f->all_lanes || cycles[1] < cycles[0]), "%s %s: %llu and %llu cycles", target,
        f->code, (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
}

static void every_form(void) {
  const char *code[FORMS];
  size_t count = 0;
  bool gfx950 = strcmp(target, "gfx950") == 0;
  while (count < FORMS && (gfx950 || !forms[count].on_gfx950_only)) {
    code[count] = forms[count].code;
    ++count;
  }
  program = isa_assemble(target, code, count);
  test_rng rng = test_seed(20240607);
  for (size_t i = 0; i < count; ++i) {
    strides(i);
    shared_dwords(i);
    random_addresses(i, &rng);
  }
  isa_free(program);
}

// ---- direct-to-LDS copies: each lane writes its own place in a block, so that nothing can conflict

static void copies(void) {
  static const struct {
    const char *code;
    unsigned bytes, step;
  } copy[] = {{"buffer_load_ubyte v1, s[8:11], 0 offen lds", 4, 4},
              {"buffer_load_dword v1, s[8:11], 0 offen offset:20 lds", 4, 4},
              {"global_load_lds_dword v1, s[6:7]", 4, 4},
              {"buffer_load_dwordx3 v1, s[8:11], 0 offen lds", 12, 16},
              {"buffer_load_dwordx4 v1, s[8:11], 0 offen lds", 16, 16},
              {"global_load_lds_dwordx4 v1, s[6:7]", 16, 16}};
  const char *code[6];
  size_t count = strcmp(target, "gfx950") == 0 ? 6 : 3;
  for (size_t i = 0; i < count; ++i) code[i] = copy[i].code;
  program = isa_assemble(target, code, count);
  uint8_t *memory = pattern_memory(program, 4096);
  const uint64_t execs[] = {~0ull, 0, 0x8000000000000011, 0xffff0000};
  for (size_t i = 0; i < count; ++i)
    for (unsigned e = 0; e < 4; ++e) {
      sim_wave *w = isa_begin(program, i);
      uint32_t address[SIM_LANES];
      set_buffer(w, memory, 0, 600, RAW32);  // the last lanes are outside
      sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory);
      sim_set_s64(w, SIM_EXEC, execs[e]);
      w->s[SIM_M0] = 1004;
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        w->v[1][l] = (l * 43 % 64) * 16;
        address[l] = 1004 + copy[i].step * l;
      }
      sim_lds_count got = lds_run_counted(program);
      uint64_t expected = lds_expected(target, LDS_COPY, copy[i].bytes, execs[e], address);
      CHECK(got.executions == 1 && got.conflict_cycles == expected && expected == 0,
            "%s %s: executed %llu times, %llu conflict cycles", target, copy[i].code,
            (unsigned long long)got.executions, (unsigned long long)got.conflict_cycles);
    }
  isa_free(program);
}

// ---- what counts as an access, and how often

static void executions(void) {
  static const char *const code[] = {
      // No memory of LDS is used by these.
      "ds_swizzle_b32 v8, v1 offset:0x8000\n ds_bpermute_b32 v9, v1, v1\n ds_permute_b32 v10, v1, v1\n"
      "ds_nop\n global_load_dword v11, v20, s[6:7]",
      "ds_read_addtid_b32 v8 offset:12\n ds_write_addtid_b32 v8 offset:256\n ds_append v9 offset:1024\n"
      "ds_consume v9 offset:1024",
      // This is a loop: 5 executions of a read of 32 dwords of one bank in each half, 5 of a read without
      // conflicts.
      "s_mov_b32 s0, 5\n1: ds_read_b32 v8, v1\n ds_read_b32 v9, v2\n s_sub_u32 s0, s0, 1\n"
      "s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1b",
  };
  static const sim_lds_count on_gfx942[] = {{0, 0}, {4, 0}, {10, 5 * 62}},
                             on_gfx950[] = {{0, 0}, {4, 0}, {10, 5 * 31}};
  const sim_lds_count *expected = strcmp(target, "gfx950") == 0 ? on_gfx950 : on_gfx942;
  program = isa_assemble(target, code, 3);
  for (size_t i = 0; i < 3; ++i)
    for (uint32_t waves = 1; waves <= 3; waves += 2) {
      sim_wave *w = isa_begin_waves(program, i, waves);
      for (uint32_t k = 0; k < waves; ++k) {
        sim_set_s64(&w[k], 6, (uint64_t)(uintptr_t)isa_memory(program, 4));
        for (unsigned l = 0; l < SIM_LANES; ++l) {
          w[k].v[1][l] = l % 32 * 256 + l / 32 * 4;
          w[k].v[2][l] = 4 * l;
        }
      }
      sim_lds_count got = lds_run_counted(program);
      CHECK(got.executions == waves * expected[i].executions &&
                got.conflict_cycles == waves * expected[i].conflict_cycles,
            "%s %s by %u waves: %llu executions, %llu cycles", target, code[i], waves,
            (unsigned long long)got.executions, (unsigned long long)got.conflict_cycles);
    }
  isa_free(program);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    target = targets[i];
    every_form();
    copies();
    executions();
  }
  return test_result();
}
