// SPDX-License-Identifier: MIT
// Draws the picture of docs/simulator.md on long sums: the error of f16 dot products on the simulated device
// with the arithmetic of the hardware and with one rounding for each k, against sums in f64. Usage:
// mfma_sums_pictures FOLDER
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/svg.h"
#include "sim/exec/mfma/grouped.h"

enum {
  WIDTH = 980,
  HEIGHT = 460,
  PANEL = 380,
  TOP = 130,
  TALL = 250,
  TILES = 8,
  DEPTH = 16,
  LEAST_K = 32,
  POINTS = 10
};

typedef enum data { INDEPENDENT, CANCELLING, DATA_COUNT } data;
typedef enum arithmetic { HARDWARE, FUSED, ARITHMETICS } arithmetic;

typedef struct curve {
  double mean[POINTS], square[POINTS];  // in units of 2^-24
} curve;

// ---- data

static uint64_t state;

static double uniform(void) {  // splitmix64
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static double normal(void) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

static float to_f16(double x) {
  int exponent;
  frexp(x, &exponent);
  const int last = (exponent < -13 ? -13 : exponent) - 11;
  return (float)ldexp(rint(ldexp(x, -last)), last);
}

// [k][16]. Cancelling: each odd k takes away almost all that the one before it has added.
static void fill(data kind, float *a, float *b) {
  for (int n = 0; n < DEPTH * 16; ++n) {
    const int again = kind == CANCELLING && n / 16 % 2;
    a[n] = again ? a[n - 16] : to_f16(normal());
    b[n] = to_f16(again ? -b[n - 16] + normal() / 256 : normal());
  }
}

// ---- sums

typedef struct sums {
  float device[ARITHMETICS][16][16];
  double exact[16][16];
} sums;

static void add(sums *s, const float *a, const float *b) {
  static sim_mfma_grouped g;
  const float *c[16];
  float *d[16];
  for (int i = 0; i < 16; ++i) c[i] = d[i] = s->device[HARDWARE][i];
  SIM_VARIANT_NAME(sim_mfma_group)(&g, SIM_ELEM_F16, SIM_ELEM_F16, SIM_GFX942);
  SIM_VARIANT_NAME(sim_mfma_measure)(&g, a, DEPTH * 16, b, DEPTH * 16);
  SIM_VARIANT_NAME(sim_mfma_grouped_tile)(&g, 0, 0, 16, DEPTH, NULL, 0, 0, 0, c, d);
  for (int i = 0; i < 16; ++i) c[i] = d[i] = s->device[FUSED][i];
  SIM_VARIANT_NAME(sim_mfma_tile)(a, b, 16, DEPTH, true, c, d);
  for (int k = 0; k < DEPTH; ++k)
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) s->exact[i][j] += (double)a[16 * k + i] * b[16 * k + j];
}

static void note_errors(const sums *s, int point, curve curves[ARITHMETICS]) {
  for (int how = 0; how < ARITHMETICS; ++how)
    for (int n = 0; n < 256; ++n) {
      const double error = ldexp(s->device[how][n / 16][n % 16] - s->exact[n / 16][n % 16], 24);
      curves[how].mean[point] += error / (256 * TILES);
      curves[how].square[point] += error * error / (256 * TILES);
    }
}

static void measure(data kind, curve curves[ARITHMETICS]) {
  memset(curves, 0, ARITHMETICS * sizeof *curves);
  state = (uint64_t)kind + 1;
  for (int tile = 0; tile < TILES; ++tile) {
    static sums s;
    memset(&s, 0, sizeof s);
    int k = 0;
    for (int point = 0; point < POINTS; ++point) {
      for (; k < LEAST_K << point; k += DEPTH) {
        _Alignas(64) float a[DEPTH * 16], b[DEPTH * 16];
        fill(kind, a, b);
        add(&s, a, b);
      }
      note_errors(&s, point, curves);
    }
  }
}

// ---- the picture

enum { LOW = -1, HIGH = 4 };  // powers of ten on the vertical axis

static double across(int point) { return 56 + point * (PANEL - 76.0) / (POINTS - 1); }
static double up(double error) {
  const double power = log10(error < 0.1 ? 0.1 : error);
  return TOP + TALL * (HIGH - power) / (HIGH - LOW);
}

static void draw_axes(svg *s, const char *title) {
  svg_text(s, 56, TOP - 16, (svg_style){.size = 13, .bold = true}, "%s", title);
  for (int power = LOW; power <= HIGH; ++power) {
    const double y = up(pow(10, power));
    svg_line(s, 56, y, PANEL - 20, y, (svg_style){.stroke = SVG_RULE});
    svg_text(s, 48, y + 4, (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_END}, "%g",
             pow(10, power));
  }
  for (int point = 0; point < POINTS; point += 3)
    svg_text(s, across(point), TOP + TALL + 18,
             (svg_style){.size = 11, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "K = %d", LEAST_K << point);
}

static void draw_curve(svg *s, const double *errors, size_t category, const char *dash, const char *title) {
  svg_point points[POINTS];
  for (int n = 0; n < POINTS; ++n) points[n] = (svg_point){across(n), up(fabs(errors[n]))};
  svg_polyline(
      s, points, POINTS,
      (svg_style){.stroke = svg_category(category), .stroke_width = 2.5, .dash = dash, .title = title});
}

static void draw_panel(svg *s, double x, data kind, const char *title) {
  curve curves[ARITHMETICS];
  double root[ARITHMETICS][POINTS];
  measure(kind, curves);
  for (int how = 0; how < ARITHMETICS; ++how)
    for (int n = 0; n < POINTS; ++n) root[how][n] = sqrt(curves[how].square[n]);
  svg_group_begin(s, x, 0, (svg_style){0});
  draw_axes(s, title);
  draw_curve(s, root[HARDWARE], 0, NULL, "exact: root of the mean square");
  draw_curve(s, root[FUSED], 1, NULL, "fast: root of the mean square");
  draw_curve(s, curves[HARDWARE].mean, 0, "5 4", "exact: mean, without its sign");
  draw_curve(s, curves[FUSED].mean, 1, "5 4", "fast: mean, without its sign");
  svg_group_end(s);
}

static void draw_legend(svg *s) {
  static const struct {
    const char *text, *dash;
    size_t category;
  } entries[] = {{"exact, root mean square", NULL, 0},
                 {"exact, mean", "5 4", 0},
                 {"fast, root mean square", NULL, 1},
                 {"fast, mean", "5 4", 1}};
  for (int n = 0; n < 4; ++n) {
    const double x = 80 + 210 * n, y = HEIGHT - 28;
    svg_line(s, x, y, x + 30, y,
             (svg_style){
                 .stroke = svg_category(entries[n].category), .stroke_width = 2.5, .dash = entries[n].dash});
    svg_text(s, x + 38, y + 4, (svg_style){.size = 12}, "%s", entries[n].text);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  svg s;
  svg_begin(
      &s, WIDTH, HEIGHT, "Errors of long sums in f16 matrix products",
      "Two charts of the error of a dot product against its length, from 32 to 16384, on the simulated "
      "device "
      "with exact and with fast arithmetic. Where the products are independent, exact arithmetic has the "
      "smaller error and neither has a bias. Where they cancel, the mean error of exact arithmetic grows in "
      "proportion to the length and soon is all of its error.");
  svg_heading(&s, "The error of long sums",
              "f16 products of normal numbers, on mi300x, in units of 2^-24, beside sums in f64.",
              "A mean error is a bias: it does not average out over the elements of a matrix.");
  draw_panel(&s, 40, INDEPENDENT, "independent products");
  draw_panel(&s, 520, CANCELLING, "products that cancel in pairs");
  draw_legend(&s);
  return svg_save(&s, argv[1], "mfma_sums.svg");
}
