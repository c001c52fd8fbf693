// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/quantize.md: the numbers that FP8 has, and how one scale for a matrix is
// found. Usage: pictures FOLDER
#include <stdio.h>

#include "core/fp8.h"
#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96 };
static const double kWide = 960;

// ---- numbers

static void draw_numbers(svg *s, double y, const char *name, const fp8_format *format, double end,
                         const char *marks[5], size_t category) {
  svg_text(s, MARGIN, y - 26, (svg_style){.size = 13, .bold = true}, "%s", name);
  svg_line(s, MARGIN, y, MARGIN + kWide, y, (svg_style){.stroke = SVG_RULE});
  for (int code = 0; code <= format->max_code; ++code) {
    const double value = (double)fp8_decode(format, (uint8_t)code), x = MARGIN + value / end * kWide;
    if (value > end) break;
    const bool subnormal = code < 1 << format->mantissa_bits;
    svg_line(s, x, y - 15, x, y + 15,
             (svg_style){.stroke = svg_category(subnormal ? 1 : category), .stroke_width = 2});
  }
  for (int i = 0; i < 5; ++i)
    svg_text(s, MARGIN + i * kWide / 4, y + 32,
             (svg_style){.size = 11,
                         .fill = SVG_FAINT,
                         .anchor = i == 0   ? SVG_START
                                   : i == 4 ? SVG_END
                                            : SVG_MIDDLE},
             "%s", marks[i]);
}

static int draw_grid(const char *folder) {
  svg s;
  const double step = 108, top = HEAD + 44;
  svg_begin(
      &s, 2 * MARGIN + kWide, top + 2 * step + 48, "The positive numbers of FP8",
      "E4M3 has eight numbers between powers of two, E5M2 four; the smallest numbers are evenly spaced.");
  svg_heading(
      &s, "The positive numbers of FP8",
      "Between two powers of two, E4M3 has 8 numbers and E5M2 has 4. The smallest ones, in orange, are "
      "evenly spaced:",
      "below them a value is lost to 0. The scale decides where on this line a matrix lies.");
  const char *to_largest[5] = {"0", "112", "224", "336", "448"},
             *to_small[5] = {"0", "1/64", "1/32", "3/64", "1/16"};
  draw_numbers(&s, top, "E4M3 up to its largest", &fp8_e4m3, 448, to_largest, 0);
  draw_numbers(&s, top + step, "E4M3 near 0", &fp8_e4m3, 1.0 / 16, to_small, 0);
  draw_numbers(&s, top + 2 * step, "E5M2, which goes on to 57344", &fp8_e5m2, 448, to_largest, 2);
  return svg_save(&s, folder, "quantize_grid.svg");
}

// ---- steps

enum { PIECES = 12, GROUPS = 4 };
static const float kLargest[PIECES] = {1.5f, 0.9f, 3.0f, 2.2f, 1.1f, 7.0f,
                                       0.4f, 2.9f, 5.2f, 1.8f, 2.5f, 3.1f};
static const double kPieceTall = 24, kPieceWide = 190, kGap = 110;

static double piece_top(double piece) { return HEAD + 44 + piece * (kPieceTall + 3); }

static void arrow(svg *s, double x1, double y1, double x2, double y2, size_t category) {
  svg_line(s, x1, y1, x2, y2, (svg_style){.stroke = svg_category(category), .stroke_width = 1.5});
  svg_circle(s, x2, y2, 3, (svg_style){.fill = svg_category(category)});
}

static void box(svg *s, double x, double y, double width, size_t category, const char *text) {
  svg_rect(s, x, y, width, kPieceTall, (svg_style){.fill = svg_category(category), .radius = 3});
  svg_text(s, x + 10, y + 16.5, (svg_style){.fill = SVG_ON_CATEGORY}, "%s", text);
}

static int draw_steps(const char *folder) {
  svg s;
  const double found = MARGIN + kPieceWide + kGap, scale = found + kPieceWide + kGap,
               q = scale + kPieceWide + kGap;
  svg_begin(
      &s, q + kPieceWide + MARGIN, piece_top(PIECES) + 16, "One scale for a matrix, in two steps",
      "Four work-groups each find the largest magnitude in their pieces; in the second kernel every team "
      "takes the largest of these, and divides.");
  svg_heading(
      &s, "One scale for a matrix, in two steps",
      "In the first kernel, work-groups take pieces in turn, and each leaves one number in the workspace. "
      "In the second,",
      "every team takes the largest of these for itself: the same for all, since no order changes a "
      "maximum.");
  const svg_style name = {.size = 13, .bold = true};
  svg_text(&s, MARGIN, HEAD + 32, name, "x: pieces");
  svg_text(&s, found, HEAD + 32, name, "workspace");
  svg_text(&s, scale, HEAD + 32, name, "every team");
  svg_text(&s, q, HEAD + 32, name, "q: pieces");
  char text[64];
  float of_all = 0;
  const double middle = kPieceTall / 2, top = piece_top(PIECES / 2 - 0.5);
  for (int group = 0; group < GROUPS; ++group) {
    const double group_top = piece_top(group * 3 + 1);
    float largest = 0;
    for (int piece = group; piece < PIECES; piece += GROUPS) {
      largest = kLargest[piece] > largest ? kLargest[piece] : largest;
      snprintf(text, sizeof text, "%d: |x| up to %.1f", piece, (double)kLargest[piece]);
      box(&s, MARGIN, piece_top(piece), kPieceWide, (size_t)group, text);
      arrow(&s, MARGIN + kPieceWide, piece_top(piece) + middle, found, group_top + middle, (size_t)group);
    }
    of_all = largest > of_all ? largest : of_all;
    snprintf(text, sizeof text, "work-group %d: %.1f", group, (double)largest);
    box(&s, found, group_top, kPieceWide, (size_t)group, text);
    arrow(&s, found + kPieceWide, group_top + middle, scale, top + middle, (size_t)group);
  }
  snprintf(text, sizeof text, "scale = %.1f / 448", (double)of_all);
  box(&s, scale, top, kPieceWide, 5, text);
  for (int piece = 0; piece < PIECES; ++piece) {
    snprintf(text, sizeof text, "%d: q up to %d", piece,
             (int)fp8_decode(&fp8_e4m3, fp8_encode(&fp8_e4m3, kLargest[piece] / (of_all / 448))));
    arrow(&s, scale + kPieceWide, top + middle, q, piece_top(piece) + middle, 5);
    box(&s, q, piece_top(piece), kPieceWide, 5, text);
  }
  return svg_save(&s, folder, "quantize_steps.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_grid(argv[1]) | draw_steps(argv[1]);
}
