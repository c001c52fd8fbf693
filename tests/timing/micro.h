// SPDX-License-Identifier: MIT
// Runs snippets of machine code on the timing model: one work-group of 1..16 waves on one compute unit, wave
// i on SIMD i mod 4.
#ifndef WT_TESTS_TIMING_MICRO_H
#define WT_TESTS_TIMING_MICRO_H

#include "sim/timing/timing.h"
#include "tests/isa/harness.h"

// Before the run: registers of each wave, from its number.
typedef void (*micro_setup)(sim_wave *w);

// Predicts one snippet. `waves` waves execute it.
sim_timing_result micro_run(const char *target, const char *code, uint32_t waves, micro_setup setup);

// Cycles that one more `body` takes: the difference between `before`, the body `times` and 2 * `times` over,
// and `after`, so that what begins and ends a wave does not count.
double micro_cycles(const char *target, const char *before, const char *body, const char *after,
                    uint32_t times, uint32_t waves, micro_setup setup);

#endif
