// SPDX-License-Identifier: MIT
// FLAT, GLOBAL and SCRATCH loads and stores of every width and address form against a byte model; apertures;
// faults; counters.
#include "sim/exec/aperture.h"
#include "tests/isa/buffer_test.h"

enum { SIZE = 1 << 14, MIDDLE = 6000, STRIDE = 256, DATA = 4 };

typedef struct width {
  const char *name;
  unsigned bytes;
  bool store, is_signed, d16, high;
} width;

static const width widths[] = {
    {"load_ubyte", 1, false, false, false, false},    {"load_sbyte", 1, false, true, false, false},
    {"load_ushort", 2, false, false, false, false},   {"load_sshort", 2, false, true, false, false},
    {"load_dword", 4, false, false, false, false},    {"load_dwordx2", 8, false, false, false, false},
    {"load_dwordx3", 12, false, false, false, false}, {"load_dwordx4", 16, false, false, false, false},
    {"load_ubyte_d16", 1, false, false, true, false}, {"load_ubyte_d16_hi", 1, false, false, true, true},
    {"load_sbyte_d16", 1, false, true, true, false},  {"load_sbyte_d16_hi", 1, false, true, true, true},
    {"load_short_d16", 2, false, false, true, false}, {"load_short_d16_hi", 2, false, false, true, true},
    {"store_byte", 1, true, false, false, false},     {"store_byte_d16_hi", 1, true, false, false, true},
    {"store_short", 2, true, false, false, false},    {"store_short_d16_hi", 2, true, false, false, true},
    {"store_dword", 4, true, false, false, false},    {"store_dwordx2", 8, true, false, false, false},
    {"store_dwordx3", 12, true, false, false, false}, {"store_dwordx4", 16, true, false, false, false},
};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

// Says where an access goes and how it is written. vaddr: address text before the data of a store.
typedef enum space { MEMORY, LDS, SCRATCH } space;
static const struct {
  const char *prefix, *vaddr, *saddr;
  space space;
  int offset;
} forms[] = {
    {"global", "v[2:3]", ", off offset:-4096", MEMORY, -4096},
    {"global", "v1", ", s[6:7] offset:4095", MEMORY, 4095},
    {"global", "v[2:3]", ", off offset:64 sc0 sc1", MEMORY,
     64},  // system scope: others may write at the same time
    {"flat", "v[2:3]", " offset:4095", MEMORY, 4095},
    {"flat", "v[2:3]", " offset:8", LDS, 8},
    {"flat", "v[2:3]", " offset:12", SCRATCH, 12},
    {"scratch", "off", ", s6 offset:20", SCRATCH, 20},
    {"scratch", "v1", ", off offset:-4", SCRATCH, -4},
    {"scratch", "v1", ", s6 offset:4", SCRATCH, 4},
    {"scratch", "off", ", off offset:40", SCRATCH, 40},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void make_code(char text[96], size_t form, const width *wd, bool acc) {
  char data[16], bank = acc ? 'a' : 'v';
  if (wd->bytes <= 4)
    snprintf(data, sizeof data, "%c4", bank);
  else
    snprintf(data, sizeof data, "%c[4:%u]", bank, 3 + wd->bytes / 4);
  const char *first = wd->store ? forms[form].vaddr : data, *second = wd->store ? data : forms[form].vaddr;
  snprintf(text, 96, "%s_%s %s, %s%s", forms[form].prefix, wd->name, first, second, forms[form].saddr);
}

typedef struct setting {
  uint8_t *memory, *scratch;
} setting;

// Sets the registers for a case; returns each lane's byte offset within its space.
static void set_addresses(sim_wave *w, size_t form, const setting *s, uint64_t offset[64]) {
  bool wave_form = strcmp(forms[form].prefix, "scratch") == 0;
  uint32_t uniform = wave_form && strstr(forms[form].saddr, "s6") ? 60 : 0;
  w->scratch = (uint64_t)(uintptr_t)s->scratch;
  w->scratch_stride = STRIDE;
  sim_set_s64(w, 6, wave_form ? uniform : (uint64_t)(uintptr_t)s->memory + MIDDLE);
  for (unsigned l = 0; l < 64; ++l) {
    uint32_t own =
        forms[form].space == SCRATCH ? 8 + l % 5 * 9 : (l * 43 % 64) * 17;  // any byte address is legal
    if (forms[form].space == SCRATCH && strcmp(forms[form].vaddr, "off") == 0) own = 0;
    w->v[1][l] = own;
    uint64_t base = forms[form].space == MEMORY ? (uint64_t)(uintptr_t)s->memory + MIDDLE
                    : forms[form].space == LDS  ? sim_aperture_base(SIM_SHARED_APERTURE)
                                                : sim_aperture_base(SIM_PRIVATE_APERTURE);
    isa_set_v64(w, 2, l, base + own);
    offset[l] = (uint64_t)((int64_t)own + forms[form].offset + uniform) +
                (forms[form].space == MEMORY ? MIDDLE : 0) +
                (forms[form].space == SCRATCH ? (uint64_t)l * STRIDE : 0);
  }
}

static uint32_t loaded(const width *wd, const uint8_t *at, unsigned dword) {
  uint32_t value;
  if (wd->bytes >= 4) {
    memcpy(&value, at + 4 * dword, 4);
    return value;
  }
  value = wd->bytes == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
  if (wd->is_signed && value >> (8 * wd->bytes - 1)) value |= wd->bytes == 1 ? 0xffffff00 : 0xffff0000;
  if (!wd->d16) return value;
  return wd->high ? value << 16 : value & 0xffff;  // sramecc+: the other half becomes zero
}

static void check_form(isa_program *p, size_t snippet, size_t form, const width *wd, bool acc,
                       uint64_t exec) {
  static uint8_t model[ISA_LDS_BYTES];
  sim_wave *w = isa_begin(p, snippet);
  setting s = {pattern_memory(p, SIZE), pattern_memory(p, 64 * STRIDE)};
  for (size_t i = 0; i < ISA_LDS_BYTES; ++i) isa_group(p)->lds[i] = byte_at(i);
  uint64_t offset[64];
  set_addresses(w, form, &s, offset);
  sim_set_s64(w, SIM_EXEC, exec);
  space where = forms[form].space;
  uint8_t *target = where == MEMORY ? s.memory : where == LDS ? isa_group(p)->lds : s.scratch;
  size_t size = where == MEMORY ? SIZE : where == LDS ? ISA_LDS_BYTES : 64 * STRIDE;
  memcpy(model, target, size);
  unsigned row = acc ? SIM_ACC + DATA : DATA, rows = (wd->bytes + 3) / 4;
  uint32_t expected[5][64];
  for (unsigned l = 0; l < 64; ++l) {
    for (unsigned i = 0; i < 5; ++i) expected[i][l] = w->v[row + i][l] = 0x5eed0000 + 64 * i + l;
    if (!(exec >> l & 1)) continue;
    uint8_t bytes[16];
    for (unsigned k = 0; k < 16; ++k) bytes[k] = (uint8_t)(expected[k / 4][l] >> (8 * (k % 4)));
    if (wd->store)
      memcpy(model + offset[l], bytes + (wd->high ? 2 : 0), wd->bytes);
    else
      for (unsigned i = 0; i < rows; ++i) expected[i][l] = loaded(wd, model + offset[l], i);
  }
  CHECK_RUN(p);
  for (unsigned i = 0; i < 5; ++i) CHECK_ROW(p, row + i, expected[i]);
  CHECK(memcmp(target, model, size) == 0, "%s_%s form %zu: memory differs", forms[form].prefix, wd->name,
        form);
}

static void every_width_and_form(const char *target) {
  static char text[FORMS * WIDTHS][96];
  const char *code[FORMS * WIDTHS];
  static const uint64_t execs[] = {~0ull, 0, 0x8000000000000001, 0x0f0f5555aaaa00ff};
  for (size_t i = 0; i < FORMS * WIDTHS; ++i) {
    make_code(text[i], i % FORMS, &widths[i / FORMS], i % 4 == 3);
    code[i] = text[i];
  }
  for (size_t e = 0; e < sizeof execs / sizeof execs[0]; ++e) {
    isa_program *p = isa_assemble(target, code, FORMS * WIDTHS);
    for (size_t i = 0; i < FORMS * WIDTHS; ++i)
      check_form(p, i, i % FORMS, &widths[i / FORMS], i % 4 == 3, execs[e]);
    isa_free(p);
  }
}

static void one_instruction_may_reach_three_spaces(const char *target) {
  static const char *const code[] = {"flat_load_dwordx2 v[4:5], v[2:3]"};
  isa_program *p = isa_assemble(target, code, 1);
  sim_wave *w = isa_begin(p, 0);
  uint8_t *memory = pattern_memory(p, 1024), *scratch = pattern_memory(p, 64 * STRIDE);
  for (size_t i = 0; i < 1024; ++i) isa_group(p)->lds[i] = (uint8_t)~byte_at(i);
  w->scratch = (uint64_t)(uintptr_t)scratch, w->scratch_stride = STRIDE;
  for (unsigned l = 0; l < 64; ++l) {
    uint64_t base = l % 3 == 0   ? (uint64_t)(uintptr_t)memory
                    : l % 3 == 1 ? sim_aperture_base(SIM_SHARED_APERTURE)
                                 : sim_aperture_base(SIM_PRIVATE_APERTURE);
    isa_set_v64(w, 2, l, base + l);
  }
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l) {
    uint32_t expected = l % 3 == 0   ? dword_at(l + 4)
                        : l % 3 == 1 ? ~dword_at(l + 4)
                                     : dword_at(l * STRIDE + l + 4);
    CHECK_V32(p, 5, l, expected);
  }
  isa_free(p);
}

static void faults_name_lane_and_address(const char *target) {
  static const char *const code[] = {"global_load_dwordx4 v[4:7], v1, s[6:7]",
                                     "global_store_byte v[2:3], v4, off", "flat_load_dword v4, v[2:3]",
                                     "scratch_store_dwordx2 v1, v[4:5], off",
                                     "global_load_dword v4, v[2:3], off"};
  isa_program *p = isa_assemble(target, code, 5);
  uint8_t *memory = pattern_memory(p, 1000);
  sim_wave *w = isa_begin(p, 0);
  sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory);
  w->v[1][33] = 984;
  CHECK_RUN(p);
  w = isa_begin(p, 0);
  sim_set_s64(w, 6, (uint64_t)(uintptr_t)memory);
  w->v[1][33] = 985;
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 33");
  char address[32];
  snprintf(address, sizeof address, "0x%llx", (unsigned long long)(uintptr_t)memory + 985);
  CHECK(strstr(isa_report(p), address) && strstr(isa_report(p), "1000 bytes long"), "%s", isa_report(p));
  w = isa_begin(p, 1);
  sim_set_s64(w, SIM_EXEC, 1ull << 62);
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "0x0");
  for (int past = 0; past < 2; ++past) {  // LDS through its aperture
    w = isa_begin(p, 2);
    for (unsigned l = 0; l < 64; ++l) isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE));
    w->v[2][7] = ISA_LDS_BYTES - 4 + (unsigned)past;
    if (past)
      CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 7");
    else
      CHECK_RUN(p);
  }
  for (int past = 0; past < 2; ++past) {
    w = isa_begin(p, 3);
    w->scratch = (uint64_t)(uintptr_t)isa_memory(p, 64 * STRIDE), w->scratch_stride = STRIDE;
    w->v[1][12] = STRIDE - 8 + (unsigned)past;
    if (past)
      CHECK_FAULT(p, SIM_FAULT_ADDRESS, "256 bytes of scratch per lane");
    else
      CHECK_RUN(p);
  }
  w = isa_begin(p, 4);  // global instructions know no apertures
  for (unsigned l = 0; l < 64; ++l) isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE));
  CHECK_FAULT(p, SIM_FAULT_ADDRESS, "lane 0");
  isa_free(p);
}

static void flat_counts_both_counters(const char *target) {
  static const char *const code[] = {
      "flat_load_dword v4, v[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v5, v4",
      "flat_load_dword v4, v[2:3]\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v4",
      "flat_load_dword v4, v[2:3]\n v_mov_b32 v5, v4",
      "global_load_dword v4, v[2:3], off\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v4",
      "scratch_load_dword v4, off, off\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v4",
      "scratch_load_dword v4, off, off\n s_waitcnt vmcnt(0)\n v_mov_b32 v5, v4"};
  static const bool landed[] = {true, true, false, false, false, true};
  isa_program *p = isa_assemble(target, code, 6);
  uint8_t *memory = pattern_memory(p, 64 * STRIDE);
  for (size_t i = 0; i < 6; ++i) {
    sim_wave *w = isa_begin(p, i);
    w->scratch = (uint64_t)(uintptr_t)memory, w->scratch_stride = STRIDE;
    for (unsigned l = 0; l < 64; ++l) isa_set_v64(w, 2, l, (uint64_t)(uintptr_t)memory);
    CHECK_RUN(p);
    CHECK_V32(p, 5, 0, landed[i] ? dword_at(0) : 0);
    CHECK_V32(p, 4, 0, dword_at(0));
  }
  isa_free(p);
}

// LDS takes the DS and FLAT instructions of a wave in the order of issue, whatever lands when.
static void flat_and_ds_keep_their_order(const char *target) {
  static const char *const code[] = {
      "ds_write_b32 v1, v6\n flat_store_dword v[2:3], v7\n ds_read_b32 v4, v1\n ds_write_b32 v1, v8\n"
      "flat_load_dword v5, v[2:3]\n ds_write_b32 v1, v9\n flat_atomic_add v[2:3], v6\n"
      "ds_read_b32 v10, v1\n"};
  static const sim_schedule schedules[] = {SIM_LATE,     SIM_LATE_VMEM, SIM_LATE_LDS, SIM_EARLY,
                                           SIM_LOCKSTEP, SIM_TIMED,     SIM_RANDOM};
  isa_program *p = isa_assemble(target, code, 1);
  for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; ++i) {
    sim_wave *w = isa_begin(p, 0);
    isa_group(p)->schedule = schedules[i];
    isa_group(p)->rng = 7;
    for (unsigned l = 0; l < 64; ++l) {
      w->v[1][l] = 4 * l;
      isa_set_v64(w, 2, l, sim_aperture_base(SIM_SHARED_APERTURE) + 4 * l);
      for (unsigned v = 6; v < 10; ++v) w->v[v][l] = 100 * v;
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l) {
      CHECK_V32(p, 4, l, 700);
      CHECK_V32(p, 5, l, 800);
      CHECK_V32(p, 10, l, 1500);
    }
  }
  isa_free(p);
}

static void scratch_goes_to_lds_directly(const char *target) {
  static const struct {
    const char *name;
    int bits;
    bool sign;
  } kinds[] = {{"dword", 32, false},
               {"ubyte", 8, false},
               {"sbyte", 8, true},
               {"ushort", 16, false},
               {"sshort", 16, true}};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  static char text[KINDS][64];
  const char *code[KINDS];
  for (int i = 0; i < KINDS; ++i) {
    snprintf(text[i], sizeof text[0], "scratch_load_lds_%s v1, off offset:8", kinds[i].name);
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, KINDS);
  for (size_t i = 0; i < KINDS; ++i) {
    sim_wave *w = isa_begin(p, i);
    w->scratch = (uint64_t)(uintptr_t)pattern_memory(p, 64 * STRIDE), w->scratch_stride = STRIDE;
    w->s[SIM_M0] = 32;
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t value, want = dword_at(l * STRIDE + 8) << (32 - kinds[i].bits);
      memcpy(&value, isa_group(p)->lds + 40 + 4 * l, 4);
      want = kinds[i].sign ? (uint32_t)((int32_t)want >> (32 - kinds[i].bits)) : want >> (32 - kinds[i].bits);
      CHECK(value == want, "%s %s lane %u: %x, expected %x", target, code[i], l, value, want);
    }
  }
  isa_free(p);
}

// Where accesses fault by page, memory ends with its page, and code with its last byte.
static void pages_end_data_but_not_code(const char *target) {
  enum { BYTES = 100 };
  static const char *const code[] = {"global_load_dword v4, v0, s[4:5]\n s_waitcnt vmcnt(0)"};
  static const sim_memory_kind kinds[] = {SIM_MEMORY_DEVICE, SIM_MEMORY_HOST, SIM_MEMORY_MANAGED,
                                          SIM_MEMORY_CODE};
  isa_program *p = isa_assemble(target, code, 1);
  const uint64_t base = (uint64_t)(uintptr_t)aligned_alloc(SIM_MEMORY_PAGE, SIM_MEMORY_PAGE);
  memset((void *)(uintptr_t)base, 0, SIM_MEMORY_PAGE);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    CHECK(sim_memory_add((sim_allocation){.base = base, .size = BYTES, .kind = kinds[k]}), "kind %zu", k);
    for (int page = 0; page < 2; ++page)
      for (uint32_t offset = BYTES - 4; offset <= SIM_MEMORY_PAGE; offset += 4) {
        sim_wave *w = isa_begin(p, 0);
        isa_group(p)->fault_by_page = page;
        sim_set_s64(w, 4, base + offset);
        sim_set_s64(w, SIM_EXEC, 1);
        if (offset < BYTES || (page && kinds[k] != SIM_MEMORY_CODE && offset < SIM_MEMORY_PAGE))
          CHECK_RUN(p);
        else
          CHECK_FAULT(p, SIM_FAULT_ADDRESS, page ? "WT_SIM_FAULT=page" : "WT_SIM_FAULT=exact");
      }
    sim_memory_remove(base);
  }
  free((void *)(uintptr_t)base);
  isa_free(p);
}

int main(void) {
  every_width_and_form("gfx942");
  every_width_and_form("gfx950");
  one_instruction_may_reach_three_spaces("gfx942");
  one_instruction_may_reach_three_spaces("gfx950");
  faults_name_lane_and_address("gfx942");
  faults_name_lane_and_address("gfx950");
  flat_counts_both_counters("gfx942");
  flat_counts_both_counters("gfx950");
  flat_and_ds_keep_their_order("gfx942");
  flat_and_ds_keep_their_order("gfx950");
  scratch_goes_to_lds_directly("gfx942");
  scratch_goes_to_lds_directly("gfx950");
  pages_end_data_but_not_code("gfx942");
  pages_end_data_but_not_code("gfx950");
  return test_result();
}
