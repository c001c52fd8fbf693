// SPDX-License-Identifier: MIT
// Buffer loads and stores of every width and address form against a byte model; faults; when they land.
#include "tests/isa/buffer_test.h"

enum { SIZE = 1 << 16, DATA = 4, SOFFSET = 52 };

typedef struct form {
  const char *name;
  unsigned bytes;
  bool store, is_signed, d16, high;
} form;

static const form forms[] = {
    {"buffer_load_ubyte", 1, false, false, false, false},
    {"buffer_load_sbyte", 1, false, true, false, false},
    {"buffer_load_ushort", 2, false, false, false, false},
    {"buffer_load_sshort", 2, false, true, false, false},
    {"buffer_load_dword", 4, false, false, false, false},
    {"buffer_load_dwordx2", 8, false, false, false, false},
    {"buffer_load_dwordx3", 12, false, false, false, false},
    {"buffer_load_dwordx4", 16, false, false, false, false},
    {"buffer_load_ubyte_d16", 1, false, false, true, false},
    {"buffer_load_ubyte_d16_hi", 1, false, false, true, true},
    {"buffer_load_sbyte_d16", 1, false, true, true, false},
    {"buffer_load_sbyte_d16_hi", 1, false, true, true, true},
    {"buffer_load_short_d16", 2, false, false, true, false},
    {"buffer_load_short_d16_hi", 2, false, false, true, true},
    {"buffer_store_byte", 1, true, false, false, false},
    {"buffer_store_byte_d16_hi", 1, true, false, false, true},
    {"buffer_store_short", 2, true, false, false, false},
    {"buffer_store_short_d16_hi", 2, true, false, false, true},
    {"buffer_store_dword", 4, true, false, false, false},
    {"buffer_store_dwordx2", 8, true, false, false, false},
    {"buffer_store_dwordx3", 12, true, false, false, false},
    {"buffer_store_dwordx4", 16, true, false, false, false},
};
enum { FORMS = sizeof forms / sizeof forms[0], ADDRESSES = 4 };

// Address forms: off, offen, idxen, both. v1 is the offset or the index; v2, v3 index and offset of "both".
static const char *const address_text[ADDRESSES] = {
    "off, s[8:11], s3 offset:256", "v1, s[8:11], s3 offen offset:4092", "v1, s[8:11], 32 idxen",
    "v[2:3], s[8:11], m0 idxen offen offset:16"};

static void make_code(char text[96], const form *f, unsigned address, bool acc) {
  char bank = acc ? 'a' : 'v';
  if (f->bytes <= 4)
    snprintf(text, 96, "%s %c4, %s", f->name, bank, address_text[address]);
  else
    snprintf(text, 96, "%s %c[4:%u], %s", f->name, bank, 3 + f->bytes / 4, address_text[address]);
}

static uint64_t place(unsigned address, unsigned l, const sim_wave *w) {
  switch (address) {
    case 0: return SOFFSET + 256;
    case 1: return SOFFSET + 4092 + w->v[1][l];
    case 2: return 32 + 320u * w->v[1][l];
    default: return SOFFSET + 16 + 320u * w->v[2][l] + w->v[3][l];
  }
}

static uint32_t loaded(const form *f, const uint8_t *at, unsigned dword) {
  uint32_t value;
  if (f->bytes >= 4) {
    memcpy(&value, at + 4 * dword, 4);
    return value;
  }
  value = f->bytes == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
  if (f->is_signed && value >> (8 * f->bytes - 1)) value |= f->bytes == 1 ? 0xffffff00 : 0xffff0000;
  if (!f->d16) return value;
  return f->high ? value << 16 : value & 0xffff;  // sramecc+: the other half becomes zero
}

static void check_form(isa_program *p, size_t snippet, const form *f, unsigned address, bool acc,
                       uint64_t exec) {
  static uint8_t model[SIZE];
  sim_wave *w = isa_begin(p, snippet);
  unsigned row = acc ? SIM_ACC + DATA : DATA, rows = (f->bytes + 3) / 4;
  uint8_t *memory = pattern_memory(p, SIZE);
  memcpy(model, memory, SIZE);
  // Without idxen the stride plays no part in anything.
  set_buffer(w, memory, 320, address >= 2 ? 100 : SIZE, RAW32);
  w->s[3] = w->s[SIM_M0] = SOFFSET;
  sim_set_s64(w, SIM_EXEC, exec);
  uint32_t expected[5][64];
  for (unsigned l = 0; l < 64; ++l) {
    w->v[1][l] =
        address >= 2 ? (l * 11) % 64 : (l * 37 % 64) * 20 + (f->bytes < 4 ? l % 4 / f->bytes * f->bytes : 0);
    w->v[2][l] = w->v[1][l];
    w->v[3][l] = 4 * (l % 60);
    for (unsigned i = 0; i < 5; ++i) expected[i][l] = w->v[row + i][l] = 0x5eed0000 + 64 * i + l;
  }
  for (unsigned l = 0; l < 64; ++l) {
    if (!(exec >> l & 1)) continue;
    uint8_t *at = model + place(address, l, w);
    if (!f->store) {
      for (unsigned i = 0; i < rows; ++i) expected[i][l] = loaded(f, at, i);
      continue;
    }
    uint8_t bytes[16];
    for (unsigned k = 0; k < 16; ++k) bytes[k] = (uint8_t)(w->v[row + k / 4][l] >> (8 * (k % 4)));
    memcpy(at, bytes + (f->high ? 2 : 0), f->bytes);
  }
  CHECK_RUN(p);
  for (unsigned i = 0; i < 5; ++i) CHECK_ROW(p, row + i, expected[i]);
  CHECK(memcmp(memory, model, SIZE) == 0, "%s %s: memory differs", f->name, address_text[address]);
}

static void every_width_and_address(const char *target) {
  static char text[FORMS * ADDRESSES][96];
  const char *code[FORMS * ADDRESSES];
  static const uint64_t execs[] = {~0ull, 0, 0x8000000000000001, 0x0f0f5555aaaa00ff};
  for (size_t i = 0; i < FORMS * ADDRESSES; ++i) {
    // Accumulation registers serve as data registers too: every third form.
    make_code(text[i], &forms[i / ADDRESSES], i % ADDRESSES, i % 3 == 2);
    code[i] = text[i];
  }
  for (size_t e = 0; e < sizeof execs / sizeof execs[0]; ++e) {
    isa_program *p = isa_assemble(target, code, FORMS * ADDRESSES);
    for (size_t i = 0; i < FORMS * ADDRESSES; ++i)
      check_form(p, i, &forms[i / ADDRESSES], i % ADDRESSES, i % 3 == 2, execs[e]);
    isa_free(p);
  }
}

static void dwords_ignore_two_low_address_bits(const char *target) {
  static const char *const code[] = {"buffer_load_dwordx2 v[4:5], v1, s[8:11], 1 offen",
                                     "buffer_store_dword v4, v1, s[8:11], 0 offen",
                                     "buffer_load_ushort v4, v1, s[8:11], 0 offen"};
  isa_program *p = isa_assemble(target, code, 3);
  uint8_t *memory = pattern_memory(p, 1024);
  sim_wave *w = isa_begin(p, 0);
  set_buffer(w, memory, 0, 1024, RAW32);
  for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 8 * l + l % 3;
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l) {
    CHECK_V32(p, 4, l, dword_at(8 * l));
    CHECK_V32(p, 5, l, dword_at(8 * l + 4));
  }
  w = isa_begin(p, 2);
  set_buffer(w, memory, 0, 1024, RAW32);
  w->v[1][3] = 7;
  CHECK_RUN(p);
  CHECK_V32(p, 4, 3, byte_at(7) | (uint32_t)byte_at(8) << 8);
  w = isa_begin(p, 1);
  set_buffer(w, memory, 0, 1024, RAW32);
  sim_set_s64(w, SIM_EXEC, 2);
  w->v[1][1] = 43, w->v[4][1] = 0x11223344;
  CHECK_RUN(p);
  CHECK(memory[40] == 0x44 && memory[43] == 0x11 && memory[44] == byte_at(44), "store must go to byte 40");
  isa_free(p);
}

static void an_address_outside_every_allocation_is_named(const char *target) {
  static const char *const code[] = {"buffer_load_dwordx4 v[4:7], v1, s[8:11], s3 offen",
                                     "buffer_store_byte v4, v1, s[8:11], 0 offen"};
  isa_program *p = isa_assemble(target, code, 2);
  uint8_t *memory = pattern_memory(p, 1024);
  sim_wave *w = isa_begin(p, 0);
  set_buffer(w, memory, 0, 4096, RAW32);  // the descriptor promises more than there is
  w->v[1][21] = 1012;
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 21");
  CHECK(strstr(isa_report(p), "16 bytes at") && strstr(isa_report(p), "1024 bytes long"), "%s",
        isa_report(p));
  // The access is in range of the descriptor as the manual has it, and out of the allocation because of the
  // SGPR offset.
  w = isa_begin(p, 0);
  isa_group(p)->soffset_in_range = false;
  set_buffer(w, memory, 0, 1024, RAW32);
  w->s[3] = 1024;
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "past the end");
  w = isa_begin(p, 1);
  set_buffer(w, memory, 0, 4096, RAW32);
  w->v[1][63] = 1024;
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 63");
  w = isa_begin(p, 1);  // not active: no fault
  set_buffer(w, memory, 0, 4096, RAW32);
  w->v[1][63] = 1024;
  sim_set_s64(w, SIM_EXEC, ~0ull >> 1);
  CHECK_RUN(p);
  w = isa_begin(p, 0);
  set_buffer(w, memory, 0, 4096, RAW32 | 1u << 30);
  CHECK_FAULT(p, SIM_FAULT_PROGRAM, "no buffer descriptor");
  isa_free(p);
}

static void missing_wait_is_seen_under_late_only(const char *target) {
  static const char *const code[] = {
      "buffer_load_dword v4, off, s[8:11], 0\n buffer_load_dword v5, off, s[8:11], 0 offset:4\n v_mov_b32 "
      "v6, v4\n"
      "s_waitcnt vmcnt(1)\n v_mov_b32 v7, v4\n v_mov_b32 v8, v5\n s_waitcnt vmcnt(0)\n v_mov_b32 v9, v5",
      // Loads look at memory when they land: the store in front of it is in order.
      "buffer_store_dword v4, off, s[8:11], 0\n v_mov_b32 v4, 0\n buffer_load_dword v5, off, s[8:11], 0\n"
      "buffer_wbl2 sc1\n buffer_inv sc1\n s_waitcnt vmcnt(1)\n v_mov_b32 v6, v5"};
  isa_program *p = isa_assemble(target, code, 2);
  uint8_t *memory = pattern_memory(p, 64);
  for (int schedule = SIM_LATE; schedule <= SIM_EARLY; ++schedule) {
    bool late = schedule == SIM_LATE;
    sim_wave *w = isa_begin(p, 0);
    isa_group(p)->schedule = (sim_schedule)schedule;
    set_buffer(w, memory, 0, 64, RAW32);
    CHECK_RUN(p);
    CHECK_V32(p, 6, 0, late ? 0 : dword_at(0));
    CHECK_V32(p, 7, 0, dword_at(0));
    CHECK_V32(p, 8, 0, late ? 0 : dword_at(4));
    CHECK_V32(p, 9, 0, dword_at(4));
  }
  sim_wave *w = isa_begin(p, 1);
  set_buffer(w, memory, 0, 64, RAW32);
  for (unsigned l = 0; l < 64; ++l) w->v[4][l] = 77;
  CHECK_RUN(p);
  CHECK_V32(p, 6, 9, 77);
  isa_free(p);
}

int main(void) {
  every_width_and_address("gfx942");
  every_width_and_address("gfx950");
  dwords_ignore_two_low_address_bits("gfx942");
  dwords_ignore_two_low_address_bits("gfx950");
  an_address_outside_every_allocation_is_named("gfx942");
  an_address_outside_every_allocation_is_named("gfx950");
  missing_wait_is_seen_under_late_only("gfx942");
  missing_wait_is_seen_under_late_only("gfx950");
  return test_result();
}
