// SPDX-License-Identifier: MIT
// Prints the user's source file with the predicted cycles of its lines, as text.
#include <stdio.h>

#include "core/tool.h"
#include "prof_source.h"

enum { CONTEXT = 2, TEXT_COLUMN = 34 };  // lines without instructions that are shown between others

static void print_line(const prof_line *line, double waves, double all, const char *text) {
  char why[64], idle[16] = "";
  double lost[WT_SIM_STALLS];
  for (int i = 0; i < WT_SIM_STALLS; ++i) lost[i] = line->stall[i] / waves;
  prof_causes_text(lost, why, sizeof why);
  if (line->idle >= 0.05) snprintf(idle, sizeof idle, "%.1f", line->idle);
  printf("  %6u %10.1f %5.1f%% %6s  ", line->line, line->cycles / waves, prof_percent(line->cycles, all),
         idle);
  prof_print_row(TEXT_COLUMN, text, why);
}

static void print_between(const prof_text_file *text, uint32_t from, uint32_t to) {
  if (to > from + CONTEXT) {
    printf("  %6s\n", "...");
    return;
  }
  for (uint32_t n = from; n < to && n <= text->count; ++n) {
    printf("  %6u %26s", n, "");
    prof_print_row(TEXT_COLUMN, text->lines[n - 1], "");
  }
}

void prof_print_source(const prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  prof_sources sources = prof_find_sources(l);
  if (!sources.count) {
    static const char none[] =
        "the code has no line tables; compile the program with -g or -gline-tables-only to see its lines";
    printf("  source      ");
    tool_print_wrapped(none, sizeof none - 1, 14);
    return;
  }
  const prof_file *file = &sources.files[sources.own];
  prof_text_file text = prof_read_text(file->path);
  printf("  source      %s%s\n", prof_short_path(file->path), text.count ? "" : " (cannot be read)");
  printf(
      "  cycles:     of a wave, mean: the slots of a line's instructions and what the wave lost before them, "
      "with\n"
      "              those of functions inlined there; %.1f%% of all fall on lines of this file\n",
      prof_percent(file->cycles, sources.cycles));
  printf("  %6s %10s %6s %6s  %-40s  %s\n", "line", "cycles", "share", "idle", "source", "lost to");
  for (size_t i = 0; i < file->count; ++i) {
    const prof_line *line = &file->lines[i];
    if (i && line->line > line[-1].line + 1) print_between(&text, line[-1].line + 1, line->line);
    print_line(line, (double)l->facts.result.waves, sources.cycles,
               line->line <= text.count ? text.lines[line->line - 1] : "");
  }
  prof_free_text(&text);
  prof_free_sources(&sources);
}
