// SPDX-License-Identifier: MIT
// Describes the windows of the flat address space that hold no memory of the host. Two are the hardware's
// (CDNA3 ISA 9.2, "FLAT memory instructions": apertures): an address whose high dword is one of these names
// LDS or the wave's scratch instead of global memory. On hardware the driver chooses them; any two 4 GB
// windows that hold no allocation serve. These lie above the 47-bit addresses a host process can own, so no
// device pointer falls into them.
#ifndef SIM_EXEC_APERTURE_H
#define SIM_EXEC_APERTURE_H

#include <stdint.h>

enum {
  SIM_SHARED_APERTURE = 0x00010000,  // high dword of src_shared_base
  SIM_PRIVATE_APERTURE = 0x00020000  // high dword of src_private_base
};

// A third kind is the simulator's own. Where a launch lacks a service, the service's hidden argument points
// here, so that the first access through it is reported by the service's name.
enum {
  SIM_PRINTF_SERVICE = 0x00030000,    // hidden_printf_buffer
  SIM_HOSTCALL_SERVICE = 0x00030001,  // hidden_hostcall_buffer
  SIM_HEAP_SERVICE = 0x00030002       // hidden_heap_v1
};

// Return src_shared_base, src_private_base and their limits (the last byte of the window, low dword all
// ones).
static inline uint64_t sim_aperture_base(uint32_t aperture) { return (uint64_t)aperture << 32; }
static inline uint64_t sim_aperture_limit(uint32_t aperture) {
  return (uint64_t)aperture << 32 | 0xffffffffu;
}

#endif
