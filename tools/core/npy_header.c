// SPDX-License-Identifier: MIT
// Reads the header of .npy files: a Python dictionary literal. Only what NumPy itself writes is accepted.
#include "npy_header.h"

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

// Reads a quoted string without escapes into `out`.
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

// Describes a type, by npy_type.
static const struct {
  const char *descr, *name;
  size_t size;
} types[] = {{"<f4", "float32", 4}, {"<f2", "float16", 2}, {"<f8", "float64", 8}, {"|u1", "uint8", 1},
             {"|i1", "int8", 1},    {"<i4", "int32", 4},   {"<i8", "int64", 8}};

const char *npy_type_name(npy_type type) { return types[type].name; }
const char *npy_type_descr(npy_type type) { return types[type].descr; }
size_t npy_type_size(npy_type type) { return types[type].size; }

static bool fail_type(const char *descr, char *message, size_t message_size) {
  if (*descr == '>')
    snprintf(message, message_size,
             "element type '%s' is big-endian; save the array with the other order of bytes, as "
             "array.astype('<%s') has it",
             descr, descr + 1);
  else
    snprintf(
        message, message_size,
        "element type '%s' is not supported; save the array as float32, float16, float64, int8, int32 or "
        "int64",
        descr);
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

static uint32_t length_of(const uint8_t *bytes, int count) {
  uint32_t length = 0;
  for (int i = count; i-- > 0;) length = length << 8 | bytes[i];
  return length;
}

static bool fail(const char *sentence, char *message, size_t message_size) {
  snprintf(message, message_size, "%s", sentence);
  return false;
}

// Reads the dictionary's bytes, of which the file says how many they are.
static bool read_dictionary(FILE *file, int64_t left, uint32_t length, npy_header *out, char *message,
                            size_t message_size) {
  static const char truncated[] = "the file is truncated within its header; save the array again";
  if (length > NPY_MOST_HEADER) {
    snprintf(message, message_size, "the .npy header claims %u bytes; save the array again with numpy.save",
             length);
    return false;
  }
  if (left >= 0 && left < (int64_t)length) return fail(truncated, message, message_size);
  char *text = malloc(length + 1);
  if (!text) return fail("out of memory for the .npy header", message, message_size);
  scanner s = {text, text + length};
  const bool good = fread(text, 1, length, file) == length ? parse_dictionary(&s, out, message, message_size)
                                                           : fail(truncated, message, message_size);
  free(text);
  return good;
}

bool npy_read_header(FILE *file, int64_t size, npy_header *out, int64_t *offset, char *message,
                     size_t message_size) {
  uint8_t bytes[12];
  memset(out, 0, sizeof *out);
  if (fread(bytes, 1, 10, file) != 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail("this is not a NumPy .npy file; save the array with numpy.save", message, message_size);
  const unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0) {
    snprintf(message, message_size, ".npy version %u.%u is not supported; save as version 1.0, 2.0 or 3.0",
             major, minor);
    return false;
  }
  // The header's length has 2 bytes in version 1 and 4 bytes after, little-endian.
  const int more = major == 1 ? 0 : 2, prefix = 10 + more;
  if (fread(bytes + 10, 1, (size_t)more, file) != (size_t)more)
    return fail("the file is truncated within its header; save the array again", message, message_size);
  const uint32_t length = length_of(bytes + 8, 2 + more);
  *offset = prefix + (int64_t)length;
  return read_dictionary(file, size < 0 ? -1 : size - prefix, length, out, message, message_size);
}
