// SPDX-License-Identifier: MIT
// Allocates memory of the host for large arrays. An allocation alone may succeed where the machine has too
// little, and then end the process when it is used.
#ifndef WT_TOOLS_HOST_MEMORY_H
#define WT_TOOLS_HOST_MEMORY_H

#include <stdint.h>

// Returns memory for `count` elements of `size` bytes, which the caller frees with free; NULL when the
// machine does not have so much.
void *host_memory(int64_t count, uint64_t size);

// Returns the bytes of physical memory that the machine has.
uint64_t host_memory_bytes(void);

#endif
