// SPDX-License-Identifier: MIT
// Builds text of inline assembly while compiling.
#ifndef WT_OPS_ISA_ASM_TEXT_H
#define WT_OPS_ISA_ASM_TEXT_H

#include "../../tiles/types.h"

namespace wt::detail {

// This is text of at most Capacity characters, in the form that inline assembly takes.
template <int Capacity = 128>
struct asm_text {
  char text[Capacity] = {};
  int length = 0;
  constexpr const char *data() const { return text; }
  constexpr __SIZE_TYPE__ size() const { return static_cast<__SIZE_TYPE__>(length); }
  constexpr void add(const char *more) {
    while (*more) text[length++] = *more++;
  }
  constexpr void add(int number) {
    if (number >= 10) add(number / 10);
    text[length++] = static_cast<char>('0' + number % 10);
  }
};

}  // namespace wt::detail

#endif
