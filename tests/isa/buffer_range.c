// SPDX-License-Identifier: MIT
// Range checks of buffer descriptors: raw, structured, private, unbound; swizzled addresses (CDNA4
// ISA 9.1.5).
#include "tests/isa/buffer_test.h"

enum { DATA = 4, SENTINEL = 0x77 };

static void fill_rows(sim_wave *w) {
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned l = 0; l < 64; ++l) w->v[DATA + i][l] = 0xabc00000 + 64 * i + l;
}

// Every lane starts 4 bytes further; the buffer ends in the middle of the wave.
static void raw_is_checked_dword_by_dword(const char *target) {
  static const char *const code[] = {"buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 offen offset:8",
                                     "buffer_load_dwordx3 v[4:6], v1, s[8:11], 0 offen offset:8",
                                     "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen offset:8",
                                     "buffer_store_dwordx2 v[4:5], v1, s[8:11], 0 offen offset:8",
                                     "buffer_store_dwordx3 v[4:6], v1, s[8:11], 0 offen offset:8",
                                     "buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen offset:8"};
  isa_program *p = isa_assemble(target, code, 6);
  uint8_t *memory = pattern_memory(p, 120);  // ends with the buffer: anything beyond would be a fault
  for (size_t i = 0; i < 6; ++i) {
    unsigned words = 2 + i % 3;
    bool store = i >= 3;
    for (size_t k = 0; k < 120; ++k) memory[k] = byte_at(k);
    sim_wave *w = isa_begin(p, i);
    set_buffer(w, memory, 4, 120, RAW32);
    sim_set_s64(w, SIM_EXEC, store ? 1ull << 27 : ~0ull);  // lane 27: bytes 116.. of the buffer
    fill_rows(w);
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 4 * l;
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64 && !store; ++l)
      for (unsigned k = 0; k < words; ++k) {
        unsigned at = 8 + 4 * l + 4 * k;
        CHECK_V32(p, DATA + k, l, at < 120 ? dword_at(at) : 0);
      }
    if (!store) continue;
    uint32_t last;
    memcpy(&last, memory + 116, 4);
    CHECK(last == 0xabc00000 + 27, "%s: the dword in range must be stored, got %x", code[i], last);
    CHECK(memory[115] == byte_at(115), "%s: a byte before it changed", code[i]);
  }
  isa_free(p);
}

static const struct {
  const char *code;
  uint32_t stride, records, word3, offset;
  bool in_range;
  const char *what;
} rules[] = {
    // A dword has to end within the records, whatever its low address bits are worth.
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 0, 100, RAW32, 96, true, "the last dword"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 0, 100, RAW32, 97, false, "one past the end"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 0, 99, RAW32, 96, false,
     "a dword of which three bytes are in range"},
    {"buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen", 0, 6, RAW32, 0, true, "the first dword of four"},
    {"buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 offen", 0, 3, RAW32, 0, false, "no whole dword"},
    {"buffer_load_ushort v4, v1, s[8:11], 0 offen", 0, 100, RAW32, 98, true, "the last short"},
    {"buffer_load_ushort v4, v1, s[8:11], 0 offen", 0, 99, RAW32, 98, false, "half a short"},
    {"buffer_load_ubyte v4, v1, s[8:11], 0 offen", 0, 100, RAW32, 99, true, "the last byte"},
    {"buffer_load_ubyte v4, v1, s[8:11], 0 offen offset:1", 0, 100, RAW32, 99, false,
     "instruction offset counts"},
    {"buffer_load_dword v4, v1, s[8:11], s3 offen", 0, 612, RAW32, 96, true, "soffset counts"},
    {"buffer_load_dword v4, v1, s[8:11], s3 offen", 0, 611, RAW32, 96, false, "soffset counts"},
    {"buffer_load_dword v4, v1, s[8:11], s4 offen", 0, 100, RAW32, 0, false, "soffset far past the end"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 64, 100, RAW32, 100, false, "bytes without idxen"},
    {"buffer_load_dword v4, v1, s[8:11], 0 idxen", 4, 30, RAW32, 29, true, "index within records"},
    {"buffer_load_dword v4, v1, s[8:11], 0 idxen", 4, 30, RAW32, 30, false, "index past records"},
    {"buffer_load_dword v4, v1, s[8:11], 0 idxen offset:64", 4, 30, RAW32, 29, true,
     "offset free with an index"},
    {"buffer_load_dword v4, v1, s[8:11], 0 idxen", 0, 30, RAW32, 1000, true, "index without stride"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen offset:16", 0, 100, RAW32, 0xfffffff8, false,
     "no wrap-around"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 0, 0, RAW32, 0, false, "no records"},
    {"buffer_load_dword v4, v1, s[8:11], 0 offen", 0, 100, 0, 0, false, "data format 0: unbound"},
    {"buffer_load_dword v4, off, s[8:11], 0", 0, 100, 0, 0, false, "data format 0: unbound"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static void each_rule(const char *target) {
  const char *code[RULES];
  for (size_t i = 0; i < RULES; ++i) code[i] = rules[i].code;
  isa_program *p = isa_assemble(target, code, RULES);
  for (size_t i = 0; i < RULES; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint8_t *memory = isa_memory(p, 4096);
    memset(memory, SENTINEL, 4096);
    set_buffer(w, memory, rules[i].stride, rules[i].records, rules[i].word3);
    w->s[3] = 512;
    w->s[4] = 0x7fffffff;  // convolutions of MIOpen skip what does not exist so
    for (unsigned l = 0; l < 64; ++l) w->v[DATA][l] = 1;
    w->v[1][40] = rules[i].offset;
    sim_set_s64(w, SIM_EXEC, 1ull << 40);
    CHECK_RUN(p);
    uint32_t got = w->v[DATA][40] & 0xff;
    CHECK(got == (rules[i].in_range ? SENTINEL : 0), "%s (%s): got %x", rules[i].code, rules[i].what, got);
    CHECK_V32(p, DATA, 39, 1);
  }
  isa_free(p);
}

// Tests what hardware does, and what the manual says.
static void soffset_counts_unless_asked(const char *target) {
  static const char *const code[] = {"buffer_load_dword v4, v1, s[8:11], s3 offen",
                                     "buffer_load_dwordx4 v[4:7], v1, s[8:11], s3 offen"};
  isa_program *p = isa_assemble(target, code, 2);
  uint8_t *memory = pattern_memory(p, 256);
  for (size_t i = 0; i < 2; ++i)
    for (int counted = 0; counted < 2; ++counted) {
      sim_wave *w = isa_begin(p, i);
      isa_group(p)->soffset_in_range = counted;
      set_buffer(w, memory, 0, 120, RAW32);
      w->s[3] = 64;
      fill_rows(w);
      for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 4 * (l % 20);
      CHECK_RUN(p);
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned k = 0; k < (i ? 4u : 1u); ++k) {
          unsigned offset = 4 * (l % 20) + 4 * k;
          bool in = offset + (counted ? 64 : 0) < 120;
          CHECK_V32(p, DATA + k, l, in ? dword_at(64 + offset) : 0);
        }
    }
  isa_free(p);
}

static void stores_and_atomics_out_of_range_do_nothing(const char *target) {
  static const char *const code[] = {"buffer_store_dword v4, v1, s[8:11], 0 offen",
                                     "buffer_atomic_add v4, v1, s[8:11], 0 offen sc0",
                                     // all or nothing: its second dword is outside
                                     "buffer_atomic_add_x2 v[4:5], v1, s[8:11], 0 offen sc0"};
  isa_program *p = isa_assemble(target, code, 3);
  for (size_t i = 0; i < 3; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint8_t *memory = isa_memory(p, 256);
    memset(memory, SENTINEL, 256);
    set_buffer(w, memory, 0, i == 2 ? 124 : 120, RAW32);
    fill_rows(w);
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 120;
    CHECK_RUN(p);
    for (unsigned k = 0; k < 256; ++k) CHECK(memory[k] == SENTINEL, "%s wrote byte %u", code[i], k);
    if (i == 0) continue;
    CHECK_V32(p, DATA, 9, 0);
    if (i == 2) CHECK_V32(p, DATA + 1, 9, 0);
  }
  isa_free(p);
}

// Follows CDNA4 ISA 9.1.5.2, written with 4-byte elements.
static uint64_t swizzled(uint32_t index, uint32_t offset, uint32_t stride, uint32_t index_stride) {
  return ((uint64_t)(index / index_stride) * stride + offset / 4 * 4) * index_stride +
         index % index_stride * 4 + offset % 4;
}

static void swizzled_and_thread_indexed(const char *target) {
  static const char *const code[] = {"buffer_load_dword v4, v[2:3], s[8:11], s3 idxen offen offset:4",
                                     "buffer_load_dword v4, v2, s[8:11], s3 offen offset:4",
                                     "buffer_load_dwordx2 v[4:5], v[2:3], s[8:11], 0 idxen offen",
                                     "buffer_load_dword v4, v1, s[8:11], 0 idxen"};
  isa_program *p = isa_assemble(target, code, 4);
  uint8_t *memory = pattern_memory(p, 1 << 18);
  for (uint32_t field = 0; field < 4; ++field) {
    uint32_t lanes = 8u << field;
    sim_wave *w = isa_begin(p, 0);
    set_buffer(w, memory, 32 | 1u << 15, 200, RAW32 | field << 21);  // swizzle enable: bit 63
    w->s[3] = 128;
    for (unsigned l = 0; l < 64; ++l) w->v[2][l] = l * 5 % 190, w->v[3][l] = 4 * (l % 7);
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l)
      CHECK_V32(p, DATA, l, dword_at(128 + swizzled(l * 5 % 190, 4 * (l % 7) + 4, 32, lanes)));
    // Private buffer: the lane is the index, nothing is range-checked, the data format extends the stride.
    w = isa_begin(p, 1);
    set_buffer(w, memory, 32 | 1u << 15, 0, field << 21 | 1u << 23);
    for (unsigned l = 0; l < 64; ++l) w->v[2][l] = 4 * (l % 7);
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l)
      CHECK_V32(p, DATA, l, dword_at(swizzled(l, 4 * (l % 7) + 4, 32, lanes)));
  }
  sim_wave *w = isa_begin(p, 1);  // linear, stride 0x4010 >> 4: bit 14 comes from the data format
  set_buffer(w, memory, 16, 0, 1u << 15 | 1u << 23);
  sim_set_s64(w, SIM_EXEC, 0xff);
  CHECK_RUN(p);
  for (unsigned l = 0; l < 8; ++l) CHECK_V32(p, DATA, l, dword_at(4 + l * 0x4010));
  w = isa_begin(p, 2);
  set_buffer(w, memory, 32 | 1u << 15, 200, RAW32);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "swizzled");
  w = isa_begin(p, 3);
  set_buffer(w, memory, 32, 200, RAW32 | 1u << 23);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "ADD_TID");
  isa_free(p);
}

// Descriptors with cache swizzle, swizzle and a stride (bits 62, 63, 61:48), as HipKittens makes them:
// without idxen they are raw buffers.
static void swizzle_needs_an_index(const char *target) {
  enum { BYTES = 64 * 16 + 8 };
  static const char *const code[] = {"buffer_load_dwordx4 v[4:7], v2, s[8:11], s3 offen offset:4",
                                     "buffer_load_dwordx2 v[4:5], off, s[8:11], s3 offset:12",
                                     "buffer_store_dwordx4 v[4:7], v2, s[8:11], s3 offen offset:4"};
  static const uint32_t strides[] = {4, 48, 0x3fff};
  isa_program *p = isa_assemble(target, code, 3);
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) {
      uint8_t *memory = pattern_memory(p, 2048);
      sim_wave *w = isa_begin(p, i);
      set_buffer(w, memory, strides[k] | 3u << 14, BYTES, RAW32);
      w->s[3] = 8;
      for (unsigned l = 0; l < 64; ++l) {
        w->v[2][l] = 16 * l;
        for (unsigned r = 4; r < 8; ++r) w->v[r][l] = 1000 * r + l;
      }
      CHECK_RUN(p);
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned r = 0; r < (i == 1 ? 2u : 4u); ++r) {
          const uint32_t at = 8 + (i == 1 ? 12 : 4 + 16 * l) + 4 * r;
          uint32_t stored;
          memcpy(&stored, memory + at, 4);
          if (i < 2) CHECK_V32(p, 4 + r, l, at + 4 <= BYTES ? dword_at(at) : 0);
          if (i == 2)
            CHECK(stored == (at + 4 <= BYTES ? 1000 * (4 + r) + l : dword_at(at)), "byte %u: %#x", at,
                  stored);
        }
    }
  isa_free(p);
}

int main(void) {
  swizzle_needs_an_index("gfx942");
  swizzle_needs_an_index("gfx950");
  raw_is_checked_dword_by_dword("gfx942");
  raw_is_checked_dword_by_dword("gfx950");
  each_rule("gfx942");
  each_rule("gfx950");
  soffset_counts_unless_asked("gfx942");
  soffset_counts_unless_asked("gfx950");
  stores_and_atomics_out_of_range_do_nothing("gfx942");
  stores_and_atomics_out_of_range_do_nothing("gfx950");
  swizzled_and_thread_indexed("gfx942");
  swizzled_and_thread_indexed("gfx950");
  return test_result();
}
