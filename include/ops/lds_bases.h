// SPDX-License-Identifier: MIT
// This header is about the base addresses of a reader of LDS: which of its reads share one.
#ifndef WT_OPS_LDS_BASES_H
#define WT_OPS_LDS_BASES_H

#include "isa/forget.h"
#include "list.h"

namespace wt {

// These are the base addresses of Reads reads. A read goes to (start ^ part) + immediate, where the start is
// the lane's own and the same for all reads, and the part is the read's (fold_constant). Every distinct part
// takes one register per lane.
template <int Reads>
struct lds_bases {
  int count = 0;
  int part[Reads] = {};     // the part of base b, b < count
  int of_read[Reads] = {};  // the base of a read

  // Collects the bases; part_of(n) is the part of read n.
  template <class F>
  constexpr explicit lds_bases(const F &part_of) {
    for (int n = 0; n < Reads; ++n) {
      int b = 0;
      while (b < count && part[b] != part_of(n)) ++b;
      if (b == count) part[count++] = part_of(n);
      of_read[n] = b;
    }
  }

  // Returns the bits of the parts. When starts differ in other bits, one base is another one XOR their parts.
  constexpr int bits() const {
    int bits = 0;
    for (int b = 0; b < count; ++b) bits |= part[b];
    return bits;
  }
};

// Makes the compiler forget the bases of a reader: how they follow from each other, and from where the tile
// is.
//
// scope: wave; operands: a reader; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class Reader>
WT_DEVICE void forget_bases(Reader &reader) {
  unrolled<sizeof(reader.base) / sizeof(u32)>([&](auto b) WT_INLINE { forget(reader.base[b.value]); });
}

}  // namespace wt

#endif
