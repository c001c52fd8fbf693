// SPDX-License-Identifier: MIT
// Implements the SVG writer: one growing text in memory, and the themes.
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole_file.h"

static const struct {
  const char *name, *light, *dark;
} roles[] = {{SVG_PAPER, "#ffffff", "#161b22"},
             {SVG_INK, "#1f2328", "#e6edf3"},
             {SVG_FAINT, "#636c76", "#9198a1"},
             {SVG_RULE, "#d0d7de", "#3d444d"}};
enum { ROLES = sizeof roles / sizeof *roles };

// The "light" qualitative scheme of Paul Tol's colour schemes (SRON technical note SRON/EPS/TN/09-002), made
// for filling cells that carry dark text, in an order that keeps similar hues apart.
const char *svg_category(size_t i) {
  static const char *const colours[SVG_CATEGORIES] = {"#77AADD", "#EE8866", "#44BB99", "#FFAABB", "#BBCC33",
                                                      "#99DDFF", "#AAAA00", "#EEDD88", "#DDDDDD"};
  return colours[i % SVG_CATEGORIES];
}

static void append(svg *s, const char *bytes, size_t size) {
  if (s->failed) return;
  if (s->capacity - s->length < size) {
    const size_t capacity = 2 * s->capacity + size + 4096;
    char *text = realloc(s->text, capacity);
    if (!text) {
      s->failed = true;
      return;
    }
    s->text = text;
    s->capacity = capacity;
  }
  memcpy(s->text + s->length, bytes, size);
  s->length += size;
}

static void put(svg *s, const char *text) { append(s, text, strlen(text)); }

// Writes two decimals at most, and no zeros that say nothing.
static void put_number(svg *s, double value) {
  char text[400];
  const double rounded = round(value * 100) / 100;
  int length = snprintf(text, sizeof text, "%.2f", rounded == 0 ? 0 : rounded);
  while (text[length - 1] == '0') --length;
  if (text[length - 1] == '.') --length;
  append(s, text, (size_t)length);
}

// Returns the code point at *at, which moves behind it; U+FFFD for what is not UTF-8 or not allowed in XML
// 1.0.
static uint32_t next_character(const unsigned char **at) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *p = *at;
  const int length = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
  uint32_t c = length == 1 ? p[0] : length ? p[0] & (0x7fu >> length) : 0xfffd;
  for (int i = 1; i < length; ++i) {
    if (p[i] >> 6 != 2) {
      *at = p + i;
      return 0xfffd;
    }
    c = c << 6 | (p[i] & 0x3f);
  }
  *at = p + (length ? length : 1);
  const bool allowed = c == '\t' || c == '\n' || (c >= 0x20 && c < 0xd800) || (c >= 0xe000 && c < 0xfffe) ||
                       (c >= 0x10000 && c < 0x110000);
  return allowed && (length < 2 || c >= least[length]) ? c : 0xfffd;
}

static void put_escaped(svg *s, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    const unsigned char *begin = at;
    switch (next_character(&at)) {
      case '&': put(s, "&amp;"); break;
      case '<': put(s, "&lt;"); break;
      case '>': put(s, "&gt;"); break;
      case '"': put(s, "&quot;"); break;
      case 0xfffd: put(s, "\xef\xbf\xbd"); break;
      default: append(s, (const char *)begin, (size_t)(at - begin));
    }
  }
}

static void put_attribute(svg *s, const char *name, const char *value) {
  put(s, " ");
  put(s, name);
  put(s, "=\"");
  put_escaped(s, value);
  put(s, "\"");
}

static void put_measure(svg *s, const char *name, double value) {
  put(s, " ");
  put(s, name);
  put(s, "=\"");
  put_number(s, value);
  put(s, "\"");
}

static int role_of(const char *colour) {
  for (int i = 0; colour && i < ROLES; ++i)
    if (strcmp(colour, roles[i].name) == 0) return i;
  return -1;
}

// A role is written as its light colour and a class, by which the dark theme replaces it.
static void put_colours(svg *s, const char *fill, const char *stroke) {
  const int fill_role = role_of(fill), stroke_role = role_of(stroke);
  if (fill) put_attribute(s, "fill", fill_role < 0 ? fill : roles[fill_role].light);
  if (stroke) put_attribute(s, "stroke", stroke_role < 0 ? stroke : roles[stroke_role].light);
  if (fill_role < 0 && stroke_role < 0) return;
  char classes[64];
  snprintf(classes, sizeof classes, "%s%s%s%s%s", fill_role < 0 ? "" : "fill-",
           fill_role < 0 ? "" : roles[fill_role].name, fill_role < 0 || stroke_role < 0 ? "" : " ",
           stroke_role < 0 ? "" : "stroke-", stroke_role < 0 ? "" : roles[stroke_role].name);
  put_attribute(s, "class", classes);
}

// Writes the attributes of a shape that has just been opened with put("<name ...").
static void put_style(svg *s, svg_style style) {
  put_colours(s, style.fill, style.stroke);
  if (style.stroke_width > 0) put_measure(s, "stroke-width", style.stroke_width);
  if (style.dash) put_attribute(s, "stroke-dasharray", style.dash);
  if (style.opacity > 0) put_measure(s, "opacity", style.opacity);
}

static void close_shape(svg *s, const char *name, svg_style style) {
  if (!style.title) {
    put(s, "/>\n");
    return;
  }
  put(s, "><title>");
  put_escaped(s, style.title);
  put(s, "</title></");
  put(s, name);
  put(s, ">\n");
}

void svg_begin(svg *s, double width, double height, const char *title, const char *description) {
  *s = (svg){0};
  put(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" fill=\"none\"");
  put_measure(s, "width", width);
  put_measure(s, "height", height);
  put(s, " viewBox=\"0 0 ");
  put_number(s, width);
  put(s, " ");
  put_number(s, height);
  put(s,
      "\" font-family=\"system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, "
      "sans-serif\">\n<title>");
  put_escaped(s, title);
  put(s, "</title>\n<desc>");
  put_escaped(s, description);
  put(s, "</desc>\n<style>@media (prefers-color-scheme: dark) {");
  for (int i = 0; i < ROLES; ++i) {
    char rule[128];
    snprintf(rule, sizeof rule, " .fill-%s { fill: %s } .stroke-%s { stroke: %s }", roles[i].name,
             roles[i].dark, roles[i].name, roles[i].dark);
    put(s, rule);
  }
  put(s, " }</style>\n");
  svg_rect(s, 0, 0, width, height, (svg_style){.fill = SVG_PAPER, .radius = 6});
}

void svg_free(svg *s) { free(s->text); }

void svg_rect(svg *s, double x, double y, double width, double height, svg_style style) {
  put(s, "<rect");
  put_measure(s, "x", x);
  put_measure(s, "y", y);
  put_measure(s, "width", width);
  put_measure(s, "height", height);
  if (style.radius > 0) put_measure(s, "rx", style.radius);
  put_style(s, style);
  close_shape(s, "rect", style);
}

void svg_circle(svg *s, double x, double y, double radius, svg_style style) {
  put(s, "<circle");
  put_measure(s, "cx", x);
  put_measure(s, "cy", y);
  put_measure(s, "r", radius);
  put_style(s, style);
  close_shape(s, "circle", style);
}

void svg_line(svg *s, double x1, double y1, double x2, double y2, svg_style style) {
  put(s, "<line");
  put_measure(s, "x1", x1);
  put_measure(s, "y1", y1);
  put_measure(s, "x2", x2);
  put_measure(s, "y2", y2);
  put_style(s, style);
  close_shape(s, "line", style);
}

void svg_polyline(svg *s, const svg_point *points, size_t count, svg_style style) {
  put(s, "<polyline points=\"");
  for (size_t i = 0; i < count; ++i) {
    if (i) put(s, " ");
    put_number(s, points[i].x);
    put(s, ",");
    put_number(s, points[i].y);
  }
  put(s, "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
  put_style(s, style);
  close_shape(s, "polyline", style);
}

void svg_path(svg *s, const char *commands, svg_style style) {
  put(s, "<path");
  put_attribute(s, "d", commands);
  put_style(s, style);
  close_shape(s, "path", style);
}

void svg_text(svg *s, double x, double y, svg_style style, const char *format, ...) {
  static const char *const anchors[] = {NULL, "middle", "end"};
  va_list args;
  va_start(args, format);
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0) {
    s->failed = true;
    text = NULL;
  }
  va_end(args);
  if (!text) return;
  if (!style.fill) style.fill = SVG_INK;
  put(s, "<text");
  put_measure(s, "x", x);
  put_measure(s, "y", y);
  put_measure(s, "font-size", style.size > 0 ? style.size : 12);
  if (anchors[style.anchor]) put_attribute(s, "text-anchor", anchors[style.anchor]);
  if (style.bold) put_attribute(s, "font-weight", "600");
  if (style.mono)
    put_attribute(s, "font-family", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace");
  put_style(s, style);
  put(s, ">");
  if (style.title) {
    put(s, "<title>");
    put_escaped(s, style.title);
    put(s, "</title>");
  }
  put_escaped(s, text);
  put(s, "</text>\n");
  free(text);
}

void svg_group_begin(svg *s, double x, double y, svg_style style) {
  put(s, "<g");
  if (x != 0 || y != 0) {
    put(s, " transform=\"translate(");
    put_number(s, x);
    put(s, " ");
    put_number(s, y);
    put(s, ")\"");
  }
  put_style(s, style);
  put(s, ">\n");
  if (!style.title) return;
  put(s, "<title>");
  put_escaped(s, style.title);
  put(s, "</title>\n");
}

void svg_group_end(svg *s) { put(s, "</g>\n"); }

bool svg_write(svg *s, const char *path, char *message, size_t message_size) {
  if (s->failed) {
    snprintf(message, message_size, "%s: cannot be written: the picture does not fit into memory", path);
    return false;
  }
  static const char end[] = "</svg>\n";
  whole_file file;
  if (!whole_file_begin(&file, path, message, message_size)) return false;
  const bool good = fwrite(s->text, 1, s->length, file.stream) == s->length &&
                    fwrite(end, 1, sizeof end - 1, file.stream) == sizeof end - 1;
  return whole_file_end(&file, good, message, message_size);
}

void svg_heading(svg *picture, const char *name, const char *first, const char *second) {
  const double margin = 24;
  svg_text(picture, margin, 40, (svg_style){.size = 18, .bold = true}, "%s", name);
  svg_text(picture, margin, 62, (svg_style){.size = 13, .fill = SVG_FAINT}, "%s", first);
  svg_text(picture, margin, 80, (svg_style){.size = 13, .fill = SVG_FAINT}, "%s", second);
}

int svg_save(svg *picture, const char *folder, const char *file) {
  char path[512], message[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  const bool written = svg_write(picture, path, message, sizeof message);
  if (!written) fprintf(stderr, "%s\n", message);
  svg_free(picture);
  return !written;
}
