// SPDX-License-Identifier: MIT
// Reads shapes such as "4096x4096x8192 window=7".
#include <stdlib.h>
#include <string.h>

#include "predict.h"

static bool read_number(const char **at, long long *value) {
  char *end;
  *value = strtoll(*at, &end, 10);
  const bool good = end != *at && **at >= '0' && **at <= '9' && *value > 0;
  *at = end;
  return good;
}

static bool read_option(const char **at, predict_shape *shape) {
  const size_t length = strcspn(*at, "= ");
  if (shape->options == 4 || length < 1 || length >= sizeof shape->option[0].name || (*at)[length] != '=')
    return false;
  memcpy(shape->option[shape->options].name, *at, length);
  *at += length + 1;
  return read_number(at, &shape->option[shape->options++].value);
}

bool predict_shape_read(const char *text, predict_shape *shape) {
  memset(shape, 0, sizeof *shape);
  const char *at = text;
  do {
    if (shape->sizes == 4 || !read_number(&at, &shape->size[shape->sizes++])) return false;
  } while (*at++ == 'x');
  for (--at; *at == ' ';) {
    ++at;
    if (!read_option(&at, shape)) return false;
  }
  return !*at;
}

long long predict_option(const predict_shape *shape, const char *name, long long otherwise) {
  for (int i = 0; i < shape->options; ++i)
    if (strcmp(shape->option[i].name, name) == 0) return shape->option[i].value;
  return otherwise;
}
