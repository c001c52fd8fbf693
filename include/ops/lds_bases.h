// SPDX-License-Identifier: MIT
// The base addresses of a reader of LDS: which of its reads share one.
#ifndef WT_OPS_LDS_BASES_H
#define WT_OPS_LDS_BASES_H

namespace wt {

// A read goes to (start ^ part) + immediate, where the start is the lane's own and the same for all reads,
// and the part is the read's (fold_constant). Every distinct part takes one register per lane.
template <int Reads>
struct lds_bases {
  int count = 0;
  int part[Reads] = {};     // of base b, b < count
  int of_read[Reads] = {};  // the base of a read

  // part_of(n): the part of read n.
  template <class F>
  constexpr explicit lds_bases(const F &part_of) {
    for (int n = 0; n < Reads; ++n) {
      int b = 0;
      while (b < count && part[b] != part_of(n)) ++b;
      if (b == count) part[count++] = part_of(n);
      of_read[n] = b;
    }
  }

  // The bits of the parts. Among starts that differ in other bits, a base is another one XOR the parts.
  constexpr int bits() const {
    int bits = 0;
    for (int b = 0; b < count; ++b) bits |= part[b];
    return bits;
  }
};

}  // namespace wt

#endif
