// SPDX-License-Identifier: MIT
// Writes a run as JSON (docs/guide/profiling.md describes it), for files, the page and comparisons.
#ifndef WT_TOOLS_PROF_JSON_H
#define WT_TOOLS_PROF_JSON_H

#include <jansson.h>

#include "prof.h"

// This is the version of the form; a change that readers must know of raises it.
enum { PROF_JSON_VERSION = 2 };

// Returns the run as JSON, which the caller owns; NULL when host memory runs out.
json_t *prof_json(const prof_run *run, const prof_options *options);
// Returns a kernel's hot loop, or all its instructions when it has none.
json_t *prof_json_loop(const prof_kernel *kernel);
// Returns the source lines of a kernel with their cycles; JSON's null when its code has no line tables.
json_t *prof_json_source(const prof_kernel *kernel);
// Adds to each file of `source` the text around the lines, where the file can be read.
void prof_json_add_text(const prof_kernel *kernel, json_t *source);
// Returns an object with a member for each cause: value[i], and value[WT_SIM_STALLS] as `last` unless that is
// NULL.
json_t *prof_json_causes(const double *value, double factor, const char *last);

// Reads a file and checks that it is one that prof wrote. Returns NULL, after a report, when it is not.
json_t *prof_read_json(const char *path);

#endif
