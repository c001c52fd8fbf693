// SPDX-License-Identifier: MIT
// Option tables: parsing with one sentence per mistake, and the help text from the same table.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

int tool_error(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("wavetile: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

static const tool_option *find_option(const tool_option *options, size_t count, const char *name,
                                      size_t length) {
  for (size_t i = 0; i < count; ++i)
    if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) return &options[i];
  return NULL;
}

static bool is_number_end(const char *text, const char *end) {
  return end != text && *end == 0 && errno == 0;
}

static int set_option(const tool_option *option, const char *text) {
  char *end = NULL;
  errno = 0;
  switch (option->kind) {
    case TOOL_FLAG: *(bool *)option->value = true; return TOOL_OK;
    case TOOL_STRING: *(const char **)option->value = text; return TOOL_OK;
    case TOOL_SIZE: {
      long long value = strtoll(text, &end, 10);
      if (!is_number_end(text, end) || value < 1 || value > INT32_MAX)
        return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass a whole number from 1 to %d", option->name, text,
                          INT32_MAX);
      *(long long *)option->value = value;
      return TOOL_OK;
    }
    case TOOL_SEED: {
      unsigned long long value = strtoull(text, &end, 0);
      if (!is_number_end(text, end) || strchr(text, '-'))
        return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass a whole number", option->name, text);
      *(unsigned long long *)option->value = value;
      return TOOL_OK;
    }
    case TOOL_FLOAT: {
      double value = strtod(text, &end);
      if (end == text || *end || !isfinite(value))
        return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass a finite number", option->name, text);
      *(double *)option->value = value;
      return TOOL_OK;
    }
  }
  return TOOL_USAGE;
}

int tool_options_parse(int argc, char **argv, const tool_option *options, size_t count,
                       const char **positional, size_t positional_max) {
  size_t positional_count = 0;
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i];
    if (strncmp(word, "--", 2) != 0) {
      if (positional_count == positional_max)
        return tool_error(TOOL_USAGE, "unexpected argument \"%s\"; see wavetile %s --help", word, argv[0]);
      positional[positional_count++] = word;
      continue;
    }
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const tool_option *option = find_option(options, count, name, length);
    if (!option)
      return tool_error(TOOL_USAGE, "unknown option \"--%.*s\"; see wavetile %s --help", (int)length, name,
                        argv[0]);
    const char *value = name[length] ? name + length + 1 : NULL;
    if (option->kind == TOOL_FLAG && value)
      return tool_error(TOOL_USAGE, "--%s takes no value, but got \"%s\"; leave it out", option->name, value);
    if (option->kind != TOOL_FLAG && !value) {
      if (i + 1 == argc)
        return tool_error(TOOL_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                          option->argument);
      value = argv[++i];
    }
    int code = set_option(option, value);
    if (code) return code;
  }
  return TOOL_OK;
}

void tool_options_help(const tool_option *options, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
             options[i].argument ? options[i].argument : "");
    printf("  %-22s %s\n", left, options[i].help);
  }
}
