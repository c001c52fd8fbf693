// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/attention.md: what the two halves of a work-group do between barriers, how
// long each block of keys stays in LDS meanwhile, and which keys the queries of a tile see. Usage: pictures
// FOLDER
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, LABEL = 130, STEPS = 10, BLOCKS = 4 };
static const double kStep = 84, kBar = 26;

enum { PRODUCT, SOFTMAX, COPY, READ };  // svg_category

static double at(double step) { return MARGIN + LABEL + step * kStep; }

static void box(svg *s, int kind, double from, double to, double y, const char *format, int j) {
  char text[64];
  snprintf(text, sizeof text, format, j);
  svg_rect(s, at(from) + 2, y, (to - from) * kStep - 4, kBar,
           (svg_style){.fill = svg_category((size_t)kind), .radius = 4});
  svg_text(s, at((from + to) / 2), y + 17,
           (svg_style){.size = 12, .fill = SVG_ON_CATEGORY, .anchor = SVG_MIDDLE}, "%s", text);
}

static void label(svg *s, double y, const char *text) {
  svg_text(s, MARGIN, y + 17, (svg_style){.size = 12, .bold = true}, "%s", text);
}

// Draws the clusters of one half, which begins `late` barriers after the other.
static void draw_half(svg *s, double y, const char *name, int late) {
  label(s, y, name);
  for (int j = 0; 2 * j + late < STEPS; ++j) {
    box(s, PRODUCT, 2 * j + late, 2 * j + late + 1, y, "product %d", j);
    if (2 * j + late + 2 <= STEPS) box(s, SOFTMAX, 2 * j + late + 1, 2 * j + late + 2, y, "softmax %d", j);
  }
}

// Draws a block in LDS: from the first copy to its arrival in time for the first read, and while it is read.
// The times are those of kernels/attention/attention_forward_schedule.h; the first blocks are there from the
// start.
static void draw_block(svg *s, double y, char matrix, int j, int ahead, int first_read, int last_read) {
  char text[32];
  snprintf(text, sizeof text, "%c(%d)", matrix, j);
  label(s, y, text);
  const int copied = 2 * (j - ahead) + 1, arrived = first_read;
  if (copied >= 0) box(s, COPY, copied, arrived < STEPS ? arrived : STEPS, y, "copied", j);
  box(s, READ, first_read, last_read < STEPS ? last_read : STEPS, y, "read", j);
}

static int draw_pipeline(const char *folder) {
  svg s;
  const double top = 112, row = kBar + 8, tall = top + (3 + 2 * BLOCKS) * row + 40;
  svg_begin(
      &s, at(STEPS) + MARGIN, tall, "The softmax pipeline",
      "Two halves of a work-group alternate between products and softmax, one barrier apart. Below, when "
      "each block of K and V is copied to LDS and read.");
  svg_heading(
      &s, "The softmax pipeline",
      "Between two barriers, one half of the work-group multiplies while the other computes its softmax, on "
      "the same SIMDs.",
      "Below: when blocks of K and V are copied to LDS, and when some wave reads them.");
  for (int step = 0; step <= STEPS; ++step) {
    svg_line(&s, at(step), top - 8, at(step), tall - 34, (svg_style){.stroke = SVG_RULE});
    svg_text(&s, at(step), tall - 18, (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%d",
             step);
  }
  draw_half(&s, top, "waves 0 to 3", 0);
  draw_half(&s, top + row, "waves 4 to 7", 1);
  for (int j = 0; j < BLOCKS; ++j) draw_block(&s, top + (j + 2.5) * row, 'K', j, 3, 2 * j, 2 * j + 2);
  for (int j = 0; j < BLOCKS; ++j)
    draw_block(&s, top + (j + 2.5 + BLOCKS) * row, 'V', j, 2, 2 * j, 2 * j + 4);
  return svg_save(&s, folder, "attention_pipeline.svg");
}

// ---- which keys are seen

enum { QUERIES = 10, KEYS = 14, BLOCK = 4 };
static const double kCell = 17;

static void draw_mask(svg *s, double left, double top, const char *name, int before, int after) {
  svg_text(s, left, top - 12, (svg_style){.size = 13, .bold = true}, "%s", name);
  for (int q = 0; q < QUERIES; ++q)
    for (int k = 0; k < KEYS; ++k) {
      const int p = q + KEYS - QUERIES;
      const bool seen = k >= p - before && k <= p + after;
      svg_style cell = {.fill = svg_category((size_t)(k / BLOCK)), .radius = 2};
      if (!seen) cell = (svg_style){.stroke = SVG_RULE, .radius = 2};
      svg_rect(s, left + k * kCell, top + q * kCell, kCell - 2, kCell - 2, cell);
    }
  svg_text(s, left, top + QUERIES * kCell + 14, (svg_style){.size = 11, .fill = SVG_FAINT},
           "%d queries down, %d keys across", QUERIES, KEYS);
}

static int draw_masks(const char *folder) {
  svg s;
  const double wide = KEYS * kCell + 40, top = 124;
  svg_begin(
      &s, 2 * MARGIN + 3 * wide - 40, top + QUERIES * kCell + 36, "Which keys a query sees",
      "Without a mask all; with a causal mask those up to the query's own position, aligned at the end; with "
      "a window of five, too, only the last five of these.");
  svg_heading(&s, "Which keys a query sees",
              "Positions are aligned at the end. Colours are blocks of keys: a block that no query of the "
              "tile sees is "
              "never loaded,",
              "one that all of them see whole is not masked.");
  draw_mask(&s, MARGIN, top, "all", KEYS, KEYS);
  draw_mask(&s, MARGIN + wide, top, "causal", KEYS, 0);
  draw_mask(&s, MARGIN + 2 * wide, top, "causal, window 5", 4, 0);
  return svg_save(&s, folder, "attention_masks.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_pipeline(argv[1]) | draw_masks(argv[1]);
}
