// SPDX-License-Identifier: MIT
// Records what a program has allocated and not freed, for WT_SIM_CHECK_LEAKS, and which of it nothing has
// written, for WT_SIM_CHECK_UNWRITTEN.
#ifndef SIM_REPORT_ALLOCATIONS_H
#define SIM_REPORT_ALLOCATIONS_H

#include <stdio.h>

#include "sim/exec/memory.h"

// Must be called when a HIP call has allocated memory for the program, and when memory is freed.
void sim_report_allocated(const char *call, const void *base, size_t size, sim_memory_kind kind);
void sim_report_freed(const void *base);

// Write what is still allocated, if WT_SIM_CHECK_LEAKS asks for it: one finding for all allocations of one
// size by one call. Return the number of findings; the text may be NULL for no more than that.
size_t sim_report_leaks_text(FILE *out);
size_t sim_report_leaks_json(FILE *out);

#endif
