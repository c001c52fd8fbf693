// SPDX-License-Identifier: MIT
// Writes .npy files whole or not at all.
#include <stdio.h>
#include <string.h>

#include "npy.h"
#include "whole_file.h"

static bool write_header(FILE *file, npy_type type, int64_t rows, int64_t cols) {
  char text[256];
  int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }",
                        type == NPY_F32   ? "<f4"
                        : type == NPY_I32 ? "<i4"
                                          : "<f2",
                        (long long)rows, (long long)cols);
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
  if (type == NPY_I32) return fwrite(matrix->integers, sizeof(int32_t), count, file) == count;
  for (size_t i = 0; i < count; ++i) {
    _Float16 half = (_Float16)matrix->data[i];
    if (fwrite(&half, sizeof half, 1, file) != 1) return false;
  }
  return true;
}

bool npy_write_matrix(const char *path, npy_type type, const npy_matrix *matrix, char *message,
                      size_t message_size) {
  whole_file file;
  if (!whole_file_begin(&file, path, message, message_size)) return false;
  const bool good =
      write_header(file.stream, type, matrix->rows, matrix->cols) && write_data(file.stream, type, matrix);
  return whole_file_end(&file, good, message, message_size);
}
