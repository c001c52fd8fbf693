// SPDX-License-Identifier: MIT
// Computes angles of a list of positions and frequencies, and cosines and sines of a list of angles.
#include "wavetile_device.h"

WT_KERNEL(256)
angle_of_positions(const int *positions, const wt::revolutions64 *frequencies, wt::u32 *angles, int count) {
  for (int i = wt::thread_id(); i < count; i += 256) angles[i] = wt::angle_at(positions[i], frequencies[i]);
}

WT_KERNEL(256) angle_cosines(const wt::u32 *angles, float *cosines, float *sines, int count) {
  for (int i = wt::thread_id(); i < count; i += 256) {
    const wt::cosine_sine of = wt::cosine_sine_of(angles[i]);
    cosines[i] = of.cosine, sines[i] = of.sine;
  }
}
