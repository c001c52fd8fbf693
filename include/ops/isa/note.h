// SPDX-License-Identifier: MIT
// Notes: what a kernel tells tools about itself. They lie in a section of the code object that no device
// loads, as the ELF notes of static probes on hosts do, and the linker keeps them whatever else it drops.
//
// scope: wave; operands: an integer that all lanes share; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_ISA_NOTE_H
#define WT_OPS_ISA_NOTE_H

#include "../../tiles/evaluated.h"
#include "asm_text.h"

namespace wt {
namespace detail {

// Returns the directives for a note: the header of an ELF note (lengths of owner and contents, type), the
// owner, and as contents the address of this place in the code and the bytes. A line with all of the bytes
// counts as one instruction where the compiler estimates how long code is.
template <int Type, class Bytes>
consteval auto note_text(const Bytes &bytes) {
  constexpr int kAddress = 8, kSize = sizeof(bytes.at);
  asm_text<256 + 4 * kSize> text;
  text.add(".pushsection .note.wavetile, \"?\", @note\n.balign 4\n.long 9, "), text.add(kAddress + kSize);
  text.add(", "), text.add(Type),
      text.add("\n.asciz \"wavetile\"\n.balign 4\n.quad .Lwavetile_note%=\n.byte ");
  for (int i = 0; i < kSize; ++i) {
    if (i > 0) text.add(",");
    text.add(bytes.at[i]);
  }
  text.add("\n.balign 4\n.popsection\n.Lwavetile_note%=:");
  return text;
}
template <int Type, const auto &Bytes>
constexpr auto kNoteText = evaluated<note_text<Type>(Bytes)>;

}  // namespace detail

// Leaves a note with Bytes.at, an array of bytes, in the code object and does what forget_uniform does. Both
// are one, because a statement of its own would be one more that the compiler moves no memory operation
// across: so the note costs no instruction and changes none.
template <int Type, const auto &Bytes, class V>
WT_DEVICE void note_and_forget_uniform(V &value) {
  asm volatile((detail::kNoteText<Type, Bytes>) : "+s"(value));
}

}  // namespace wt

#endif
