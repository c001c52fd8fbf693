// SPDX-License-Identifier: MIT
// Typed buffer accesses: formats of the descriptor (MUBUF) and of the instruction (MTBUF), d16 forms, channel
// selects, all-or-nothing range checks, and the formats refused by name.
#include "tests/isa/buffer_test.h"

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7 };
enum {
  F8 = 1,
  F16,
  F8_8,
  F32,
  F16_16,
  F10_11_11,
  F11_11_10,
  F10_10_10_2,
  F2_10_10_10,
  F8_8_8_8,
  F32_32,
  F16_16_16_16,
  F32_32_32,
  F32_32_32_32
};

static const char *const data_names[] = {"INVALID", "8",        "16",          "8_8",        "32",
                                         "16_16",   "10_11_11", "11_11_10",    "10_10_10_2", "2_10_10_10",
                                         "8_8_8_8", "32_32",    "16_16_16_16", "32_32_32",   "32_32_32_32"};
static const char *const number_names[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                           "UINT",  "SINT",  "RESERVED_6", "FLOAT"};

static uint32_t word3(uint32_t data, uint32_t number) {
  return 4 | 5 << 3 | 6 << 6 | 7 << 9 | number << 12 | data << 15;  // X, Y, Z, W in place
}

typedef struct load_case {
  unsigned data, number, memory_words;
  uint32_t memory[4];
  uint32_t x, y, z, w;  // what format_xyzw returns
} load_case;

static const load_case loads[] = {
    {F32, FLOAT, 1, {0x12345678}, 0x12345678, 0, 0, 0},
    {F32, UINT, 1, {0xffffffff}, 0xffffffff, 0, 0, 0},
    {F32_32_32_32, FLOAT, 4, {1, 2, 3, 4}, 1, 2, 3, 4},
    {F32_32_32, SINT, 3, {1, 2, 3, 4}, 1, 2, 3, 0},
    {F32_32, UINT, 2, {1, 2, 3, 4}, 1, 2, 0, 0},
    {F8, UINT, 1, {0xabcdef80}, 0x80, 0, 0, 0},
    {F8, SINT, 1, {0xabcdef80}, 0xffffff80, 0, 0, 0},
    {F8_8_8_8, UNORM, 1, {0xff8000ff}, 0x3f800000, 0, 0x3f008081, 0x3f800000},           // 128/255
    {F8_8_8_8, SNORM, 1, {0x407f8081}, 0xbf800000, 0xbf800000, 0x3f800000, 0x3f010204},  // 64/127
    {F8_8, USCALED, 1, {0xff03}, 0x40400000, 0x437f0000, 0, 0},
    {F8_8, SSCALED, 1, {0xff03}, 0x40400000, 0xbf800000, 0, 0},
    {F16, FLOAT, 1, {0x3c00}, 0x3f800000, 0, 0, 0},
    {F16_16, FLOAT, 1, {0xc0000001}, 0x33800000, 0xc0000000, 0, 0},
    {F16_16_16_16, SINT, 2, {0x80007fff, 0x00010000}, 0x7fff, 0xffff8000, 0, 1},
    {F16, UNORM, 1, {0xffff}, 0x3f800000, 0, 0, 0},
    // X is in the low bits: 11-bit floats have 6 mantissa bits, 10-bit floats 5, none a sign.
    {F10_11_11, FLOAT, 1, {15 << 6 | 14 << 17 | 16u << 27}, 0x3f800000, 0x3f000000, 0x40000000, 0},
    {F10_11_11, FLOAT, 1, {1 | 0x7bf << 11 | 0x3e0u << 22}, 0x35800000, 0x477e0000, 0x7f800000, 0},
    {F11_11_10, FLOAT, 1, {0x3e1 | 15 << 16 | 0x7c1u << 21}, 0x7f840000, 0x3f800000, 0x7f820000, 0},
    {F11_11_10, UINT, 1, {0x3ff | 0x123 << 10 | 0x7ffu << 21}, 0x3ff, 0x123, 0x7ff, 0},
    {F10_11_11, SINT, 1, {0x400 | 0x3ff << 11 | 0x200u << 22}, 0xfffffc00, 0x3ff, 0xfffffe00, 0},
    {F2_10_10_10,
     UNORM,
     1,
     {0x3ff | 0 << 10 | 0x3ff << 20 | 1u << 30},
     0x3f800000,
     0,
     0x3f800000,
     0x3eaaaaab},
    {F2_10_10_10,
     SNORM,
     1,
     {0x1ff | 0x200 << 10 | 0x201 << 20 | 1u << 30},
     0x3f800000,
     0xbf800000,
     0xbf800000,
     0x3f800000},
    {F2_10_10_10, UINT, 1, {5 | 6 << 10 | 7 << 20 | 3u << 30}, 5, 6, 7, 3},
    {F10_10_10_2,
     SSCALED,
     1,
     {2 | 3 << 2 | 0x3ff << 12 | 0x200u << 22},
     0xc0000000,
     0x40400000,
     0xbf800000,
     0xc4000000},
};
enum { LOADS = sizeof loads / sizeof loads[0] };

static void loads_convert(const char *target) {
  static char text[LOADS][128];
  const char *code[LOADS + 2];
  for (size_t i = 0; i < LOADS; ++i) {
    snprintf(
        text[i], sizeof text[0],
        "tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s] idxen",
        data_names[loads[i].data], number_names[loads[i].number]);
    code[i] = text[i];
  }
  code[LOADS] = "buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 idxen";
  code[LOADS + 1] = "buffer_load_format_xy v[4:5], v1, s[8:11], 0 idxen";
  isa_program *p = isa_assemble(target, code, LOADS + 2);
  for (size_t i = 0; i < LOADS; ++i)
    for (int form = 0; form < 3; ++form) {
      sim_wave *w = isa_begin(p, form == 0 ? i : LOADS + (size_t)form - 1);
      uint32_t *memory = isa_memory(p, 64 * 16);
      for (unsigned l = 0; l < 64; ++l) memcpy(memory + 4 * l, loads[i].memory, 16), w->v[1][l] = 63 - l;
      set_buffer(w, memory, 16, 60, form == 0 ? word3(F32, FLOAT) : word3(loads[i].data, loads[i].number));
      sim_set_s64(w, SIM_EXEC, ~(1ull << 40));
      for (unsigned k = 0; k < 4; ++k)
        for (unsigned l = 0; l < 64; ++l) w->v[4 + k][l] = 7;
      CHECK_RUN(p);
      const uint32_t expected[4] = {loads[i].x, loads[i].y, loads[i].z, loads[i].w};
      for (unsigned k = 0; k < (form == 2 ? 2 : 4); ++k) {
        CHECK_V32(p, 4 + k, 20, expected[k]);
        CHECK_V32(p, 4 + k, 40, 7);
        CHECK_V32(p, 4 + k, 2, 0);  // index 61 of 60
      }
      if (form == 2) CHECK_V32(p, 6, 20, 7);
    }
  isa_free(p);
}

typedef struct store_case {
  unsigned data, number;
  uint32_t value[4], memory[4];  // words not written hold 0x77777777
} store_case;

#define KEPT 0x77777777
static const store_case stores[] = {
    {F32, FLOAT, {1, 2, 3, 4}, {1, KEPT, KEPT, KEPT}},
    {F32_32_32_32, UINT, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {F32_32_32, UINT, {1, 2, 3, 4}, {1, 2, 3, KEPT}},
    {F8_8_8_8, UNORM, {0x3f800000, 0, 0x40000000, 0xbf800000}, {0x00ff00ff, KEPT, KEPT, KEPT}},
    {F8_8_8_8, SNORM, {0x3f800000, 0xbf800000, 0xc0000000, 0}, {0x0081817f, KEPT, KEPT, KEPT}},
    {F8_8, UINT, {5, 300, 0, 0}, {0x7777ff05, KEPT, KEPT, KEPT}},
    {F8_8, SINT, {0xfffffffe, 0xffff0000, 0, 0}, {0x777780fe, KEPT, KEPT, KEPT}},
    {F16_16, FLOAT, {0x3f800000, 0x477fe000, 0, 0}, {0x7bff3c00, KEPT, KEPT, KEPT}},
    {F16, SSCALED, {0xc0400000, 0, 0, 0}, {0x7777fffd, KEPT, KEPT, KEPT}},
    {F10_11_11, FLOAT, {0x3f800000, 0xbf800000, 0x40000000, 0}, {15 << 6 | 16u << 27, KEPT, KEPT, KEPT}},
    // Half a place rounds to even; the smallest denormal; what is too large becomes infinity.
    {F10_11_11,
     FLOAT,
     {0x3f810000, 0x35800000, 0x7f000000, 0},
     {15 << 6 | 1 << 11 | 0x3e0u << 22, KEPT, KEPT, KEPT}},
    {F11_11_10, UINT, {0x7ff, 0x123, 5, 0}, {0x3ff | 0x123 << 10 | 5u << 21, KEPT, KEPT, KEPT}},
    {F2_10_10_10,
     UNORM,
     {0x3f800000, 0x3f000000, 0, 0x3f800000},
     {0x3ff | 0x200 << 10 | 3u << 30, KEPT, KEPT, KEPT}},
    {F10_10_10_2,
     SINT,
     {1, 0xfffffffe, 511, 600},
     {1 | 0x3fe << 2 | 0x1ff << 12 | 0x1ffu << 22, KEPT, KEPT, KEPT}},
};
enum { STORES = sizeof stores / sizeof stores[0] };

static void stores_convert(const char *target) {
  static const char *const code[] = {"buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 idxen"};
  isa_program *p = isa_assemble(target, code, 1);
  for (size_t i = 0; i < STORES; ++i) {
    sim_wave *w = isa_begin(p, 0);
    uint32_t *memory = isa_memory(p, 64 * 16);
    memset(memory, 0x77, 64 * 16);
    set_buffer(w, memory, 16, 64, word3(stores[i].data, stores[i].number));
    for (unsigned l = 0; l < 64; ++l) {
      w->v[1][l] = l;
      for (unsigned k = 0; k < 4; ++k) w->v[4 + k][l] = stores[i].value[k];
    }
    CHECK_RUN(p);
    for (unsigned k = 0; k < 4; ++k)
      CHECK(memory[4 * 31 + k] == stores[i].memory[k], "%s %s word %u: %x, expected %x",
            data_names[stores[i].data], number_names[stores[i].number], k, memory[4 * 31 + k],
            stores[i].memory[k]);
  }
  isa_free(p);
}

static void d16_forms(const char *target) {
  static const char *const code[] = {"buffer_load_format_d16_xyz v[4:5], v1, s[8:11], 0 idxen",
                                     "buffer_load_format_d16_hi_x v4, v1, s[8:11], 0 idxen",
                                     "buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 idxen",
                                     "buffer_store_format_d16_hi_x v4, v1, s[8:11], 0 idxen"};
  isa_program *p = isa_assemble(target, code, 4);
  for (size_t i = 0; i < 4; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint16_t *memory = isa_memory(p, 64);
    memory[0] = 0x3c00, memory[1] = 0x4000, memory[2] = 0x4200, memory[3] = 0x4400;
    set_buffer(w, memory, 8, 1, word3(F16_16_16_16, FLOAT));
    sim_set_s64(w, SIM_EXEC, 1);
    w->v[4][0] = 0x11112222, w->v[5][0] = 0x33334444;
    CHECK_RUN(p);
    if (i == 0) CHECK_V64(p, 4, 0, 0x0000420040003c00);  // the unused half becomes zero
    if (i == 1) CHECK_V32(p, 4, 0, 0x3c000000);
    if (i == 2)
      CHECK(memory[0] == 0x2222 && memory[1] == 0x1111 && memory[2] == 0x4444 && memory[3] == 0x3333,
            "stored %x %x", memory[0], memory[1]);
    if (i == 3) CHECK(memory[0] == 0x1111 && memory[1] == 0x4000, "stored %x %x", memory[0], memory[1]);
  }
  isa_free(p);
}

// Tests one to four components, each with 32 and with 16 bits per component, in both encodings: a load
// returns, and a store writes, as many as the instruction names. Memory holds 1.0, 2.0, 3.0, 4.0 as f16;
// stores write 5.0 ...
static void every_count(const char *target) {
  static const char *const names[] = {"x", "xy", "xyz", "xyzw"};
  static char text[32][128];
  const char *code[32];
  for (int i = 0; i < 32; ++i) {
    int count = i & 3;
    bool d16 = i & 4, typed = i & 8, store = i & 16;
    int registers = d16 ? (count + 2) / 2 : count + 1;
    char data[16];
    snprintf(data, sizeof data, registers > 1 ? "v[4:%d]" : "v4", 3 + registers);
    snprintf(text[i], sizeof text[0], "%sbuffer_%s_format_%s%s %s, v1, s[8:11], 0%s idxen", typed ? "t" : "",
             store ? "store" : "load", d16 ? "d16_" : "", names[count], data,
             typed ? " format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT]" : "");
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, 32);
  for (int i = 0; i < 32; ++i) {
    int count = (i & 3) + 1;
    bool d16 = i & 4, store = i & 16;
    static const uint16_t halves[8] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};
    sim_wave *w = isa_begin(p, (size_t)i);
    uint16_t *memory = isa_memory(p, 16);
    memcpy(memory, halves, 8);
    set_buffer(w, memory, 8, 2, word3(F16_16_16_16, FLOAT));
    sim_set_s64(w, SIM_EXEC, 1);
    for (int k = 0; k < 4; ++k) {
      if (!d16)
        w->v[4 + k][0] = store ? sim_bits32(5.0f + (float)k) : KEPT;
      else if (k % 2 == 0)
        w->v[4 + k / 2][0] = store ? halves[4 + k] | (uint32_t)halves[5 + k] << 16 : KEPT;
    }
    CHECK_RUN(p);
    for (int k = 0; k < 4; ++k) {
      uint16_t stored = store && k < count ? halves[4 + k] : halves[k];
      CHECK(memory[k] == stored, "%s %s: component %d in memory is %x, expected %x", target, code[i], k,
            memory[k], stored);
      if (store) continue;
      uint32_t word = w->v[4 + (d16 ? k / 2 : k)][0];
      uint32_t want = k < count ? (d16 ? halves[k] : sim_bits32(1.0f + (float)k)) : KEPT;
      if (d16) word = k % 2 ? word >> 16 : word & 0xffff;
      // The half beside the last of an odd number of components becomes zero.
      if (d16 && k >= count) want = k == count && count % 2 ? 0 : KEPT & 0xffff;
      CHECK(word == want, "%s %s: component %d is %x, expected %x", target, code[i], k, word, want);
    }
  }
  isa_free(p);
}

static void channels_are_selected(const char *target) {
  static const char *const code[] = {"buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 idxen"};
  isa_program *p = isa_assemble(target, code, 1);
  sim_wave *w = isa_begin(p, 0);
  uint32_t *memory = isa_memory(p, 16);
  for (uint32_t k = 0; k < 4; ++k) memory[k] = 10 + k;
  // This gives w, 1, x, 0 of the data; out of range only the 1 stays.
  set_buffer(w, memory, 16, 1, (word3(F32_32_32_32, FLOAT) & ~0xfffu) | 7 | 1 << 3 | 4 << 6 | 0 << 9);
  w->v[1][1] = 5;
  CHECK_RUN(p);
  const uint32_t inside[4] = {13, 0x3f800000, 10, 0}, outside[4] = {0, 0x3f800000, 0, 0};
  for (unsigned k = 0; k < 4; ++k) {
    CHECK_V32(p, 4 + k, 0, inside[k]);
    CHECK_V32(p, 4 + k, 1, outside[k]);
  }
  isa_free(p);
}

static void range_is_all_or_nothing(const char *target) {
  static const char *const code[] = {"buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen",
                                     "buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen"};
  isa_program *p = isa_assemble(target, code, 2);
  for (size_t i = 0; i < 2; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint8_t *memory = isa_memory(p, 32);
    memset(memory, 0x77, 32);
    set_buffer(w, memory, 0, 28, word3(F32_32_32_32, UINT));
    sim_set_s64(w, SIM_EXEC, 3);
    w->v[1][0] = 12, w->v[1][1] = 16;  // the last component of lane 1 is outside
    w->v[4][0] = w->v[4][1] = 9;
    CHECK_RUN(p);
    if (i == 0) CHECK_V32(p, 4, 0, KEPT);
    if (i == 0) CHECK_V32(p, 4, 1, 0);
    if (i == 1) CHECK(memory[12] == 9 && memory[28] == 0x77, "stored %x, %x", memory[12], memory[28]);
  }
  isa_free(p);
}

static void unknown_formats_are_named(const char *target) {
  static const char *const code[] = {"buffer_load_format_x v4, off, s[8:11], 0"};
  static const struct {
    unsigned data, number;
    const char *name;
  } unknown[] = {{F2_10_10_10, FLOAT, "2_10_10_10"},
                 {F10_10_10_2, FLOAT, "BUF_NUM_FORMAT_FLOAT"},
                 {F8, FLOAT, "BUF_NUM_FORMAT_FLOAT"},
                 {15, UINT, "RESERVED_15"},
                 {F32, 6, "RESERVED_6"}};
  isa_program *p = isa_assemble(target, code, 1);
  uint8_t *memory = isa_memory(p, 64);
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    sim_wave *w = isa_begin(p, 0);
    set_buffer(w, memory, 0, 64, word3(unknown[i].data, unknown[i].number));
    CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, unknown[i].name);
  }
  sim_wave *w = isa_begin(p, 0);  // invalid: unbound, reads zero
  set_buffer(w, memory, 0, 64, word3(0, FLOAT));
  w->v[4][3] = 9;
  CHECK_RUN(p);
  CHECK_V32(p, 4, 3, 0);
  isa_free(p);
}

// A copy to LDS brings X, converted, into the dword the lane owns, whatever the format's size; M0 and the
// instruction offset count on the side of LDS.
static void x_is_copied_to_lds(const char *target) {
  static const char *const code[] = {"buffer_load_format_x v1, s[8:11], s3 idxen offset:8 lds",
                                     "buffer_load_format_x off, s[8:11], 0 lds",
                                     "buffer_load_format_x v1, s[8:11], 0 offen lds"};
  enum { RECORD = 20, RECORDS = 60, SKIPPED = 16, M0_BASE = 256, KEPT_BYTE = 0x77 };
  isa_program *p = isa_assemble(target, code, 3);
  uint8_t *memory = isa_memory(p, SKIPPED + RECORD * 64);
  for (size_t i = 0; i < sizeof loads / sizeof loads[0]; ++i) {
    const load_case *c = &loads[i];
    sim_wave *w = isa_begin(p, 0);
    memset(memory, 0xff, SKIPPED + RECORD * 64);
    for (unsigned l = 0; l < 64; ++l)
      memcpy(memory + SKIPPED + 8 + (size_t)l * RECORD, c->memory, l + 1 < 64 ? 12 : 4);
    set_buffer(w, memory, RECORD, RECORDS, word3(c->data, c->number));
    w->s[3] = SKIPPED;
    w->s[SIM_M0] = M0_BASE;
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 63 - l;  // the first lanes lie outside
    sim_set_s64(w, SIM_EXEC, ~(1ull << 40));
    memset(isa_group(p)->lds, KEPT_BYTE, 1024);
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t got, want = l == 40 ? KEPT_BYTE * 0x01010101u : l < 64 - RECORDS ? 0 : c->x;
      memcpy(&got, isa_group(p)->lds + M0_BASE + 8 + 4 * l, 4);
      CHECK(got == want, "%s: %s %s, lane %u: LDS holds %x, expected %x", target, data_names[c->data],
            number_names[c->number], l, got, want);
    }
    CHECK(isa_group(p)->lds[M0_BASE + 7] == KEPT_BYTE && isa_group(p)->lds[M0_BASE + 264] == KEPT_BYTE,
          "%s: a byte beside the lanes' dwords was written", target);
  }
  // The descriptor chooses the channel; a constant 1 comes for lanes out of range too.
  sim_wave *w = isa_begin(p, 1);
  for (uint32_t k = 0; k < 4; ++k) memcpy(memory + 4 * k, &(uint32_t){10 + k}, 4);
  set_buffer(w, memory, 0, 16, (word3(F32_32_32_32, UINT) & ~0xfffu) | 7);
  w->s[SIM_M0] = 0;
  CHECK_RUN(p);
  uint32_t got;
  memcpy(&got, isa_group(p)->lds + 4 * 63, 4);
  CHECK(got == 13, "%s: channel W to LDS is %u", target, got);
  // Alignment is an error as in every copy to LDS; formats of one byte are always aligned.
  for (unsigned data = F8; data <= F32; data += F32 - F8) {
    w = isa_begin(p, 2);
    set_buffer(w, memory, 0, 64, word3(data, UINT));
    for (unsigned l = 0; l < 64; ++l) w->v[1][l] = l == 9 ? 3 : 0;
    w->s[SIM_M0] = 0;
    if (data == F8)
      CHECK_RUN(p);
    else
      CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 9");
  }
  isa_free(p);
}

int main(void) {
  x_is_copied_to_lds("gfx942");
  x_is_copied_to_lds("gfx950");
  loads_convert("gfx942");
  loads_convert("gfx950");
  stores_convert("gfx942");
  stores_convert("gfx950");
  d16_forms("gfx942");
  d16_forms("gfx950");
  every_count("gfx942");
  every_count("gfx950");
  channels_are_selected("gfx942");
  channels_are_selected("gfx950");
  range_is_all_or_nothing("gfx942");
  range_is_all_or_nothing("gfx950");
  unknown_formats_are_named("gfx942");
  unknown_formats_are_named("gfx950");
  return test_result();
}
