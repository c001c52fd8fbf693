// SPDX-License-Identifier: MIT
// Writes the timeline in the trace-event format that Perfetto and chrome://tracing open. A cycle is shown as
// a nanosecond: the format's times are microseconds.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "core/whole_file.h"
#include "prof_json.h"
#include "prof_timeline.h"
#include "sim/exec/op_cost.h"

enum { PIPE_LANE = 1, FIRST_WAVE_LANE = 2 };  // threads of a SIMD

typedef struct trace {
  FILE *file;
  bool good, begun;
  const sim_profile_launch *launch;
  int first_process;
  uint64_t shift;  // cycles, so that kernels lie one after the other
} trace;

// Lists names of colours that chrome://tracing knows; Perfetto colours by the slice's name, which is the
// unit.
static const char *const colours[SIM_UNITS] = {
    [SIM_UNIT_VALU] = "thread_state_running",
    [SIM_UNIT_MFMA] = "rail_animation",
    [SIM_UNIT_LDS] = "rail_response",
    [SIM_UNIT_VMEM] = "thread_state_iowait",
    [SIM_UNIT_SCALAR] = "rail_idle",
    [SIM_UNIT_BRANCH] = "generic_work",
    [SIM_UNIT_INTERNAL] = "thread_state_sleeping",
};

static void put(trace *t, json_t *event) {
  t->good = t->good && event && (!t->begun || fputs(",\n", t->file) >= 0) &&
            json_dumpf(event, t->file, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0;
  t->begun = true;
  json_decref(event);
}

static void put_name(trace *t, const char *what, int process, int thread, const char *name) {
  put(t, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", what, "pid", process, "tid", thread,
                   "args", "name", name));
}

static void put_names(trace *t) {
  for (int simd = 0; simd < PROF_SIMDS; ++simd) {
    char name[512];
    snprintf(name, sizeof name, "SIMD %d: %s", simd, t->launch->kernel);
    put_name(t, "process_name", t->first_process + simd, 0, name);
    put_name(t, "thread_name", t->first_process + simd, PIPE_LANE, "matrix pipe");
    bool used[PROF_PLACES] = {false};
    for (uint64_t i = 0; i < t->launch->facts.issue_count; ++i)
      if (t->launch->issues[i].simd == simd) used[t->launch->issues[i].place % PROF_PLACES] = true;
    for (int place = 0; place < PROF_PLACES; ++place) {
      if (!used[place]) continue;
      snprintf(name, sizeof name, "wave slot %d", place);
      put_name(t, "thread_name", t->first_process + simd, FIRST_WAVE_LANE + place, name);
    }
  }
}

static void put_slice(trace *t, const prof_slice *s) {
  const sim_profile_op *op = &t->launch->ops[s->op];
  const bool stall = s->kind == PROF_SLICE_STALL, pipe = s->kind == PROF_SLICE_PIPE;
  char name[64];
  if (pipe)
    snprintf(name, sizeof name, "MFMA of slot %u", s->place);
  else
    snprintf(name, sizeof name, "%s", stall ? sim_stall_names[s->cause] : prof_unit_name(op));
  const char *colour = stall ? "white" : colours[op->seen.unit % SIM_UNITS];
  put(t, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:{s:s, s:I, s:I, s:i}}", "ph", "X", "name",
                   name, "cat",
                   stall  ? "stall"
                   : pipe ? "pipe"
                          : "issue",
                   "cname", colour, "ts", (double)(s->begin + t->shift) / 1e3, "dur",
                   (double)(s->end - s->begin) / 1e3, "pid", t->first_process + s->simd, "tid",
                   pipe ? PIPE_LANE : FIRST_WAVE_LANE + s->place, "args", stall ? "after" : "instruction",
                   prof_op_text(t->launch, op), "offset", (json_int_t)op->offset, "cycle",
                   (json_int_t)s->begin, "wave", (int)s->wave));
}

static void put_kernel(trace *t, uint64_t from, uint64_t cycles) {
  size_t count;
  prof_slice *slices = prof_slices(t->launch, from, from + cycles, &count);
  uint64_t end = from;
  put_names(t);
  for (size_t i = 0; i < count; ++i) {
    put_slice(t, &slices[i]);
    if (slices[i].end > end) end = slices[i].end;
  }
  t->shift += end - from;
  free(slices);
}

int prof_write_trace(const prof_run *run, const prof_options *options, const char *path) {
  char message[WHOLE_FILE_PATH + 256];
  whole_file file;
  if (!whole_file_begin(&file, path, message, sizeof message)) return tool_error(TOOL_FAILED, "%s", message);
  trace t = {.file = file.stream, .good = true, .first_process = 1};
  t.good = fputs(
               "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"note\": \"predicted, not measured; a cycle "
               "is shown "
               "as a nanosecond\"},\n\"traceEvents\": [\n",
               t.file) >= 0;
  for (size_t i = 0; i < run->count; ++i) {
    if (!prof_shown(&run->kernels[i], options)) continue;
    t.launch = run->kernels[i].timed;
    put_kernel(&t, (uint64_t)options->from, (uint64_t)options->cycles);
    t.first_process += PROF_SIMDS;
  }
  t.good = t.good && fputs("\n]}\n", t.file) >= 0;
  return whole_file_end(&file, t.good, message, sizeof message) ? TOOL_OK
                                                                : tool_error(TOOL_FAILED, "%s", message);
}
