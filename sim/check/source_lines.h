// SPDX-License-Identifier: MIT
// Source lines of code addresses, from the line tables that a compiler has left in a code object
// (-gline-tables-only).
#ifndef SIM_CHECK_SOURCE_LINES_H
#define SIM_CHECK_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/object/object.h"

typedef struct sim_source_lines sim_source_lines;

// NULL when the object has no line table, one of another version than 4 or 5, or host memory runs out.
sim_source_lines *sim_source_lines_read(const sim_object *object);
void sim_source_lines_free(sim_source_lines *lines);

// "file:line" for a byte offset of the image; empty when it is not known (lines may be NULL).
void sim_source_line_at(const sim_source_lines *lines, uint64_t offset, char *out, size_t size);

#endif
