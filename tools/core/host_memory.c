// SPDX-License-Identifier: MIT
// Compares sizes with the physical memory before it allocates.
#include "host_memory.h"

#include <stdlib.h>
#include <unistd.h>

uint64_t host_memory_bytes(void) {
  return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void *host_memory(int64_t count, uint64_t size) {
  uint64_t bytes;
  if (count < 0 || __builtin_mul_overflow((uint64_t)count, size, &bytes) || bytes > host_memory_bytes())
    return NULL;
  return malloc(bytes ? bytes : 1);
}
