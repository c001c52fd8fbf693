// SPDX-License-Identifier: MIT
// Draws the picture of docs/guide/cross_entropy.md: what the registers hold between loading and storing a
// row. Usage: pictures FOLDER
#include <math.h>
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96, CLASSES = 10, TARGET = 3, STAGES = 3 };
static const double kLogits[CLASSES] = {0.2, -1.1, 0.9, 1.3, -0.4, 2.1, 0.1, -1.8, 1.0, -0.2};
static const double kBar = 27, kStage = 330, kZero = HEAD + 170, kTall = 100;

typedef struct stage {
  const char *name, *detail, *result;
  double values[CLASSES], largest;  // magnitude, which is kTall high
} stage;

static void draw_stage(svg *s, double x, const stage *shown) {
  svg_text(s, x, HEAD + 18, (svg_style){.size = 13, .bold = true}, "%s", shown->name);
  svg_text(s, x, HEAD + 36, (svg_style){.size = 12, .fill = SVG_FAINT}, "%s", shown->detail);
  for (int j = 0; j < CLASSES; ++j) {
    const double tall = shown->values[j] / shown->largest * kTall, left = x + j * kBar;
    svg_rect(s, left + 2, tall > 0 ? kZero - tall : kZero, kBar - 4, fabs(tall),
             (svg_style){.fill = svg_category(j == TARGET ? 1 : 0), .radius = 2});
    svg_text(s, left + kBar / 2, tall > 0 ? kZero - tall - 5 : kZero - tall + 14,
             (svg_style){.size = 10, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%.2f", shown->values[j]);
  }
  svg_line(s, x, kZero, x + CLASSES * kBar, kZero, (svg_style){.stroke = SVG_INK});
  svg_text(s, x, kZero + kTall + 40, (svg_style){.size = 12, .mono = true}, "%s", shown->result);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  stage stages[STAGES] = {
      {.name = "the logits", .detail = "as loaded: the only read of the row", .largest = 2.3},
      {.name = "exp(x - max)", .detail = "in the same registers", .largest = 1},
      {.name = "the gradient", .detail = "as stored: the only write", .largest = 1}};
  double max = kLogits[0], sum = 0;
  for (int j = 1; j < CLASSES; ++j) max = fmax(max, kLogits[j]);
  for (int j = 0; j < CLASSES; ++j) sum += exp(kLogits[j] - max);
  for (int j = 0; j < CLASSES; ++j) {
    stages[0].values[j] = kLogits[j];
    stages[1].values[j] = exp(kLogits[j] - max);
    stages[2].values[j] = stages[1].values[j] / sum - (j == TARGET);
  }
  char results[STAGES][64];
  snprintf(results[0], sizeof results[0], "max = %.2f, target = %.2f", max, kLogits[TARGET]);
  snprintf(results[1], sizeof results[1], "sum = %.2f", sum);
  snprintf(results[2], sizeof results[2], "loss = log(sum) - (target - max) = %.2f",
           log(sum) - (kLogits[TARGET] - max));
  svg s;
  svg_begin(&s, 2 * MARGIN + STAGES * kStage - 30, kZero + kTall + 60, "A row of logits and its gradient",
            "Ten logits, their exponentials relative to the largest, and the gradient, which is the "
            "probabilities with 1 taken off at the label.");
  svg_heading(
      &s, "A row of logits, its loss and its gradient",
      "Ten classes; the label is class 3. The row stays in registers from left to right. The gradient is the "
      "probabilities,",
      "exp(x - max) / sum, with 1 taken off at the label; it sums to 0.");
  for (int i = 0; i < STAGES; ++i) {
    stages[i].result = results[i];
    draw_stage(&s, MARGIN + i * kStage, &stages[i]);
  }
  return svg_save(&s, argv[1], "cross_entropy_row.svg");
}
