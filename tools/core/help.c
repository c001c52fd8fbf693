// SPDX-License-Identifier: MIT
// Help texts, wrapped to the width of the terminal.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool.h"

enum {
  NO_TERMINAL = 100,  // columns where the output goes to a file or a pipe
  FEWEST = 40,        // a narrower terminal breaks the lines itself
  NARROW = 70,
  HELP_COLUMN = 25,  // where the descriptions of options begin
  NARROW_COLUMN = 6  // the same on a narrow terminal
};

int tool_columns(void) {
  const char *wanted = getenv("COLUMNS");
  struct winsize size;
  char *end = NULL;
  long columns = wanted ? strtol(wanted, &end, 10) : 0;
  if (!wanted || end == wanted || *end || columns < 1 || columns > INT_MAX)
    columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : NO_TERMINAL;
  return columns < FEWEST ? FEWEST : (int)columns;
}

int tool_columns_left(int column) {
  if (!isatty(STDOUT_FILENO)) return INT_MAX;
  const int left = tool_columns() - column;
  return left > 8 ? left : 8;
}

void tool_print_wrapped(const char *text, size_t length, int column) {
  const int columns = tool_columns();
  const char *end = text + length;
  int at = column;
  while (text < end) {
    const char *space = memchr(text, ' ', (size_t)(end - text));
    const int word = (int)((space ? space : end) - text);
    if (at > column && at + 1 + word > columns) {
      printf("\n%*s", column, "");
      at = column;
    } else if (at > column) {
      putchar(' ');
      ++at;
    }
    printf("%.*s", word, text);
    at += word;
    text += word + (space != NULL);
  }
  putchar('\n');
}

void tool_options_help(const tool_option *options, size_t count) {
  const int column = tool_columns() < NARROW ? NARROW_COLUMN : HELP_COLUMN;
  for (size_t i = 0; i < count; ++i) {
    const char *argument = options[i].argument ? options[i].argument : "";
    const char *space = *argument && options[i].kind != TOOL_OPTIONAL ? " " : "";
    const int used = printf("  --%s%s%s", options[i].name, space, argument);
    if (!*options[i].help) {
      putchar('\n');
      continue;
    }
    if (used < column - 1)  // two spaces at least
      printf("%*s", column - used, "");
    else
      printf("\n%*s", column, "");
    tool_print_wrapped(options[i].help, strlen(options[i].help), column);
  }
}

static tool_help_taker *taker;
static void *taker_to;

void tool_help_take(tool_help_taker *take, void *to) {
  taker = take;
  taker_to = to;
}

void tool_help(const char *text, const tool_option *options, size_t count) {
  static const char usage[] = "usage: ";
  if (taker) {
    taker(taker_to, text, options, count);
    return;
  }
  while (*text) {
    const size_t length = strcspn(text, "\n"), label = sizeof usage - 1;
    // Lines that are indented, as those after "usage:", go on where they begin.
    const size_t indent = strncmp(text, usage, label) == 0 ? label : strspn(text, " ");
    printf("%.*s", (int)indent, text);
    tool_print_wrapped(text + indent, length - indent, (int)indent);
    text += length + (text[length] == '\n');
  }
  putchar('\n');
  tool_options_help(options, count);
}
