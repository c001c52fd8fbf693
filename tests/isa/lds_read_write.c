// SPDX-License-Identifier: MIT
// LDS loads and stores of every width against a byte model: offsets, EXEC partly off, unaligned addresses,
// two-address forms, range faults, schedules.
#include "tests/isa/harness.h"

// v0 is the address, v4.. the destination or the data, v8.. the second data operand.
enum { ADDR = 0, DATA = 4, DATA2 = 8 };

static const uint64_t masks[] = {~0ull, 0, 1, 1ull << 63, 0x5555555555555555, 0x00ffff0000ff00f0};
enum { MASKS = sizeof masks / sizeof masks[0] };

typedef struct form {
  const char *code;
  unsigned offset, bytes;
  bool is_signed, d16, high;
} form;

static const form reads[] = {
    {"ds_read_u8 v4, v0", 0, 1, false, false, false},
    {"ds_read_u8 v4, v0 offset:77", 77, 1, false, false, false},
    {"ds_read_i8 v4, v0 offset:1", 1, 1, true, false, false},
    {"ds_read_u16 v4, v0 offset:2", 2, 2, false, false, false},
    {"ds_read_i16 v4, v0 offset:3", 3, 2, true, false, false},
    {"ds_read_u8_d16 v4, v0 offset:5", 5, 1, false, true, false},
    {"ds_read_u8_d16_hi v4, v0", 0, 1, false, true, true},
    {"ds_read_i8_d16 v4, v0", 0, 1, true, true, false},
    {"ds_read_i8_d16_hi v4, v0 offset:9", 9, 1, true, true, true},
    {"ds_read_u16_d16 v4, v0", 0, 2, false, true, false},
    {"ds_read_u16_d16_hi v4, v0 offset:4", 4, 2, false, true, true},
    {"ds_read_b32 v4, v0", 0, 4, false, false, false},
    {"ds_read_b32 a4, v0 offset:32767", 32767, 4, false, false, false},
    {"ds_read_b64 v[4:5], v0 offset:8", 8, 8, false, false, false},
    {"ds_read_b96 v[4:6], v0 offset:16", 16, 12, false, false, false},
    {"ds_read_b128 v[4:7], v0 offset:16", 16, 16, false, false, false},
    {"ds_read_b128 a[4:7], v0 offset:61440", 61440, 16, false, false, false},
};
static const form writes[] = {
    {"ds_write_b8 v0, v4 offset:3", 3, 1, false, false, false},
    {"ds_write_b8_d16_hi v0, v4", 0, 1, false, false, true},
    {"ds_write_b16 v0, v4 offset:2", 2, 2, false, false, false},
    {"ds_write_b16_d16_hi v0, v4 offset:6", 6, 2, false, false, true},
    {"ds_write_b32 v0, v4 offset:4", 4, 4, false, false, false},
    {"ds_write_b64 v0, v[4:5] offset:8", 8, 8, false, false, false},
    {"ds_write_b96 v0, v[4:6]", 0, 12, false, false, false},
    {"ds_write_b128 v0, v[4:7] offset:1024", 1024, 16, false, false, false},
    {"ds_write_b128 v0, a[4:7] offset:61440", 61440, 16, false, false, false},
};
enum { READS = sizeof reads / sizeof reads[0], WRITES = sizeof writes / sizeof writes[0] };

static unsigned data_row(const form *f) { return strstr(f->code, " a") ? SIM_ACC + DATA : DATA; }

static void fill_lds(isa_program *p) {
  for (unsigned i = 0; i < ISA_LDS_BYTES; ++i) isa_group(p)->lds[i] = (uint8_t)(i * 167 + (i >> 8) * 13 + 5);
}

// Distinct, not overlapping for any width, unaligned by `skew`, in a scrambled order.
static void set_addresses(sim_wave *w, unsigned skew) {
  for (unsigned l = 0; l < 64; ++l) w->v[ADDR][l] = (l * 37 % 64) * 48 + skew + l % 3 * skew;
}

static uint32_t expected_small(const form *f, const uint8_t *at) {
  uint32_t value = f->bytes == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
  if (f->is_signed && value >> (8 * f->bytes - 1)) value |= f->bytes == 1 ? 0xffffff00 : 0xffff0000;
  if (!f->d16) return value;
  // A register file with ECC clears it: the other half of the register becomes zero.
  return f->high ? value << 16 : value & 0xffff;
}

static void check_read(isa_program *p, size_t snippet, const form *f, uint64_t exec, unsigned skew) {
  sim_wave *w = isa_begin(p, snippet);
  unsigned row = data_row(f), rows = (f->bytes + 3) / 4;
  fill_lds(p);
  set_addresses(w, skew);
  sim_set_s64(w, SIM_EXEC, exec);
  for (unsigned i = 0; i < 5; ++i)
    for (unsigned l = 0; l < 64; ++l) w->v[row + i][l] = 0xdead0000 + i * 64 + l;
  uint32_t expected[5][64];
  for (unsigned l = 0; l < 64; ++l) {
    const uint8_t *at = isa_group(p)->lds + w->v[ADDR][l] + f->offset;
    for (unsigned i = 0; i < 5; ++i) {
      expected[i][l] = w->v[row + i][l];
      if (i >= rows || !(exec >> l & 1)) continue;
      if (f->bytes < 4)
        expected[i][l] = expected_small(f, at);
      else
        memcpy(&expected[i][l], at + 4 * i, 4);
    }
  }
  CHECK_RUN(p);
  for (unsigned i = 0; i < 5; ++i) CHECK_ROW(p, row + i, expected[i]);
}

static void check_write(isa_program *p, size_t snippet, const form *f, uint64_t exec, unsigned skew) {
  static uint8_t model[ISA_LDS_BYTES];
  sim_wave *w = isa_begin(p, snippet);
  unsigned row = data_row(f);
  fill_lds(p);
  memcpy(model, isa_group(p)->lds, sizeof model);
  set_addresses(w, skew);
  sim_set_s64(w, SIM_EXEC, exec);
  for (unsigned l = 0; l < 64; ++l) {
    uint8_t bytes[16];
    for (unsigned i = 0; i < 4; ++i) {
      w->v[row + i][l] = 0x9e3779b9u * (l + 1) + 0x01234567u * i;
      for (unsigned k = 0; k < 4; ++k) bytes[4 * i + k] = (uint8_t)(w->v[row + i][l] >> (8 * k));
    }
    if (exec >> l & 1) memcpy(model + w->v[ADDR][l] + f->offset, bytes + (f->high ? 2 : 0), f->bytes);
  }
  CHECK_RUN(p);
  CHECK(memcmp(model, isa_group(p)->lds, sizeof model) == 0, "%s: LDS differs from the model, EXEC %llx",
        f->code, (unsigned long long)exec);
}

static void every_width(const char *target) {
  const char *code[READS + WRITES];
  for (size_t i = 0; i < READS; ++i) code[i] = reads[i].code;
  for (size_t i = 0; i < WRITES; ++i) code[READS + i] = writes[i].code;
  isa_program *p = isa_assemble(target, code, READS + WRITES);
  for (size_t m = 0; m < MASKS; ++m)
    for (unsigned skew = 0; skew < 4; ++skew) {
      for (size_t i = 0; i < READS; ++i) check_read(p, i, &reads[i], masks[m], skew);
      for (size_t i = 0; i < WRITES; ++i) check_write(p, READS + i, &writes[i], masks[m], skew);
    }
  isa_free(p);
}

// ---- two addresses

static const struct {
  const char *read, *write;
  unsigned words, first, second;
} pairs[] = {
    {"ds_read2_b32 v[4:5], v0 offset0:3 offset1:17", "ds_write2_b32 v0, v4, v8 offset0:3 offset1:17", 1, 12,
     68},
    {"ds_read2_b64 v[4:7], v0 offset0:9 offset1:2", "ds_write2_b64 v0, v[4:5], v[8:9] offset0:9 offset1:2", 2,
     72, 16},
    {"ds_read2st64_b32 v[4:5], v0 offset0:1 offset1:255",
     "ds_write2st64_b32 v0, v4, v8 offset0:1 offset1:127", 1, 256, 65280},
    {"ds_read2st64_b64 v[4:7], v0 offset1:100", "ds_write2st64_b64 v0, v[4:5], v[8:9] offset1:100", 2, 0,
     51200},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static void check_pair_read(isa_program *p, size_t i) {
  sim_wave *w = isa_begin(p, 2 * i);
  fill_lds(p);
  for (unsigned l = 0; l < 64; ++l) w->v[ADDR][l] = (63 - l) * 4;
  sim_set_s64(w, SIM_EXEC, 0xfffffffffffffffe);
  CHECK_RUN(p);
  for (unsigned l = 1; l < 64; ++l)
    for (unsigned k = 0; k < 2 * pairs[i].words; ++k) {
      uint32_t expected, start = k < pairs[i].words ? pairs[i].first : pairs[i].second;
      memcpy(&expected, isa_group(p)->lds + (63 - l) * 4 + start + k % pairs[i].words * 4, 4);
      CHECK_V32(p, DATA + k, l, expected);
    }
  CHECK_V32(p, DATA, 0, 0);
}

static void check_pair_write(isa_program *p, size_t i) {
  sim_wave *w = isa_begin(p, 2 * i + 1);
  unsigned bytes = 4 * pairs[i].words, second = i == 2 ? 127 * 256 : pairs[i].second;
  for (unsigned l = 0; l < 64; ++l) {
    w->v[ADDR][l] = l * 160;
    for (unsigned k = 0; k < 2; ++k)
      w->v[DATA + k][l] = 0xa0000 + 64 * k + l, w->v[DATA2 + k][l] = 0xb0000 + 64 * k + l;
  }
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < bytes / 4; ++k) {
      uint32_t first, other;
      memcpy(&first, isa_group(p)->lds + l * 160 + pairs[i].first + 4 * k, 4);
      memcpy(&other, isa_group(p)->lds + l * 160 + second + 4 * k, 4);
      CHECK(first == 0xa0000 + 64 * k + l, "%s: lane %u first %x", pairs[i].write, l, first);
      CHECK(other == 0xb0000 + 64 * k + l, "%s: lane %u second %x", pairs[i].write, l, other);
    }
}

static void two_addresses(const char *target) {
  const char *code[2 * PAIRS];
  for (size_t i = 0; i < PAIRS; ++i) code[2 * i] = pairs[i].read, code[2 * i + 1] = pairs[i].write;
  isa_program *p = isa_assemble(target, code, 2 * PAIRS);
  for (size_t i = 0; i < PAIRS; ++i) {
    check_pair_read(p, i);
    check_pair_write(p, i);
  }
  isa_free(p);
}

// ---- addresses from M0, counters, nothing

static void lane_addresses_and_counters(const char *target) {
  static const char *const code[] = {
      "ds_write_addtid_b32 v4 offset:64\n ds_read_addtid_b32 v5 offset:68",
      "ds_append v4 offset:16\n ds_consume v5 offset:16\n ds_nop",
      "ds_append v4",
  };
  isa_program *p = isa_assemble(target, code, 3);
  sim_wave *w = isa_begin(p, 0);
  w->s[SIM_M0] = 0x70000 + 128;  // only 16 bits count
  for (unsigned l = 0; l < 64; ++l) w->v[4][l] = 1000 + l;
  CHECK_RUN(p);
  for (unsigned l = 0; l < 63; ++l) CHECK_V32(p, 5, l, 1001 + l);
  CHECK_V32(p, 5, 63, 0);

  w = isa_begin(p, 1);
  w->s[SIM_M0] = 32;
  sim_set_s64(w, SIM_EXEC, 0xff00ff);
  isa_group(p)->lds[48] = 200;
  CHECK_RUN(p);
  CHECK_V32(p, 4, 0, 200);
  CHECK_V32(p, 4, 23, 200);
  CHECK_V32(p, 4, 8, 0);
  CHECK_V32(p, 5, 3, 216);
  CHECK(isa_group(p)->lds[48] == 200, "append then consume must cancel, got %u", isa_group(p)->lds[48]);

  w = isa_begin(p, 2);
  w->s[SIM_M0] = 0x10000;
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "16-bit LDS address");
  isa_free(p);
}

// ---- range

static void range_is_exact_and_names_lane_and_address(const char *target) {
  static const char *const code[] = {"ds_read_b128 v[4:7], v0 offset:16", "ds_write_b8 v0, v4",
                                     "ds_read2st64_b32 v[4:5], v0 offset1:255", "ds_add_u32 v0, v4"};
  isa_program *p = isa_assemble(target, code, 4);
  sim_wave *w = isa_begin(p, 0);
  isa_group(p)->lds_bytes = 1024;
  w->v[ADDR][13] = 1024 - 32;  // the last possible place
  CHECK_RUN(p);
  w = isa_begin(p, 0);
  isa_group(p)->lds_bytes = 1024;
  w->v[ADDR][13] = 1024 - 31;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 13");
  CHECK(strstr(isa_report(p), "0x3f1") && strstr(isa_report(p), "0x400"), "report: %s", isa_report(p));
  w = isa_begin(p, 0);  // the lane is inactive
  isa_group(p)->lds_bytes = 1024;
  w->v[ADDR][13] = 1024 - 31;
  sim_set_s64(w, SIM_EXEC, ~(1ull << 13));
  CHECK_RUN(p);
  w = isa_begin(p, 1);
  isa_group(p)->lds_bytes = 0;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 0");
  w = isa_begin(p, 1);
  w->v[ADDR][63] = 0xffffffff;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "0xffffffff");
  w = isa_begin(p, 2);
  w->v[ADDR][7] = 256;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 7");
  w = isa_begin(p, 3);
  w->v[ADDR][5] = 2;
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 5");
  isa_free(p);
}

static void address_wraps_at_32_bits(const char *target) {
  static const char *const code[] = {"ds_read_b32 v4, v0 offset:16"};
  isa_program *p = isa_assemble(target, code, 1);
  sim_wave *w = isa_begin(p, 0);
  for (unsigned l = 0; l < 64; ++l) w->v[ADDR][l] = 0xfffffff4;
  isa_group(p)->lds[4] = 99;
  CHECK_RUN(p);
  CHECK_V32(p, DATA, 40, 99);
  isa_free(p);
}

// ---- when it lands

static void missing_wait_is_seen_under_late_only(const char *target) {
  static const char *const code[] = {
      "ds_read_b32 v4, v0\n v_mov_b32 v5, v4\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v6, v4",
      // These are two in order: waiting for one outstanding means the first has landed.
      "ds_read_b32 v4, v0\n ds_read_b32 v7, v0 offset:4\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v5, v4\n "
      "v_mov_b32 v6, v7",
      // The store takes its data when it issues.
      "ds_write_b32 v0, v4\n v_mov_b32 v4, 0\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v5, v0\n s_waitcnt "
      "lgkmcnt(0)"};
  isa_program *p = isa_assemble(target, code, 3);
  for (int schedule = SIM_LATE; schedule <= SIM_EARLY; ++schedule) {
    sim_wave *w = isa_begin(p, 0);
    isa_group(p)->schedule = (sim_schedule)schedule;
    isa_group(p)->lds[0] = 42;
    w->v[4][9] = 7;
    CHECK_RUN(p);
    CHECK_V32(p, 5, 9, schedule == SIM_LATE ? 7 : 42);
    CHECK_V32(p, 6, 9, 42);
    w = isa_begin(p, 1);
    isa_group(p)->schedule = (sim_schedule)schedule;
    isa_group(p)->lds[0] = 42, isa_group(p)->lds[4] = 43;
    CHECK_RUN(p);
    CHECK_V32(p, 5, 0, 42);
    CHECK_V32(p, 6, 0, schedule == SIM_LATE ? 0 : 43);
    w = isa_begin(p, 2);
    isa_group(p)->schedule = (sim_schedule)schedule;
    for (unsigned l = 0; l < 64; ++l) w->v[0][l] = 4 * l, w->v[4][l] = 500 + l;
    CHECK_RUN(p);
    CHECK_V32(p, 5, 31, 531);
  }
  isa_free(p);
}

int main(void) {
  every_width("gfx942");
  every_width("gfx950");
  two_addresses("gfx942");
  two_addresses("gfx950");
  lane_addresses_and_counters("gfx942");
  lane_addresses_and_counters("gfx950");
  range_is_exact_and_names_lane_and_address("gfx942");
  range_is_exact_and_names_lane_and_address("gfx950");
  address_wraps_at_32_bits("gfx942");
  address_wraps_at_32_bits("gfx950");
  missing_wait_is_seen_under_late_only("gfx942");
  missing_wait_is_seen_under_late_only("gfx950");
  return test_result();
}
