// SPDX-License-Identifier: MIT
// Says how a choice compares with the best of its rivals, over many shapes.
#ifndef WT_TOOLS_BENCH_CHOICE_FIGURES_H
#define WT_TOOLS_BENCH_CHOICE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Holds predicted cycles of the chosen over those of the best, 1 or more: the value that half of the shapes
// do not exceed, the one that 95 of 100 do not exceed, and the largest.
typedef struct choice_figures {
  double median, most_of_95, worst;
} choice_figures;

// Says what the choice shall reach: the free one beside all kernels and splits, and the one under
// batch_invariant beside the free one. A figure that is rounded to two digits may not exceed its target.
extern const choice_figures choice_targets, choice_invariant_targets;

// Sorts the ratios, of which there is at least one.
choice_figures choice_figures_of(double *ratios, size_t count);
// Returns whether all figures reach their targets.
bool choice_figures_met(const choice_figures *figures, const choice_figures *targets);
// Prints the figures, and in a second line which targets are met.
void choice_figures_print(FILE *out, const choice_figures *figures, const choice_figures *targets);

#endif
