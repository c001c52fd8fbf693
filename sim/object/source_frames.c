// SPDX-License-Identifier: MIT
// Joins what line tables and inlined calls say of one instruction.
#include "sim/object/source_frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/object/inlined_calls.h"

struct sim_source_frames {
  sim_source_lines *lines;
  sim_inlined_calls *calls;  // NULL: the object does not say
};

sim_source_frames *sim_source_frames_read(const sim_object *object) {
  sim_source_lines *lines = sim_source_lines_read(object);
  sim_source_frames *f = lines ? calloc(1, sizeof *f) : NULL;
  if (!f) {
    sim_source_lines_free(lines);
    return NULL;
  }
  *f = (sim_source_frames){lines, sim_inlined_calls_read(object)};
  return f;
}

void sim_source_frames_free(sim_source_frames *frames) {
  if (!frames) return;
  sim_inlined_calls_free(frames->calls);
  sim_source_lines_free(frames->lines);
  free(frames);
}

size_t sim_source_frames_at(const sim_source_frames *frames, uint64_t offset, sim_source_place *out,
                            size_t most) {
  size_t count = 0;
  uint32_t call;
  if (!frames) return 0;
  if (count < most && sim_source_place_near(frames->lines, offset, &out[count])) ++count;
  sim_inlined_calls_around(frames->calls, &offset, 1, &call);
  for (; call && count < most; call = sim_inlined_call_around(frames->calls, call))
    if (sim_inlined_call_place(frames->calls, frames->lines, call, &out[count])) ++count;
  return count;
}

void sim_source_place_text(const sim_source_place *place, char *out, size_t size) {
  snprintf(out, size, "%s:%u", place->file, place->line);
}
