// SPDX-License-Identifier: MIT
// LDS and buffer access through the wrappers, width by width, against copies made here. The transposed reads
// follow CDNA4 ISA 11.4: in a group of 16 lanes, the lanes' pieces are the rows of a matrix 16 wide, and lane
// j receives its column j.
#include "run.h"

enum { LANES = 64, ROOM = 4096, INSTRUCTION = 64, LDS_BASE = 256, BUFFER_PITCH = 32 };

static uint8_t *in, *out;
static const int widths[] = {1, 2, 4, 8, 12, 16};

static void prepare(test_rng *rng) {
  for (int i = 0; i < ROOM; ++i) in[i] = (uint8_t)test_random(rng);
  memset(out, 0xcd, ROOM);
}

static void check_lds(hipModule_t module, int width) {
  char name[32];
  snprintf(name, sizeof name, "lds_%d", width);
  void *arguments[] = {&in, &out};
  if (!isa_run(module, name, LANES, arguments)) return;
  for (int lane = 0; lane < LANES; ++lane) {
    const uint8_t *next = in + (lane + 1) % LANES * 16, *own = in + lane * 16;
    CHECK(memcmp(out + lane * 32, next, (size_t)width) == 0, "%s: lane %d reads its neighbour", name, lane);
    CHECK(memcmp(out + lane * 32 + 16, own, (size_t)width) == 0, "%s: lane %d reads its bytes", name, lane);
  }
}

static uint32_t bits_at(const uint8_t *bytes, int bit, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= (uint32_t)(bytes[(bit + i) / 8] >> ((bit + i) % 8) & 1) << i;
  return value;
}

static void check_transposed(hipModule_t module, int bits) {
  char name[32];
  snprintf(name, sizeof name, "transposed_%d", bits);
  void *arguments[] = {&in, &out};
  if (!isa_run(module, name, LANES, arguments)) return;
  const int pitch = bits == 6 ? 16 : 8, per_lane = bits == 6 ? 16 : 64 / bits, lanes_per_row = 16 / per_lane;
  for (int lane = 0; lane < LANES; ++lane) {
    for (int row = 0; row < per_lane; ++row) {
      const int column = lane % 16, source = lane / 16 * 16 + row * lanes_per_row + column / per_lane;
      const uint32_t want = bits_at(in + source * pitch, column % per_lane * bits, bits);
      const uint32_t got = bits_at(out + lane * 16, row * bits, bits);
      CHECK(got == want, "%s: lane %d element %d is %x, expected %x", name, lane, row, got, want);
    }
  }
}

// Lanes 0 to 47 are inside, the others outside, whether or not the hardware counts soffset when it checks.
static void check_buffer(hipModule_t module, int width) {
  char name[32];
  snprintf(name, sizeof name, "buffer_%d", width);
  int soffset = 8, bytes = 16 + 47 * BUFFER_PITCH + width + soffset;
  void *arguments[] = {&in, &out, &bytes, &soffset};
  static uint8_t want[ROOM];
  memset(want, 0xcd, ROOM);
  for (int lane = 0; lane < LANES; ++lane) {
    const bool sent_away = lane >= 32 && lane % 2 != 0;
    const int at = 16 + lane * BUFFER_PITCH + soffset;
    if (!sent_away && lane < 48) memcpy(want + at, in + at, (size_t)width);
  }
  if (!isa_run(module, name, LANES, arguments)) return;
  CHECK(memcmp(out, want, ROOM) == 0, "%s: moves exactly the lanes inside", name);
}

static void check_copy(hipModule_t module, int width) {
  char name[32];
  snprintf(name, sizeof name, "copy_%d", width);
  const int pitch = width == 12 ? 16 : width;
  int soffset = 48, bytes = ROOM;
  void *arguments[] = {&in, &out, &bytes, &soffset};
  static uint8_t want[2 * 1024];
  memset(want, 0xab, sizeof want);
  for (int lane = 0; lane < LANES; ++lane) {
    memcpy(want + LDS_BASE + INSTRUCTION + lane * pitch, in + INSTRUCTION + soffset + lane * pitch,
           (size_t)width);
  }
  if (!isa_run(module, name, LANES, arguments)) return;
  CHECK(memcmp(out, want, sizeof want) == 0, "%s: fills exactly its part of LDS", name);
}

// value(lane) of one cell's four lanes is added to zero: 4 in the first half and the sum in the second, or
// only the sum for f32.
static void check_add(hipModule_t module, const char *name, int cells) {
  memset(out, 0, ROOM);
  void *arguments[] = {&out};
  if (!isa_run(module, name, LANES, arguments)) return;
  const bool f32 = strstr(name, "f32"), bf16 = strstr(name, "bf16");
  for (int cell = 0; cell < 17; ++cell) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += bf16 ? (4 * cell + i) % 8 : 4 * cell + i;
    const bool added = cell < cells;
    uint32_t got;
    memcpy(&got, out + 4 * cell, 4);
    if (f32) {
      float value;
      memcpy(&value, &got, 4);
      CHECK(value == (added ? (float)sum : 0), "%s: cell %d is %g", name, cell, (double)value);
    } else {
      // Both formats hold these sums exactly: bias 127 and 7 bits of mantissa, or 15 and 10.
      uint32_t halves[2];
      for (int half = 0; half < 2; ++half) {
        const int value = half ? sum : 4;
        int power = 0;
        while (value >> (power + 1)) ++power;
        const int mantissa = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
        halves[half] =
            added && value ? (uint32_t)(((power + bias - 1) << mantissa) + (value << mantissa >> power)) : 0;
      }
      CHECK(got == (halves[0] | halves[1] << 16), "%s: cell %d is %08x, expected %04x%04x", name, cell, got,
            halves[1], halves[0]);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(72);
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; ++i) {
    prepare(&rng);
    check_lds(module, widths[i]);
    prepare(&rng);
    check_buffer(module, widths[i]);
    prepare(&rng);
    if (widths[i] == 4 || (gfx950 && widths[i] >= 12)) check_copy(module, widths[i]);
  }
  for (int bits = 4; gfx950 && bits <= 16; bits += bits < 8 ? 2 : 8) {
    prepare(&rng);
    check_transposed(module, bits);
  }
  check_add(module, "buffer_add_f32", 15);
  check_add(module, "buffer_add_f16", 15);
  if (gfx950) check_add(module, "buffer_add_bf16", 15);
  check_add(module, "global_add_f32", 16);
  check_add(module, "global_add_f16", 16);
  check_add(module, "global_add_bf16", 16);
}

int main(int argc, char **argv) {
  in = isa_memory(ROOM), out = isa_memory(ROOM);
  return isa_main(argc, argv, check_device);
}
