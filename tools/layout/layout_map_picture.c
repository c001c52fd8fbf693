// SPDX-License-Identifier: MIT
// Draws the picture of a map: the matrix in the colours of groups of lanes, each run with its lane and
// registers.
#include <math.h>
#include <stdio.h>

#include "core/svg.h"
#include "layout.h"

enum {
  MARGIN = 24,
  HEAD = 96,
  AXIS = 34,
  PANEL = 240,
  PANEL_GAP = 34,
  LINE = 20,
  BLOCK_GAP = 40,
  TEXT = 640
};

static const double kGridSide = 760, kWidest = 40, kNarrowest = 5;

typedef struct picture {
  svg svg;
  const layout_view *view;
  int across;            // blocks side by side
  double width, height;  // of an element
  double panel;          // left side of the panel
} picture;

// Returns how many lanes have one colour: those that hold the same columns of an operand, or the same rows of
// an accumulator.
static int lanes_of_colour(const layout_map *map) {
  return map->kind == LAYOUT_ACCUMULATOR ? map->columns : map->rows;
}

static double block_x(const picture *p, int block) {
  return MARGIN + AXIS + block % p->across * (p->view->map->columns * p->width + BLOCK_GAP);
}
static double block_y(const picture *p, int block) {
  return HEAD + AXIS + block / p->across * (p->view->map->rows * p->height + BLOCK_GAP);
}

static void draw_axes(picture *p, int block) {
  const layout_map *map = p->view->map;
  const double left = block_x(p, block), top = block_y(p, block);
  svg_style label = {.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE};
  layout_run runs[LAYOUT_RUNS];
  const int count = layout_map_runs(map, block, 0, runs);
  for (int i = 0; i < count; ++i)
    svg_text(&p->svg, left + (runs[i].column + 0.5) * p->width, top - 6, label, "%d", runs[i].column);
  label.anchor = SVG_END;
  for (int row = 0; row < map->rows; ++row)
    svg_text(&p->svg, left - 6, top + (row + 0.5) * p->height + 4, label, "%d", row);
  if (map->blocks > 1)
    svg_text(&p->svg, left, top - 20, (svg_style){.size = 12, .bold = true}, "block %d", block);
}

// Writes the lane and its registers, as far as they fit: beside each other, below each other, or the lane
// only.
static void draw_label(picture *p, double x, double y, double wide, const layout_run *run) {
  const layout_map *map = p->view->map;
  const int first = run->element * map->bits / 32;
  const int last = ((run->element + run->count) * map->bits - 1) / 32;
  char registers[32];
  if (first == last)
    snprintf(registers, sizeof registers, "v%d", first);
  else
    snprintf(registers, sizeof registers, "v%d-%d", first, last);
  svg_style lane = {.size = 12, .anchor = SVG_MIDDLE, .fill = SVG_ON_CATEGORY, .bold = true};
  svg_style small = {.size = 10, .anchor = SVG_MIDDLE, .fill = SVG_ON_CATEGORY};
  const double middle = x + wide / 2;
  if (wide >= 72) {
    svg_text(&p->svg, middle - 18, y + p->height / 2 + 4, lane, "%d", run->lane);
    svg_text(&p->svg, middle + 18, y + p->height / 2 + 4, small, "%s", registers);
  } else if (p->height >= 24) {
    lane.size = wide < 28 ? 10 : 12, small.size = wide < 28 ? 8 : 10;
    svg_text(&p->svg, middle, y + p->height / 2, lane, "%d", run->lane);
    svg_text(&p->svg, middle, y + p->height / 2 + 10, small, "%s", registers);
  } else {
    svg_text(&p->svg, middle, y + p->height / 2 + 4, lane, "%d", run->lane);
  }
}

static void draw_run(picture *p, int block, int row, const layout_run *run) {
  const layout_map *map = p->view->map;
  const double x = block_x(p, block) + run->column * p->width, y = block_y(p, block) + row * p->height;
  const double wide = run->count * p->width;
  char hover[96];
  snprintf(hover, sizeof hover, "lane %d, elements %d to %d: row %d, %s %d to %d", run->lane, run->element,
           run->element + run->count - 1, row, layout_map_column_name(map), run->column,
           run->column + run->count - 1);
  const bool picked = run->lane == p->view->lane;
  svg_rect(&p->svg, x + 1, y + 1, wide - 2, p->height - 2,
           (svg_style){.fill = svg_category((size_t)(run->lane / lanes_of_colour(map))),
                       .stroke = picked ? SVG_INK : NULL,
                       .stroke_width = picked ? 2.5 : 0,
                       .radius = 2,
                       .title = hover});
  draw_label(p, x, y, wide, run);
}

// Draws a tick between elements that lie side by side in a lane, one path for a row.
static void draw_ticks(picture *p, int block, int row, const layout_run *runs, int count) {
  char path[LAYOUT_RUNS * 24] = "";
  size_t length = 0;
  const double left = block_x(p, block), bottom = block_y(p, block) + (row + 1) * p->height - 1;
  for (int i = 0; i < count; ++i)
    for (int e = 1; e < runs[i].count && length < sizeof path; ++e)
      length += (size_t)snprintf(path + length, sizeof path - length, "M%.1f %.1fv-4",
                                 left + (runs[i].column + e) * p->width, bottom);
  if (length)
    svg_path(&p->svg, path, (svg_style){.stroke = SVG_ON_CATEGORY, .stroke_width = 0.75, .opacity = 0.4});
}

static void draw_block(picture *p, int block) {
  draw_axes(p, block);
  for (int row = 0; row < p->view->map->rows; ++row) {
    layout_run runs[LAYOUT_RUNS];
    const int count = layout_map_runs(p->view->map, block, row, runs);
    for (int i = 0; i < count; ++i) draw_run(p, block, row, &runs[i]);
    draw_ticks(p, block, row, runs, count);
  }
}

static int colours_of(const layout_map *map) { return LAYOUT_LANES / lanes_of_colour(map); }

// Draws the colours and the picked lane's registers.
static void draw_panel(picture *p) {
  const layout_map *map = p->view->map;
  const int lanes = lanes_of_colour(map);
  double y = HEAD + AXIS + 4;
  svg_text(&p->svg, p->panel, y, (svg_style){.size = 13, .bold = true}, "Lanes");
  for (int i = 0; i < colours_of(map); ++i) {
    y += LINE;
    svg_rect(&p->svg, p->panel, y - 12, 15, 15, (svg_style){.fill = svg_category((size_t)i), .radius = 2});
    svg_text(&p->svg, p->panel + 24, y, (svg_style){.size = 13}, "%d to %d", i * lanes, (i + 1) * lanes - 1);
  }
  if (p->view->lane < 0) return;
  y += 1.8 * LINE;
  svg_text(&p->svg, p->panel, y, (svg_style){.size = 13, .bold = true}, "Lane %d holds", p->view->lane);
  for (int line = 0; line < layout_map_lines(map); ++line) {
    char registers[32], places[96];
    layout_map_line(map, p->view->lane, line, registers, sizeof registers, places, sizeof places);
    y += LINE;
    svg_text(&p->svg, p->panel, y, (svg_style){.size = 12, .mono = true}, "%s", registers);
    svg_text(&p->svg, p->panel + 56, y, (svg_style){.size = 12}, "%s", places);
  }
}

bool layout_map_draw(const layout_view *view, const char *path, const char *title, char *message,
                     size_t message_size) {
  const layout_map *map = view->map;
  picture p = {.view = view, .across = 1};
  while (p.across * p.across < map->blocks) ++p.across;
  layout_run runs[LAYOUT_RUNS];
  layout_map_runs(map, 0, 0, runs);
  const double fitting = kGridSide / (map->columns * p.across);
  p.width = fitting > kWidest ? kWidest : fitting < kNarrowest ? kNarrowest : fitting;
  // Two lines of text where a run is too narrow for one, and wide enough for two small ones.
  p.height = runs[0].count * p.width >= 72 ? 22 : 28;
  const int down = (map->blocks + p.across - 1) / p.across;
  const double right = block_x(&p, p.across - 1) + map->columns * p.width;
  const double bottom = block_y(&p, down * p.across - 1) + map->rows * p.height;
  p.panel = right + PANEL_GAP;
  if (p.panel + PANEL < MARGIN + TEXT) p.panel = MARGIN + TEXT - PANEL;
  const int lines = colours_of(map) + 1 + (view->lane < 0 ? 0 : 2 + layout_map_lines(map));
  const double panel_bottom = HEAD + AXIS + lines * (double)LINE;
  char text[256];
  layout_map_text(view, text, sizeof text);
  if (!title) title = "Which lane holds which element";
  svg_begin(&p.svg, p.panel + PANEL + MARGIN, fmax(bottom, panel_bottom) + MARGIN, title, text);
  svg_text(&p.svg, MARGIN, 40, (svg_style){.size = 18, .bold = true}, "%s", title);
  svg_text(&p.svg, MARGIN, 62, (svg_style){.size = 13, .fill = SVG_FAINT}, "%s", text);
  svg_text(&p.svg, MARGIN, 80, (svg_style){.size = 13, .fill = SVG_FAINT},
           "Rows of the matrix down, %s across. A box: lane, registers%s.",
           map->kind == LAYOUT_ACCUMULATOR ? "columns" : "k",
           runs[0].count > 1 ? "; a tick between its elements" : "");
  for (int block = 0; block < map->blocks; ++block) draw_block(&p, block);
  draw_panel(&p);
  const bool good = svg_write(&p.svg, path, message, message_size);
  svg_free(&p.svg);
  return good;
}
