// SPDX-License-Identifier: MIT
// Reads a whole file into memory.
#include "read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char *read_stream(FILE *file, size_t *size) {
  if (fseek(file, 0, SEEK_END) != 0) return NULL;
  const long length = ftell(file);
  if (length <= 0 || fseek(file, 0, SEEK_SET) != 0) return NULL;
  unsigned char *data = malloc((size_t)length);
  if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
    free(data);
    data = NULL;
  }
  if (data) *size = (size_t)length;
  return data;
}

unsigned char *read_file(const char *path, size_t *size) {
  *size = 0;
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  unsigned char *data = read_stream(file, size);
  const int error = errno;
  fclose(file);
  errno = error;
  return data;
}
