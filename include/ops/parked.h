// SPDX-License-Identifier: MIT
// Values that the lanes share are parked in the lanes' registers while scalar ones are short.
//
// scope: wave; operands: any value of whole registers; leaves: none; waits: nobody; LDS: none; registers:
// those of the value, of the kind that is named; chips: both
#ifndef WT_OPS_PARKED_H
#define WT_OPS_PARKED_H

#include "isa/crosslane.h"
#include "isa/forget.h"
#include "list.h"

namespace wt {

// Says whose registers hold a value that the lanes share: the wave's or the lanes'.
enum class parked_in { scalar_registers, vector_registers };

// Holds a value that the lanes share and that is not needed for a while, in scalar registers.
template <parked_in Where, class V>
struct parked {
  const V kept;

  // Keeps the value.
  WT_DEVICE explicit parked(const V &value) : kept(value) {}
  // Returns it.
  WT_DEVICE const V &value() const { return kept; }
};
// Does so in vector registers.
template <class V>
struct parked<parked_in::vector_registers, V> {
  struct words {
    u32 word[sizeof(V) / sizeof(u32)];
  };
  static constexpr int kWords = sizeof(words) / sizeof(u32);
  words kept;

  // Keeps the value.
  WT_DEVICE explicit parked(const V &value) : kept(__builtin_bit_cast(words, value)) {
    unrolled<kWords>([&](auto i) WT_INLINE { forget(kept.word[i.value]); });
  }
  // Returns it in scalar registers.
  WT_DEVICE V value() const {
    words shared;
    unrolled<kWords>([&](auto i) WT_INLINE { shared.word[i] = readfirstlane(kept.word[i.value]); });
    return __builtin_bit_cast(V, shared);
  }
};

}  // namespace wt

#endif
