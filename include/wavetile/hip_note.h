// SPDX-License-Identifier: MIT
// Writes into the object file which release of the HIP headers it was compiled with. HIP 6 gave other numbers
// to kinds of memory and types of graph nodes under the names of HIP 5, and nothing else in a program need
// tell which ones it means. `wavetile hipcc` includes this file before every source; other compilers can be
// told to: cc -include wavetile/hip_note.h. The simulated runtime reads the note (sim/hip/caller.c).
#ifndef WAVETILE_HIP_NOTE_H
#define WAVETILE_HIP_NOTE_H

// Clang defines __AMDGCN__ for the host's part of a HIP source as well.
#if (defined(__HIP__) ? !defined(__HIP_DEVICE_COMPILE__) : !defined(__AMDGCN__)) && defined(__ELF__) && \
    defined(__has_include)
#if __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#define WT_HIP_NOTE_TEXT(number) #number
#define WT_HIP_NOTE_NUMBER(number) WT_HIP_NOTE_TEXT(number)
// This is an ELF note: lengths of name and content, type, the name with its zero and padding, and content.
__asm__(
    ".pushsection .note.wavetile.hip, \"a\", @note\n\t.balign 4\n\t.long 9, 4, 1\n\t"
    ".asciz \"wavetile\"\n\t.balign 4\n\t.long " WT_HIP_NOTE_NUMBER(HIP_VERSION_MAJOR) "\n\t.popsection");
#undef WT_HIP_NOTE_NUMBER
#undef WT_HIP_NOTE_TEXT
#endif
#endif

#endif
