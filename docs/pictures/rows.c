// SPDX-License-Identifier: MIT
// Draws the picture of docs/guide/choice.md on rows: predicted TFLOP/s of products of 4096 x 4096 against M,
// from docs/validation/rows.csv. Usage: rows_pictures FOLDER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/svg.h"

enum { WIDTH = 980, HEIGHT = 520, LEFT = 80, RIGHT = 24, TOP = 124, TALL = 320, MOST_POINTS = 64 };

// These are the axes: M goes from 1 to 2^LAST_POWER, and a grid line stands every STEP TFLOP/s.
enum { LAST_POWER = 13, STEP = 500, LINES = 6 };

typedef struct point {
  long long m;
  double tflops;
  char kernel[64];
} point;

typedef struct curve {
  const char *type, *name;
  point points[MOST_POINTS];
  size_t count;
} curve;

// The build embeds the table (docs/CMakeLists.txt).
extern const char rows_csv[];

static bool read_line(const char *line, curve *curves, size_t curve_count) {
  char type[16], kernel[64];
  long long m, n, k;
  double cycles, microseconds;
  if (sscanf(line, "%15[^,],%lld,%lld,%lld,%63[^,],%lf,%lf", type, &m, &n, &k, kernel, &cycles,
             &microseconds) != 7)
    return false;
  for (size_t i = 0; i < curve_count; ++i) {
    curve *c = &curves[i];
    if (strcmp(c->type, type) != 0 || c->count == MOST_POINTS) continue;
    point *p = &c->points[c->count++];
    p->m = m, p->tflops = 2.0 * (double)m * (double)n * (double)k / microseconds * 1e-6;
    snprintf(p->kernel, sizeof p->kernel, "%s", kernel);
  }
  return true;
}

static bool read_table(curve *curves, size_t curve_count) {
  const char *line = strchr(rows_csv, '\n');  // after the names of the columns
  while (line && line[1]) {
    if (!read_line(line + 1, curves, curve_count)) return false;
    line = strchr(line + 1, '\n');
  }
  return true;
}

static double across(double m) { return LEFT + log2(m) * (WIDTH - LEFT - RIGHT) / (LAST_POWER + 0.1); }
static double up(double tflops) { return TOP + TALL * (1 - tflops / (STEP * LINES)); }

static void draw_axes(svg *s) {
  for (int line = 0; line <= LINES; ++line) {
    const double y = up(line * STEP);
    svg_line(s, LEFT, y, WIDTH - RIGHT, y, (svg_style){.stroke = SVG_RULE});
    svg_text(s, LEFT - 10, y + 4, (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_END}, "%d",
             line * STEP);
  }
  for (int power = 0; power <= LAST_POWER; ++power) {
    const double x = across(1 << power);
    svg_line(s, x, TOP + TALL, x, TOP + TALL + 5, (svg_style){.stroke = SVG_RULE});
    svg_text(s, x, TOP + TALL + 20, (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%d",
             1 << power);
  }
  svg_text(s, WIDTH - RIGHT, TOP + TALL + 40, (svg_style){.size = 12, .anchor = SVG_END}, "M, rows of A");
  svg_text(s, LEFT - 10, TOP - 14, (svg_style){.size = 12, .anchor = SVG_END}, "TFLOP/s");
}

static void draw_curve(svg *s, const curve *c, size_t category) {
  svg_point line[MOST_POINTS];
  for (size_t i = 0; i < c->count; ++i)
    line[i] = (svg_point){across((double)c->points[i].m), up(c->points[i].tflops)};
  svg_polyline(s, line, c->count, (svg_style){.stroke = svg_category(category), .stroke_width = 2});
  for (size_t i = 0; i < c->count; ++i) {
    char title[128];
    snprintf(title, sizeof title, "%s, M = %lld: %.0f TFLOP/s, %s", c->name, c->points[i].m,
             c->points[i].tflops, c->points[i].kernel);
    svg_circle(s, line[i].x, line[i].y, 3.5, (svg_style){.fill = svg_category(category), .title = title});
  }
}

static void draw_legend(svg *s, const curve *curves, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double x = LEFT + 24, y = TOP + 20 + 22 * (double)i;
    svg_line(s, x, y, x + 30, y, (svg_style){.stroke = svg_category(i), .stroke_width = 2});
    svg_text(s, x + 38, y + 4, (svg_style){.size = 12}, "%s", curves[i].name);
  }
}

int main(int argc, char **argv) {
  enum { CURVES = 2 };
  static curve curves[CURVES] = {{.type = "f8e4m3", .name = "FP8"}, {.type = "bf16", .name = "BF16"}};
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  if (!read_table(curves, CURVES)) return fprintf(stderr, "rows.csv has a line of another form\n"), 1;
  svg s;
  svg_begin(
      &s, WIDTH, HEIGHT, "Predicted TFLOP/s against the rows of A",
      "A chart of products of M x 4096 x 4096 with M from 1 to 8192, in FP8 and BF16. Both curves climb "
      "with M, as fewer of the cycles go to reading B, and flatten where all compute units multiply.");
  svg_heading(&s, "TFLOP/s against M",
              "Products of M x 4096 x 4096 as wt_gemm chooses to compute them, on MI355X.",
              "Predicted by a model with memory cold, measured on no hardware.");
  draw_axes(&s);
  for (size_t i = 0; i < CURVES; ++i) draw_curve(&s, &curves[i], i);
  draw_legend(&s, curves, CURVES);
  return svg_save(&s, argv[1], "rows.svg");
}
