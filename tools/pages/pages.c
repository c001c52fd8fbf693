// SPDX-License-Identifier: MIT
// Asks every subcommand for its --help and keeps what it says, for the writers of the pages.
#include "pages/pages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct collector {
  page_entry *entry;
  bool no_memory;
} collector;

static char *copy(collector *c, const char *text) {
  char *made = text ? strdup(text) : NULL;
  c->no_memory |= text && !made;
  return made;
}

// This is called by core/help.c in place of printing. It puts together what a subcommand says in several
// parts.
static void take_help(void *to, const char *text, const tool_option *options, size_t count) {
  collector *c = to;
  page_entry *e = c->entry;
  char *joined = NULL;
  if (asprintf(&joined, "%s%s", e->text ? e->text : "", text) < 0) joined = NULL;
  page_option *more = realloc(e->options, (e->option_count + count) * sizeof *more);
  if (more) e->options = more;
  if (!joined || !more) {
    free(joined);
    c->no_memory = true;
    return;
  }
  free(e->text);
  e->text = joined;
  for (size_t i = 0; i < count; ++i)
    e->options[e->option_count++] = (page_option){copy(c, options[i].name), copy(c, options[i].argument),
                                                  copy(c, options[i].help), options[i].kind};
}

static void free_entry(page_entry *e) {
  for (size_t i = 0; i < e->option_count; ++i) {
    free(e->options[i].name);
    free(e->options[i].argument);
    free(e->options[i].help);
  }
  free(e->options);
  free(e->words);
  free(e->text);
}

// ---- the usage lines

static bool add_word(page_entry *e, const char *text, size_t length) {
  char word[sizeof *e->words];
  if (length >= sizeof word) return true;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  for (size_t i = 0; i < e->word_count; ++i)
    if (strcmp(e->words[i], word) == 0) return true;
  void *more = realloc(e->words, (e->word_count + 1) * sizeof *e->words);
  if (!more) return false;
  e->words = more;
  memcpy(e->words[e->word_count++], word, sizeof word);
  return true;
}

// The words in small letters that stand behind the subcommand's name in the lines "wavetile NAME word ...".
static bool find_words(page_entry *e) {
  char start[64];
  const int length = snprintf(start, sizeof start, "wavetile %s ", e->subcommand->name);
  for (const char *line = e->text; *line;) {
    const size_t end = strcspn(line, "\n");
    const char *at = strstr(line, start);
    const bool usage = strncmp(line, "usage:", 6) == 0 || *line == ' ';
    if (usage && at && at < line + end) {
      at += length;
      size_t letters = 0;
      while (islower((unsigned char)at[letters])) ++letters;
      if (letters && strchr(" \n", at[letters]) && !add_word(e, at, letters)) return false;
    }
    line += end + (line[end] == '\n');
  }
  return true;
}

// ---- all subcommands

// Keeps the --help of a subcommand, or of a word after it. A word without a help of its own says what its
// subcommand said, and gets no entry. Returns TOOL_OK, or reports and returns TOOL_FAILED.
static int ask(page *p, const tool_subcommand *s, const char *word) {
  page_entry *more = realloc(p->entries, (p->count + 1) * sizeof *more);
  if (!more) return tool_error(TOOL_FAILED, "host memory ran out");
  p->entries = more;
  page_entry *e = &p->entries[p->count];
  *e = (page_entry){.subcommand = s};
  snprintf(e->word, sizeof e->word, "%s", word);
  char name[64], first[32], help[] = "--help";
  snprintf(name, sizeof name, "%s", s->name);
  snprintf(first, sizeof first, "%s", word);
  char *argv[] = {name, *word ? first : help, *word ? help : NULL, NULL};
  collector c = {.entry = e};
  tool_help_take(take_help, &c);
  const int code = s->run(*word ? 3 : 2, argv);
  tool_help_take(NULL, NULL);
  const page_entry *parent = *word ? &p->entries[p->count - 1] : NULL;
  while (parent && *parent->word) --parent;
  const bool same = parent && e->text && strcmp(parent->text, e->text) == 0;
  if (!code && !c.no_memory && e->text && !same && find_words(e)) {
    ++p->count;
    return TOOL_OK;
  }
  free_entry(e);
  if (same && !code && !c.no_memory) return TOOL_OK;
  return tool_error(TOOL_FAILED, "wavetile %s %s--help gives no page", s->name, *word ? first : "");
}

static int collect(page *p, const tool_subcommand *subcommands, size_t count) {
  int code = TOOL_OK;
  for (size_t i = 0; i < count && !code; ++i) {
    code = ask(p, &subcommands[i], "");
    const size_t own = p->count - 1;
    for (size_t w = 0; !code && w < p->entries[own].word_count; ++w) {
      char word[sizeof *p->entries->words];
      memcpy(word, p->entries[own].words[w], sizeof word);
      code = ask(p, &subcommands[i], word);
    }
  }
  return code;
}

int tool_page(const char *kind, const tool_subcommand *subcommands, size_t count) {
  static const struct {
    const char *kind;
    void (*write)(FILE *out, const page *p);
  } writers[] = {{"man", page_write_man}, {"bash", page_write_bash}, {"zsh", page_write_zsh}};
  void (*write)(FILE *out, const page *p) = NULL;
  for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i)
    if (strcmp(kind, writers[i].kind) == 0) write = writers[i].write;
  if (!write) return tool_error(TOOL_USAGE, "--page is \"%s\"; pass man, bash or zsh", kind);
  // What subcommands print besides is no part of a page.
  FILE *terminal = stdout, *nothing = fopen("/dev/null", "w");
  if (!nothing) return tool_error(TOOL_FAILED, "/dev/null cannot be opened");
  stdout = nothing;
  page p = {.count = 0};
  const int code = collect(&p, subcommands, count);
  stdout = terminal;
  fclose(nothing);
  if (!code) write(stdout, &p);
  for (size_t i = 0; i < p.count; ++i) free_entry(&p.entries[i]);
  free(p.entries);
  return code;
}
