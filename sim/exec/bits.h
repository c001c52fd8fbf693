// SPDX-License-Identifier: MIT
// Converts floating-point values to and from their bits.
#ifndef SIM_EXEC_BITS_H
#define SIM_EXEC_BITS_H

#include <stdint.h>
#include <string.h>

static inline float sim_f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t sim_bits32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double sim_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t sim_bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif
