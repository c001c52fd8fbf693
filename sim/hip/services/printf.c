// SPDX-License-Identifier: MIT
// Prints for the device on the host: walks the format and hands each conversion with its argument to the
// host's printf.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "sim/hip/services/hostcall.h"

typedef struct reader {
  const uint64_t *data;
  size_t count, next;
  bool bad;
} reader;

static uint64_t take(reader *r) {
  if (r->next < r->count) return r->data[r->next++];
  r->bad = true;
  return 0;
}

// Takes a string of the kernel: it ends inside the data, in a quadword padded with zeros.
static const char *take_string(reader *r) {
  const char *text = (const char *)(r->data + r->next);
  size_t room = (r->count - r->next) * sizeof *r->data, length = strnlen(text, room);
  r->bad |= length == room;
  r->next += length / sizeof *r->data + 1;
  return r->bad ? "" : text;
}

// Returns the length of the conversion that begins after '%': flags, width, precision, length, then its
// letter.
static size_t conversion_length(const char *at) {
  size_t n = strspn(at, "-+ #0");
  n += strspn(at + n, "*0123456789.");
  n += strspn(at + n, "hljztLq");
  return at[n] ? n + 1 : 0;
}

enum { MOST_SPEC = 32 };

// Prints one number or string; `spec` is the conversion with '%', with at most two '*' before its letter.
static void print_one(FILE *out, const char *spec, reader *r) {
  char form[MOST_SPEC + 8];
  size_t length = strlen(spec), stars = 0, n = 0;
  int star[2] = {0, 0};
  const char letter = spec[length - 1];
  bool is_long = strpbrk(spec, "ljztq") != NULL, is_short = strchr(spec, 'h') != NULL;
  bool is_char = strstr(spec, "hh") != NULL;
  for (size_t i = 0; i + 1 < length; ++i) {
    if (strchr("hljztLq", spec[i])) continue;
    form[n++] = spec[i];
    if (spec[i] != '*') continue;
    if (stars == 2)
      r->bad = true;
    else
      star[stars++] = (int)take(r);
  }
  form[n] = 0;
  if (r->bad) return;
#define PRINT(suffix, value)                       \
  do {                                             \
    strcpy(form + n, suffix);                      \
    if (stars == 0)                                \
      fprintf(out, form, value);                   \
    else if (stars == 1)                           \
      fprintf(out, form, star[0], value);          \
    else                                           \
      fprintf(out, form, star[0], star[1], value); \
  } while (0)
  char suffix[4] = {'l', 'l', letter, 0}, plain[2] = {letter, 0};
  switch (letter) {
    case 'd':
    case 'i': {
      int64_t v = (int64_t)take(r);
      PRINT(suffix, (long long)(is_long ? v : is_char ? (signed char)v : is_short ? (short)v : (int)v));
      break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      uint64_t v = take(r);
      PRINT(suffix, (unsigned long long)(is_long    ? v
                                         : is_char  ? (unsigned char)v
                                         : is_short ? (unsigned short)v
                                                    : (unsigned)v));
      break;
    }
    case 'c': PRINT(plain, (int)take(r)); break;
    case 'p': PRINT(plain, (void *)(uintptr_t)take(r)); break;
    case 's': PRINT(plain, take_string(r)); break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      uint64_t bits = take(r);
      double v;
      memcpy(&v, &bits, sizeof v);
      PRINT(plain, v);
      break;
    }
    case 'n': take(r); break;  // writes nothing: the count is on the host
    default: r->bad = true;
  }
#undef PRINT
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void print_all(FILE *out, const char *format, reader *r) {
  while (*format && !r->bad) {
    size_t text = strcspn(format, "%");
    fwrite(format, 1, text, out);
    format += text;
    if (!*format) return;
    if (format[1] == '%') {
      fputc('%', out);
      format += 2;
      continue;
    }
    size_t length = conversion_length(format + 1);
    char spec[MOST_SPEC + 1];
    if (!length || length >= MOST_SPEC) {  // no conversion: as text
      fputs(format, out);
      return;
    }
    memcpy(spec, format, length + 1);
    spec[length + 1] = 0;
    print_one(out, spec, r);
    format += length + 1;
  }
}

int sim_hip_printf(FILE *file, const uint64_t *data, size_t count) {
  char *text = NULL;
  size_t size = 0;
  reader r = {data, count, 0, false};
  const char *format = count ? take_string(&r) : "";
  FILE *out = open_memstream(&text, &size);
  if (!out) return -1;
  print_all(out, format, &r);
  fclose(out);
  fwrite(text, 1, size, file);  // one write, so that lines of several threads do not mix
  free(text);
  return r.bad ? -1 : (int)size;
}
