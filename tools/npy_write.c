// SPDX-License-Identifier: MIT
// Writes .npy files whole or not at all.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy.h"

// The folder part of `path`, "." when it has none.
static void folder_of(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(out, size, ".");
  else
    snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

bool npy_can_write(const char *path, char *message, size_t message_size) {
  char folder[4096];
  struct stat info;
  folder_of(path, folder, sizeof folder);
  if (strlen(path) + 16 > sizeof folder) {
    snprintf(message, message_size, "%.64s...: the path is too long; choose a shorter one", path);
  } else if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    snprintf(message, message_size, "%s: cannot be written: folder %s does not exist; create it", path,
             folder);
  } else if (access(folder, W_OK | X_OK) != 0) {
    snprintf(message, message_size, "%s: cannot be written: folder %s: %s", path, folder, strerror(errno));
  } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    snprintf(message, message_size, "%s: cannot be written: it is not a regular file; choose another name",
             path);
  } else {
    return true;
  }
  return false;
}

static bool write_header(FILE *file, npy_type type, int64_t rows, int64_t cols) {
  char text[256];
  int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }",
                        type == NPY_F32 ? "<f4" : "<f2", (long long)rows, (long long)cols);
  // Data starts at a multiple of 64 bytes; the header is padded with spaces and ends in a newline.
  int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
  memset(text + length, ' ', (size_t)(padded - length - 1));
  text[padded - 1] = '\n';
  const unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)padded, 0};
  return fwrite(prefix, 1, sizeof prefix, file) == sizeof prefix &&
         fwrite(text, 1, (size_t)padded, file) == (size_t)padded;
}

static bool write_data(FILE *file, npy_type type, const npy_matrix *matrix) {
  size_t count = (size_t)matrix->rows * (size_t)matrix->cols;
  if (type == NPY_F32) return fwrite(matrix->data, sizeof(float), count, file) == count;
  for (size_t i = 0; i < count; ++i) {
    _Float16 half = (_Float16)matrix->data[i];
    if (fwrite(&half, sizeof half, 1, file) != 1) return false;
  }
  return true;
}

bool npy_write_matrix(const char *path, npy_type type, const npy_matrix *matrix, char *message,
                      size_t message_size) {
  if (!npy_can_write(path, message, message_size)) return false;
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  int descriptor = mkstemp(temporary);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  bool good = file != NULL;
  if (good) {
    mode_t mask = umask(0);
    umask(mask);
    good = fchmod(descriptor, 0666 & ~mask) == 0 && write_header(file, type, matrix->rows, matrix->cols) &&
           write_data(file, type, matrix);
    int error = errno;
    good = fclose(file) == 0 && good;
    if (good) good = rename(temporary, path) == 0;
    if (!good && error) errno = error;
  }
  if (good) return true;
  snprintf(message, message_size, "%s: cannot be written: %s", path, strerror(errno));
  if (descriptor >= 0) unlink(temporary);
  return false;
}
