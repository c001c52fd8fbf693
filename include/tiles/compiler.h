// SPDX-License-Identifier: MIT
// This header refuses compilers and language modes that cannot read the device headers, in a sentence of its
// own, before the compiler complains about each header.
#ifndef WT_TILES_COMPILER_H
#define WT_TILES_COMPILER_H

#if !defined(__clang__)
#error \
    "wavetile's device headers need clang in HIP mode (`wavetile hipcc`, ROCm's hipcc, or clang++ -x hip), not this compiler; the C API, wavetile.h, is for every compiler"
#elif __cplusplus < 202002L
#error "wavetile's device headers are written in C++20: compile with -std=c++20"
#elif !__has_extension(gnu_asm_constexpr_strings)
#error "wavetile's device headers need clang 21 or newer, or a ROCm that is based on it"
#else
// This is defined where the compiler can read the device headers.
#define WT_COMPILER_FITS 1
#endif

#endif
