// SPDX-License-Identifier: MIT
// `wavetile --page`: the manual page and the completions of bash and zsh, from the same option tables and the
// same texts that --help prints.
#ifndef WT_TOOLS_PAGES_H
#define WT_TOOLS_PAGES_H

#include <stddef.h>
#include <stdio.h>

#include "core/tool.h"

typedef struct tool_subcommand {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;  // what it does, in a few words
} tool_subcommand;

// Writes a page to standard output: "man", "bash" or "zsh". Returns TOOL_OK, or reports and returns an exit
// code.
int tool_page(const char *kind, const tool_subcommand *subcommands, size_t count);

// ---- for the writers of the pages

typedef struct page_option {
  char *name, *argument, *help;  // the argument is NULL for flags
  tool_option_kind kind;
} page_option;

// What --help says about a subcommand. `word` is a first argument with an option table of its own, as in
// `wavetile bench sim`; "" for the subcommand itself.
typedef struct page_entry {
  const tool_subcommand *subcommand;
  char word[32];
  char *text;
  page_option *options;
  size_t option_count;
  char (*words)[32];  // the first arguments that the usage lines name: validate, sim
  size_t word_count;
} page_entry;

typedef struct page {
  page_entry *entries;
  size_t count;
} page;

void page_write_man(FILE *out, const page *p);
void page_write_bash(FILE *out, const page *p);
void page_write_zsh(FILE *out, const page *p);

#endif
