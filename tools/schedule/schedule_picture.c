// SPDX-License-Identifier: MIT
// Draws the picture of a loop: above, what each cluster issues and what stands in front of it; below, where
// the data of each K step are meanwhile.
#include <stdio.h>
#include <string.h>

#include "core/svg.h"
#include "schedule.h"

enum {
  MARGIN = 24,
  HEAD = 112,
  LABEL = 150,
  LINE = 15,
  BOX = 22,
  GAP = 10,
  SMALL = 11,
  KEY_LINES = 5,
  TEXT = 760
};
// These are the advance of a character of small text, and the narrowest column.
static const double kAdvance = 6.3, kNarrowest = 96;

typedef struct view {
  const schedule *s;
  const schedule_flow *flow;
  svg svg;
  double column;  // width
  double y;       // where the next row begins
} view;

static double x_of(const view *v, int place) { return MARGIN + LABEL + place * v->column; }
static int cluster_of(const view *v, int place) { return place % v->s->head->clusters; }
static int iteration_of(const view *v, int place) { return place / v->s->head->clusters; }

static void row_label(view *v, const char *text) {
  svg_text(&v->svg, MARGIN, v->y + BOX - 7, (svg_style){.size = SMALL + 1}, "%s", text);
}

static void section(view *v, const char *text) {
  v->y += GAP;
  svg_text(&v->svg, MARGIN, v->y + LINE, (svg_style){.size = SMALL + 1, .bold = true}, "%s", text);
  v->y += LINE + GAP;
}

// ---- what is issued: rows of boxes

// Everything about a buffer has its colour; the last category is left for products.
static const char *colour_of(const wt_note_op *op) {
  const size_t products = SVG_CATEGORIES - 1;
  const bool has_buffer = !schedule_adds(op) && op->what != WT_NOTE_VECTOR && op->what != WT_NOTE_ATOMIC;
  return svg_category(has_buffer ? op->buffer % products : products);
}

// Returns the op that is the n-th of its unit in a place; NULL: there are not as many.
static const wt_note_op *nth_op(const view *v, int place, schedule_unit unit, int n) {
  for (int i = 0; i < v->s->head->ops; ++i) {
    const wt_note_op *op = &v->s->ops[i];
    if (op->cluster == cluster_of(v, place) && schedule_unit_of(op) == unit &&
        schedule_takes_place(op, iteration_of(v, place)) && n-- == 0)
      return op;
  }
  return NULL;
}

static void draw_op(view *v, int place, int at, int line, const wt_note_op *op) {
  char text[SCHEDULE_TEXT];
  const double x = x_of(v, at) + 3, y = v->y + line * (BOX + 2.0);
  schedule_op_text(v->s, op, iteration_of(v, place) + op->ahead, text);
  svg_rect(&v->svg, x, y, v->column - 6, BOX, (svg_style){.fill = colour_of(op), .radius = 3, .title = text});
  svg_text(&v->svg, x + v->column / 2 - 3, y + BOX - 7,
           (svg_style){.size = SMALL, .anchor = SVG_MIDDLE, .fill = SVG_ON_CATEGORY}, "%s", text);
}

// Draws one row for the ops of a unit, as high as the place with most of them. Waves that lag do in a place
// what the others do in the one before.
static void draw_row(view *v, schedule_unit unit, int lag) {
  const int places = v->flow->places;
  int lines = 0;
  if (!schedule_shows(v->s, unit)) return;
  row_label(v, schedule_unit_names[unit]);
  for (int place = 0; place < places; ++place) {
    const wt_note_op *op;
    for (int n = 0; (op = nth_op(v, place, unit, n)); ++n) {
      draw_op(v, place, (place + lag) % places, n, op);
      if (n + 1 > lines) lines = n + 1;
    }
  }
  v->y += (lines ? lines : 1) * (BOX + 2.0) + 4;
}

static void draw_rows(view *v) {
  const int lag_from = v->s->head->lag_from;
  char text[SCHEDULE_TEXT] = "every wave";
  if (lag_from) snprintf(text, sizeof text, "waves 0 to %d", lag_from - 1);
  section(v, text);
  for (int unit = 0; unit < SCHEDULE_UNITS; ++unit) draw_row(v, (schedule_unit)unit, 0);
  if (!lag_from) return;
  snprintf(text, sizeof text, "waves %d and up", lag_from);
  section(v, text);
  for (int unit = 0; unit < SCHEDULE_UNITS; ++unit) draw_row(v, (schedule_unit)unit, 1);
}

// ---- where data are: a bar for each K step that a buffer, or the registers for it, hold

typedef struct life {
  int step, fetched, filled, landed, free;  // places; fetched: as filled, where nothing is fetched
} life;

// Returns the life of what an op brings to a buffer: until the end of the last read.
static life life_of(const view *v, const schedule_event *fill) {
  life l = {fill->step, fill->issued, fill->issued, fill->landed, fill->issued + 1};
  for (size_t i = 0; i < v->flow->count; ++i) {
    const schedule_event *e = &v->flow->events[i];
    if (e->op->buffer != fill->op->buffer) continue;
    if (e->op->what == WT_NOTE_READ && e->step == fill->step && e->issued >= l.free) l.free = e->issued + 1;
    if (e->op->what == WT_NOTE_FETCH && fill->op->what == WT_NOTE_PUT && e->step <= fill->step &&
        fill->step < e->step + e->op->steps)
      l.fetched = e->issued;
  }
  return l;
}

static void draw_part(view *v, int from, int to, svg_style style, const char *text) {
  const int first = from < 0 ? 0 : from, last = to > v->flow->places ? v->flow->places : to;
  if (first >= last) return;
  style.radius = 3;
  svg_rect(&v->svg, x_of(v, first) + 1, v->y, (last - first) * v->column - 2, BOX, style);
  svg_text(&v->svg, x_of(v, first) + 7, v->y + BOX - 7,
           (svg_style){.size = SMALL, .fill = style.opacity > 0 || !style.fill ? NULL : SVG_ON_CATEGORY},
           "%s", text);
}

static void draw_life(view *v, const schedule_event *fill) {
  const life l = life_of(v, fill);
  char buffer[SCHEDULE_TEXT], step[SCHEDULE_TEXT], hover[3 * SCHEDULE_TEXT];
  const char *colour = colour_of(fill->op);
  schedule_buffer_text(v->s, fill->op->buffer, buffer);
  schedule_step_text(l.step, step);
  snprintf(hover, sizeof hover, "%s, K step %s: in LDS from the wait in front of cluster %d on", buffer, step,
           (l.landed % v->s->head->clusters + v->s->head->clusters) % v->s->head->clusters);
  char name[3 * SCHEDULE_TEXT];
  snprintf(name, sizeof name, "%s, step %s", buffer, step);
  row_label(v, name);
  draw_part(v, l.fetched, l.filled, (svg_style){.stroke = colour, .dash = "3 3"},
            l.fetched < 0 ? "to registers" : "fetch: to registers");
  draw_part(v, l.filled, l.landed < l.free ? l.landed : l.free,
            (svg_style){.fill = colour, .opacity = 0.35, .title = hover},
            l.filled < 0                      ? "in flight"
            : fill->op->what == WT_NOTE_COPY  ? "copy: in flight"
            : fill->op->what == WT_NOTE_SHARE ? "share: in flight"
                                              : "put: in flight");
  draw_part(v, l.landed, l.free, (svg_style){.fill = colour, .title = hover}, "in LDS");
  for (size_t i = 0; i < v->flow->count; ++i) {
    const schedule_event *e = &v->flow->events[i];
    if (e->op->what == WT_NOTE_READ && e->op->buffer == fill->op->buffer && e->step == l.step &&
        e->issued >= 0 && e->issued < v->flow->places)
      svg_text(&v->svg, x_of(v, e->issued + 1) - 8, v->y + BOX - 7,
               (svg_style){.size = SMALL, .bold = true, .anchor = SVG_END, .fill = SVG_ON_CATEGORY}, "read");
  }
  v->y += BOX + 3;
}

static bool fills(const schedule_event *e, int buffer) {
  const bool is_filling =
      e->op->what == WT_NOTE_COPY || e->op->what == WT_NOTE_PUT || e->op->what == WT_NOTE_SHARE;
  return is_filling && e->op->buffer == buffer;
}

static void draw_data(view *v) {
  char text[SCHEDULE_TEXT] = "data";
  if (v->s->head->lag_from) snprintf(text, sizeof text, "data, waves 0 to %d", v->s->head->lag_from - 1);
  section(v, text);
  for (int buffer = 0; buffer < v->s->head->buffers; ++buffer) {
    for (size_t i = 0; i < v->flow->count; ++i) {
      const schedule_event *e = &v->flow->events[i];
      if (!fills(e, buffer)) continue;
      const life l = life_of(v, e);
      if (l.free > 0 && l.fetched < v->flow->places) draw_life(v, e);
    }
    v->y += 4;
  }
}

// ---- what stands between clusters

static void draw_edges(view *v, double bottom) {
  const schedule *s = v->s;
  for (int place = 0; place <= v->flow->places; ++place) {
    const int at = place % v->flow->places;
    const wt_note_boundary *edge = schedule_edge(s, s->body + iteration_of(v, at), cluster_of(v, at));
    char text[SCHEDULE_TEXT];
    const bool stands = *schedule_edge_text(edge, false, text) != 0;
    svg_line(&v->svg, x_of(v, place), HEAD, x_of(v, place), bottom,
             (svg_style){.stroke = edge->barrier ? SVG_INK
                                   : stands      ? SVG_FAINT
                                                 : SVG_RULE,
                         .stroke_width = edge->barrier ? 1.5 : 1,
                         .dash = edge->barrier || !stands ? NULL : "5 3"});
    if (place == v->flow->places) break;
    double y = HEAD + 2.0 * LINE;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), y += LINE)
      svg_text(&v->svg, x_of(v, place) + 5, y, (svg_style){.size = SMALL, .mono = true}, "%s", word);
    svg_text(&v->svg, x_of(v, place) + v->column / 2, HEAD - 6,
             (svg_style){.size = SMALL + 1, .anchor = SVG_MIDDLE, .fill = SVG_FAINT}, "cluster %d",
             cluster_of(v, place));
  }
}

static void draw_key(view *v) {
  static const char *const lines[KEY_LINES] = {
      "The loop repeats what is between the outer lines: what leaves on the right comes in on the left, of "
      "an "
      "older step.",
      "Solid lines are barriers, dashed ones are waits without one; the counts that may remain stand at "
      "their top.",
      "A pale bar is data in flight to LDS; it ends at the wait by which a wave knows that its own part has "
      "landed.",
      "A full bar is data in LDS until the last read of the wave has been issued.",
      "A dashed bar is data on the way to registers, from which a put takes it."};
  const bool fetches = schedule_has(v->s, WT_NOTE_FETCH);
  for (int i = 0; i < KEY_LINES - !fetches; ++i) {
    v->y += LINE + 1;
    svg_text(&v->svg, MARGIN, v->y, (svg_style){.size = SMALL + 1, .fill = SVG_FAINT}, "%s", lines[i]);
  }
}

// Returns the width that the longest text of an op needs.
static double column_width(const view *v) {
  double width = kNarrowest;
  char text[SCHEDULE_TEXT];
  for (int place = 0; place < v->flow->places; ++place)
    for (int i = 0; i < v->s->head->ops; ++i) {
      schedule_op_text(v->s, &v->s->ops[i], iteration_of(v, place) + v->s->ops[i].ahead, text);
      const double needed = (double)strlen(text) * kAdvance + 14;
      if (needed > width) width = needed;
    }
  return width;
}

static void draw_all(view *v, double width, double height, const char *title) {
  const schedule *s = v->s;
  char first[256], second[SCHEDULE_TEXT], description[512];
  snprintf(first, sizeof first, "%.180s%s (%s)", s->kernels[0], s->kernel_count > 1 ? " and others" : "",
           s->target);
  if (s->head->phases > 1)
    snprintf(second, sizeof second, "The loop: %d K steps, of which the first is i.", s->head->phases);
  else
    snprintf(second, sizeof second, "The loop: K step i.");
  snprintf(description, sizeof description,
           "The %d clusters of the loop of %s, with the waits and barriers in front of each, what each "
           "issues, and when "
           "data are in flight and in LDS.",
           v->flow->places, first);
  svg_begin(&v->svg, width, height, title, description);
  svg_heading(&v->svg, title, first, second);
  v->y = HEAD + LINE * 5.0;
  draw_rows(v);
  draw_data(v);
  draw_edges(v, v->y);
  draw_key(v);
}

bool schedule_draw(const schedule *s, const schedule_flow *flow, const char *path, const char *title,
                   char *message, size_t message_size) {
  view v = {.s = s, .flow = flow};
  v.column = column_width(&v);
  double width = x_of(&v, flow->places) + MARGIN;
  if (width < TEXT) width = TEXT;
  // The first time says how high the picture becomes.
  draw_all(&v, width, 1, title ? title : "The loop of a schedule");
  svg_free(&v.svg);
  draw_all(&v, width, v.y + MARGIN, title ? title : "The loop of a schedule");
  const bool good = svg_write(&v.svg, path, message, message_size);
  svg_free(&v.svg);
  return good;
}
