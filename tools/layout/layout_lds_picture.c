// SPDX-License-Identifier: MIT
// Draws the picture of an LDS access: LDS as lines over the banks, before and after the swizzle, each lane in
// the colour of its phase. Two of one colour above each other want the same banks at once.
#include <stdio.h>
#include <string.h>

#include "core/svg.h"
#include "layout.h"

enum {
  MARGIN = 24,
  HEAD = 118,
  AXIS = 58,
  GAP = 46,
  LINE = 20,
  LINES_MAX = 64,
  CELL_HEIGHT = 20,
  TEXT = 640
};
#define CONFLICT "#cf222e"

static const double kPanelWidth = 440, kNumbered = 13;

typedef struct picture {
  svg svg;
  const layout_access *access;
  int unit, columns, lines;  // bytes of a cell; cells of a line, and lines
  double cell, panel;        // widths of both
} picture;

static double side_x(const picture *p, int side) { return MARGIN + AXIS + side * (p->panel + GAP + AXIS); }

static void draw_axes(picture *p, int side) {
  svg_style label = {.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE};
  const double left = side_x(p, side), top = HEAD + LINE;
  int step = 1;
  while (step * p->cell < 26) step *= 2;
  for (int column = 0; column < p->columns; column += step)
    svg_text(&p->svg, left + (column + 0.5) * p->cell, top - 6, label, "%d", column * p->unit / 4);
  label.anchor = SVG_END;
  for (int line = 0; line < p->lines; ++line)
    svg_text(&p->svg, left - 6, top + (line + 0.5) * CELL_HEIGHT + 4, label, "0x%x",
             line * p->columns * p->unit);
}

static void draw_lane(picture *p, int side, int lane) {
  const layout_access *a = p->access;
  const int at = a->place[side][lane] / p->unit, phase = a->op->phase[lane];
  const double x = side_x(p, side) + at % p->columns * p->cell;
  const double y = HEAD + LINE + at / p->columns * (double)CELL_HEIGHT;
  const bool collides = layout_access_collides(a, side, lane);
  char hover[128];
  snprintf(hover, sizeof hover, "lane %d, phase %d, byte 0x%x%s", lane, phase, (unsigned)a->place[side][lane],
           collides ? ": shares a bank with another lane of the phase" : "");
  svg_rect(&p->svg, x + 1, y + 1, p->cell - 2, CELL_HEIGHT - 2,
           (svg_style){.fill = svg_category((size_t)phase),
                       .stroke = collides ? CONFLICT : NULL,
                       .stroke_width = collides ? 2 : 0,
                       .radius = 2,
                       .title = hover});
  if (p->cell >= kNumbered)
    svg_text(&p->svg, x + p->cell / 2, y + CELL_HEIGHT / 2 + 3.5,
             (svg_style){.size = p->cell < 20 ? 8 : 11, .anchor = SVG_MIDDLE, .fill = SVG_ON_CATEGORY}, "%d",
             lane);
}

static void draw_side(picture *p, int side) {
  const layout_access *a = p->access;
  const double left = side_x(p, side), top = HEAD + LINE;
  const char *name = side ? a->swizzle->name : "no swizzle";
  const svg_style head = {.size = 13, .bold = true};
  const int cycles = a->conflicts[side];
  if (cycles)
    svg_text(&p->svg, left, HEAD - 8, head, "%s: conflicts cost %d cycle%s", name, cycles,
             cycles == 1 ? "" : "s");
  else
    svg_text(&p->svg, left, HEAD - 8, head, "%s: no conflicts", name);
  draw_axes(p, side);
  svg_rect(&p->svg, left, top, p->panel, p->lines * (double)CELL_HEIGHT,
           (svg_style){.stroke = SVG_RULE, .radius = 2});
  // Where two lanes reach the same place, the picture shows the later one.
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) draw_lane(p, side, lane);
}

static void draw_key(picture *p, int sides) {
  const layout_access *a = p->access;
  double y = HEAD + LINE + p->lines * (double)CELL_HEIGHT + 1.6 * LINE;
  const svg_style text = {.size = 12}, faint = {.size = 12, .fill = SVG_FAINT};
  for (int phase = 0; phase < a->op->phases; ++phase, y += LINE) {
    svg_rect(&p->svg, MARGIN, y - 12, 15, 15, (svg_style){.fill = svg_category((size_t)phase), .radius = 2});
    char lanes[128], cycles[64];
    layout_access_lanes(a, phase, lanes, sizeof lanes);
    snprintf(cycles, sizeof cycles, "%d cycle%s", a->cycles[0][phase], a->cycles[0][phase] == 1 ? "" : "s");
    if (sides == 2)
      svg_text(&p->svg, MARGIN + 24, y, text, "phase %d, lanes %s: %s without, %d with the swizzle", phase,
               lanes, cycles, a->cycles[1][phase]);
    else
      svg_text(&p->svg, MARGIN + 24, y, text, "phase %d, lanes %s: %s", phase, lanes, cycles);
  }
  svg_text(&p->svg, MARGIN, y + 4, faint,
           "Across: banks, by the first of each cell. Down: LDS, %d bytes a line.", p->columns * p->unit);
  svg_text(&p->svg, MARGIN, y + 4 + LINE, faint,
           "Two lanes of one colour in one column conflict: they are framed in red.");
}

bool layout_access_draw(const layout_access *a, const char *path, const char *title, char *message,
                        size_t message_size) {
  picture p = {.access = a, .unit = layout_access_unit(a), .lines = layout_access_lines(a)};
  const int sides = strcmp(a->swizzle->name, "none") == 0 ? 1 : 2;
  p.columns = 4 * a->op->banks / p.unit;
  p.cell = kPanelWidth / p.columns, p.panel = kPanelWidth;
  double width = side_x(&p, sides - 1) + p.panel + MARGIN;
  if (width < 2 * MARGIN + TEXT) width = 2 * MARGIN + TEXT;
  const double height = HEAD + p.lines * (double)CELL_HEIGHT + (a->op->phases + 4) * LINE + MARGIN;
  char op[256], pattern[256], swizzle[256], description[1024];
  layout_access_text(a, op, pattern, swizzle, sizeof op);
  snprintf(description, sizeof description,
           "%s. %s %s. Conflicts cost %d cycles without and %d with the swizzle.", op, pattern, swizzle,
           a->conflicts[0], a->conflicts[1]);
  if (!title) title = "Which banks an access to LDS wants";
  svg_begin(&p.svg, width, height, title, description);
  svg_text(&p.svg, MARGIN, 40, (svg_style){.size = 18, .bold = true}, "%s", title);
  const svg_style faint = {.size = 13, .fill = SVG_FAINT};
  svg_text(&p.svg, MARGIN, 60, faint, "%s.", op);
  svg_text(&p.svg, MARGIN, 78, faint, "%s%s%s", pattern, sides == 2 ? " Swizzle " : "",
           sides == 2 ? swizzle : "");
  for (int side = 0; side < sides; ++side) draw_side(&p, side);
  draw_key(&p, sides);
  const bool good = svg_write(&p.svg, path, message, message_size);
  svg_free(&p.svg);
  return good;
}
