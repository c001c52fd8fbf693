// SPDX-License-Identifier: MIT
// Writes a pipeline as tables: what a steady iteration does, and the waits and barriers of all iterations.
#include <stdio.h>
#include <string.h>

#include "core/tool.h"
#include "schedule.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static void print_kernels(const schedule *s) {
  if (s->kernel_count == 1) {
    printf("%s (%s)\n", s->kernels[0], s->target);
    return;
  }
  printf("%zu kernels (%s):", s->kernel_count, s->target);
  int at = tool_columns();
  for (size_t i = 0; i < s->kernel_count; ++i) {
    const int size = (int)strlen(s->kernels[i]);
    if (at + 1 + size > tool_columns())
      at = printf("\n  %s", s->kernels[i]) - 1;
    else
      at += printf(" %s", s->kernels[i]);
  }
  putchar('\n');
}

static void print_head(const schedule *s) {
  const wt_note_pipeline *head = s->head;
  char name[SCHEDULE_TEXT];
  if (head->lag_from)
    printf("  ping-pong: waves %d and up are one barrier behind the others\n", head->lag_from);
  else if (head->leaders)
    printf(
        "  in step, led by waves 0 to %d, which pass barriers in front of clusters that only multiply behind "
        "these\n",
        head->leaders - 1);
  else
    printf("  all waves in step\n");
  printf("  LDS holds");
  for (int i = 0; i < head->buffers; ++i) {
    const int stages = s->buffers[i].stages;
    if (i == 0 || stages != s->buffers[i - 1].stages)
      printf("%s %d stage%s of", i ? "," : "", stages, plural(stages));
    else
      printf(",");
    printf(" %s", schedule_buffer_text(s, i, name));
  }
  printf("\n  prologue: %d iteration%s", head->depth, plural(head->depth));
  if (head->copies_first) printf(", with all copies and fetches before anything else");
  if (head->stores_between)
    printf(" and then %d store%s of the caller", head->stores_between, plural(head->stores_between));
  printf(head->drains ? "; epilogue: %d iteration%s\n" : "; no epilogue: the loop runs to the end\n",
         head->drains, plural(head->drains));
  if (head->by_register)
    printf("  the compiler waits for reads of what is multiplied before the next barrier\n");
  for (int i = 0; i < head->ops; ++i)
    if (s->ops[i].what == WT_NOTE_STORE)
      printf("  cluster %d of the first %d iteration%s: %s\n", s->ops[i].cluster, s->ops[i].iterations,
             plural(s->ops[i].iterations), schedule_op_text(s, &s->ops[i], 0, name));
  printf("  a run has at least %d K step%s", head->least_steps, plural(head->least_steps));
  if (head->phases > 1)
    printf(", a multiple of %d; the waits of the loop repeat after %d", head->phases, head->phases);
  puts("\n");
}

// These are the columns of the table of an iteration: from UNITS on, one for each unit. Several ops of one
// unit and cluster have lines of their own.
typedef enum column { CLUSTER, FRONT, LANDED, UNITS, COLUMNS = UNITS + SCHEDULE_UNITS } column;

static const char *column_name(int c) {
  static const char *const names[UNITS] = {"cluster", "in front of it", "what has landed then"};
  return c < UNITS ? names[c] : schedule_unit_names[c - UNITS];
}

static bool is_shown(const schedule *s, int c) {
  return c < UNITS || schedule_shows(s, (schedule_unit)(c - UNITS));
}

// Writes the text of a cell; empty where the column has no such line in this cluster.
static const char *cell_text(const schedule *s, const schedule_flow *flow, int place, int c, int line,
                             char text[SCHEDULE_TEXT]) {
  const int cluster = place % s->head->clusters, iteration = place / s->head->clusters;
  *text = 0;
  if (c < UNITS && line == 0) {
    if (c == CLUSTER) snprintf(text, SCHEDULE_TEXT, "%d", cluster);
    if (c == FRONT) schedule_edge_text(schedule_edge(s, s->body + iteration, cluster), false, text);
    if (c == LANDED) schedule_landing_text(s, flow, place, text);
  }
  for (int i = 0; i < s->head->ops && c >= UNITS; ++i) {
    const wt_note_op *op = &s->ops[i];
    if (op->cluster == cluster && (int)schedule_unit_of(op) == c - UNITS &&
        schedule_takes_place(op, iteration) && line-- == 0)
      schedule_op_text(s, op, iteration + op->ahead, text);
  }
  return text;
}

static void print_iteration(const schedule *s, const schedule_flow *flow) {
  int width[COLUMNS];
  char text[SCHEDULE_TEXT];
  for (int c = 0; c < COLUMNS; ++c) {
    width[c] = (int)strlen(column_name(c));
    for (int place = 0; place < flow->places; ++place)
      for (int line = 0; *cell_text(s, flow, place, c, line, text); ++line)
        if ((int)strlen(text) > width[c]) width[c] = (int)strlen(text);
  }
  for (int place = 0; place < flow->places; ++place) {
    if (place % s->head->clusters == 0) {
      const int iteration = place / s->head->clusters;
      printf("%sthe loop, K step %s\n ", place ? "\n" : "", schedule_step_text(iteration, text));
      for (int c = 0; c < COLUMNS; ++c)
        if (is_shown(s, c)) printf(" %-*s", c + 1 < COLUMNS ? width[c] + 1 : 0, column_name(c));
      putchar('\n');
    }
    for (int line = 0, more = 1; more; ++line) {
      more = 0;
      for (int c = 0; c < COLUMNS; ++c) more |= *cell_text(s, flow, place, c, line, text) != 0;
      if (!more) break;
      char whole[COLUMNS * SCHEDULE_TEXT] = "";
      int used = 0, end = 0;
      for (int c = 0; c < COLUMNS; ++c) {
        if (!is_shown(s, c)) continue;
        cell_text(s, flow, place, c, line, text);
        used += snprintf(whole + used, sizeof whole - (size_t)used, " %-*s", width[c] + 1, text);
        if (*text) end = used - (width[c] + 1 - (int)strlen(text));
      }
      printf(" %.*s\n", end, whole);
    }
  }
}

static void print_row(const schedule *s, int row, const int *width) {
  char text[SCHEDULE_TEXT];
  printf("  %-14s", schedule_row_text(s, row, text));
  for (int c = 0; c < s->head->clusters; ++c) {
    schedule_edge_text(schedule_edge(s, row, c), true, text);
    printf("  %-*s", c + 1 < s->head->clusters ? width[c] : 0, *text ? text : "-");
  }
  putchar('\n');
}

static void print_waits(const schedule *s) {
  const wt_note_boundary settled = {.before = s->head->settled, .after = {WT_NOTE_ANY_VMEM, WT_NOTE_ANY_LDS}};
  int width[UCHAR_MAX];
  char text[SCHEDULE_TEXT];
  printf(
      "\nin front of each cluster: vN and lN wait until vmcnt and lgkmcnt are N or less, B is a barrier\n");
  printf("  %-14s", "cluster");
  for (int c = 0; c < s->head->clusters; ++c) {
    width[c] = 3;
    for (int row = 0; row < s->rows; ++row) {
      const int size = (int)strlen(schedule_edge_text(schedule_edge(s, row, c), true, text));
      if (size > width[c]) width[c] = size;
    }
    printf("  %-*d", c + 1 < s->head->clusters ? width[c] : 0, c);
  }
  putchar('\n');
  for (int row = 0; row < s->rows; ++row) {
    if (row == s->head->depth && *schedule_edge_text(&settled, true, text))
      printf("  %-14s  %s\n", "prologue's end", text);
    print_row(s, row, width);
  }
}

void schedule_print(const schedule *s, const schedule_flow *flow) {
  print_kernels(s);
  print_head(s);
  print_iteration(s, flow);
  print_waits(s);
}
