// SPDX-License-Identifier: MIT
// Output files that are written whole or not at all: to a temporary file in the same folder, which then takes
// the file's name. A file that exists keeps its mode and owner; a symbolic link remains, and its target is
// replaced.
#ifndef WT_TOOLS_WHOLE_FILE_H
#define WT_TOOLS_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WHOLE_FILE_PATH = 4096 };

typedef struct whole_file {
  const char *path;              // the caller's
  char target[WHOLE_FILE_PATH];  // the path with symbolic links followed
  char temporary[WHOLE_FILE_PATH];
  FILE *stream;
} whole_file;

// Returns whether a file could be put at `path`: its folder exists and can be written, and it is not a folder
// itself. If not, as in the functions below, `message` gets a sentence that begins with the path.
bool whole_file_allowed(const char *path, char *message, size_t message_size);

// Begins the file; the caller writes to `stream`. Returns false on failure, and there is then nothing to end.
bool whole_file_begin(whole_file *file, const char *path, char *message, size_t message_size);

// Ends it. With `good`, and if all could be written, `path` has the new contents, otherwise what it had
// before. Call it with errno as the failed write left it.
bool whole_file_end(whole_file *file, bool good, char *message, size_t message_size);

#endif
