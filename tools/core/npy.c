// SPDX-License-Identifier: MIT
// Reads .npy files as they come from a stream: the header decides whether any element is read.
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host_memory.h"
#include "npy_header.h"

enum { CHUNK = 1 << 16 };  // bytes of elements read at a time

int64_t npy_count(const npy_array *array) {
  int64_t count = 1;
  for (int i = 0; i < array->rank; ++i) count *= array->shape[i];
  return count;
}

static void list_text(const int64_t *numbers, int count, const char *between, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < count && length < size; ++i)
    length +=
        (size_t)snprintf(text + length, size - length, "%s%lld", i ? between : "", (long long)numbers[i]);
}

void npy_shape_text(const npy_array *array, char *text, size_t size) {
  list_text(array->shape, array->rank, " x ", text, size);
}

void npy_place_text(const npy_array *array, int64_t index, char *text, size_t size) {
  int64_t place[NPY_ARRAY_RANK];
  for (int i = array->rank - 1; i >= 0; --i) place[i] = index % array->shape[i], index /= array->shape[i];
  list_text(place, array->rank, ", ", text, size);
}

static const char *kind_of(const npy_array *array) { return array->rank == 2 ? "matrix" : "array"; }

// Refuses the number of dimensions, and says in words which are wanted.
static bool fail_rank(const npy_header *header, int least, int most, char *message, size_t message_size) {
  char wanted[64];
  if (least == most)
    snprintf(wanted, sizeof wanted, "%s", most == 2 ? "a matrix (2 dimensions)" : "a vector (1 dimension)");
  else
    snprintf(wanted, sizeof wanted, "one of %d to %d", least, most);
  snprintf(message, message_size, "the array has %d dimension%s; pass %s", header->rank,
           header->rank == 1 ? "" : "s", wanted);
  return false;
}

// ---- the size

// Computes the bytes of the elements, UINT64_MAX when they are more than that; false when a dimension is out
// of range.
static bool bytes_of(const npy_array *array, uint64_t element, uint64_t *bytes) {
  *bytes = element;
  for (int i = 0; i < array->rank; ++i) {
    if (array->shape[i] < 1 || array->shape[i] > INT32_MAX) return false;
    if (__builtin_mul_overflow(*bytes, (uint64_t)array->shape[i], bytes)) *bytes = UINT64_MAX;
  }
  return true;
}

// Refuses a file that has `have` bytes of data, or more than is needed (UINT64_MAX).
static bool fail_size(const npy_array *array, uint64_t need, uint64_t have, char *message,
                      size_t message_size) {
  char text[96], bytes[32];
  npy_shape_text(array, text, sizeof text);
  snprintf(bytes, sizeof bytes, have == UINT64_MAX ? "more" : "%llu", (unsigned long long)have);
  snprintf(message, message_size, "a %s %s needs %llu bytes of data, but the file has %s (%s); %s", text,
           kind_of(array), (unsigned long long)need, bytes, have < need ? "truncated" : "too long",
           "save the array again");
  return false;
}

// Returns the memory for all elements at `element` bytes each.
static void *memory_for(const npy_array *array, uint64_t element, char *message, size_t message_size) {
  uint64_t bytes;
  char text[96];
  npy_shape_text(array, text, sizeof text);
  (void)bytes_of(array, element, &bytes);
  void *memory = bytes == UINT64_MAX ? NULL : host_memory(npy_count(array), element);
  if (!memory)
    snprintf(message, message_size,
             "out of memory for a %s %s: it takes %llu bytes, and this machine has %llu; pass a part of it",
             text, kind_of(array), (unsigned long long)bytes, (unsigned long long)host_memory_bytes());
  return memory;
}

// Takes the shape of the header, and refuses one that does not fit the file's size, as far as it is known.
static bool take_shape(const npy_header *header, int64_t left, npy_array *array, char *message,
                       size_t message_size) {
  uint64_t need;
  char text[96];
  *array = (npy_array){.rank = header->rank, .type = header->type};
  for (int i = 0; i < header->rank; ++i) array->shape[i] = header->shape[i];
  if (!bytes_of(array, npy_type_size(header->type), &need)) {
    npy_shape_text(array, text, sizeof text);
    snprintf(message, message_size, "the %s is %s; each dimension must be from 1 to %d", kind_of(array), text,
             INT32_MAX);
    return false;
  }
  if (left < 0 || need == (uint64_t)left) return true;
  return fail_size(array, need, (uint64_t)left, message, message_size);
}

// ---- the elements

static long double load_element(npy_type type, const uint8_t *at) {
  float single;
  double wide;
  _Float16 half;
  int32_t whole;
  int64_t large;
  switch (type) {
    case NPY_F32: memcpy(&single, at, sizeof single); return single;
    case NPY_F16: memcpy(&half, at, sizeof half); return (long double)half;
    case NPY_F64: memcpy(&wide, at, sizeof wide); return wide;
    case NPY_I32: memcpy(&whole, at, sizeof whole); return whole;
    case NPY_I64: memcpy(&large, at, sizeof large); return (long double)large;
    case NPY_U8: return *at;
    case NPY_I8: return (int8_t)*at;
  }
  return 0;
}

// Returns the place in memory of element `index` of a file in Fortran order, where the last axis is
// contiguous.
static int64_t place_of(const npy_array *array, int64_t index) {
  int64_t place = 0, size = npy_count(array);
  for (int i = 0; i < array->rank; index /= array->shape[i++]) {
    size /= array->shape[i];
    place += index % array->shape[i] * size;
  }
  return place;
}

static bool fail_element(const npy_array *array, int64_t place, long double value, char *message,
                         size_t message_size) {
  char text[96];
  int64_t subscripts[NPY_ARRAY_RANK];
  for (int i = array->rank; i-- > 0; place /= array->shape[i]) subscripts[i] = place % array->shape[i];
  list_text(subscripts, array->rank, ", ", text, sizeof text);
  if (isfinite(value))
    snprintf(message, message_size,
             "element [%s] is %.6Lg, beyond float32, whose largest number is 3.4e38; scale the array", text,
             value);
  else
    snprintf(message, message_size, "element [%s] is %s; all elements must be finite", text,
             isnan(value) ? "NaN" : "infinite");
  return false;
}

static void count_loss(npy_loss *loss, long double value, float single) {
  if ((long double)single == value) return;
  const double error = (double)(fabsl((long double)single - value) / fabsl(value));
  ++loss->inexact;
  loss->vanished += single == 0;
  if (error > loss->largest) loss->largest = error;
}

// Calls take(to, index, bytes) for each element in the file's order, until it returns false; false as well
// when the file ends before them or goes on after them.
static bool each_element(FILE *file, npy_array *array, bool (*take)(void *to, int64_t index, const uint8_t *),
                         void *to, char *message, size_t message_size) {
  const uint64_t size = npy_type_size(array->type), count = (uint64_t)npy_count(array);
  uint8_t chunk[CHUNK];
  for (uint64_t index = 0; index < count;) {
    const uint64_t wanted = count - index < CHUNK / size ? count - index : CHUNK / size;
    const uint64_t got = fread(chunk, 1, wanted * size, file);
    if (got < wanted * size) return fail_size(array, count * size, index * size + got, message, message_size);
    for (uint64_t i = 0; i < wanted; ++i, ++index)
      if (!take(to, (int64_t)index, chunk + i * size)) return false;
  }
  return fgetc(file) == EOF || fail_size(array, count * size, UINT64_MAX, message, message_size);
}

typedef struct element_reader {
  npy_array *array;
  bool fortran_order;
  char *message;
  size_t message_size;
} element_reader;

static bool take_number(void *to, int64_t index, const uint8_t *bytes) {
  const element_reader *r = to;
  const int64_t place = r->fortran_order ? place_of(r->array, index) : index;
  const long double value = load_element(r->array->type, bytes);
  const float single = (float)value;
  if (!isfinite(single)) return fail_element(r->array, place, value, r->message, r->message_size);
  count_loss(&r->array->loss, value, single);
  r->array->data[place] = single;
  return true;
}

bool npy_read(FILE *file, int64_t size, int least, int most, npy_array *out, char *message,
              size_t message_size) {
  npy_header header;
  npy_array array;
  int64_t offset;
  *out = (npy_array){.rank = 0};
  if (!npy_read_header(file, size, &header, &offset, message, message_size)) return false;
  if (header.rank < least || header.rank > most)
    return fail_rank(&header, least, most, message, message_size);
  if (!take_shape(&header, size < 0 ? -1 : size - offset, &array, message, message_size)) return false;
  array.data = memory_for(&array, sizeof *array.data, message, message_size);
  element_reader reader = {&array, header.fortran_order, message, message_size};
  if (!array.data || !each_element(file, &array, take_number, &reader, message, message_size))
    return npy_array_free(&array), false;
  *out = array;
  return true;
}

static bool take_int32(void *to, int64_t index, const uint8_t *bytes) {
  int32_t narrow;
  memcpy(&narrow, bytes, sizeof narrow);
  ((int64_t *)to)[index] = narrow;
  return true;
}

static bool take_int64(void *to, int64_t index, const uint8_t *bytes) {
  memcpy((int64_t *)to + index, bytes, sizeof(int64_t));
  return true;
}

bool npy_read_integers(FILE *file, int64_t size, npy_integers *out, char *message, size_t message_size) {
  npy_header header;
  npy_array shape;
  int64_t offset;
  *out = (npy_integers){.count = 0};
  if (!npy_read_header(file, size, &header, &offset, message, message_size)) return false;
  if (header.type != NPY_I32 && header.type != NPY_I64) {
    snprintf(message, message_size, "the elements are of type '%s'; save the array as int32 or int64",
             npy_type_descr(header.type));
    return false;
  }
  if (header.rank != 1) return fail_rank(&header, 1, 1, message, message_size);
  if (!take_shape(&header, size < 0 ? -1 : size - offset, &shape, message, message_size)) return false;
  *out = (npy_integers){.count = header.shape[0],
                        .data = memory_for(&shape, sizeof *out->data, message, message_size)};
  if (out->data && each_element(file, &shape, header.type == NPY_I64 ? take_int64 : take_int32, out->data,
                                message, message_size))
    return true;
  npy_integers_free(out);
  return false;
}

// ---- paths

// Opens the file and asks for its size, which only a regular file has.
static FILE *open_path(const char *path, int64_t *size, char *message, size_t message_size) {
  struct stat info;
  FILE *file = fopen(path, "rb");
  const bool known = file && fstat(fileno(file), &info) == 0;
  if (known && S_ISDIR(info.st_mode)) errno = EISDIR;
  if (known && !S_ISDIR(info.st_mode)) {
    *size = S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
    return file;
  }
  snprintf(message, message_size, "%s: cannot be read: %s", path, strerror(errno));
  if (file) fclose(file);
  return NULL;
}

// Closes it; after a failure puts its name before the sentence, or says what kept it from being read.
static bool close_path(FILE *file, const char *path, bool good, const char *detail, char *message,
                       size_t message_size) {
  if (!good && ferror(file))
    snprintf(message, message_size, "%s: cannot be read: %s", path, strerror(errno));
  else if (!good)
    snprintf(message, message_size, "%s: %s", path, detail);
  fclose(file);
  return good;
}

bool npy_read_path(const char *path, int least, int most, npy_array *out, char *message,
                   size_t message_size) {
  char detail[256];
  int64_t size;
  *out = (npy_array){.rank = 0};
  FILE *file = open_path(path, &size, message, message_size);
  if (!file) return false;
  const bool good = npy_read(file, size, least, most, out, detail, sizeof detail);
  return close_path(file, path, good, detail, message, message_size);
}

bool npy_read_integers_path(const char *path, npy_integers *out, char *message, size_t message_size) {
  char detail[256];
  int64_t size;
  *out = (npy_integers){.count = 0};
  FILE *file = open_path(path, &size, message, message_size);
  if (!file) return false;
  const bool good = npy_read_integers(file, size, out, detail, sizeof detail);
  return close_path(file, path, good, detail, message, message_size);
}

void npy_array_free(npy_array *array) {
  free(array->integers);
  free(array->data);
  memset(array, 0, sizeof *array);
}

void npy_integers_free(npy_integers *integers) {
  free(integers->data);
  memset(integers, 0, sizeof *integers);
}
