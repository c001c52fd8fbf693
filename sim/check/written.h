// SPDX-License-Identifier: MIT
// Records which bytes of device memory anything has written, for WT_SIM_CHECK_UNWRITTEN: a bit for each byte
// of what hipMalloc and its relatives have given. Memory of other kinds counts as written, for the host
// writes it without a call. Thread-safe; without a region every call is cheap.
#ifndef SIM_CHECK_WRITTEN_H
#define SIM_CHECK_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Adds an allocation whose bytes nothing has written; without host memory for it they count as written. The
// second removes the one that begins at base, if there is one.
void sim_written_add(uint64_t base, uint64_t size);
void sim_written_remove(uint64_t base);

// Returns whether any allocation is tracked.
bool sim_written_any(void);

// The bytes have been written.
void sim_written_mark(uint64_t address, uint64_t size);
// The bytes have been copied from `from`, which takes along which of them are written.
void sim_written_copy(uint64_t address, uint64_t from, uint64_t size);
// Everything may have been written: a launch was not watched.
void sim_written_forget(void);

// Returns whether all the bytes are written.
bool sim_written(uint64_t address, uint64_t size);

#endif
