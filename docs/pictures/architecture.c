// SPDX-License-Identifier: MIT
// Draws the picture of docs/architecture.md: the folders, and which of them uses which.
// Usage: architecture_pictures FOLDER
#include <stdio.h>

#include "core/svg.h"

enum { WIDTH = 980, HEIGHT = 560, BOX = 52, FRAME = 630 };

typedef struct box {
  double x, y, width;
  const char *name, *what;
  size_t category;
} box;

enum { DEVICE, HOST, SIM, OUTSIDE };
enum {
  KERNELS,
  SCHED,
  OPS,
  TILES,
  TOOLS,
  SRC,
  HIP_API,
  ROCM,
  SIM_HIP,
  OBJECT,
  ISA,
  EXEC,
  CHECK,
  TIMING,
  REPORT,
  MACHINE
};

static const box boxes[] = {
    [KERNELS] = {24, 112, 250, "kernels/, examples/", "the library's kernels and the ladder", DEVICE},
    [SCHED] = {24, 212, 250, "include/sched/", "when and where: pipelines, grid order", DEVICE},
    [OPS] = {24, 312, 250, "include/ops/", "what a wave does to tiles", DEVICE},
    [TILES] = {24, 412, 250, "include/tiles/", "what data is: types, layouts, swizzles", DEVICE},
    [TOOLS] = {334, 112, 250, "tools/", "the command wavetile", HOST},
    [SRC] = {334, 212, 250, "src/", "libwavetile: the C API's host side", HOST},
    [HIP_API] = {334, 312, 250, "the HIP API", "libamdhip64.so, one of two", OUTSIDE},
    [ROCM] = {334, 412, 250, "ROCm's runtime", "a real GPU", OUTSIDE},
    [SIM_HIP] = {644, 112, 312, "sim/hip/", "the HIP calls, in libamdhip64.so", SIM},
    [OBJECT] = {644, 212, 150, "sim/object/", "reads code objects", SIM},
    [ISA] = {806, 212, 150, "sim/isa/", "decodes them", SIM},
    [EXEC] = {644, 312, 312, "sim/exec/", "waves: scalar, vector, MFMA, LDS, memory", SIM},
    [CHECK] = {644, 412, 150, "sim/check/", "waits, races, hazards", SIM},
    [TIMING] = {806, 412, 150, "sim/timing/", "the model of cycles", SIM},
    [REPORT] = {644, 484, 150, "sim/report/", "records of launches", SIM},
    [MACHINE] = {806, 484, 150, "sim/machine/", "the chips' numbers", SIM},
};

static double middle(int i) { return boxes[i].x + boxes[i].width / 2; }

static void draw_box(svg *s, const box *b) {
  svg_rect(s, b->x, b->y, b->width, BOX,
           b->category == OUTSIDE ? (svg_style){.stroke = SVG_RULE, .dash = "4 3", .radius = 6}
                                  : (svg_style){.fill = svg_category(b->category), .radius = 6});
  const char *ink = b->category == OUTSIDE ? SVG_INK : SVG_ON_CATEGORY;
  svg_text(s, b->x + b->width / 2, b->y + 22,
           (svg_style){.fill = ink, .size = 13, .bold = true, .anchor = SVG_MIDDLE}, "%s", b->name);
  svg_text(s, b->x + b->width / 2, b->y + 40, (svg_style){.fill = ink, .size = 11, .anchor = SVG_MIDDLE},
           "%s", b->what);
}

// Draws an arrow along the points; its head is at the last one.
static void draw_arrow(svg *s, const svg_point *points, size_t count, const char *dash) {
  const svg_point end = points[count - 1], before = points[count - 2];
  svg_polyline(s, points, count, (svg_style){.stroke = SVG_INK, .dash = dash});
  const double dx = end.x > before.x ? -1 : end.x < before.x ? 1 : 0;
  const double dy = end.y > before.y ? -1 : end.y < before.y ? 1 : 0;
  const svg_point head[3] = {{end.x + 7 * dx + 4 * dy, end.y + 7 * dy + 4 * dx},
                             {end.x, end.y},
                             {end.x + 7 * dx - 4 * dy, end.y + 7 * dy - 4 * dx}};
  svg_polyline(s, head, 3, (svg_style){.stroke = SVG_INK});
}

// Draws an arrow down or up from one box to another, where both stand.
static void draw_between(svg *s, int from, int to) {
  const double x = boxes[from].width < boxes[to].width ? middle(from) : middle(to);
  const bool down = boxes[from].y < boxes[to].y;
  draw_arrow(s,
             (svg_point[]){{x, boxes[from].y + (down ? BOX : 0)}, {x, boxes[to].y + (down ? -2 : BOX + 2)}},
             2, NULL);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  svg s;
  svg_begin(
      &s, WIDTH, HEIGHT, "The folders of wavetile and which of them uses which",
      "Device code: kernels use sched, sched uses ops, ops use tiles. Host code: tools use src and sim, src "
      "uses the HIP API. The simulated device stands behind the same API as ROCm's runtime and uses nothing "
      "of the other folders.");
  svg_heading(&s, "The folders, and which of them uses which", "An arrow goes from the user to what it uses.",
              "The dashed arrow: libwavetile holds the compiled kernels as bytes. The frame is the simulated "
              "device.");
  svg_rect(&s, FRAME, 100, WIDTH - FRAME - 12, HEIGHT - 112, (svg_style){.stroke = SVG_RULE, .radius = 8});
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; ++i) draw_box(&s, &boxes[i]);
  static const int uses[][2] = {{KERNELS, SCHED}, {SCHED, OPS},    {OPS, TILES},      {TOOLS, SRC},
                                {SRC, HIP_API},   {HIP_API, ROCM}, {SIM_HIP, OBJECT}, {SIM_HIP, ISA},
                                {EXEC, OBJECT},   {EXEC, ISA},     {EXEC, CHECK},     {CHECK, EXEC},
                                {EXEC, TIMING},   {TIMING, EXEC}};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; ++i) draw_between(&s, uses[i][0], uses[i][1]);
  const double gap = middle(SIM_HIP);  // between sim/object and sim/isa
  draw_arrow(&s, (svg_point[]){{gap, boxes[SIM_HIP].y + BOX}, {gap, boxes[EXEC].y - 2}}, 2, NULL);
  const double top = boxes[TOOLS].y + BOX / 2.0, api = boxes[HIP_API].y + BOX / 2.0;
  const double right = boxes[TOOLS].x + boxes[TOOLS].width, sim = boxes[SIM_HIP].x;
  draw_arrow(&s, (svg_point[]){{right, top - 16}, {FRAME - 2, top - 16}}, 2, NULL);
  draw_arrow(&s, (svg_point[]){{right, api}, {608, api}, {608, top + 10}, {sim - 2, top + 10}}, 4, NULL);
  const double kernels = boxes[KERNELS].x + boxes[KERNELS].width;
  draw_arrow(&s,
             (svg_point[]){{boxes[SRC].x, boxes[SRC].y + BOX / 2.0},
                           {304, boxes[SRC].y + BOX / 2.0},
                           {304, top},
                           {kernels + 2, top}},
             4, "4 3");
  return svg_save(&s, argv[1], "architecture.svg");
}
