// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/profiling.md: how timelines look, where idle cycles of a matrix pipe are
// counted, and what a roofline of all levels of memory shows. They are schemes: no kernel and no prediction
// is in them. Usage: profiling_pictures FOLDER
#include <math.h>
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96, NAMES = 110 };
static const double kLane = 26, kTall = 20;

// The units' colours are those of the page that `wavetile prof --html` writes.
typedef enum unit { MFMA, OTHER_MFMA, LDS, VMEM, VALU, WAIT, STALL, UNITS } unit;
static const struct {
  const char *colour, *name;
} kUnits[UNITS] = {
    [MFMA] = {"#e69f00", "MFMA"},       [OTHER_MFMA] = {"#ffe0a3", "MFMA of the other wave"},
    [LDS] = {"#009e73", "LDS"},         [VMEM] = {"#cc79a7", "VMEM"},
    [VALU] = {"#56b4e9", "VALU"},       [WAIT] = {"#a9b4c0", "waits, barriers"},
    [STALL] = {NULL, "the wave waits"},
};

// Describes a stretch of cycles on a lane: `count` instructions of `each` cycles, one after the other.
typedef struct stretch {
  int begin, count, each;
  unit unit;
} stretch;

typedef struct scheme {
  double top, scale;  // scale: of a cycle
} scheme;

static double at(const scheme *g, int cycle) { return MARGIN + NAMES + cycle * g->scale; }

static void draw_stretch(svg *s, const scheme *g, int lane, stretch t) {
  const double y = g->top + lane * kLane;
  for (int i = 0; i < t.count; ++i) {
    const double x = at(g, t.begin + i * t.each), wide = t.each * g->scale - 1;
    svg_style style = {.fill = kUnits[t.unit].colour, .radius = 2};
    if (t.unit == STALL) style = (svg_style){.stroke = SVG_FAINT, .dash = "3 3", .radius = 2};
    svg_rect(s, x, y, wide, kTall, style);
  }
}

static void draw_lane(svg *s, const scheme *g, int lane, const char *name, const stretch *stretches,
                      size_t count) {
  svg_text(s, MARGIN, g->top + lane * kLane + 15, (svg_style){.size = 12}, "%s", name);
  for (size_t i = 0; i < count; ++i) draw_stretch(s, g, lane, stretches[i]);
}

#define LANE(picture, scheme, lane, name, stretches) \
  draw_lane(picture, scheme, lane, name, stretches, sizeof(stretches) / sizeof *(stretches))

static void draw_legend(svg *s, double y, const unit *units, size_t count) {
  double x = MARGIN;
  for (size_t i = 0; i < count; ++i) {
    svg_style box = {.fill = kUnits[units[i]].colour, .radius = 2};
    if (units[i] == STALL) box = (svg_style){.stroke = SVG_FAINT, .dash = "3 3", .radius = 2};
    svg_rect(s, x, y - 11, 13, 13, box);
    svg_text(s, x + 19, y, (svg_style){.size = 12, .fill = SVG_FAINT}, "%s", kUnits[units[i]].name);
    x += 100 + (units[i] == OTHER_MFMA ? 90 : 0) + (units[i] == WAIT ? 20 : 0);
  }
}

static void draw_title(svg *s, const scheme *g, const char *name) {
  svg_text(s, MARGIN, g->top - 12, (svg_style){.size = 13, .bold = true}, "%s", name);
}

// One wave on a SIMD that puts its reads and loads between its MFMAs.
static void draw_interleave(svg *s, double top) {
  const scheme g = {.top = top, .scale = 2.6};
  static const stretch pipe[] = {{0, 20, 16, MFMA}};
  stretch wave[40];
  size_t count = 0;
  for (int i = 0; i < 20; ++i) {
    wave[count++] = (stretch){i * 16, 1, i % 2 ? 16 : 12, MFMA};
    if (i % 2 == 0) wave[count++] = (stretch){i * 16 + 12, 1, 4, i % 4 ? VMEM : LDS};
  }
  draw_title(s, &g, "interleave: one wave, memory between the MFMAs");
  LANE(s, &g, 0, "SIMD 0  P", pipe);
  draw_lane(s, &g, 1, "wave 0", wave, count);
}

// Draws two waves that trade roles at each barrier: one multiplies while the other reads.
static void draw_ping_pong(svg *s, double top) {
  const scheme g = {.top = top, .scale = 2.6};
  static const stretch pipe[] = {{8, 6, 16, MFMA}, {108, 6, 16, OTHER_MFMA}, {208, 6, 16, MFMA}};
  static const stretch first[] = {{0, 2, 4, WAIT},     {8, 6, 16, MFMA},  {104, 1, 4, WAIT},
                                  {108, 8, 4, LDS},    {140, 3, 4, VMEM}, {152, 2, 4, VALU},
                                  {160, 1, 44, STALL}, {204, 1, 4, WAIT}, {208, 6, 16, MFMA}};
  static const stretch second[] = {{0, 2, 4, WAIT},    {8, 8, 4, LDS},     {40, 3, 4, VMEM},
                                   {52, 2, 4, VALU},   {60, 1, 44, STALL}, {104, 1, 4, WAIT},
                                   {108, 6, 16, MFMA}, {204, 1, 4, WAIT},  {208, 8, 4, LDS},
                                   {240, 3, 4, VMEM},  {252, 2, 4, VALU},  {260, 1, 44, STALL}};
  draw_title(s, &g, "ping-pong: two waves trade roles at each barrier");
  LANE(s, &g, 0, "SIMD 0  P", pipe);
  LANE(s, &g, 1, "wave 0", first);
  LANE(s, &g, 2, "wave 4", second);
}

static int draw_lanes(const char *folder) {
  static const unit legend[] = {MFMA, OTHER_MFMA, LDS, VMEM, VALU, WAIT, STALL};
  svg s;
  svg_begin(&s, 1010, 360, "Two schedules as timelines",
            "Above, one wave with memory instructions between its MFMAs keeps the matrix pipe busy; below, "
            "two waves "
            "multiply in turn while the other reads.");
  svg_heading(&s, "Two schedules as timelines",
              "P is the matrix pipe of a SIMD, the lanes below it are its waves. What counts is P: gaps in "
              "it are lost.",
              "A scheme, from left to right; the real thing is in the page and the trace.");
  draw_interleave(&s, HEAD + 30);
  draw_ping_pong(&s, HEAD + 30 + 106);
  draw_legend(&s, 345, legend, sizeof legend / sizeof *legend);
  return svg_save(&s, folder, "profiling_lanes.svg");
}

static void mark(svg *s, const scheme *g, int begin, int end, double y, const char *text) {
  const double left = at(g, begin), right = at(g, end);
  const svg_point bracket[] = {{left, y - 5}, {left, y}, {right, y}, {right, y - 5}};
  svg_polyline(s, bracket, 4, (svg_style){.stroke = SVG_INK});
  svg_text(s, (left + right) / 2, y + 16, (svg_style){.size = 12, .anchor = SVG_MIDDLE}, "%s", text);
}

static int draw_idle(const char *folder) {
  static const unit legend[] = {MFMA, VALU, WAIT, STALL};
  static const stretch pipe[] = {{0, 3, 16, MFMA}, {100, 3, 16, MFMA}};
  static const stretch wave[] = {{0, 2, 16, MFMA}, {32, 1, 4, MFMA}, {36, 1, 44, STALL}, {80, 1, 4, WAIT},
                                 {84, 1, 4, WAIT}, {88, 3, 4, VALU}, {100, 3, 16, MFMA}};
  const scheme g = {.top = HEAD + 20, .scale = 5.6};
  svg s;
  svg_begin(
      &s, 1010, 270, "Idle cycles of a matrix pipe",
      "Between two MFMAs the pipe has nothing to do while the wave waits for LDS and issues three other "
      "instructions; these cycles are counted at the second MFMA.");
  svg_heading(&s, "Idle cycles of a matrix pipe",
              "They are counted at the MFMA that ends the gap, here 52, and laid on what the wave did since "
              "the MFMA before:",
              "the wait for LDS with 44 of 64 cycles, and five instructions with 4 each.");
  LANE(&s, &g, 0, "SIMD 0  P", pipe);
  LANE(&s, &g, 1, "wave 0", wave);
  mark(&s, &g, 48, 100, g.top + 2 * kLane + 8, "idle: 52 cycles");
  mark(&s, &g, 36, 100, g.top + 2 * kLane + 44,
       "since the MFMA before: the wait, s_waitcnt, s_barrier, three VALU instructions");
  draw_legend(&s, 254, legend, sizeof legend / sizeof *legend);
  return svg_save(&s, folder, "profiling_idle.svg");
}

// ---- the roofline, on logarithmic axes

enum { PLOT_LEFT = 110, PLOT_TOP = HEAD + 24, DECADE_X = 180, DECADE_Y = 84, DECADES_X = 4, DECADES_Y = 3 };
static const double kLeastFlops = 1e13, kPeak = 2.5e15, kRate = 1.4e15;

static double plot_x(double flops_per_byte) { return PLOT_LEFT + DECADE_X * log10(flops_per_byte); }

static double plot_y(double flops) { return PLOT_TOP + DECADE_Y * (DECADES_Y - log10(flops / kLeastFlops)); }

// Describes a level's bandwidth, and how many FLOPs a launch does for each of its bytes: 0 where it moves
// next to none.
typedef struct roof_level {
  const char *name, *colour;
  double bytes_per_second, intensity;
} roof_level;

static const roof_level kLevels[] = {{"L1 (TCP)", "#009e73", 39e12, 90},
                                     {"L2", "#0072b2", 25e12, 130},
                                     {"LLC", "#cc79a7", 13e12, 600},
                                     {"HBM", "#d55e00", 5e12, 0}};
enum { LEVELS = sizeof kLevels / sizeof *kLevels };

static void draw_axes(svg *s) {
  static const char *const flops[DECADES_Y + 1] = {"10 T", "100 T", "1 P", "10 P"};
  static const char *const intensities[DECADES_X + 1] = {"1", "10", "100", "1 k", "10 k"};
  const double right = PLOT_LEFT + DECADES_X * DECADE_X, bottom = PLOT_TOP + DECADES_Y * DECADE_Y;
  for (int i = 0; i <= DECADES_X; ++i) {
    const double x = PLOT_LEFT + i * DECADE_X;
    svg_line(s, x, PLOT_TOP, x, bottom, (svg_style){.stroke = SVG_RULE});
    svg_text(s, x, bottom + 18, (svg_style){.fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "%s", intensities[i]);
  }
  for (int i = 0; i <= DECADES_Y; ++i) {
    const double y = bottom - i * DECADE_Y;
    svg_line(s, PLOT_LEFT, y, right, y, (svg_style){.stroke = SVG_RULE});
    svg_text(s, PLOT_LEFT - 8, y + 4, (svg_style){.fill = SVG_FAINT, .anchor = SVG_END}, "%s", flops[i]);
  }
  svg_text(s, right, bottom + 36, (svg_style){.fill = SVG_FAINT, .anchor = SVG_END},
           "FLOP per byte of the level");
  svg_text(s, PLOT_LEFT - 8, PLOT_TOP - 10, (svg_style){.fill = SVG_FAINT, .anchor = SVG_END}, "FLOP/s");
}

static void draw_level(svg *s, const roof_level *level, int number) {
  const double ridge = kPeak / level->bytes_per_second, begin = kLeastFlops / level->bytes_per_second;
  const double from = begin < 1 ? 1 : begin, right = PLOT_LEFT + DECADES_X * DECADE_X, y = plot_y(kRate);
  svg_line(s, plot_x(from), plot_y(from * level->bytes_per_second), plot_x(ridge), plot_y(kPeak),
           (svg_style){.stroke = level->colour, .stroke_width = 2});
  if (level->intensity > 0) {
    svg_circle(s, plot_x(level->intensity), y, 6, (svg_style){.fill = level->colour});
  } else {
    const svg_point arrow[] = {{right - 14, y - 6}, {right - 2, y}, {right - 14, y + 6}, {right - 14, y - 6}};
    svg_polyline(s, arrow, 4, (svg_style){.fill = level->colour});
  }
  const double legend = plot_y(kLeastFlops) - 22 * (LEVELS - number);
  svg_circle(s, right - 170, legend - 4, 6, (svg_style){.fill = level->colour});
  svg_text(s, right - 156, legend, (svg_style){.size = 12}, "%s, %.0f TB/s", level->name,
           level->bytes_per_second / 1e12);
}

static int draw_roofline(const char *folder) {
  svg s;
  svg_begin(&s, 1010, 440, "A roofline with a roof for each level of memory",
            "Four slopes, for L1, L2, the last-level cache and HBM, end at the peak of the matrix pipes. A "
            "launch is a "
            "point for each level at the same height; that of HBM lies beyond the right edge.");
  svg_heading(&s, "A roofline with a roof for each level of memory",
              "A launch has a point for each level, all at the height of its FLOP/s; the one nearest to its "
              "roof shows what binds.",
              "A launch that finds its data in the last-level cache leaves HBM's point at the edge. A "
              "scheme: no kernel has these numbers.");
  draw_axes(&s);
  svg_line(&s, plot_x(kPeak / kLevels[0].bytes_per_second), plot_y(kPeak), PLOT_LEFT + DECADES_X * DECADE_X,
           plot_y(kPeak), (svg_style){.stroke = SVG_INK, .stroke_width = 2});
  svg_text(&s, PLOT_LEFT + DECADES_X * DECADE_X - 4, plot_y(kPeak) - 6, (svg_style){.anchor = SVG_END},
           "matrix pipes");
  for (int i = 0; i < LEVELS; ++i) draw_level(&s, &kLevels[i], i);
  return svg_save(&s, folder, "profiling_roofline.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_lanes(argv[1]) | draw_idle(argv[1]) | draw_roofline(argv[1]);
}
