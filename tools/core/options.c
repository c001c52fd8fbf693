// SPDX-License-Identifier: MIT
// Parses options by their table, with one sentence for each mistake. Help from the same tables is in
// core/help.c.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/settings/nearest.h"
#include "sizes.h"
#include "tool.h"

static const tool_option *find_option(const tool_option *options, size_t count, const char *name,
                                      size_t length) {
  for (size_t i = 0; i < count; ++i)
    if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) return &options[i];
  return NULL;
}

// Returns the option that a word of the command line names, "--name" or "--name=value". Reports, and returns
// NULL, when there is none.
static const tool_option *named_option(const tool_option *options, size_t count, const char *word,
                                       const char *subcommand) {
  const size_t dashes = strncmp(word, "--", 2) == 0 ? 2 : 1, length = strcspn(word + dashes, "=");
  const tool_option *option = dashes == 2 ? find_option(options, count, word + 2, length) : NULL;
  if (option) return option;
  char wanted[64], near[256];
  snprintf(wanted, sizeof wanted, "%.*s", (int)length, word + dashes);
  nearest search = nearest_begin(wanted);
  for (size_t i = 0; i < count; ++i) nearest_offer(&search, options[i].name);
  nearest_text(&search, "--", near, sizeof near);
  tool_error(TOOL_USAGE, "unknown option \"%.*s\"%s%s wavetile %s --help lists all", (int)(dashes + length),
             word, near, *near ? "" : ";", subcommand);
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
    case TOOL_STRING:
    case TOOL_OPTIONAL: *(const char **)option->value = text; return TOOL_OK;
    case TOOL_SIZE:
    case TOOL_JOBS: {
      const int most = option->kind == TOOL_JOBS ? TOOL_MOST_JOBS : INT32_MAX;
      long long value = strtoll(text, &end, 10);
      if (!is_number_end(text, end) || value < 1 || value > most)
        return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass a whole number from 1 to %d", option->name, text,
                          most);
      *(long long *)option->value = value;
      return TOOL_OK;
    }
    case TOOL_SIZES:
      if (tool_sizes_read(text, option->value)) return TOOL_OK;
      return tool_error(
          TOOL_USAGE,
          "--%s is \"%s\"; pass a whole number from 1 to %d, or up to %d of them: a list \"1,2\" or "
          "a range \"1:4096:x2\" or \"128:1024:+128\"",
          option->name, text, INT32_MAX, TOOL_SIZES_MOST);
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

// Takes the option that stands at argv[*i]; *i is left at the last word that belongs to it.
static int parse_option(int argc, char **argv, const tool_option *options, size_t count, int *i) {
  const char *word = strcmp(argv[*i], "-h") == 0 ? "--help" : argv[*i];
  const tool_option *option = named_option(options, count, word, argv[0]);
  if (!option) return TOOL_USAGE;
  const char *equals = strchr(word, '=');
  const char *value = equals ? equals + 1 : NULL;
  if (option->kind == TOOL_FLAG && value)
    return tool_error(TOOL_USAGE, "--%s takes no value, but got \"%s\"; leave it out", option->name, value);
  if (option->kind == TOOL_OPTIONAL) return set_option(option, value ? value : "");
  if (option->kind != TOOL_FLAG && !value) {
    if (*i + 1 == argc)
      return tool_error(TOOL_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                        option->argument);
    value = argv[++*i];
  }
  return set_option(option, value);
}

static bool is_option(const char *word) { return word[0] == '-' && word[1]; }

int tool_options_parse(int argc, char **argv, const tool_option *options, size_t count,
                       const char **positional, size_t positional_max) {
  size_t positional_count = 0;
  for (int i = 1; i < argc; ++i) {
    if (is_option(argv[i])) {
      const int code = parse_option(argc, argv, options, count, &i);
      if (code) return code;
      continue;
    }
    if (positional_count == positional_max)
      return tool_error(TOOL_USAGE, "unexpected argument \"%s\"; see wavetile %s --help", argv[i], argv[0]);
    positional[positional_count++] = argv[i];
  }
  return TOOL_OK;
}

int tool_options_parse_leading(int argc, char **argv, const tool_option *options, size_t count, int *rest) {
  int i = 1;
  for (; i < argc && is_option(argv[i]); ++i) {
    if (strcmp(argv[i], "--") == 0) {
      ++i;
      break;
    }
    const int code = parse_option(argc, argv, options, count, &i);
    if (code) return code;
  }
  *rest = i;
  return TOOL_OK;
}

int tool_word(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; ++i)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

int tool_activation_word(const char *word) {
  static const char *const words[] = {"none", "relu", "gelu", "silu"};  // by wt_activation
  return tool_word(word, words, 4);
}
