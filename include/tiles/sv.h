// SPDX-License-Identifier: MIT
// sv is a vector in LDS.
#ifndef WT_TILES_SV_H
#define WT_TILES_SV_H

#include "types.h"

namespace wt {

// This is a vector of Length values of T in LDS. A kernel declares it with WT_SHARED.
template <class T, int Length>
struct sv {
  static_assert(kBits<T> >= 8, "LDS vectors hold elements of whole bytes: keep narrower values in an st");
  using element = T;
  static constexpr int kLength = Length;
  static constexpr int kBytes = Length * static_cast<int>(sizeof(T));
  alignas(16) unsigned char bytes[kBytes];

  // Returns the byte offset of the value at `position`.
  static constexpr int offset(int position) { return position * static_cast<int>(sizeof(T)); }
};

}  // namespace wt

#endif
