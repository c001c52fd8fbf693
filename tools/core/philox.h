// SPDX-License-Identifier: MIT
// Computes Philox4x32 as its authors define it: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC 2011), section 3.3 and table 2. Results are verified with it, so it is written
// independently of the device's.
#ifndef WT_TOOLS_PHILOX_H
#define WT_TOOLS_PHILOX_H

#include <stdint.h>

// Computes the four words of a counter under a key, in so many rounds.
static inline void philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t rounds,
                                uint32_t out[4]) {
  uint32_t left0 = counter[0], right0 = counter[1], left1 = counter[2], right1 = counter[3];
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t key0 = key[0] + round * UINT32_C(0x9E3779B9), key1 = key[1] + round * UINT32_C(0xBB67AE85);
    const uint64_t m0 = (uint64_t)left0 * UINT32_C(0xD2511F53), m1 = (uint64_t)left1 * UINT32_C(0xCD9E8D57);
    const uint32_t next0 = (uint32_t)(m1 >> 32) ^ right0 ^ key0;
    const uint32_t next1 = (uint32_t)(m0 >> 32) ^ right1 ^ key1;
    right0 = (uint32_t)m1, right1 = (uint32_t)m0;
    left0 = next0, left1 = next1;
  }
  out[0] = left0, out[1] = right0, out[2] = left1, out[3] = right1;
}

// Returns element (row, column) of the matrix of random words of a seed (include/ops/random.h).
static inline uint32_t philox_word(uint64_t seed, uint64_t row, uint32_t column) {
  const uint32_t counter[4] = {column / 4, (uint32_t)row, (uint32_t)(row >> 32), 0};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t out[4];
  philox_block(counter, key, 10, out);
  return out[column % 4];
}

// Returns half `column` of the row of 16-bit halves that these words are, the lower half of each first.
static inline uint32_t philox_half(uint64_t seed, uint64_t row, uint32_t column) {
  return philox_word(seed, row, column / 2) >> column % 2 * 16 & 0xffff;
}

#endif
