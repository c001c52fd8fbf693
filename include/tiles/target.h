// SPDX-License-Identifier: MIT
// This header alone reads compiler and target macros: it defines the function qualifiers and what differs
// between the chips. Plain C may include it too, for the headers that host and device share.
#ifndef WT_TILES_TARGET_H
#define WT_TILES_TARGET_H

// Stands after a lambda's parameters: its body is always inlined.
#define WT_INLINE __attribute__((always_inline))

// WT_DEVICE declares a function of the device; WT_SHARED declares an object in LDS.
#if defined(__HIP__)
#define WT_DEVICE __attribute__((device, always_inline)) inline
#define WT_SHARED __attribute__((shared))
// Declares a kernel of exactly `threads` work-items per work-group.
#define WT_KERNEL(threads)                                                                         \
  static_assert((threads) >= 1 && (threads) <= 1024,                                               \
                "WT_KERNEL takes the threads of a work-group, 1 to 1024: launch more work-groups " \
                "instead (LLVM, AMDGPUUsage, amdgpu-flat-work-group-size)");                       \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void
// Declares the same with `waves_per_simd` waves resident on each SIMD, so that the compiler may give each
// wave its share of the registers.
#define WT_KERNEL_OF_WAVES(threads, waves_per_simd)                                                     \
  static_assert((threads) >= 1 && (threads) <= 1024,                                                    \
                "WT_KERNEL_OF_WAVES takes the threads of a work-group, 1 to 1024: launch more "         \
                "work-groups instead (LLVM, AMDGPUUsage, amdgpu-flat-work-group-size)");                \
  static_assert((waves_per_simd) >= 1 && (waves_per_simd) <= 8,                                         \
                "a SIMD holds 1 to 8 waves (CDNA3 ISA, VGPR allocation): choose fewer waves per SIMD"); \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads),                      \
                            amdgpu_waves_per_eu(waves_per_simd, waves_per_simd))) void
#elif defined(__cplusplus)  // layouts and sizes are plain C++ and may be studied on the host
#define WT_DEVICE inline
#else
#define WT_DEVICE static inline
#endif

// Declares a function that the device, host C++ and host C share; it is constexpr where the language has it.
#if defined(__HIP__)
#define WT_ANYWHERE __attribute__((host, device, always_inline)) inline constexpr
#elif defined(__cplusplus)
#define WT_ANYWHERE WT_DEVICE constexpr
#else
#define WT_ANYWHERE WT_DEVICE
#endif

#ifdef __cplusplus
namespace wt::target {

// A wave has this many lanes.
constexpr int kWaveLanes = 64;

// These are the chips. Every table that differs between them takes one, so that tests and pictures can ask
// for both.
enum class chip { gfx942, gfx950 };

#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx942__) && !defined(__gfx950__)
#error "wavetile kernels are written for gfx942 and gfx950: compile with --offload-arch=gfx942 or gfx950"
#endif

// These say what this compilation's chip has: kDirectToLdsBytes is how many bytes per lane one direct copy to
// LDS moves, kLdsBytes how much LDS a work-group can have. The first definitions are those of gfx942, the
// second ones those of gfx950.
//
// The host's pass over a HIP program reads the kernels without compiling them, as those of gfx950. A program
// for gfx942 alone, with kernels that gfx950 refuses, defines WT_HOST_PASS_GFX942.
#if defined(__gfx942__) || (!defined(__HIP_DEVICE_COMPILE__) && defined(WT_HOST_PASS_GFX942))
constexpr bool kGfx950 = false;
constexpr chip kChip = chip::gfx942;
constexpr int kDirectToLdsBytes = 4;  // CDNA3 copies at most one dword per lane
constexpr int kLdsBytes = 64 * 1024;
#else
constexpr bool kGfx950 = true;
constexpr chip kChip = chip::gfx950;
constexpr int kDirectToLdsBytes = 16;  // buffer_load_dwordx4 ... lds (CDNA4 ISA ch. 9)
constexpr int kLdsBytes = 160 * 1024;
#endif

}  // namespace wt::target
#endif

#endif
