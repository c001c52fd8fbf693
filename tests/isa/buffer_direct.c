// SPDX-License-Identifier: MIT
// Tests direct-to-LDS loads, buffer and global: where the bytes go, which lanes write, what faults.
#include "tests/isa/buffer_test.h"

enum { SIZE = 1 << 14, SENTINEL = 0x77, M0_BASE = 512 };

typedef struct form {
  const char *code;
  int offset;
  unsigned bytes, step;
  bool is_signed, global, uniform;  // uniform: no vector address
} form;

static const form forms[] = {
    {"buffer_load_ubyte v1, s[8:11], s3 offen lds", 0, 1, 4, false, false, false},
    {"buffer_load_sbyte v1, s[8:11], s3 offen offset:4 lds", 4, 1, 4, true, false, false},
    {"buffer_load_ushort v1, s[8:11], s3 offen offset:16 lds", 16, 2, 4, false, false, false},
    {"buffer_load_sshort v1, s[8:11], s3 offen lds", 0, 2, 4, true, false, false},
    {"buffer_load_dword v1, s[8:11], s3 offen offset:64 lds", 64, 4, 4, false, false, false},
    {"buffer_load_dword off, s[8:11], s3 offset:64 lds", 64, 4, 4, false, false, true},
    {"global_load_lds_ubyte v[4:5], off", 0, 1, 4, false, true, false},
    {"global_load_lds_sbyte v1, s[6:7] offset:8", 8, 1, 4, true, true, false},
    {"global_load_lds_ushort v[4:5], off offset:4", 4, 2, 4, false, true, false},
    {"global_load_lds_sshort v1, s[6:7]", 0, 2, 4, true, true, false},
    {"global_load_lds_dword v[4:5], off offset:256", 256, 4, 4, false, true, false},
    {"global_load_lds_dword v1, s[6:7] offset:-12", -12, 4, 4, false, true, false},
    // gfx950 only from here
    {"buffer_load_dwordx3 v1, s[8:11], s3 offen offset:16 lds", 16, 12, 16, false, false, false},
    {"buffer_load_dwordx4 v1, s[8:11], s3 offen offset:4 lds", 4, 16, 16, false, false, false},
    {"global_load_lds_dwordx3 v1, s[6:7] offset:20", 20, 12, 16, false, true, false},
    {"global_load_lds_dwordx4 v[4:5], off offset:32", 32, 16, 16, false, true, false},
};
enum { FORMS = sizeof forms / sizeof forms[0], ON_GFX942 = 12 };

static void model_lane(uint8_t *lds, const form *f, size_t from) {
  if (f->bytes >= 4) {
    for (unsigned k = 0; k < f->bytes; ++k) lds[k] = byte_at(from + k);
    return;
  }
  // Bytes and shorts fill the lane's dword, extended.
  uint32_t value = f->bytes == 1 ? byte_at(from) : byte_at(from) | (uint32_t)byte_at(from + 1) << 8;
  if (f->is_signed && value >> (8 * f->bytes - 1)) value |= f->bytes == 1 ? 0xffffff00 : 0xffff0000;
  memcpy(lds, &value, 4);
}

static void set_addresses(sim_wave *w, const form *f, const uint8_t *memory) {
  set_buffer(w, memory, 0, SIZE, RAW32);
  sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory + 1000);
  w->s[3] = 1000;
  w->s[SIM_M0] = M0_BASE;
  for (unsigned l = 0; l < 64; ++l) {
    w->v[1][l] = (l * 43 % 64) * 20 + (f->bytes < 4 ? f->bytes * (l % 2) : 0);
    isa_set_v64(w, 4, l, (uint64_t)(uintptr_t)memory + 1000 + w->v[1][l]);
  }
}

// `stride` is what bits 63:48 of the descriptor hold, which these accesses do not use: none has an index.
static void every_width(const char *target, size_t count, uint32_t stride) {
  static uint8_t model[ISA_LDS_BYTES];
  const char *code[FORMS];
  const uint64_t execs[] = {~0ull, 0, 0xfffffffffffffffe, 0x8000000000000011};
  for (size_t i = 0; i < count; ++i) code[i] = forms[i].code;
  isa_program *p = isa_assemble(target, code, count);
  uint8_t *memory = pattern_memory(p, SIZE);
  for (size_t i = 0; i < count; ++i)
    for (int e = 0; e < 4; ++e) {
      const form *f = &forms[i];
      sim_wave *w = isa_begin(p, i);
      set_addresses(w, f, memory);
      w->s[9] |= stride << 16;
      sim_set_s64(w, SIM_EXEC, execs[e]);
      memset(isa_group(p)->lds, SENTINEL, ISA_LDS_BYTES);
      memset(model, SENTINEL, ISA_LDS_BYTES);
      // The instruction offset counts on both sides (memory and LDS), soffset on the memory side only.
      for (unsigned l = 0; l < 64; ++l)
        if (execs[e] >> l & 1)
          model_lane(model + M0_BASE + f->offset + (size_t)l * f->step, f,
                     1000 + (size_t)f->offset + (f->uniform ? 0 : w->v[1][l]));
      CHECK_RUN(p);
      CHECK(memcmp(model, isa_group(p)->lds, ISA_LDS_BYTES) == 0, "%s %s: LDS differs, EXEC %llx", target,
            f->code, (unsigned long long)execs[e]);
    }
  isa_free(p);
}

static void lanes_outside_the_buffer_write_zeros(void) {
  static const char *const code[] = {"buffer_load_dwordx4 v1, s[8:11], 0 offen lds",
                                     "buffer_load_dword v1, s[8:11], 0 offen lds"};
  isa_program *p = isa_assemble("gfx950", code, 2);
  uint8_t *memory = pattern_memory(p, 1000);
  for (unsigned i = 0; i < 2; ++i) {
    unsigned step = i ? 4 : 16, end = i ? 100 : 1000;
    sim_wave *w = isa_begin(p, i);
    set_buffer(w, memory, 0, end, RAW32);
    sim_set_s64(w, SIM_EXEC, ~(1ull << 63));
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = step * l;
    memset(isa_group(p)->lds, SENTINEL, 2048);
    CHECK_RUN(p);
    for (unsigned k = 0; k < 63 * step; ++k) {
      uint8_t got = isa_group(p)->lds[k], expected = k < end ? byte_at(k) : 0;
      CHECK(got == expected, "%s: byte %u is %x, expected %x", code[i], k, got, expected);
    }
    for (unsigned k = 63 * step; k < 2048; ++k)
      CHECK(isa_group(p)->lds[k] == SENTINEL, "%s: an inactive lane wrote byte %u", code[i], k);
  }
  isa_free(p);
}

static void m0_is_18_bits_on_gfx950_and_16_on_gfx942(void) {
  static const char *const code[] = {"buffer_load_dword off, s[8:11], 0 lds"};
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    isa_program *p = isa_assemble(targets[i], code, 1);
    sim_wave *w = isa_begin(p, 0);
    set_buffer(w, pattern_memory(p, 64), 0, 64, RAW32);
    w->s[SIM_M0] = 0xabcc0040;
    CHECK_RUN(p);
    uint32_t value;
    memcpy(&value, isa_group(p)->lds + 0x40, 4);
    CHECK(value == dword_at(0), "%s: LDS 0x40 holds %x", targets[i], value);
    w = isa_begin(p, 0);
    set_buffer(w, pattern_memory(p, 64), 0, 64, RAW32);
    w->s[SIM_M0] = 0x10040;
    if (i == 0)
      CHECK_RUN(p);
    else
      CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "0x10040");
    isa_free(p);
  }
}

static void misaligned_copies_and_ranges_fault(void) {
  static const char *const code[] = {
      "buffer_load_dword v1, s[8:11], s3 offen lds",  "buffer_load_dwordx4 v1, s[8:11], s3 offen lds",
      "buffer_load_ushort v1, s[8:11], s3 offen lds", "buffer_load_ubyte v1, s[8:11], s3 offen lds",
      "global_load_lds_dword v1, s[6:7] offset:2",    "global_load_lds_ubyte v1, s[6:7] offset:-1",
      "buffer_load_dword v1, s[8:11], s3 idxen lds",  "global_load_lds_dword v1, s[6:7]"};
  isa_program *p = isa_assemble("gfx950", code, 8);
  uint8_t *memory = pattern_memory(p, SIZE);
  const form *f = &forms[4];
  for (size_t i = 0; i < 3; ++i)  // memory address, lane 9; bytes are always aligned
    for (uint32_t low = 1; low < (i == 2 ? 2 : 4); ++low) {
      sim_wave *w = isa_begin(p, i);
      set_addresses(w, f, memory);
      w->v[1][9] |= low;
      CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 9");
      CHECK(strstr(isa_report(p), "memory address"), "%s", isa_report(p));
    }
  for (size_t i = 0; i < 4; ++i) {  // LDS base
    sim_wave *w = isa_begin(p, i);
    set_addresses(w, f, memory);
    w->s[SIM_M0] = 0x102;
    CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "M0 0x102");
  }
  for (size_t i = 4; i < 6; ++i) {  // the offset of the instruction
    set_addresses(isa_begin(p, i), f, memory);
    CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, i == 4 ? "offset 2," : "offset -1,");
  }
  sim_wave *w = isa_begin(p, 6);  // a stride that is no multiple of 4
  set_buffer(w, memory, 6, 100, RAW32);
  for (unsigned l = 0; l < 64; ++l) w->v[1][l] = l;
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 1");

  w = isa_begin(p, 1);  // lane 63 ends exactly at the end of LDS
  set_addresses(w, f, memory);
  w->s[SIM_M0] = ISA_LDS_BYTES - 1024;
  CHECK_RUN(p);
  w = isa_begin(p, 1);
  set_addresses(w, f, memory);
  w->s[SIM_M0] = ISA_LDS_BYTES - 1020;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 63");
  w = isa_begin(p, 1);  // that lane is off
  set_addresses(w, f, memory);
  w->s[SIM_M0] = ISA_LDS_BYTES - 1020;
  sim_set_s64(w, SIM_EXEC, ~0ull >> 1);
  CHECK_RUN(p);
  w = isa_begin(p, 7);
  set_addresses(w, f, memory);
  w->v[1][30] = SIZE;
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 30");
  isa_free(p);
}

// Global copies take every byte address, and drop the two lowest bits of M0.
static void global_copies_need_no_alignment(const char *target, size_t count) {
  static uint8_t model[ISA_LDS_BYTES];
  const char *code[FORMS];
  for (size_t i = 0; i < count; ++i) code[i] = forms[i].code;
  isa_program *p = isa_assemble(target, code, count);
  uint8_t *memory = pattern_memory(p, SIZE);
  for (size_t i = 0; i < count; ++i)
    for (unsigned low = 0; low < 4 && forms[i].global; ++low) {
      const form *f = &forms[i];
      sim_wave *w = isa_begin(p, i);
      set_addresses(w, f, memory);
      w->s[SIM_M0] = M0_BASE + low;
      memset(isa_group(p)->lds, SENTINEL, ISA_LDS_BYTES);
      memset(model, SENTINEL, ISA_LDS_BYTES);
      for (unsigned l = 0; l < 64; ++l) {
        const uint32_t from = 8 * l + (l + low) % 4;
        w->v[1][l] = from;
        isa_set_v64(w, 4, l, (uint64_t)(uintptr_t)memory + 1000 + from);
        model_lane(model + M0_BASE + f->offset + (size_t)l * f->step, f, 1000 + (size_t)f->offset + from);
      }
      CHECK_RUN(p);
      CHECK(memcmp(model, isa_group(p)->lds, ISA_LDS_BYTES) == 0, "%s %s: LDS differs, M0 %#x", target,
            f->code, w->s[SIM_M0]);
    }
  isa_free(p);
}

static void counted_by_vmcnt_only(void) {
  static const char *const code[] = {
      // lgkmcnt(0) does not wait for it; vmcnt(0) does. M0 may change once the copy has been issued.
      "buffer_load_dword v1, s[8:11], 0 offen lds\n s_mov_b32 m0, 0\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v4, "
      "v1 offset:512\n"
      "s_waitcnt lgkmcnt(0)\n s_waitcnt vmcnt(0)\n ds_read_b32 v5, v1 offset:512\n s_waitcnt lgkmcnt(0)"};
  isa_program *p = isa_assemble("gfx950", code, 1);
  uint8_t *memory = pattern_memory(p, 256);
  for (int schedule = SIM_LATE; schedule <= SIM_EARLY; ++schedule) {
    sim_wave *w = isa_begin(p, 0);
    isa_group(p)->schedule = (sim_schedule)schedule;
    set_buffer(w, memory, 0, 256, RAW32);
    w->s[SIM_M0] = 512;
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 4 * l;
    CHECK_RUN(p);
    CHECK_V32(p, 4, 17, schedule == SIM_LATE ? 0 : dword_at(68));
    CHECK_V32(p, 5, 17, dword_at(68));
  }
  isa_free(p);
}

int main(void) {
  static const uint32_t strides[] = {0, 4096, 3u << 14 | 4096, 3u << 14 | 1001};  // bit 15: swizzle
  for (size_t i = 0; i < sizeof strides / sizeof *strides; ++i) {
    every_width("gfx942", ON_GFX942, strides[i]);
    every_width("gfx950", FORMS, strides[i]);
  }
  lanes_outside_the_buffer_write_zeros();
  m0_is_18_bits_on_gfx950_and_16_on_gfx942();
  misaligned_copies_and_ranges_fault();
  global_copies_need_no_alignment("gfx942", ON_GFX942);
  global_copies_need_no_alignment("gfx950", FORMS);
  counted_by_vmcnt_only();
  return test_result();
}
