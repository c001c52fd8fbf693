// SPDX-License-Identifier: MIT
// The device's random words are those of the published generator, which the host's reference is checked to be
// by its authors' known answers.
#include "tests/kernels/ops/isa/run.h"
#include "tools/core/philox.h"

enum { COLUMNS = 1024 };

// Checks the vectors that the authors publish with their implementation (Random123, kat_vectors, philox4x32
// 10).
static void check_reference(void) {
  static const uint32_t known[3][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                         0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
                                         0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int i = 0; i < 3; ++i) {
    uint32_t out[4];
    philox_block(known[i], known[i] + 4, 10, out);
    CHECK(memcmp(out, known[i] + 6, sizeof out) == 0, "known answer %d: %08x %08x %08x %08x", i, out[0],
          out[1], out[2], out[3]);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  (void)gfx950;
  test_rng rng = test_seed(2011);
  uint32_t *out = isa_memory(3 * COLUMNS * sizeof *out);
  for (int i = 0; i < 8; ++i) {
    uint64_t seed = test_random(&rng), row = i < 4 ? test_random(&rng) % 100000 : test_random(&rng);
    int first = (int)(test_random(&rng) % (1 << 28)) * 4, columns = COLUMNS;
    void *arguments[] = {&out, &seed, &row, &first, &columns};
    memset(out, 0, 3 * COLUMNS * sizeof *out);
    if (!isa_run(module, "random_rows", 64, arguments)) return;
    for (int n = 0; n < 3 * COLUMNS; ++n) {
      const uint32_t want = philox_word(seed, row, (uint32_t)(first + n % COLUMNS));
      CHECK(out[n] == want, "seed %llx, row %llu, column %d, way %d: %08x, expected %08x",
            (unsigned long long)seed, (unsigned long long)row, first + n % COLUMNS, n / COLUMNS, out[n],
            want);
    }
  }
}

int main(int argc, char **argv) {
  check_reference();
  return isa_main(argc, argv, check_device);
}
