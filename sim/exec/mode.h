// SPDX-License-Identifier: MIT
// Reads the MODE register (CDNA3 ISA 3.5).
#ifndef SIM_EXEC_MODE_H
#define SIM_EXEC_MODE_H

enum {
  SIM_MODE_ROUND_F32 = 3,       // field 1:0
  SIM_MODE_ROUND_F16_F64 = 12,  // field 3:2
  SIM_MODE_IN_F32 = 1 << 4,     // denormal sources kept
  SIM_MODE_OUT_F32 = 1 << 5,    // denormal results kept
  SIM_MODE_IN_F16_F64 = 1 << 6,
  SIM_MODE_OUT_F16_F64 = 1 << 7,
  SIM_MODE_DX10_CLAMP = 1 << 8,
  SIM_MODE_IEEE = 1 << 9,
  SIM_MODE_EXCP_EN = 0x7f << 12,
  SIM_MODE_FP16_OVFL = 1 << 23,
  SIM_MODE_GPR_IDX = 1 << 27,
  SIM_MODE_VSKIP = 1 << 28,
  SIM_MODE_CSP_SHIFT = 29
};

#endif
