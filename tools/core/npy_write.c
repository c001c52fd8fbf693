// SPDX-License-Identifier: MIT
// Writes .npy files whole or not at all.
#include <stdio.h>
#include <string.h>

#include "npy.h"
#include "npy_header.h"
#include "whole_file.h"

static bool write_header(FILE *file, npy_type type, const npy_array *array) {
  char text[256];
  int length =
      snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", npy_type_descr(type));
  for (int i = 0; i < array->rank; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, "%lld%s", (long long)array->shape[i],
                       i + 1 < array->rank ? ", "
                       : array->rank == 1  ? ","
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

static bool write_number(FILE *file, npy_type type, float value) {
  const _Float16 half = (_Float16)value;
  const unsigned char byte = type == NPY_U8 ? (unsigned char)value : 0;
  return type == NPY_F16 ? fwrite(&half, sizeof half, 1, file) == 1 : fwrite(&byte, 1, 1, file) == 1;
}

static bool write_elements(FILE *file, npy_type type, const npy_array *array) {
  const size_t count = (size_t)npy_count(array);
  if (type == NPY_I32) return fwrite(array->integers, sizeof *array->integers, count, file) == count;
  if (type == NPY_F32) return fwrite(array->data, sizeof *array->data, count, file) == count;
  for (size_t i = 0; i < count; ++i)
    if (!write_number(file, type, array->data[i])) return false;
  return true;
}

bool npy_write_array(const char *path, npy_type type, const npy_array *array, char *message,
                     size_t message_size) {
  whole_file file;
  if (!whole_file_begin(&file, path, message, message_size)) return false;
  const bool good = write_header(file.stream, type, array) && write_elements(file.stream, type, array);
  return whole_file_end(&file, good, message, message_size);
}
