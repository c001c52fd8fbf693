// SPDX-License-Identifier: MIT
// Writes parts of a pipeline in words.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "schedule.h"

// Appends to a text of SCHEDULE_TEXT bytes; what does not fit is cut.
static void __attribute__((format(printf, 2, 3))) append(char *text, const char *format, ...) {
  const size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, SCHEDULE_TEXT - used, format, values);
  va_end(values);
}

const char *schedule_buffer_text(const schedule *s, int buffer, char text[SCHEDULE_TEXT]) {
  const wt_note_buffer *b = &s->buffers[buffer];
  if (*b->name)
    snprintf(text, SCHEDULE_TEXT, "%.*s", (int)sizeof b->name, b->name);
  else
    snprintf(text, SCHEDULE_TEXT, "buffer %d", buffer);
  return text;
}

const char *schedule_operand_text(const schedule *s, schedule_operand from, char text[SCHEDULE_TEXT]) {
  if (from.buffer != WT_NOTE_NONE) return schedule_buffer_text(s, from.buffer, text);
  snprintf(text, SCHEDULE_TEXT, "fragment %d", from.fragment);
  return text;
}

const char *schedule_step_text(int step, char text[SCHEDULE_TEXT]) {
  if (step)
    snprintf(text, SCHEDULE_TEXT, "i%+d", step);
  else
    strcpy(text, "i");
  return text;
}

// Returns whether the fragment is loaded from several buffers in turn, so that its number says more than
// theirs.
static bool is_shared(const schedule *s, const wt_note_op *read) {
  for (int i = 0; i < s->head->ops; ++i)
    if (s->ops[i].what == WT_NOTE_READ && s->ops[i].fragment == read->fragment &&
        s->ops[i].buffer != read->buffer)
      return true;
  return false;
}

// Returns whether the buffer is read in several parts.
static bool has_parts(const schedule *s, int buffer) {
  for (int i = 0; i < s->head->ops; ++i)
    if (s->ops[i].what == WT_NOTE_READ && s->ops[i].buffer == buffer && s->ops[i].part) return true;
  return false;
}

const char *schedule_op_text(const schedule *s, const wt_note_op *op, int step, char text[SCHEDULE_TEXT]) {
  static const char *const verbs[WT_NOTE_DOES] = {
      [WT_NOTE_COPY] = "copy",       [WT_NOTE_FETCH] = "fetch",  [WT_NOTE_PUT] = "put",
      [WT_NOTE_READ] = "read",       [WT_NOTE_MULTIPLY] = "sum", [WT_NOTE_VECTOR] = "vector",
      [WT_NOTE_ADVANCE] = "advance", [WT_NOTE_STORE] = "store",  [WT_NOTE_APPLY] = "apply",
      [WT_NOTE_SHARE] = "share",     [WT_NOTE_ATOMIC] = "atomic"};
  char a[SCHEDULE_TEXT], b[SCHEDULE_TEXT];
  snprintf(text, SCHEDULE_TEXT, "%s ", verbs[op->what]);
  if (op->what == WT_NOTE_APPLY) {
    append(text, "%s", schedule_operand_text(s, schedule_operand_of(op, 0), a));
    if (op->b_buffer != op->a_buffer)
      append(text, " and %s", schedule_operand_text(s, schedule_operand_of(op, 1), b));
    append(text, " to sum %d", op->sum);
    return text;
  }
  if (op->what == WT_NOTE_MULTIPLY) {
    append(text, "%d += %s * %s", op->sum, schedule_operand_text(s, schedule_operand_of(op, 0), a),
           schedule_operand_text(s, schedule_operand_of(op, 1), b));
    if (op->start_fragment != WT_NOTE_NONE)
      append(text, " from %s", schedule_operand_text(s, schedule_operand_of(op, 4), a));
    if (op->scale_a_fragment != WT_NOTE_NONE)
      append(text, " by %s", schedule_buffer_text(s, op->scale_a_buffer, a));
    if (op->scale_b_fragment != WT_NOTE_NONE && op->scale_b_buffer != op->scale_a_buffer)
      append(text, " and %s", schedule_buffer_text(s, op->scale_b_buffer, b));
    return text;
  }
  if (op->what == WT_NOTE_VECTOR) {
    if (*op->name)
      append(text, "%.*s %s", (int)sizeof op->name, op->name, schedule_step_text(step, b));
    else
      append(text, "%d %s", op->number, schedule_step_text(step, b));
    return text;
  }
  if (op->what == WT_NOTE_ATOMIC) {
    append(text, "sum");
    for (int sum = 0; sum < 32; ++sum)
      if (schedule_among(op->takes, sum)) append(text, " %d", sum);
    append(text, " %s (%d)", schedule_step_text(step, b), op->events);
    return text;
  }
  if (op->what == WT_NOTE_STORE) {
    append(text, "(%d)", op->events);
    return text;
  }
  if (op->what == WT_NOTE_ADVANCE && op->pointer != WT_NOTE_NONE) {
    append(text, "pointer %d %s", op->pointer, schedule_step_text(step, b));
    return text;
  }
  append(text, "%s %s", schedule_buffer_text(s, op->buffer, a), schedule_step_text(step, b));
  if (op->what == WT_NOTE_READ && has_parts(s, op->buffer)) append(text, " part %d", op->part);
  if (op->what == WT_NOTE_READ && op->pointer != WT_NOTE_NONE) append(text, " by pointer %d", op->pointer);
  if (op->steps > 1) append(text, " to %s", schedule_step_text(step + op->steps - 1, b));
  if (op->what == WT_NOTE_READ && is_shared(s, op)) append(text, " to fragment %d", op->fragment);
  if (op->events) append(text, " (%d)", op->events);
  return text;
}

static void append_waits(char *text, wt_note_waits w, bool brief) {
  if (w.vmem < WT_NOTE_ANY_VMEM) append(text, brief ? "%sv%d" : "%svmcnt(%d)", *text ? " " : "", w.vmem);
  if (w.lds < WT_NOTE_ANY_LDS) append(text, brief ? "%sl%d" : "%slgkmcnt(%d)", *text ? " " : "", w.lds);
}

const char *schedule_edge_text(const wt_note_boundary *edge, bool brief, char text[SCHEDULE_TEXT]) {
  *text = 0;
  append_waits(text, edge->before, brief);
  if (edge->barrier) append(text, "%s%s", *text ? " " : "", brief ? "B" : "barrier");
  append_waits(text, edge->after, brief);
  return text;
}

// Return the names of what lands in LDS, and of the fragments that land in registers; the steps, where these
// are of interest.
const char *schedule_landing_text(const schedule *s, const schedule_flow *flow, int place,
                                  char text[SCHEDULE_TEXT]) {
  char name[SCHEDULE_TEXT], step[SCHEDULE_TEXT];
  *text = 0;
  for (size_t i = 0; i < flow->count; ++i) {
    const schedule_event *e = &flow->events[i];
    // A fetch lands in the middle of a cluster, not in front of it.
    if (e->landed != place || e->op->what == WT_NOTE_FETCH) continue;
    append(text, "%s%s %s%s", *text ? ", " : "", schedule_buffer_text(s, e->op->buffer, name),
           schedule_step_text(e->step, step), e->op->what == WT_NOTE_READ ? " read" : "");
  }
  return text;
}

const char *schedule_row_text(const schedule *s, int row, char text[SCHEDULE_TEXT]) {
  const int depth = s->head->depth, phases = s->head->phases;
  char step[SCHEDULE_TEXT];
  if (row < depth)
    snprintf(text, SCHEDULE_TEXT, "prologue %d", row - depth);
  else if (row < s->body)
    snprintf(text, SCHEDULE_TEXT, "iteration %d", row - depth);
  else if (row >= s->epilogue && s->head->open)
    snprintf(text, SCHEDULE_TEXT, "behind loop %d", row - s->epilogue + 1);
  else if (row >= s->epilogue)
    snprintf(text, SCHEDULE_TEXT, "epilogue %d", row - s->epilogue + 1);
  else if (phases > 1)
    snprintf(text, SCHEDULE_TEXT, "loop, step %s", schedule_step_text(row - s->body, step));
  else
    snprintf(text, SCHEDULE_TEXT, "loop");
  return text;
}
