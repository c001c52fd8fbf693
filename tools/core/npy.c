// SPDX-License-Identifier: MIT
// Reads .npy files: the header is a Python dictionary literal, of which only what NumPy itself writes is
// accepted.
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
  const char *at, *end;
} scanner;

static void skip_space(scanner *s) {
  while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) ++s->at;
}

static bool take(scanner *s, char c) {
  skip_space(s);
  if (s->at == s->end || *s->at != c) return false;
  ++s->at;
  return true;
}

// A quoted string without escapes, into `out`.
static bool take_string(scanner *s, char *out, size_t size) {
  skip_space(s);
  if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) return false;
  char quote = *s->at++;
  size_t length = 0;
  while (s->at < s->end && *s->at != quote) {
    char c = *s->at++;
    if (c == '\\' || c < ' ' || c > '~' || length + 1 == size) return false;
    out[length++] = c;
  }
  out[length] = 0;
  return take(s, quote);
}

static bool take_word(scanner *s, const char *word) {
  skip_space(s);
  size_t length = strlen(word);
  if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return false;
  s->at += length;
  return true;
}

static bool take_integer(scanner *s, int64_t *out) {
  skip_space(s);
  const char *begin = s->at;
  int64_t value = 0;
  while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *s->at - '0', &value))
      return false;
    ++s->at;
  }
  *out = value;
  return s->at > begin;
}

static bool take_shape(scanner *s, npy_header *out) {
  if (!take(s, '(')) return false;
  out->rank = 0;
  bool comma = true;
  while (!take(s, ')')) {
    if (!comma || out->rank == NPY_MAX_RANK || !take_integer(s, &out->shape[out->rank])) return false;
    ++out->rank;
    comma = take(s, ',');
  }
  return out->rank != 1 || comma;  // "(3)" is a number in Python, not a tuple
}

// By npy_type.
static const struct {
  const char *descr;
  size_t size;
} types[] = {{"<f4", 4}, {"<f2", 2}, {"|i1", 1}, {"<i4", 4}, {"<i8", 8}};

static bool fail_type(const char *descr, char *message, size_t message_size) {
  snprintf(message, message_size,
           "element type '%s' is not supported; save the array as float32, float16, int8 or int32", descr);
  return false;
}

static bool set_type(const char *descr, npy_header *out, char *message, size_t message_size) {
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(descr, types[i].descr) == 0) {
      out->type = (npy_type)i;
      return true;
    }
  return fail_type(descr, message, message_size);
}

static bool take_entry(scanner *s, npy_header *out, unsigned *seen, char *message, size_t message_size) {
  char key[32], descr[32];
  enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
  unsigned bit = 0;
  if (!take_string(s, key, sizeof key) || !take(s, ':')) return false;
  if (strcmp(key, "descr") == 0) {
    bit = DESCR;
    if (!take_string(s, descr, sizeof descr)) {
      snprintf(message, message_size,
               "the element type is not a plain number type; save as float32 or float16");
      return false;
    }
    if (!set_type(descr, out, message, message_size)) return false;
  } else if (strcmp(key, "fortran_order") == 0) {
    bit = ORDER;
    out->fortran_order = take_word(s, "True");
    if (!out->fortran_order && !take_word(s, "False")) return false;
  } else if (strcmp(key, "shape") == 0) {
    bit = SHAPE;
    if (!take_shape(s, out)) return false;
  }
  if (!bit || (*seen & bit)) return false;
  *seen |= bit;
  return true;
}

static bool parse_dictionary(scanner *s, npy_header *out, char *message, size_t message_size) {
  snprintf(message, message_size, "the .npy header is malformed; save the array again with numpy.save");
  if (!take(s, '{')) return false;
  unsigned seen = 0;
  bool comma = true;
  while (!take(s, '}')) {
    if (!comma || !take_entry(s, out, &seen, message, message_size)) return false;
    comma = take(s, ',');
  }
  skip_space(s);
  return seen == 7 && s->at == s->end;
}

bool npy_parse_header(const uint8_t *bytes, size_t size, npy_header *out, char *message,
                      size_t message_size) {
  memset(out, 0, sizeof *out);
  if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
    snprintf(message, message_size, "this is not a NumPy .npy file; save the array with numpy.save");
    return false;
  }
  unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0) {
    snprintf(message, message_size, ".npy version %u.%u is not supported; save as version 1.0, 2.0 or 3.0",
             major, minor);
    return false;
  }
  // Header length: 2 bytes in version 1, 4 bytes after, little-endian.
  size_t prefix = major == 1 ? 10 : 12, length = 0;
  for (size_t i = prefix; i-- > 8 && size >= prefix;) length = length << 8 | bytes[i];
  if (size < prefix || length > size - prefix) {
    snprintf(message, message_size, "the file is truncated within its header; save the array again");
    return false;
  }
  out->data_offset = prefix + length;
  scanner s = {(const char *)bytes + prefix, (const char *)bytes + prefix + length};
  return parse_dictionary(&s, out, message, message_size);
}

static double load_element(npy_type type, const uint8_t *at) {
  float single;
  _Float16 half;
  int32_t whole;
  switch (type) {
    case NPY_F32: memcpy(&single, at, sizeof single); return single;
    case NPY_F16: memcpy(&half, at, sizeof half); return (double)half;
    case NPY_I32: memcpy(&whole, at, sizeof whole); return whole;
    case NPY_I8: return (int8_t)*at;
    case NPY_I64: break;  // only as npy_integers
  }
  return 0;
}

// "3 x 4"
static void shape_text(const npy_array *array, char *text, size_t size) {
  size_t length = 0;
  for (int i = 0; i < array->rank && length < size; ++i)
    length +=
        (size_t)snprintf(text + length, size - length, "%s%lld", i ? " x " : "", (long long)array->shape[i]);
}

static const char *kind_of(const npy_array *array) { return array->rank == 2 ? "matrix" : "array"; }

// What is asked for, in words.
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

static bool check_shape(const npy_header *header, const npy_array *array, size_t size, char *message,
                        size_t message_size) {
  char text[96] = "";
  shape_text(array, text, sizeof text);
  uint64_t need = types[header->type].size;
  bool fits = true;
  for (int i = 0; i < array->rank; ++i) {
    fits = fits && array->shape[i] >= 1 && array->shape[i] <= INT32_MAX;
    if (fits && __builtin_mul_overflow(need, (uint64_t)array->shape[i], &need)) need = UINT64_MAX;
  }
  if (!fits) {
    snprintf(message, message_size, "the %s is %s; each dimension must be from 1 to %d", kind_of(array), text,
             INT32_MAX);
    return false;
  }
  uint64_t have = size - header->data_offset;
  if (need == have) return true;
  snprintf(message, message_size, "a %s %s needs %llu bytes of data, but the file has %llu (%s); %s", text,
           kind_of(array), (unsigned long long)need, (unsigned long long)have,
           have < need ? "truncated" : "too long", "save the array again");
  return false;
}

// Element `index` in the order of the data: its place in the file, and its subscripts.
static int64_t place_of(const npy_array *array, bool fortran_order, int64_t index, int64_t *subscripts) {
  int64_t rest = index, place = 0;
  for (int i = array->rank; i-- > 0; rest /= array->shape[i]) subscripts[i] = rest % array->shape[i];
  for (int i = array->rank; i-- > 0;) place = place * array->shape[i] + subscripts[i];
  return fortran_order ? place : index;
}

static bool fail_element(const npy_array *array, const int64_t *subscripts, double value, char *message,
                         size_t message_size) {
  char text[96] = "";
  size_t length = 0;
  for (int i = 0; i < array->rank && length < sizeof text; ++i)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", i ? ", " : "",
                               (long long)subscripts[i]);
  if (!isfinite(value))
    snprintf(message, message_size, "element [%s] is %s; all elements must be finite", text,
             isnan(value) ? "NaN" : "infinite");
  else
    snprintf(message, message_size,
             "element [%s] is %.0f, which a float does not hold; pass whole numbers from -2^24 to 2^24", text,
             value);
  return false;
}

static bool load_elements(const npy_header *header, const uint8_t *source, npy_array *array, char *message,
                          size_t message_size) {
  int64_t count = 1, subscripts[NPY_ARRAY_RANK];
  for (int i = 0; i < array->rank; ++i) count *= array->shape[i];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = header->fortran_order ? place_of(array, true, i, subscripts) : i;
    const double value = load_element(header->type, source + (size_t)place * types[header->type].size);
    if (!isfinite(value) || (double)(float)value != value) {
      (void)place_of(array, false, i, subscripts);
      return fail_element(array, subscripts, value, message, message_size);
    }
    array->data[i] = (float)value;
  }
  return true;
}

// A vector becomes a matrix of one row.
static bool parse_ranks(const uint8_t *bytes, size_t size, int least, int most, npy_array *out, char *message,
                        size_t message_size) {
  memset(out, 0, sizeof *out);
  npy_header header;
  if (!npy_parse_header(bytes, size, &header, message, message_size)) return false;
  if (header.rank < least || header.rank > most)
    return fail_rank(&header, least, most, message, message_size);
  if (header.type == NPY_I64) return fail_type(types[NPY_I64].descr, message, message_size);
  npy_array array = {.rank = header.rank, .type = header.type};
  for (int i = 0; i < header.rank; ++i) array.shape[i] = header.shape[i];
  if (most == 1) {
    array.rank = 2;
    array.shape[0] = 1, array.shape[1] = header.shape[0];
  }
  if (!check_shape(&header, &array, size, message, message_size)) return false;
  array.data = malloc((size - header.data_offset) / types[header.type].size * sizeof *array.data);
  if (!array.data) {
    char text[96] = "";
    shape_text(&array, text, sizeof text);
    snprintf(message, message_size, "out of memory for a %s %s", text, kind_of(&array));
    return false;
  }
  if (!load_elements(&header, bytes + header.data_offset, &array, message, message_size))
    return npy_array_free(&array), false;
  *out = array;
  return true;
}

static npy_matrix matrix_of(const npy_array *array) {
  return (npy_matrix){
      .rows = array->shape[0], .cols = array->shape[1], .data = array->data, .type = array->type};
}

bool npy_parse_matrix(const uint8_t *bytes, size_t size, npy_matrix *out, char *message,
                      size_t message_size) {
  npy_array array;
  const bool good = parse_ranks(bytes, size, 2, 2, &array, message, message_size);
  *out = matrix_of(&array);
  return good;
}

bool npy_parse_vector(const uint8_t *bytes, size_t size, npy_matrix *out, char *message,
                      size_t message_size) {
  npy_array array;
  const bool good = parse_ranks(bytes, size, 1, 1, &array, message, message_size);
  *out = matrix_of(&array);
  return good;
}

bool npy_parse_array(const uint8_t *bytes, size_t size, int least_rank, npy_array *out, char *message,
                     size_t message_size) {
  return parse_ranks(bytes, size, least_rank, NPY_ARRAY_RANK, out, message, message_size);
}

bool npy_parse_integers(const uint8_t *bytes, size_t size, npy_integers *out, char *message,
                        size_t message_size) {
  memset(out, 0, sizeof *out);
  npy_header header;
  if (!npy_parse_header(bytes, size, &header, message, message_size)) return false;
  if (header.type != NPY_I32 && header.type != NPY_I64) {
    snprintf(message, message_size, "the elements are of type '%s'; save the array as int32 or int64",
             types[header.type].descr);
    return false;
  }
  if (header.rank != 1) return fail_rank(&header, 1, 1, message, message_size);
  const npy_array shape = {.rank = 1, .shape = {header.shape[0]}};
  if (!check_shape(&header, &shape, size, message, message_size)) return false;
  out->data = malloc((size_t)header.shape[0] * sizeof *out->data);
  if (!out->data) {
    snprintf(message, message_size, "out of memory for %lld numbers", (long long)header.shape[0]);
    return false;
  }
  out->count = header.shape[0];
  const uint8_t *source = bytes + header.data_offset;
  for (int64_t i = 0; i < out->count; ++i) {
    int32_t narrow;
    if (header.type == NPY_I64)
      memcpy(&out->data[i], source + i * 8, 8);
    else
      memcpy(&narrow, source + i * 4, 4), out->data[i] = narrow;
  }
  return true;
}

static uint8_t *read_all(FILE *file, size_t *size) {
  size_t capacity = 1 << 16, length = 0;
  uint8_t *bytes = malloc(capacity);
  while (bytes) {
    length += fread(bytes + length, 1, capacity - length, file);
    if (length < capacity) break;
    uint8_t *larger = realloc(bytes, capacity *= 2);
    if (!larger) free(bytes);
    bytes = larger;
  }
  *size = length;
  return bytes;
}

// The bytes of a file, or NULL and a sentence that names it.
static uint8_t *read_path(const char *path, size_t *size, char *message, size_t message_size) {
  FILE *file = fopen(path, "rb");
  errno = file ? 0 : errno;
  uint8_t *bytes = file ? read_all(file, size) : NULL;
  if (!bytes || ferror(file)) {
    snprintf(message, message_size, "%s: cannot be read: %s", path, strerror(errno ? errno : ENOMEM));
    free(bytes);
    bytes = NULL;
  }
  if (file) fclose(file);
  return bytes;
}

static bool read_ranks(const char *path, int least, int most, npy_array *out, char *message,
                       size_t message_size) {
  memset(out, 0, sizeof *out);
  size_t size = 0;
  uint8_t *bytes = read_path(path, &size, message, message_size);
  if (!bytes) return false;
  char detail[256];
  const bool good = parse_ranks(bytes, size, least, most, out, detail, sizeof detail);
  if (!good) snprintf(message, message_size, "%s: %s", path, detail);
  free(bytes);
  return good;
}

bool npy_read_integers(const char *path, npy_integers *out, char *message, size_t message_size) {
  memset(out, 0, sizeof *out);
  size_t size = 0;
  uint8_t *bytes = read_path(path, &size, message, message_size);
  if (!bytes) return false;
  char detail[256];
  const bool good = npy_parse_integers(bytes, size, out, detail, sizeof detail);
  if (!good) snprintf(message, message_size, "%s: %s", path, detail);
  free(bytes);
  return good;
}

bool npy_read_matrix(const char *path, npy_matrix *out, char *message, size_t message_size) {
  npy_array array;
  const bool good = read_ranks(path, 2, 2, &array, message, message_size);
  *out = matrix_of(&array);
  return good;
}

bool npy_read_vector(const char *path, npy_matrix *out, char *message, size_t message_size) {
  npy_array array;
  const bool good = read_ranks(path, 1, 1, &array, message, message_size);
  *out = matrix_of(&array);
  return good;
}

bool npy_read_array(const char *path, int least_rank, npy_array *out, char *message, size_t message_size) {
  return read_ranks(path, least_rank, NPY_ARRAY_RANK, out, message, message_size);
}

void npy_matrix_free(npy_matrix *matrix) {
  free(matrix->integers);
  free(matrix->data);
  memset(matrix, 0, sizeof *matrix);
}

void npy_array_free(npy_array *array) {
  free(array->data);
  memset(array, 0, sizeof *array);
}

void npy_integers_free(npy_integers *integers) {
  free(integers->data);
  memset(integers, 0, sizeof *integers);
}
