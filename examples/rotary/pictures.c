// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/rotary.md: which elements of a head are a pair, and how far pairs turn.
// Usage: pictures FOLDER
#include <math.h>
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96, LABEL = 120 };

// ---- pairs

enum { DIMS = 20, PAIRS = 8 };
static const double kCell = 40, kBox = 32;

static double cell_middle(int element) { return MARGIN + LABEL + (element + 0.5) * kCell; }

// first_step, second_at: the elements of pair i are i * first_step and i * first_step + second_at.
static void draw_layout(svg *s, double top, const char *name, int first_step, int second_at) {
  svg_text(s, MARGIN, top + 21, (svg_style){.size = 13, .bold = true}, "%s", name);
  for (int element = 2 * PAIRS; element < DIMS; ++element) {
    const double middle = cell_middle(element);
    svg_rect(s, middle - kCell / 2 + 1, top, kCell - 2, kBox, (svg_style){.stroke = SVG_RULE, .radius = 3});
    svg_text(s, middle, top + 21, (svg_style){.fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%d", element);
  }
  for (int pair = 0; pair < PAIRS; ++pair) {
    const int elements[2] = {pair * first_step, pair * first_step + second_at};
    for (int i = 0; i < 2; ++i) {
      const double middle = cell_middle(elements[i]);
      svg_rect(s, middle - kCell / 2 + 1, top, kCell - 2, kBox,
               (svg_style){.fill = svg_category((size_t)pair), .radius = 3});
      svg_text(s, middle, top + 21, (svg_style){.fill = SVG_ON_CATEGORY, .anchor = SVG_MIDDLE}, "%d",
               elements[i]);
    }
    // A bracket stands below, deeper from pair to pair where they overlap.
    const double from = cell_middle(elements[0]), to = cell_middle(elements[1]), edge = top + kBox + 3;
    const double depth = edge + (second_at > 1 ? 6 + 7 * (PAIRS - 1 - pair) : 8);
    const svg_point bracket[4] = {{from, edge}, {from, depth}, {to, depth}, {to, edge}};
    svg_polyline(s, bracket, 4, (svg_style){.stroke = svg_category((size_t)pair), .stroke_width = 2});
  }
}

static int draw_pairs(const char *folder) {
  svg s;
  svg_begin(&s, 2 * MARGIN + LABEL + DIMS * kCell, HEAD + 234, "Pairs of a head in the two layouts",
            "A head of 20 elements, of which 16 turn. In the half layout pair i is elements i and 8 + i, in "
            "the interleaved one 2i and 2i + 1.");
  svg_heading(
      &s, "Pairs of a head in the two layouts",
      "A head of 20 elements (head_dim) of which 16 turn (rotary_dim): 8 pairs, in the order of their "
      "frequencies.",
      "The last 4 elements stay as they are.");
  draw_layout(&s, HEAD + 16, "half", 1, PAIRS);
  draw_layout(&s, HEAD + 156, "interleaved", 2, 1);
  return svg_save(&s, folder, "rotary_pairs.svg");
}

// ---- turns

enum { SHOWN_PAIRS = 4, POSITIONS = 11 };
static const double kDial = 76, kRadius = 29, kTheta = 100;

static void draw_dial(svg *s, double x, double y, double angle, size_t category) {
  svg_circle(s, x, y, kRadius, (svg_style){.stroke = SVG_RULE});
  svg_line(s, x, y, x + kRadius, y, (svg_style){.stroke = SVG_RULE, .dash = "3 3"});
  const double to_x = x + kRadius * cos(angle), to_y = y - kRadius * sin(angle);
  svg_line(s, x, y, to_x, to_y, (svg_style){.stroke = svg_category(category), .stroke_width = 3});
  svg_circle(s, to_x, to_y, 4, (svg_style){.fill = svg_category(category)});
}

static int draw_turns(const char *folder) {
  svg s;
  const double left = MARGIN + LABEL + kDial / 2, top = HEAD + 64;
  svg_begin(&s, 2 * MARGIN + LABEL + POSITIONS * kDial, top + (SHOWN_PAIRS - 0.5) * kDial + 16,
            "How far pairs turn", "Four pairs at positions 0 to 10: each turns evenly, later ones slower.");
  svg_heading(&s, "How far pairs turn",
              "Each pair turns by its frequency from one position to the next, counterclockwise; here "
              "theta = 100 and rotary_dim = 8.",
              "Between two positions, all pairs differ by angles that depend on the distance alone.");
  for (int position = 0; position < POSITIONS; ++position)
    svg_text(&s, left + position * kDial, HEAD + 18, (svg_style){.fill = SVG_FAINT, .anchor = SVG_MIDDLE},
             "%s%d", position ? "" : "position ", position);
  for (int pair = 0; pair < SHOWN_PAIRS; ++pair) {
    const double y = top + pair * kDial, frequency = pow(kTheta, -pair / (double)SHOWN_PAIRS);
    svg_text(&s, MARGIN, y - 2, (svg_style){.size = 13, .bold = true}, "pair %d", pair);
    svg_text(&s, MARGIN, y + 15, (svg_style){.size = 11, .fill = SVG_FAINT}, "%.3f a position", frequency);
    for (int position = 0; position < POSITIONS; ++position)
      draw_dial(&s, left + position * kDial, y, position * frequency, (size_t)pair);
  }
  return svg_save(&s, folder, "rotary_turns.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_pairs(argv[1]) | draw_turns(argv[1]);
}
