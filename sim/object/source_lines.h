// SPDX-License-Identifier: MIT
// Finds source lines of code addresses, from the line tables that a compiler has left in a code object
// (-gline-tables-only).
#ifndef SIM_OBJECT_SOURCE_LINES_H
#define SIM_OBJECT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/object/object.h"

typedef struct sim_source_lines sim_source_lines;

// Returns NULL when the object has no line table or one of another version than 4 or 5, or when host memory
// runs out.
sim_source_lines *sim_source_lines_read(const sim_object *object);
void sim_source_lines_free(sim_source_lines *lines);

typedef struct sim_source_place {
  // They live as long as the lines; a relative file lies in the folder, which is "" where it is unknown.
  const char *folder, *file;
  uint32_t line;
} sim_source_place;

// Finds the place that a byte offset of the image was compiled from. Returns false when it is not known
// (lines may be NULL), or when the compiler says that the code belongs to no line.
bool sim_source_place_at(const sim_source_lines *lines, uint64_t offset, sim_source_place *out);
// Finds file number `index` of the line table that lies `table` bytes into .debug_line; the line of the place
// is 0. Returns false when it is not known.
bool sim_source_file_at(const sim_source_lines *lines, uint64_t table, uint64_t index, sim_source_place *out);

// As sim_source_place_at, but code that belongs to no line has the place of the line before.
bool sim_source_place_near(const sim_source_lines *lines, uint64_t offset, sim_source_place *out);

// Writes the path of a file that lies in a folder, which is left out where it is "" or the file's name begins
// at the root. Returns the length of the whole path, as snprintf does.
int sim_source_path(char *out, size_t size, const char *folder, const char *file);

#endif
