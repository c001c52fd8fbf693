// SPDX-License-Identifier: MIT
#include "bench/choice_figures.h"

#include <math.h>
#include <stdlib.h>

const choice_figures choice_targets = {1.00, 1.08, 1.20};
const choice_figures choice_invariant_targets = {1.15, 1.15, 1.15};

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Returns the smallest value that so many of 100 do not exceed.
static double percentile(const double *sorted, size_t count, double percent) {
  const double place = ceil((double)count * percent / 100);
  return sorted[place < 1 ? 0 : (size_t)place - 1];
}

choice_figures choice_figures_of(double *ratios, size_t count) {
  qsort(ratios, count, sizeof *ratios, by_value);
  return (choice_figures){percentile(ratios, count, 50), percentile(ratios, count, 95), ratios[count - 1]};
}

static bool is_met(double figure, double target) { return figure < target + 0.005; }

bool choice_figures_met(const choice_figures *figures, const choice_figures *targets) {
  return is_met(figures->median, targets->median) && is_met(figures->most_of_95, targets->most_of_95) &&
         is_met(figures->worst, targets->worst);
}

static const char *verdict(double figure, double target) { return is_met(figure, target) ? "met" : "missed"; }

void choice_figures_print(FILE *out, const choice_figures *figures, const choice_figures *targets) {
  fprintf(out, "chosen / best is %.3f in the median, %.3f at the 95th percentile, %.3f at worst.\n",
          figures->median, figures->most_of_95, figures->worst);
  fprintf(out, "Targets: %.2f in the median: %s; %.2f at the 95th percentile: %s; %.2f at worst: %s.\n",
          targets->median, verdict(figures->median, targets->median), targets->most_of_95,
          verdict(figures->most_of_95, targets->most_of_95), targets->worst,
          verdict(figures->worst, targets->worst));
}
