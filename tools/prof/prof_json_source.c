// SPDX-License-Identifier: MIT
// Writes the source files of a kernel as JSON.
#include "prof_json.h"
#include "prof_source.h"

enum { CONTEXT = 3 };  // lines of text before and after one that has instructions

static json_t *line_of(const prof_line *line, double waves, double all) {
  json_t *lost = json_object();
  for (int i = 0; i < WT_SIM_STALLS; ++i)
    if (line->stall[i] > 0) json_object_set_new(lost, sim_stall_names[i], json_real(line->stall[i] / waves));
  return json_pack("{s:i, s:f, s:f, s:f, s:o}", "line", (int)line->line, "cycles", line->cycles / waves,
                   "share", all > 0 ? line->cycles / all : 0, "pipe_idle", line->idle, "lost", lost);
}

static json_t *file_of(const prof_file *file, double waves, double all) {
  json_t *lines = json_array();
  for (size_t i = 0; i < file->count; ++i) json_array_append_new(lines, line_of(&file->lines[i], waves, all));
  json_t *path = json_string(prof_short_path(file->path));
  return json_pack("{s:o, s:f, s:o}", "file", path ? path : json_string("(not UTF-8)"), "share",
                   all > 0 ? file->cycles / all : 0, "lines", lines);
}

json_t *prof_json_source(const prof_kernel *k) {
  prof_sources s = prof_find_sources(k->timed);
  json_t *files = json_array();
  for (size_t i = 0; i < s.count; ++i)
    json_array_append_new(files, file_of(&s.files[i], (double)k->timed->facts.result.waves, s.cycles));
  json_t *out = s.count ? json_pack("{s:i, s:o}", "own", (int)s.own, "files", files) : json_null();
  if (!s.count) json_decref(files);
  prof_free_sources(&s);
  return out;
}

// Returns [number, text] of each line that is near one with instructions.
static json_t *text_of(const prof_file *file) {
  prof_text_file text = prof_read_text(file->path);
  json_t *out = json_array();
  size_t next = 1;
  for (size_t i = 0; i < file->count; ++i) {
    const size_t line = file->lines[i].line, first = line > CONTEXT ? line - CONTEXT : 1;
    for (size_t n = first > next ? first : next; n <= line + CONTEXT && n <= text.count; ++n) {
      json_t *words = json_string(text.lines[n - 1]);
      json_array_append_new(out, json_pack("[i, o]", (int)n, words ? words : json_string("(not UTF-8)")));
      next = n + 1;
    }
  }
  prof_free_text(&text);
  return out;
}

void prof_json_add_text(const prof_kernel *k, json_t *source) {
  prof_sources s = prof_find_sources(k->timed);
  json_t *files = json_object_get(source, "files");
  for (size_t i = 0; i < s.count; ++i)
    json_object_set_new(json_array_get(files, i), "text", text_of(&s.files[i]));
  prof_free_sources(&s);
}
