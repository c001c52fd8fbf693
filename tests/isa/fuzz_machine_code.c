// SPDX-License-Identifier: MIT
// Random instruction streams end: by themselves, by a fault with a report, or by using up their budget. They
// never take the process with them. Each program holds 64 streams of random instructions, on waves whose
// registers hold addresses, descriptors, small numbers and rubbish. Built with sanitizers this finds accesses
// beyond a register file that happen to do no harm.
// usage: fuzz_machine_code SECONDS
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/isa/harness.h"
#include "tests/isa/opcodes.h"

enum {
  STREAMS = 64,
  LENGTH = 24,
  LINE = sizeof ".long 0x00000000, 0x00000000",
  MEMORY_BYTES = 1 << 16,
  STRIDE = 256,
  BUDGET = 2048
};

// What earlier runs have found: streams that once crashed.
static const char *const found[] = {
    ".long 0x7d9496f9, 0x86472098",  // an SDWA select that LLVM's printer does not survive
    // Nor does it these: a literal as destination, as source and as offset of a buffer; A and B that are no
    // vector registers, also behind their scales.
    ".long 0xd07401ff, 0x0018055c",
    ".long 0xd1cc0827, 0xfbd9ecff",
    ".long 0xe02668f2, 0xfff9fbca",
    ".long 0xd3ad06fa, 0x53d5e16b",
    ".long 0xd3ac0080, 0x180602f3, 0xd3ad8431, 0xf319f0ba",
};

static void random_stream(test_rng *rng, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < LENGTH; ++i) {
    uint32_t words[2];
    isa_random_instruction(rng, words);
    used += (size_t)snprintf(text + used, size - used, ".long 0x%08x, 0x%08x\n", words[0], words[1]);
  }
}

// Sets registers in pairs: an address inside the memory, or two words of other use.
static void random_pair(test_rng *rng, uint64_t memory, uint32_t pair[2]) {
  uint64_t r = test_random(rng), value;
  switch (r & 7) {
    case 0:
    case 1:
    case 2: value = memory + (r >> 8) % MEMORY_BYTES; break;
    case 3: value = (r >> 8 & 63) | (r >> 16 & 63) << 32; break;
    case 4: value = (uint64_t)(MEMORY_BYTES | (r >> 40 & 0xff)) | (r << 20 & 0x00ffffff00000000u); break;
    case 5: value = memory + MEMORY_BYTES - (r >> 8 & 31); break;
    default: value = test_random(rng); break;
  }
  pair[0] = (uint32_t)value, pair[1] = (uint32_t)(value >> 32);
}

static void random_wave(sim_wave *w, test_rng *rng, uint64_t memory, uint64_t scratch) {
  for (int i = 0; i < 102; i += 2) random_pair(rng, memory, &w->s[i]);
  for (int row = 0; row < 512; row += 2) {
    uint32_t pair[2];
    random_pair(rng, memory, pair);
    uint32_t step = (uint32_t)test_random(rng) & 16;
    for (uint32_t l = 0; l < SIM_LANES; ++l) w->v[row][l] = pair[0] + step * l, w->v[row + 1][l] = pair[1];
  }
  w->s[SIM_M0] = (uint32_t)test_random(rng) & 0xffff;
  if (test_random(rng) & 1) sim_set_s64(w, SIM_EXEC, test_random(rng));
  w->scratch = scratch, w->scratch_stride = STRIDE;
}

static void run_program(const char *target, const char *const *code, size_t count, test_rng *rng,
                        size_t *faults) {
  static const sim_schedule schedules[] = {SIM_LATE,      SIM_EARLY,    SIM_LOCKSTEP, SIM_RANDOM,
                                           SIM_LATE_VMEM, SIM_LATE_LDS, SIM_TIMED};
  isa_program *p = isa_assemble(target, code, count);
  uint8_t *memory = isa_memory(p, MEMORY_BYTES), *scratch = isa_memory(p, 2 * SIM_LANES * STRIDE);
  for (size_t i = 0; i < count; ++i) {
    sim_wave *w = isa_begin_waves(p, i, 2);
    isa_group(p)->schedule = schedules[test_random(rng) % 7];
    isa_group(p)->rng = test_random(rng);
    isa_group(p)->budget = BUDGET;
    for (uint32_t n = 0; n < 2; ++n)
      random_wave(&w[n], rng, (uint64_t)(uintptr_t)memory,
                  (uint64_t)(uintptr_t)scratch + n * SIM_LANES * STRIDE);
    bool fault = isa_run(p) != SIM_FAULT_NONE;
    *faults += fault;
    bool ended = fault || (w[0].state == SIM_WAVE_DONE && w[1].state == SIM_WAVE_DONE);
    CHECK(ended, "%s stream %zu has not ended:\n%s", target, i, code[i]);
    CHECK(!fault || isa_report(p)[0], "%s stream %zu faults without a report:\n%s", target, i, code[i]);
  }
  isa_free(p);
}

int main(int argc, char **argv) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static char text[STREAMS][LENGTH * LINE + 1];
  const char *code[STREAMS];
  double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
  size_t streams = 0, faults = 0;
  test_rng rng = test_seed(20261124);
  for (int t = 0; t < 2; ++t) run_program(targets[t], found, sizeof found / sizeof found[0], &rng, &faults);
  time_t start = time(NULL);
  for (int round = 0; round < 4 || difftime(time(NULL), start) < seconds; ++round) {
    for (int i = 0; i < STREAMS; ++i) {
      random_stream(&rng, text[i], sizeof text[0]);
      code[i] = text[i];
    }
    run_program(targets[round & 1], code, STREAMS, &rng, &faults);
    streams += STREAMS;
  }
  printf("%zu streams, %zu faults\n", streams, faults);
  return test_result();
}
