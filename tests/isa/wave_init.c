// SPDX-License-Identifier: MIT
// Tests the registers of a wave at its first instruction: the expectations follow LLVM AMDGPUUsage, "Initial
// Kernel Execution State" and "Kernel Descriptor".
#include "sim/exec/dispatch.h"
#include "tests/isa/harness.h"

enum { UNTOUCHED = 0x5a5a5a5a, VGPR_ROWS = 512 };

static isa_program *program;
static sim_kernel kernel;

// Returns the state of wave `id` of work-group (5, 6, 7) with `x * y * z` work-items.
static const sim_wave *begin(uint32_t id, uint32_t x, uint32_t y, uint32_t z) {
  static sim_launch launch;
  static uint32_t arguments[8] = {100, 101, 102, 103, 104, 105, 106, 107};
  sim_wave *w = isa_begin_waves(program, 0, 16);
  sim_group *g = isa_group(program);
  launch = *g->launch;
  launch.kernel = &kernel;
  launch.block[0] = x, launch.block[1] = y, launch.block[2] = z;
  g->id[0] = 5, g->id[1] = 6, g->id[2] = 7;
  for (unsigned row = 0; row < VGPR_ROWS; ++row)
    for (int l = 0; l < SIM_LANES; ++l) w[id].v[row][l] = UNTOUCHED;
  const sim_dispatch d = {.launch = &launch,
                          .kernarg = (uint64_t)(uintptr_t)arguments,
                          .packet = 0x1111111122222222,
                          .queue = 0x3333333344444444,
                          .scratch_bytes = 48};
  sim_wave_init(&d, g, id, NULL);
  w[id].s[120] = (uint32_t)d.kernarg;  // beyond what a program has: for the comparison
  w[id].s[121] = (uint32_t)(d.kernarg >> 32);
  return &w[id];
}

static void user_registers_come_in_order(void) {
  // Describes the bits of kernel_code_properties, the registers that each fills, and with what.
  static const struct {
    uint16_t bit;
    unsigned count;
    uint32_t value[2];
  } users[] = {{1 << 1, 2, {0x22222222, 0x11111111}},
               {1 << 2, 2, {0x44444444, 0x33333333}},
               {1 << 3, 2, {0, 0}},  // the argument segment
               {1 << 4, 2, {0, 0}},  // the number of the dispatch
               {1 << 6, 1, {48}}};
  for (unsigned set = 0; set < 1 << 5; ++set)
    for (unsigned preloaded = 0; preloaded <= 4; preloaded += 2) {
      unsigned next = 0;
      kernel.properties = 0;
      kernel.preload_length = (uint16_t)preloaded;
      kernel.preload_offset = 3;
      for (unsigned i = 0; i < 5; ++i)
        if (set >> i & 1) kernel.properties |= users[i].bit;
      const sim_wave *w = begin(0, 64, 1, 1);
      for (unsigned i = 0; i < 5; ++i)
        for (unsigned k = 0; set >> i & 1 && k < users[i].count; ++k, ++next) {
          const uint32_t expected = i == 2 ? w->s[120 + k] : users[i].value[k];
          CHECK(w->s[next] == expected, "set %#x: s%u is %#x, not %#x", set, next, w->s[next], expected);
        }
      for (unsigned i = 0; i < preloaded; ++i, ++next)
        CHECK(w->s[next] == 103 + i, "set %#x: argument %u in s%u is %u", set, i, next, w->s[next]);
      CHECK(w->s[next] == SIM_UNWRITTEN, "set %#x: s%u is written: %#x", set, next, w->s[next]);
    }
  kernel.properties = 0;
  kernel.preload_length = 0;
}

static void at_most_sixteen_user_registers_are_preloaded(void) {
  kernel.properties = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6;  // nine registers
  kernel.preload_offset = 0;
  kernel.preload_length = 8;
  const sim_wave *w = begin(0, 64, 1, 1);
  CHECK(w->s[9] == 100 && w->s[15] == 106 && w->s[16] == SIM_UNWRITTEN, "s9 %u, s15 %u, s16 %#x", w->s[9],
        w->s[15], w->s[16]);
  kernel.properties = 0;
  kernel.preload_length = 0;
}

static void system_registers_follow_the_user_registers(void) {
  for (unsigned users = 0; users <= 16; users += 8)
    for (unsigned set = 0; set < 16; ++set)
      for (uint32_t wave = 0; wave < 2; ++wave) {
        unsigned next = users;
        kernel.rsrc2 = users << 1 | set << 7;
        const sim_wave *w = begin(wave, 128, 1, 1);
        for (unsigned axis = 0; axis < 3; ++axis)
          if (set >> axis & 1) {
            CHECK(w->s[next] == 5 + axis, "%u users, set %#x: s%u is %u", users, set, next, w->s[next]);
            ++next;
          }
        if (set >> 3 & 1) {
          CHECK(w->s[next] == (wave == 0), "wave %u: s%u is %#x", wave, next, w->s[next]);
          ++next;
        }
        CHECK(w->s[next] == SIM_UNWRITTEN, "%u users, set %#x: s%u is written: %#x", users, set, next,
              w->s[next]);
      }
  kernel.rsrc2 = 0;
}

// Describes a wave with `arch` VGPRs of `total`, both as the descriptor counts them; the rest are AGPRs.
static void registers_of_its_own_are_unwritten(void) {
  static const struct {
    uint32_t granules, offset;  // rsrc1 bits 5:0, rsrc3 bits 5:0
    unsigned arch, acc;
  } cases[] = {{0, 0, 4, 4},     {0, 1, 8, 0},       {0, 2, 8, 0},       {1, 1, 8, 8},       {3, 4, 20, 12},
               {31, 63, 256, 0}, {63, 63, 256, 256}, {63, 31, 128, 256}, {63, 32, 132, 256}, {32, 1, 8, 256}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    kernel.rsrc1 = cases[i].granules;
    kernel.rsrc3 = cases[i].offset;
    const sim_wave *w = begin(0, 64, 1, 1);
    for (unsigned row = 1; row < VGPR_ROWS; ++row) {
      const bool own = row < SIM_ACC ? row < cases[i].arch : row - SIM_ACC < cases[i].acc;
      const uint32_t expected = own ? SIM_UNWRITTEN : UNTOUCHED;
      CHECK(w->v[row][0] == expected && w->v[row][63] == expected, "granules %u, offset %u: row %u is %#x",
            cases[i].granules, cases[i].offset, row, w->v[row][0]);
    }
  }
  kernel.rsrc1 = kernel.rsrc3 = 0;
}

static void lanes_know_their_work_items(void) {
  static const uint32_t blocks[][3] = {{1, 1, 1},  {63, 1, 1}, {64, 1, 1}, {65, 1, 1},
                                       {16, 4, 3}, {5, 7, 11}, {1, 1, 130}};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
    const uint32_t *b = blocks[i], count = b[0] * b[1] * b[2];
    for (uint32_t wave = 0; wave * 64 < count; ++wave) {
      const sim_wave *w = begin(wave, b[0], b[1], b[2]);
      uint32_t item = 0;
      uint64_t exec = 0;
      for (uint32_t z = 0; z < b[2]; ++z)
        for (uint32_t y = 0; y < b[1]; ++y)
          for (uint32_t x = 0; x < b[0]; ++x, ++item) {
            if (item / 64 != wave) continue;
            exec |= UINT64_C(1) << item % 64;
            CHECK(w->v[0][item % 64] == (x | y << 10 | z << 20), "work-item (%u,%u,%u) has v0 = %#x", x, y, z,
                  w->v[0][item % 64]);
          }
      CHECK(sim_exec(w) == exec, "wave %u of %ux%ux%u: exec is %#llx", wave, b[0], b[1], b[2],
            (unsigned long long)sim_exec(w));
    }
  }
}

// Bit by bit: MODE has the rounding and denormal modes in 7:0, DX10_CLAMP 8, IEEE 9, FP16_OVFL 23.
static void modes_come_from_the_descriptor(void) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    const uint32_t mode = bit >= 12 && bit < 20 ? 1u << (bit - 12)
                          : bit == 21           ? 1u << 8
                          : bit == 23           ? 1u << 9
                          : bit == 26           ? 1u << 23
                                                : 0;
    const unsigned priority = bit == 10 ? 1 : bit == 11 ? 2 : 0;
    kernel.rsrc1 = 1u << bit;
    const sim_wave *w = begin(0, 64, 1, 1);
    CHECK(w->mode == mode && w->priority == priority, "bit %u: mode %#x, priority %u", bit, w->mode,
          (unsigned)w->priority);
  }
  kernel.rsrc1 = 0;
}

int main(void) {
  static const char *const code[] = {".rept 80\n s_nop 0\n .endr"};
  program = isa_assemble("gfx950", code, 1);
  isa_begin(program, 0);
  kernel = *isa_kernel(program);
  kernel.properties = 0;
  kernel.rsrc1 = kernel.rsrc2 = kernel.rsrc3 = 0;
  kernel.preload_length = 0;
  user_registers_come_in_order();
  at_most_sixteen_user_registers_are_preloaded();
  system_registers_follow_the_user_registers();
  registers_of_its_own_are_unwritten();
  lanes_know_their_work_items();
  modes_come_from_the_descriptor();
  isa_free(program);
  return test_result();
}
