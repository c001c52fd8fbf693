// SPDX-License-Identifier: MIT
// Writes completions for bash and zsh: subcommands, their first words, their options, and files for the
// values.
#include <string.h>

#include "pages/pages.h"

// Says how a subcommand is told the program that it runs: after "--", as its first word without dashes, or
// not at all.
typedef enum program_place { NO_PROGRAM, AFTER_DASHES, FIRST_WORD } program_place;

static program_place place_of_program(const page_entry *e) {
  const char *program = strstr(e->text, " PROGRAM");
  if (!program) return NO_PROGRAM;
  return strstr(e->text, " -- PROGRAM") ? AFTER_DASHES : FIRST_WORD;
}

// Returns whether no earlier option of the subcommand's entries has the same name, so that each is listed
// once.
static bool is_first(const page *p, size_t entry, size_t option) {
  const page_entry *e = &p->entries[entry];
  for (size_t i = 0; i <= entry; ++i) {
    const page_entry *other = &p->entries[i];
    if (other->subcommand != e->subcommand) continue;
    const size_t end = i == entry ? option : other->option_count;
    for (size_t k = 0; k < end; ++k)
      if (strcmp(other->options[k].name, e->options[option].name) == 0) return false;
  }
  return true;
}

// Calls `print` for each option of the subcommand whose own entry is number `first`.
static void each_option(FILE *out, const page *p, size_t first,
                        void (*print)(FILE *out, const page_option *option)) {
  const tool_subcommand *s = p->entries[first].subcommand;
  for (size_t i = first; i < p->count && p->entries[i].subcommand == s; ++i)
    for (size_t k = 0; k < p->entries[i].option_count; ++k)
      if (is_first(p, i, k)) print(out, &p->entries[i].options[k]);
}

static bool is_subcommand(const page *p, size_t i) { return !*p->entries[i].word; }

// ---- bash

static void print_name(FILE *out, const page_option *o) { fprintf(out, " --%s", o->name); }

static void print_if_valued(FILE *out, const page_option *o) {
  if (o->argument && o->kind != TOOL_OPTIONAL) fprintf(out, " --%s", o->name);
}

void page_write_bash(FILE *out, const page *p) {
  static const char *const place_names[] = {
      [NO_PROGRAM] = "", [AFTER_DASHES] = "after_dashes", [FIRST_WORD] = "first_word"};
  fputs(
      "# Completion of wavetile for bash. Written by wavetile --page bash.\n"
      "_wavetile() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words='' options='' "
      "valued='' "
      "programs='' program='' i\n"
      "  COMPREPLY=()\n"
      "  case ${COMP_WORDS[1]} in\n",
      out);
  for (size_t i = 0; i < p->count; ++i) {
    const page_entry *e = &p->entries[i];
    if (!is_subcommand(p, i)) continue;
    fprintf(out, "    %s)\n      words='", e->subcommand->name);
    for (size_t w = 0; w < e->word_count; ++w) fprintf(out, " %s", e->words[w]);
    fputs("'\n      options='", out);
    each_option(out, p, i, print_name);
    fputs("'\n      valued='", out);
    each_option(out, p, i, print_if_valued);
    fprintf(out, "'\n      programs=%s ;;\n", place_names[place_of_program(e)]);
  }
  fputs("  esac\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '--help --version --page",
        out);
  for (size_t i = 0; i < p->count; ++i)
    if (is_subcommand(p, i)) fprintf(out, " %s", p->entries[i].subcommand->name);
  fputs(
      "' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"${COMP_WORDS[1]}\" = --page ]; then words='man bash zsh'; fi\n"
      "  for ((i = 2; i < COMP_CWORD; ++i)); do\n"
      "    case $programs:${COMP_WORDS[i]} in\n"
      "      after_dashes:--) program=$((i + 1)) ;;\n"
      "      first_word:-* | first_word:=) ;;\n"
      "      first_word:*) if [[ \" $valued \" != *\" ${COMP_WORDS[i-1]} \"* && ${COMP_WORDS[i-1]} != = ]]; "
      "then program=$i; fi ;;\n"
      "    esac\n"
      "    if [ \"$program\" ]; then break; fi\n"
      "  done\n"
      "  if [ \"$programs\" = first_word ] && [ -z \"$program\" ] && [[ $word != -* && $word != = ]] &&\n"
      "    [[ \" $valued \" != *\" $before \"* && $before != = ]]; then program=$COMP_CWORD; fi\n"
      "  if [ \"$program\" ]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    if [ \"$program\" = \"$COMP_CWORD\" ]; then COMPREPLY=($(compgen -c -- \"$word\")); fi\n"
      "    COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if [ \"$word\" = = ]; then before=${COMP_WORDS[COMP_CWORD-1]} word=''; fi\n"
      "  if [[ \" $valued \" == *\" $before \"* ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    if [ \"$COMP_CWORD\" = 2 ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi\n"
      "    if [ -z \"${COMPREPLY[*]}\" ]; then\n"
      "      compopt -o filenames 2>/dev/null\n"
      "      COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "    fi\n"
      "  fi\n"
      "}\n"
      "complete -F _wavetile wavetile\n",
      out);
}

// ---- zsh

// Text within single quotes, in which _arguments and _describe know no special characters.
static void print_quoted(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '\'')
      fputs("'\\''", out);
    else if (strchr(":[]\\", *text))
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
}

// Writes the values of "[=fail|strict]" as zsh lists them: (fail strict).
static void print_values(FILE *out, const char *argument) {
  fputs("::value:(", out);
  for (const char *c = argument + strspn(argument, "[="); *c && *c != ']'; ++c)
    fputc(*c == '|' ? ' ' : *c, out);
  fputc(')', out);
}

static void print_spec(FILE *out, const page_option *o) {
  const bool optional = o->kind == TOOL_OPTIONAL;
  fprintf(out, " \\\n        '--%s%s[", o->name, optional ? "=-" : o->argument ? "=" : "");
  print_quoted(out, o->help);
  fputc(']', out);
  if (optional) {
    print_values(out, o->argument);
  } else if (o->argument) {
    fputc(':', out);
    print_quoted(out, o->argument);
    fputs(":_files", out);
  }
  fputc('\'', out);
}

void page_write_zsh(FILE *out, const page *p) {
  fputs(
      "#compdef wavetile\n"
      "# Completion of wavetile for zsh. Written by wavetile --page zsh.\n"
      "_wavetile() {\n"
      "  local -a subcommands\n"
      "  subcommands=(\n",
      out);
  for (size_t i = 0; i < p->count; ++i) {
    if (!is_subcommand(p, i)) continue;
    fprintf(out, "    '%s:", p->entries[i].subcommand->name);
    print_quoted(out, p->entries[i].subcommand->help);
    fputs("'\n", out);
  }
  fputs(
      "  )\n"
      "  if [[ $words[2] == --page && CURRENT -eq 3 ]]; then\n"
      "    _values page man bash zsh\n"
      "    return\n"
      "  fi\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe subcommand subcommands\n"
      "    _arguments '--help[list the subcommands]' '--version[print the version]' "
      "'--page[write the manual page or a completion]'\n"
      "    return\n"
      "  fi\n"
      "  local subcommand=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $subcommand in\n",
      out);
  for (size_t i = 0; i < p->count; ++i) {
    const page_entry *e = &p->entries[i];
    if (!is_subcommand(p, i)) continue;
    const bool program = place_of_program(e) != NO_PROGRAM;
    fprintf(out, "    %s)\n      _arguments%s", e->subcommand->name, program ? " -S" : "");
    each_option(out, p, i, print_spec);
    if (e->word_count) {
      fputs(" \\\n        '1:word:(", out);
      for (size_t w = 0; w < e->word_count; ++w) fprintf(out, "%s%s", w ? " " : "", e->words[w]);
      fputs(")'", out);
    }
    fputs(program ? " \\\n        '*::program:_normal' ;;\n" : " \\\n        '*:file:_files' ;;\n", out);
  }
  fputs("  esac\n}\n_wavetile \"$@\"\n", out);
}
