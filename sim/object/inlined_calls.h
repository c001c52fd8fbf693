// SPDX-License-Identifier: MIT
// Tells where a compiler has inlined functions, from the .debug_info that it leaves with -g or
// -gline-tables-only. With this a line of a header can be led back to the line of the kernel that called it.
#ifndef SIM_OBJECT_INLINED_CALLS_H
#define SIM_OBJECT_INLINED_CALLS_H

#include "sim/object/source_lines.h"

typedef struct sim_inlined_calls sim_inlined_calls;

// Returns NULL when the object does not say, when its debug information has another version than 4 or 5, or
// when host memory runs out.
sim_inlined_calls *sim_inlined_calls_read(const sim_object *object);
void sim_inlined_calls_free(sim_inlined_calls *calls);

// Finds for each of `count` ascending byte offsets of the image the innermost call whose inlined code
// contains it: a number above 0, or 0 where there is none (calls may be NULL).
void sim_inlined_calls_around(const sim_inlined_calls *calls, const uint64_t *offset, size_t count,
                              uint32_t *call);

// Says where a call stands in the source, and which call is around it (0: none). Returns false when its file
// is not known.
bool sim_inlined_call_place(const sim_inlined_calls *calls, const sim_source_lines *lines, uint32_t call,
                            sim_source_place *out);
uint32_t sim_inlined_call_around(const sim_inlined_calls *calls, uint32_t call);

#endif
