// SPDX-License-Identifier: MIT
// Writes pipelines as JSON (docs/guide/command.md describes it).
#include <jansson.h>
#include <string.h>

#include "core/tool.h"
#include "schedule.h"

// This is the version of the form; a change that readers must know of raises it.
enum { SCHEDULE_JSON_VERSION = 1 };

static json_t *count_or_null(int count, int any) { return count < any ? json_integer(count) : json_null(); }

static json_t *json_of_waits(wt_note_waits w) {
  return json_pack("{s:o, s:o}", "vmcnt", count_or_null(w.vmem, WT_NOTE_ANY_VMEM), "lgkmcnt",
                   count_or_null(w.lds, WT_NOTE_ANY_LDS));
}

static json_t *json_of_edge(const wt_note_boundary *edge) {
  return json_pack("{s:o, s:b, s:o}", "before", json_of_waits(edge->before), "barrier", edge->barrier,
                   "after", json_of_waits(edge->after));
}

// Returns operand `n` of an op that adds (schedule_operand_of).
static json_t *json_of_operand(const schedule *s, const wt_note_op *op, int n) {
  const schedule_operand from = schedule_operand_of(op, n);
  char text[SCHEDULE_TEXT];
  if (from.fragment == WT_NOTE_NONE) return json_null();
  json_t *buffer =
      from.buffer == WT_NOTE_NONE ? json_null() : json_string(schedule_operand_text(s, from, text));
  return json_pack("{s:i, s:o}", "fragment", from.fragment, "buffer", buffer);
}

// Returns the numbers whose bits are set.
static json_t *json_of_numbers(const unsigned char bits[4]) {
  json_t *list = json_array();
  for (int i = 0; i < 32; ++i)
    if (schedule_among(bits, i)) json_array_append_new(list, json_integer(i));
  return list;
}

static json_t *json_of_op(const schedule *s, const wt_note_op *op) {
  static const char *const names[WT_NOTE_DOES] = {"copy",   "fetch",   "put",   "read", "multiply",
                                                  "vector", "advance", "store", "apply"};
  char a[SCHEDULE_TEXT];
  const char *name = names[op->what];
  switch (op->what) {
    case WT_NOTE_MULTIPLY:
    case WT_NOTE_APPLY:
      return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "op", name, "cluster", op->cluster, "sum",
                       op->sum, "a", json_of_operand(s, op, 0), "b", json_of_operand(s, op, 1), "scale_a",
                       json_of_operand(s, op, 2), "scale_b", json_of_operand(s, op, 3), "start",
                       json_of_operand(s, op, 4));
    case WT_NOTE_VECTOR:
      return json_pack("{s:s, s:i, s:i, s:s%, s:i, s:o, s:o, s:o}", "op", name, "cluster", op->cluster,
                       "number", op->number, "name", op->name, strnlen(op->name, sizeof op->name), "ahead",
                       op->ahead, "takes", json_of_numbers(op->takes), "makes", json_of_numbers(op->makes),
                       "updates", json_of_numbers(op->updates));
    case WT_NOTE_ADVANCE:
      if (op->pointer != WT_NOTE_NONE)
        return json_pack("{s:s, s:i, s:i, s:i}", "op", name, "cluster", op->cluster, "pointer", op->pointer,
                         "ahead", op->ahead);
      return json_pack("{s:s, s:i, s:s, s:i}", "op", name, "cluster", op->cluster, "buffer",
                       schedule_buffer_text(s, op->buffer, a), "ahead", op->ahead);
    case WT_NOTE_STORE:
      return json_pack("{s:s, s:i, s:i, s:i}", "op", name, "cluster", op->cluster, "iterations",
                       op->iterations, "events", op->events);
    default: break;
  }
  json_t *o = json_pack("{s:s, s:i, s:s, s:i, s:i}", "op", name, "cluster", op->cluster, "buffer",
                        schedule_buffer_text(s, op->buffer, a), "ahead", op->ahead, "events", op->events);
  if (op->what == WT_NOTE_READ) {
    json_object_set_new(o, "part", json_integer(op->part));
    json_object_set_new(o, "fragment", json_integer(op->fragment));
    json_object_set_new(o, "pointer", op->pointer == WT_NOTE_NONE ? json_null() : json_integer(op->pointer));
  }
  if (op->what == WT_NOTE_COPY)
    json_object_set_new(o, "through_registers", json_boolean(op->through_registers));
  if (op->what == WT_NOTE_FETCH) json_object_set_new(o, "steps", json_integer(op->steps));
  return o;
}

// The events of the loop's repeating iterations, with the clusters at which they are issued and have landed,
// both counted from the first of iteration 0.
static json_t *json_of_flow(const schedule *s, const schedule_flow *flow) {
  json_t *list = json_array();
  for (size_t i = 0; i < flow->count; ++i) {
    const schedule_event *e = &flow->events[i];
    if (e->issued < 0 || e->issued >= flow->places) continue;
    json_t *o = json_of_op(s, e->op);
    json_object_set_new(o, "step", json_integer(e->step));
    json_object_set_new(o, "issued", json_integer(e->issued));
    json_object_set_new(o, "landed", e->landed == SCHEDULE_NEVER ? json_null() : json_integer(e->landed));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *json_of_rows(const schedule *s) {
  json_t *rows = json_array();
  char text[SCHEDULE_TEXT];
  for (int row = 0; row < s->rows; ++row) {
    json_t *edges = json_array();
    for (int c = 0; c < s->head->clusters; ++c)
      json_array_append_new(edges, json_of_edge(schedule_edge(s, row, c)));
    json_array_append_new(
        rows, json_pack("{s:s, s:o}", "name", schedule_row_text(s, row, text), "clusters", edges));
  }
  return rows;
}

static json_t *json_of_schedule(const schedule *s, const schedule_flow *flow) {
  const wt_note_pipeline *head = s->head;
  json_t *kernels = json_array(), *buffers = json_array(), *ops = json_array();
  char text[SCHEDULE_TEXT];
  for (size_t i = 0; i < s->kernel_count; ++i) json_array_append_new(kernels, json_string(s->kernels[i]));
  for (int i = 0; i < head->buffers; ++i)
    json_array_append_new(buffers, json_pack("{s:s, s:i}", "name", schedule_buffer_text(s, i, text), "stages",
                                             s->buffers[i].stages));
  for (int i = 0; i < head->ops; ++i) json_array_append_new(ops, json_of_op(s, &s->ops[i]));
  return json_pack(
      "{s:s, s:o, s:i, s:i, s:i, s:b, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "target",
      s->target, "kernels", kernels, "clusters", head->clusters, "lag_from", head->lag_from, "leaders",
      head->leaders, "waits_by_register", head->by_register, "copies_first", head->copies_first,
      "stores_between", head->stores_between, "depth", head->depth, "storing", head->storing, "phases",
      head->phases, "drains", head->drains, "least_steps", head->least_steps, "buffers", buffers, "ops", ops,
      "prologue_end", json_of_waits(head->settled), "rows", json_of_rows(s), "loop", json_of_flow(s, flow));
}

int schedule_print_json(const schedule_list *list) {
  json_t *all = json_array();
  bool good = all != NULL;
  for (size_t i = 0; i < list->count && good; ++i) {
    schedule_flow flow;
    good = schedule_flow_make(&list->at[i], &flow);
    if (!good) break;
    good = json_array_append_new(all, json_of_schedule(&list->at[i], &flow)) == 0;
    schedule_flow_free(&flow);
  }
  json_t *root = json_pack("{s:i, s:o}", "version", SCHEDULE_JSON_VERSION, "schedules", all);
  if (!good || !root) {
    json_decref(root);
    return tool_error(TOOL_FAILED, "out of memory for the schedules as JSON");
  }
  json_dumpf(root, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(root);
  return TOOL_OK;
}
