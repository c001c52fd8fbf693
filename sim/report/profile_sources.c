// SPDX-License-Identifier: MIT
// Leads each recorded op back to the line it was compiled from, and the lines that line was inlined into.
#include "sim/report/profile_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/object/grow.h"
#include "sim/object/inlined_calls.h"

enum { MOST_FRAMES_OF_AN_OP = 128 };

typedef struct sources {
  sim_profile_launch *out;
  const sim_source_lines *lines;
  const sim_inlined_calls *calls;
  uint32_t *files;  // of those in the text, offsets
  size_t file_count, file_capacity, frame_capacity, text_capacity;
} sources;

// Returns the path of a place's file, as an offset in the text; UINT32_MAX when host memory runs out.
static uint32_t file_of(sources *s, const sim_source_place *place) {
  char path[4096];
  sim_profile_launch *out = s->out;
  const int length = sim_source_path(path, sizeof path, place->folder, place->file);
  if (length < 0 || (size_t)length >= sizeof path) snprintf(path, sizeof path, "%.4095s", place->file);
  for (size_t i = 0; i < s->file_count; ++i)
    if (strcmp(out->text + s->files[i], path) == 0) return s->files[i];
  const size_t size = strlen(path) + 1, at = out->facts.text_size;
  if (at + size > UINT32_MAX || !sim_grow((void **)&out->text, &s->text_capacity, at + size, 1) ||
      !sim_grow((void **)&s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
    return UINT32_MAX;
  memcpy(out->text + at, path, size);
  out->facts.text_size += size;
  return s->files[s->file_count++] = (uint32_t)at;
}

static bool add_frame(sources *s, sim_profile_op *op, const sim_source_place *place) {
  sim_profile_launch *out = s->out;
  const uint32_t file = file_of(s, place);
  if (file == UINT32_MAX ||
      !sim_grow((void **)&out->frames, &s->frame_capacity, out->facts.frame_count + 1, sizeof *out->frames))
    return false;
  out->frames[out->facts.frame_count++] = (sim_profile_frame){file, place->line};
  ++op->frame_count;
  return true;
}

static bool add_frames(sources *s, sim_profile_op *op, uint64_t offset, uint32_t call) {
  sim_source_place place;
  op->frame = (uint32_t)s->out->facts.frame_count;
  if (sim_source_place_at(s->lines, offset, &place) && !add_frame(s, op, &place)) return false;
  for (; call && op->frame_count < MOST_FRAMES_OF_AN_OP; call = sim_inlined_call_around(s->calls, call))
    if (sim_inlined_call_place(s->calls, s->lines, call, &place) && !add_frame(s, op, &place)) return false;
  return true;
}

static bool same_frames(const sim_profile_launch *l, const sim_profile_op *a, const sim_profile_op *b) {
  return a->frame_count == b->frame_count &&
         (!a->frame_count ||
          memcmp(&l->frames[a->frame], &l->frames[b->frame], a->frame_count * sizeof *l->frames) == 0);
}

static bool add_all(sources *s, uint64_t entry) {
  sim_profile_launch *out = s->out;
  const uint64_t count = out->facts.op_count;
  uint64_t *offset = malloc((count + 1) * sizeof *offset);
  uint32_t *call = malloc((count + 1) * sizeof *call);
  bool good = offset && call;
  for (uint64_t i = 0; good && i < count; ++i) offset[i] = entry + out->ops[i].offset;
  if (good) sim_inlined_calls_around(s->calls, offset, count, call);
  for (uint64_t i = 0; good && i < count; ++i) {
    sim_profile_op *op = &out->ops[i];
    good = add_frames(s, op, offset[i], call[i]);
    // The next op often has the same lines: they are kept once.
    if (!good || i == 0 || !same_frames(out, op, op - 1)) continue;
    out->facts.frame_count = op->frame;
    op->frame = op[-1].frame;
  }
  free(offset);
  free(call);
  return good;
}

bool sim_profile_sources(sim_profile_launch *out, const sim_launch *launch) {
  sim_source_lines *lines = sim_source_lines_read(launch->object);
  if (!lines) return true;
  sim_inlined_calls *calls = sim_inlined_calls_read(launch->object);
  sources s = {.out = out, .lines = lines, .calls = calls, .text_capacity = out->facts.text_size};
  const bool good = add_all(&s, launch->kernel->entry);
  free(s.files);
  sim_inlined_calls_free(calls);
  sim_source_lines_free(lines);
  return good;
}
