// SPDX-License-Identifier: MIT
// High dwords of the flat address apertures of LDS and scratch. The values are those Linux's KFD gives gfx9 devices
// (LDS at 1 << 48, scratch at 2 << 48): outside every host address.
#ifndef SIM_EXEC_APERTURE_H
#define SIM_EXEC_APERTURE_H

#define SIM_SHARED_APERTURE 0x00010000u
#define SIM_PRIVATE_APERTURE 0x00020000u

#endif
