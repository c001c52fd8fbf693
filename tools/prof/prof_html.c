// SPDX-License-Identifier: MIT
// Writes the page: page.html, page.css and page.js in one file, with the run as JSON between them. It loads
// nothing.
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "core/whole_file.h"
#include "prof_json.h"
#include "prof_timeline.h"

// These are the page's parts, embedded by the build (prof.cmake), each with a zero byte at its end.
extern const char prof_page_html[], prof_page_css[], prof_page_js[];

enum {
  ITERATIONS = 4,
  WITHOUT_LOOP = 12000,
  MOST_SLICES = 60000
};  // of the timeline: in iterations, cycles, slices

// Some iterations of the hot loop in the middle of what was recorded, as the first wave went through them;
// without a loop the beginning.
static void choose_window(const prof_kernel *k, const prof_options *options, uint64_t *from, uint64_t *to) {
  const sim_profile_launch *l = k->timed;
  const uint64_t count = l->facts.issue_count;
  const uint64_t first = count ? l->issues[0].cycle : 0, last = count ? l->issues[count - 1].cycle : 0;
  *from = first;
  *to = first + WITHOUT_LOOP;
  if (options->from) {
    *to = first + (uint64_t)options->cycles;
    return;
  }
  uint64_t begin = first, end = last;
  size_t iterations = 0, seen = 0;
  for (uint64_t i = 0; i < count; ++i)
    iterations += k->loop.found && l->issues[i].op == k->loop.last && l->issues[i].wave == l->issues[0].wave;
  if (iterations < ITERATIONS) return;
  for (uint64_t i = 0; i < count; ++i) {
    if (l->issues[i].op != k->loop.last || l->issues[i].wave != l->issues[0].wave) continue;
    if (seen == (iterations - ITERATIONS) / 2) begin = l->issues[i].cycle;
    if (seen == (iterations - ITERATIONS) / 2 + ITERATIONS) end = l->issues[i].cycle;
    ++seen;
  }
  *from = begin;
  *to = end;
}

// ---- lanes: for each SIMD its matrix pipe, if it had work, then its waves

typedef struct lane_table {
  int number[PROF_SIMDS][PROF_PLACES + 1];  // -1: no such lane; [0] is the pipe
} lane_table;

static int lane_of(const prof_slice *s) { return s->kind == PROF_SLICE_PIPE ? 0 : 1 + s->place; }

static json_t *number_lanes(const prof_slice *slices, size_t count, lane_table *table) {
  bool used[PROF_SIMDS][PROF_PLACES + 1] = {{false}};
  json_t *lanes = json_array();
  int next = 0;
  for (size_t i = 0; i < count; ++i) used[slices[i].simd][lane_of(&slices[i])] = true;
  for (int simd = 0; simd < PROF_SIMDS; ++simd)
    for (int lane = 0; lane <= PROF_PLACES; ++lane) {
      table->number[simd][lane] = used[simd][lane] ? next++ : -1;
      if (used[simd][lane]) json_array_append_new(lanes, json_pack("[i, i]", simd, lane - 1));
    }
  return lanes;
}

static json_t *causes(void) {
  json_t *out = json_array();
  for (int i = 0; i < WT_SIM_STALLS; ++i) json_array_append_new(out, json_string(sim_stall_names[i]));
  return out;
}

// Returns the ops that occur, numbered in the order of their appearance.
static json_t *list_ops(const sim_profile_launch *l, const prof_slice *slices, size_t count, int *number) {
  json_t *ops = json_array();
  for (uint64_t i = 0; i < l->facts.op_count; ++i) number[i] = -1;
  for (size_t i = 0; i < count; ++i) {
    const sim_profile_op *op = &l->ops[slices[i].op];
    if (number[slices[i].op] >= 0) continue;
    number[slices[i].op] = (int)json_array_size(ops);
    json_array_append_new(
        ops, json_pack("[I, s, s]", (json_int_t)op->offset, prof_unit_name(op), prof_op_text(l, op)));
  }
  return ops;
}

static json_t *timeline(const prof_kernel *k, const prof_options *options) {
  const sim_profile_launch *l = k->timed;
  uint64_t from, to, last = 0;
  size_t count;
  choose_window(k, options, &from, &to);
  prof_slice *slices = prof_slices(l, from, to, &count);
  int *number = malloc((l->facts.op_count + 1) * sizeof *number);
  if (!slices || !number || count == 0) {
    free(slices);
    free(number);
    return json_null();
  }
  if (count > MOST_SLICES) count = MOST_SLICES;
  lane_table table;
  json_t *lanes = number_lanes(slices, count, &table), *rows = json_array();
  json_t *ops = list_ops(l, slices, count, number);
  for (size_t i = 0; i < count; ++i) {
    const prof_slice *s = &slices[i];
    if (s->end > last) last = s->end;
    json_array_append_new(
        rows, json_pack("[I, I, i, i, i, i, i]", (json_int_t)s->begin, (json_int_t)s->end, number[s->op],
                        table.number[s->simd][lane_of(s)], (int)s->kind, (int)s->cause, (int)s->place));
  }
  free(slices);
  free(number);
  return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "from", (json_int_t)from, "to",
                   (json_int_t)(last < to ? last : to), "lanes", lanes, "ops", ops, "causes", causes(),
                   "slices", rows);
}

// ---- the file

// Writes JSON in which no byte can end the element around it: '<' stands in strings only, where it may be
// escaped.
static int put_escaped(const char *text, size_t size, void *file) {
  for (size_t i = 0; i < size; ++i)
    if (text[i] == '<' ? fputs("\\u003c", file) < 0 : putc(text[i], file) == EOF) return -1;
  return 0;
}

static bool put_page(FILE *file, const json_t *root) {
  return fprintf(file,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>wavetile prof</title>\n"
                 "<style>\n%s</style>\n</head>\n<body>\n%s<script id=\"run\" type=\"application/json\">",
                 prof_page_css, prof_page_html) > 0 &&
         json_dump_callback(root, put_escaped, file, JSON_COMPACT | JSON_REAL_PRECISION(8)) == 0 &&
         fprintf(file, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", prof_page_js) > 0;
}

int prof_write_html(const prof_run *run, const prof_options *options, const char *path) {
  char message[WHOLE_FILE_PATH + 256];
  whole_file file;
  json_t *root = prof_json(run, options);
  size_t at = 0;
  for (size_t i = 0; root && i < run->count; ++i) {
    if (!prof_shown(&run->kernels[i], options)) continue;
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), at++);
    json_object_set_new(kernel, "timeline", timeline(&run->kernels[i], options));
    prof_json_add_text(&run->kernels[i], json_object_get(kernel, "source"));
  }
  if (!root) return tool_error(TOOL_FAILED, "host memory ran out");
  bool good = whole_file_begin(&file, path, message, sizeof message);
  if (good) good = whole_file_end(&file, put_page(file.stream, root), message, sizeof message);
  json_decref(root);
  return good ? TOOL_OK : tool_error(TOOL_FAILED, "%s", message);
}
