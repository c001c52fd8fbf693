// SPDX-License-Identifier: MIT
// NumPy .npy files holding arrays of float32, float16, int8, int32 or int64 (format versions 1.0, 2.0
// and 3.0, NumPy NEP 1).
#ifndef WT_TOOLS_NPY_H
#define WT_TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum npy_type { NPY_F32, NPY_F16, NPY_I8, NPY_I32, NPY_I64 } npy_type;  // NPY_I64: npy_integers

enum { NPY_MAX_RANK = 32 };

typedef struct npy_header {
  npy_type type;
  bool fortran_order;
  int rank;
  int64_t shape[NPY_MAX_RANK];
  size_t data_offset;  // bytes from the start of the file
} npy_header;

typedef struct npy_matrix {
  int64_t rows, cols;
  float *data;        // row-major, whatever the file's order and type; freed by npy_matrix_free
  npy_type type;      // of the file
  int32_t *integers;  // instead of data, for writing NPY_I32; freed as well
} npy_matrix;

enum { NPY_ARRAY_RANK = 4 };

typedef struct npy_array {
  int rank;
  int64_t shape[NPY_ARRAY_RANK];
  float *data;  // the last axis along the memory, whatever the file's order and type; freed by npy_array_free
  npy_type type;  // of the file
} npy_array;

typedef struct npy_integers {
  int64_t count;
  int64_t *data;  // freed by npy_integers_free
} npy_integers;

// Parses the header at the start of a file's bytes. On failure writes one sentence without the file's name.
bool npy_parse_header(const uint8_t *bytes, size_t size, npy_header *out, char *message, size_t message_size);

// Parses a whole file's bytes into a matrix of finite numbers.
bool npy_parse_matrix(const uint8_t *bytes, size_t size, npy_matrix *out, char *message, size_t message_size);

// As above, for one dimension: one row.
bool npy_parse_vector(const uint8_t *bytes, size_t size, npy_matrix *out, char *message, size_t message_size);

// Reads a file; the sentence names it.
bool npy_read_vector(const char *path, npy_matrix *out, char *message, size_t message_size);
bool npy_read_matrix(const char *path, npy_matrix *out, char *message, size_t message_size);
void npy_matrix_free(npy_matrix *matrix);

// As above, for an array of least_rank to NPY_ARRAY_RANK dimensions.
bool npy_parse_array(const uint8_t *bytes, size_t size, int least_rank, npy_array *out, char *message,
                     size_t message_size);
bool npy_read_array(const char *path, int least_rank, npy_array *out, char *message, size_t message_size);
void npy_array_free(npy_array *array);

// A vector of int32 or int64, exactly.
bool npy_parse_integers(const uint8_t *bytes, size_t size, npy_integers *out, char *message,
                        size_t message_size);
bool npy_read_integers(const char *path, npy_integers *out, char *message, size_t message_size);
void npy_integers_free(npy_integers *integers);

// `path` afterwards has the whole matrix or what it had before; the sentence names it.
bool npy_write_matrix(const char *path, npy_type type, const npy_matrix *matrix, char *message,
                      size_t message_size);

// The same for an array, in NPY_F32 or NPY_F16.
bool npy_write_array(const char *path, npy_type type, const npy_array *array, char *message,
                     size_t message_size);

#endif
