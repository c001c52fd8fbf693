// SPDX-License-Identifier: MIT
// Tells the source lines of an instruction: the one that it was compiled from, and those into which that one
// was inlined.
#ifndef SIM_OBJECT_SOURCE_FRAMES_H
#define SIM_OBJECT_SOURCE_FRAMES_H

#include "sim/object/source_lines.h"

typedef struct sim_source_frames sim_source_frames;

// Returns NULL when the object has no line table, or when host memory runs out.
sim_source_frames *sim_source_frames_read(const sim_object *object);
void sim_source_frames_free(sim_source_frames *frames);

// Finds the places of a byte offset of the image, the innermost first, and returns their number, at most
// `most`: 0 where they are not known (frames may be NULL). Code that belongs to no line gets the line before.
size_t sim_source_frames_at(const sim_source_frames *frames, uint64_t offset, sim_source_place *out,
                            size_t most);

// Writes "file:line" of a place.
void sim_source_place_text(const sim_source_place *place, char *out, size_t size);

#endif
