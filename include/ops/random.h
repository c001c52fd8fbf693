// SPDX-License-Identifier: MIT
// Random numbers are a function of where they are used: Philox4x32-10, the counter-based generator of Salmon,
// Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). No state is kept, so any
// thread can form any number, and a backward pass can form those of the forward pass.
//
// scope: lane; operands: integers; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
#ifndef WT_OPS_RANDOM_H
#define WT_OPS_RANDOM_H

#include "../tiles/rv.h"
#include "list.h"

namespace wt {

// Turns blocks of four words, the counters, into random words under a key of two words. In each round two
// products of 32 x 32 bits change places, mixed with the key, which itself advances by a Weyl sequence
// (section 3.3, and table 2 for the constants). The rounds are a loop: if it were unrolled, their keys would
// fill the scalar registers.
template <int Blocks, int Rounds = 10>
WT_DEVICE void philox4x32(u32x4 (&blocks)[Blocks], u32x2 key) {
  static constexpr u32 kMultiplier0 = 0xd2511f53u, kMultiplier1 = 0xcd9e8d57u;
  static constexpr u32 kWeyl0 = 0x9e3779b9u, kWeyl1 = 0xbb67ae85u;  // the golden ratio; sqrt(3) - 1
#pragma unroll 1
  for (int round = 0; round < Rounds; ++round) {
    unrolled<Blocks>([&](auto b) WT_INLINE {
      u32x4 &c = blocks[b];
      const unsigned long long product0 = static_cast<unsigned long long>(c[0]) * kMultiplier0;
      const unsigned long long product1 = static_cast<unsigned long long>(c[2]) * kMultiplier1;
      c = u32x4{static_cast<u32>(product1 >> 32) ^ c[1] ^ key[0], static_cast<u32>(product1),
                static_cast<u32>(product0 >> 32) ^ c[3] ^ key[1], static_cast<u32>(product0)};
    });
    key += u32x2{kWeyl0, kWeyl1};
  }
}

// Returns Count words from element (row, column) on of the endless matrix of random words that a 64-bit seed
// stands for. Count is one, or a multiple of four from a column that is a multiple of four. Element (row,
// column) is word column % 4 of Philox4x32-10 for the counter (column / 4, row, row / 2^32, 0) and the key
// (seed, seed / 2^32).
template <int Count>
WT_DEVICE vector<u32, Count> random_words(unsigned long long seed, unsigned long long row, int column) {
  static_assert(Count == 1 || Count % 4 == 0, "random words come by fours: ask for one, or a multiple of 4");
  static constexpr int kBlocks = (Count + 3) / 4;
  u32x4 blocks[kBlocks];
  unrolled<kBlocks>([&](auto b) WT_INLINE {
    blocks[b] =
        u32x4{static_cast<u32>(column / 4 + b), static_cast<u32>(row), static_cast<u32>(row >> 32), 0};
  });
  philox4x32(blocks, u32x2{static_cast<u32>(seed), static_cast<u32>(seed >> 32)});
  vector<u32, Count> words;
  if constexpr (Count == 1) {
    const u32x4 all = blocks[0];
    const u32 low = column & 1 ? all[1] : all[0], high = column & 1 ? all[3] : all[2];
    words[0] = column & 2 ? high : low;
  } else {
    unrolled<Count>([&](auto i) WT_INLINE { words[i.value] = blocks[i / 4][i % 4]; });
  }
  return words;
}

}  // namespace wt

#endif
