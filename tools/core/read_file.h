// SPDX-License-Identifier: MIT
// Reads a whole file into memory.
#ifndef WT_TOOLS_READ_FILE_H
#define WT_TOOLS_READ_FILE_H

#include <stddef.h>

// Returns the data, which the caller frees; NULL when the file cannot be read or is empty (errno then says
// why; 0: empty).
unsigned char *read_file(const char *path, size_t *size);

#endif
