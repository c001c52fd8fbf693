// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/norm.md: what happens to a row, and how the gradients of the weights are
// added up. Usage: pictures FOLDER
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96 };

// ---- a row from memory to memory

typedef struct stage {
  const char *name, *detail;
  size_t category;
  double begin, end;  // of the width
} stage;

// What goes on at the same time stands below each other.
static const stage kMemory[] = {{"load x, residual", "16 bytes per thread and chunk", 0, 0.00, 0.24},
                                {"load weight, bias", "in flight while the row is summed", 1, 0.24, 0.62},
                                {"store sum, y", "what the row does not have is dropped", 2, 0.80, 1.00}};
static const stage kRegisters[] = {{"z", "dropout(x) + residual", 3, 0.24, 0.40},
                                   {"mean", "sum of z", 4, 0.40, 0.54},
                                   {"rstd", "sum of (z - mean)^2", 4, 0.54, 0.70},
                                   {"y", "(z - mean) * rstd * weight + bias", 3, 0.70, 0.89}};
static const stage kTogether[] = {{"between lanes, then waves", "", 5, 0.46, 0.54},
                                  {"the same once more", "", 5, 0.62, 0.70}};
static const double kWide = 1060;

static void draw_stages(svg *s, double top, const char *name, const stage *all, int count) {
  svg_text(s, MARGIN, top + 26, (svg_style){.size = 13, .bold = true}, "%s", name);
  for (int i = 0; i < count; ++i) {
    const double x = MARGIN + 110 + all[i].begin * kWide, width = (all[i].end - all[i].begin) * kWide;
    svg_rect(s, x + 1, top, width - 2, 46,
             (svg_style){.fill = svg_category(all[i].category), .radius = 4, .title = all[i].name});
    svg_text(s, x + 9, top + 20, (svg_style){.size = 13, .fill = SVG_ON_CATEGORY, .bold = true}, "%s",
             width > 120 ? all[i].name : "");
    svg_text(s, x + 9, top + 37, (svg_style){.size = 11, .fill = SVG_ON_CATEGORY}, "%s",
             width > 120 ? all[i].detail : "");
  }
}

static int draw_row(const char *folder) {
  svg s;
  svg_begin(
      &s, MARGIN * 2 + 110 + kWide, 330, "A row through the norm",
      "From left to right: x and residual are loaded, summed twice while weight and bias are loaded, and "
      "y is stored.");
  svg_heading(
      &s, "A row through the norm, from left to right in time",
      "Memory is touched once per element. Between loading and storing, the row stays in registers, and is "
      "summed twice:",
      "the variance is the sum of squared distances from the mean, and the mean has to be known first.");
  draw_stages(&s, HEAD + 20, "memory", kMemory, 3);
  draw_stages(&s, HEAD + 88, "registers", kRegisters, 4);
  draw_stages(&s, HEAD + 156, "the team", kTogether, 2);
  for (int i = 0; i < 2; ++i)
    svg_text(&s, MARGIN + 110 + (kTogether[i].begin + kTogether[i].end) / 2 * kWide, HEAD + 220,
             (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%s", kTogether[i].name);
  return svg_save(&s, folder, "norm_row.svg");
}

// ---- the gradients of weight and bias

enum { ROWS = 11, GROUPS = 3 };
static const double kRowTall = 24, kRowWide = 250;

static double row_top(int row) { return HEAD + 44 + row * (kRowTall + 3); }
static double part_top(int group) { return HEAD + 44 + (group * 4 + 1) * (kRowTall + 3); }

static void arrow(svg *s, double x1, double y1, double x2, double y2, size_t category) {
  svg_line(s, x1, y1, x2, y2, (svg_style){.stroke = svg_category(category), .stroke_width = 1.5});
  svg_circle(s, x2, y2, 3, (svg_style){.fill = svg_category(category)});
}

static void box(svg *s, double x, double y, double width, const char *fill, const char *text) {
  svg_rect(s, x, y, width, kRowTall, (svg_style){.fill = fill, .radius = 3});
  svg_text(s, x + 10, y + 16.5, (svg_style){.size = 12, .fill = SVG_ON_CATEGORY}, "%s", text);
}

static int draw_gradients(const char *folder) {
  svg s;
  const double parts = MARGIN + kRowWide + 130, result = parts + kRowWide + 130;
  svg_begin(
      &s, result + kRowWide + MARGIN, row_top(ROWS) + 16, "The gradient of the weight",
      "Eleven rows are added up by three work-groups in turn, and their three sums by a second kernel.");
  svg_heading(
      &s, "The gradient of the weight, in two steps",
      "Work-groups take rows in turn and keep a sum per column in registers. What they found goes to the "
      "workspace,",
      "and a second kernel adds it up. Both orders are fixed, so the bits are always the same.");
  svg_text(&s, MARGIN, HEAD + 32, (svg_style){.size = 13, .bold = true}, "rows of dy * n");
  svg_text(&s, parts, HEAD + 32, (svg_style){.size = 13, .bold = true}, "workspace: a row per work-group");
  svg_text(&s, result, HEAD + 32, (svg_style){.size = 13, .bold = true}, "dweight");
  char text[64];
  for (int row = 0; row < ROWS; ++row) {
    const int group = row % GROUPS;
    snprintf(text, sizeof text, "row %d", row);
    box(&s, MARGIN, row_top(row), kRowWide, svg_category((size_t)group), text);
    arrow(&s, MARGIN + kRowWide, row_top(row) + kRowTall / 2, parts, part_top(group) + kRowTall / 2,
          (size_t)group);
  }
  for (int group = 0; group < GROUPS; ++group) {
    int length = snprintf(text, sizeof text, "work-group %d: rows %d", group, group);
    for (int row = group + GROUPS; row < ROWS; row += GROUPS)
      length += snprintf(text + length, sizeof text - (size_t)length, ", %d", row);
    box(&s, parts, part_top(group), kRowWide, svg_category((size_t)group), text);
    arrow(&s, parts + kRowWide, part_top(group) + kRowTall / 2, result, part_top(1) + kRowTall / 2,
          (size_t)group);
  }
  box(&s, result, part_top(1), kRowWide, svg_category(5), "0 + 1 + 2, then rounded once");
  return svg_save(&s, folder, "norm_gradients.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_row(argv[1]) | draw_gradients(argv[1]);
}
