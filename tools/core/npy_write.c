// SPDX-License-Identifier: MIT
// Writes .npy files whole or not at all.
#include <stdio.h>
#include <string.h>

#include "npy.h"
#include "whole_file.h"

static bool write_header(FILE *file, npy_type type, int rank, const int64_t *shape) {
  char text[256];
  int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                        type == NPY_F32   ? "<f4"
                        : type == NPY_I32 ? "<i4"
                                          : "<f2");
  for (int i = 0; i < rank; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, "%lld%s", (long long)shape[i],
                       i + 1 < rank ? ", "
                       : rank == 1  ? ","
                                    : "");
  length += snprintf(text + length, sizeof text - (size_t)length, "), }");
  // Data starts at a multiple of 64 bytes; the header is padded with spaces and ends in a newline.
  int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
  memset(text + length, ' ', (size_t)(padded - length - 1));
  text[padded - 1] = '\n';
  const unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)padded, 0};
  return fwrite(prefix, 1, sizeof prefix, file) == sizeof prefix &&
         fwrite(text, 1, (size_t)padded, file) == (size_t)padded;
}

static bool write_floats(FILE *file, npy_type type, const float *data, size_t count) {
  if (type == NPY_F32) return fwrite(data, sizeof *data, count, file) == count;
  for (size_t i = 0; i < count; ++i) {
    _Float16 half = (_Float16)data[i];
    if (fwrite(&half, sizeof half, 1, file) != 1) return false;
  }
  return true;
}

bool npy_write_matrix(const char *path, npy_type type, const npy_matrix *matrix, char *message,
                      size_t message_size) {
  whole_file file;
  if (!whole_file_begin(&file, path, message, message_size)) return false;
  const int64_t shape[] = {matrix->rows, matrix->cols};
  const size_t count = (size_t)matrix->rows * (size_t)matrix->cols;
  bool good = write_header(file.stream, type, 2, shape);
  if (type == NPY_I32)
    good = good && fwrite(matrix->integers, sizeof(int32_t), count, file.stream) == count;
  else
    good = good && write_floats(file.stream, type, matrix->data, count);
  return whole_file_end(&file, good, message, message_size);
}

bool npy_write_array(const char *path, npy_type type, const npy_array *array, char *message,
                     size_t message_size) {
  whole_file file;
  if (!whole_file_begin(&file, path, message, message_size)) return false;
  size_t count = 1;
  for (int i = 0; i < array->rank; ++i) count *= (size_t)array->shape[i];
  const bool good = write_header(file.stream, type, array->rank, array->shape) &&
                    write_floats(file.stream, type, array->data, count);
  return whole_file_end(&file, good, message, message_size);
}
