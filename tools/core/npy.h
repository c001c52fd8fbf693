// SPDX-License-Identifier: MIT
// Reads and writes NumPy .npy files holding arrays of numbers (format versions 1.0, 2.0 and 3.0, NumPy NEP
// 1). Floats and whole numbers become float32; what that loses is counted.
#ifndef WT_TOOLS_NPY_H
#define WT_TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum npy_type { NPY_F32, NPY_F16, NPY_F64, NPY_U8, NPY_I8, NPY_I32, NPY_I64 } npy_type;

enum { NPY_MAX_RANK = 32, NPY_ARRAY_RANK = 4 };

typedef struct npy_header {
  npy_type type;
  bool fortran_order;
  int rank;
  int64_t shape[NPY_MAX_RANK];
} npy_header;

// Says what the conversion to float32 lost.
typedef struct npy_loss {
  int64_t inexact;   // elements that are not equal to what they were
  int64_t vanished;  // elements among those that became 0
  double largest;    // the largest relative error of one element
} npy_loss;

typedef struct npy_array {
  int rank;
  int64_t shape[NPY_ARRAY_RANK];
  float *data;  // with the last axis contiguous, whatever the file's order and type; freed by npy_array_free
  int32_t *integers;  // used instead of data for writing NPY_I32; freed as well
  npy_type type;      // the file's type
  npy_loss loss;
} npy_array;

typedef struct npy_integers {
  int64_t count;
  int64_t *data;  // freed by npy_integers_free
} npy_integers;

// Returns a type's name: "float32", "int64", ...
const char *npy_type_name(npy_type type);

// Returns the number of an array's elements.
int64_t npy_count(const npy_array *array);

// Writes an array's shape as "3 x 4".
void npy_shape_text(const npy_array *array, char *text, size_t size);
// Writes the place of element number `index`, an index for each axis, as "0, 3".
void npy_place_text(const npy_array *array, int64_t index, char *text, size_t size);

// Reads an array of `least` to `most` dimensions (at most NPY_ARRAY_RANK), all of whose elements are finite,
// from a stream at its start. `size` is the number of bytes in the file, or -1 when it is not known (a pipe).
// The header is read and checked before any element is. On failure returns false and writes one sentence,
// without the file's name, to `message`.
bool npy_read(FILE *file, int64_t size, int least, int most, npy_array *out, char *message,
              size_t message_size);

// Reads an array as npy_read does, from a path, which the sentence names.
bool npy_read_path(const char *path, int least, int most, npy_array *out, char *message, size_t message_size);
void npy_array_free(npy_array *array);

// Reads a vector of int32 or int64 exactly, with the rest as in npy_read.
bool npy_read_integers(FILE *file, int64_t size, npy_integers *out, char *message, size_t message_size);
bool npy_read_integers_path(const char *path, npy_integers *out, char *message, size_t message_size);
void npy_integers_free(npy_integers *integers);

// Writes an array as NPY_F32, NPY_F16, NPY_U8 (whole numbers from 0 to 255) or NPY_I32. `path` afterwards has
// the whole array or what it had before; the sentence names it.
bool npy_write_array(const char *path, npy_type type, const npy_array *array, char *message,
                     size_t message_size);

#endif
