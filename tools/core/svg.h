// SPDX-License-Identifier: MIT
// Writes SVG pictures: shapes and text into memory, then one file, whole or not at all. The pictures follow
// the reader's light or dark theme where the viewer knows it, and are light elsewhere.
#ifndef WT_TOOLS_SVG_H
#define WT_TOOLS_SVG_H

#include <stdbool.h>
#include <stddef.h>

// Colours are "#rrggbb", or one of these roles, which follow the theme.
#define SVG_PAPER "paper"  // the background
#define SVG_INK "ink"      // text and strong lines
#define SVG_FAINT "faint"  // secondary text
#define SVG_RULE "rule"    // frames and thin lines

// Returns a fill for category i that colour-blind readers can tell from its neighbours; dark text is legible
// on it. There are SVG_CATEGORIES, after which they repeat.
enum { SVG_CATEGORIES = 9 };
const char *svg_category(size_t i);
// The colour for text and lines on a category's fill, in either theme.
#define SVG_ON_CATEGORY "#1f2328"

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

// A member that is left out is as in the group around the shape; outside of groups: no fill, no stroke,
// opaque.
typedef struct svg_style {
  const char *fill, *stroke;  // colours
  double stroke_width;        // 0: 1
  const char *dash;           // lengths, as in "4 2"
  double opacity;             // 0: opaque
  double radius;              // rectangles: of the corners
  const char *title;          // what hovering over the shape shows
  // This is for text only. It is filled with ink unless `fill` says otherwise.
  double size;  // 0: 12
  svg_anchor anchor;
  bool bold, mono;
} svg_style;

typedef struct svg_point {
  double x, y;
} svg_point;

typedef struct svg {
  char *text;
  size_t length, capacity;
  bool failed;  // out of memory, which svg_write reports
} svg;

// Begins a picture of width x height on paper. Title and description are for readers who cannot see it.
void svg_begin(svg *picture, double width, double height, const char *title, const char *description);
void svg_free(svg *picture);

// Text and titles may hold any bytes: what XML or UTF-8 does not allow is replaced. Text is on one line, its
// baseline at y.
void svg_rect(svg *picture, double x, double y, double width, double height, svg_style style);
void svg_circle(svg *picture, double x, double y, double radius, svg_style style);
void svg_line(svg *picture, double x1, double y1, double x2, double y2, svg_style style);
void svg_polyline(svg *picture, const svg_point *points, size_t count, svg_style style);
void svg_path(svg *picture, const char *commands, svg_style style);  // SVG path commands, as in "M0 0L4 4z"
void svg_text(svg *picture, double x, double y, svg_style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Shapes until svg_group_end are moved by (x, y) and share fill, stroke, stroke width, dash and opacity. Text
// keeps its own fill, but would be outlined by the group's stroke.
void svg_group_begin(svg *picture, double x, double y, svg_style style);
void svg_group_end(svg *picture);

// Writes the finished picture. Returns false, with a sentence in message, when it could not be written; a
// file of that name is then as it was before.
bool svg_write(svg *picture, const char *path, char *message, size_t message_size);

// These are for programs that draw a page's pictures: the first draws a picture's name and two lines below
// it, from (24, 40) to y 80; the second writes it to FOLDER/FILE, frees it, and returns 0, or 1 after a
// sentence on stderr.
void svg_heading(svg *picture, const char *name, const char *first, const char *second);
int svg_save(svg *picture, const char *folder, const char *file);

#endif
