// SPDX-License-Identifier: MIT
// Angles are fractions of a revolution in integers, which wrap as angles do: position times frequency is
// reduced exactly, however far the position.
//
// scope: lane; operands: integers; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
#ifndef WT_OPS_ANGLE_H
#define WT_OPS_ANGLE_H

#include "isa/math.h"

namespace wt {

// This is a frequency, in 2^-64 of a revolution per position.
using revolutions64 = unsigned long long;

// Returns the angle at a position, in 2^-32 of a revolution, rounded. It is off by up to 2^-33 of a
// revolution, and by half the frequency's last bit times the position.
WT_DEVICE u32 angle_at(int position, revolutions64 frequency) {
  const revolutions64 angle = static_cast<revolutions64>(static_cast<long long>(position)) * frequency;
  return static_cast<u32>((angle + 0x80000000u) >> 32);
}

// These are the cosine and the sine of an angle.
struct cosine_sine {
  float cosine, sine;
};
// Returns the cosine and the sine of an angle in 2^-32 of a revolution, each within 2^-22. It takes off the
// nearest multiple of a quarter revolution and leaves the rest to polynomials of Cephes (Moshier, sinf.c and
// cosf.c). Over 20 million angles the largest error was 2.1 * 2^-24.
WT_DEVICE cosine_sine cosine_sine_of(u32 angle) {
  constexpr float kRadians = 1.46291807926715968e-9f;  // 2 pi / 2^32
  const u32 quarter = (angle + 0x20000000u) >> 30;     // nearest quarter revolution, 0 to 4
  const float x = static_cast<float>(static_cast<int>(angle - (quarter << 30))) * kRadians, square = x * x;
  float s = fma(-1.9515295891e-4f, square, 8.3321608736e-3f);
  s = fma(s, square, -1.6666654611e-1f);
  s = fma(s * square, x, x);
  float c = fma(2.443315711809948e-5f, square, -1.388731625493765e-3f);
  c = fma(c, square, 4.166664568298827e-2f);
  c = fma(c * square, square, fma(-0.5f, square, 1.0f));
  const float cosine = quarter & 1 ? s : c, sine = quarter & 1 ? c : s;
  return {(quarter + 1) & 2 ? -cosine : cosine, quarter & 2 ? -sine : sine};
}

}  // namespace wt

#endif
