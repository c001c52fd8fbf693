// SPDX-License-Identifier: MIT
// Reads the list of known cliffs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_fields.h"
#include "bench/cliffs.h"
#include "core/tool.h"
#include "sim/machine/machine.h"

static const char header[] = "chip,sweep,from,to,reason";
enum { CHIP, SWEEP, FROM, TO, REASON, FIELDS };

// Cuts a line into its fields. Returns whether all are there and none is empty.
static bool split(char *line, char *field[FIELDS]) {
  if (!bench_fields_cut(line, ',', field, FIELDS)) return false;
  for (int i = 0; i < FIELDS; ++i)
    if (!*field[i]) return false;
  return true;
}

// Returns whether the two numbers follow each other in a sweep.
static bool are_neighbours(const cliff_sweep *sweep, const char *from, const char *to) {
  char pair[64], steps[512];
  snprintf(pair, sizeof pair, " %s %s ", from, to);
  snprintf(steps, sizeof steps, " %s ", sweep->steps);
  return strstr(steps, pair) != NULL;
}

static int read_line(const char *path, size_t number, char *line, cliff_reason *reason) {
  char *field[FIELDS];
  if (!split(line, field))
    return tool_error(
        TOOL_USAGE,
        "%s:%zu: a row has not the fields \"%s\"; write all of them, without commas in the reason", path,
        number, header);
  if (!sim_machine_find(field[CHIP]))
    return tool_error(TOOL_USAGE, "%s:%zu: the chip is \"%s\"; write mi355x or mi300x", path, number,
                      field[CHIP]);
  size_t i = 0;
  while (i < cliff_sweep_count && strcmp(cliff_sweeps[i].name, field[SWEEP]) != 0) ++i;
  if (i == cliff_sweep_count || !are_neighbours(&cliff_sweeps[i], field[FROM], field[TO]))
    return tool_error(
        TOOL_USAGE, "%s:%zu: no sweep \"%s\" goes from %s to %s; write a row of wavetile bench cliffs --list",
        path, number, field[SWEEP], field[FROM], field[TO]);
  *reason = (cliff_reason){.chip = field[CHIP],
                           .sweep = field[SWEEP],
                           .from = strtoll(field[FROM], NULL, 10),
                           .to = strtoll(field[TO], NULL, 10),
                           .reason = field[REASON]};
  return TOOL_OK;
}

int cliff_reasons_read(const char *path, char *text, cliff_reason **reasons, size_t *count) {
  size_t number = 0;
  int code = TOOL_OK;
  for (char *line = text, *next; *line && !code; line = next) {
    next = line + strcspn(line, "\n");
    if (*next) *next++ = 0;
    if (++number == 1 && strcmp(line, header) != 0)
      return tool_error(TOOL_USAGE, "%s: the first row is \"%.64s\"; it must be \"%s\"", path, line, header);
    if (number == 1) continue;
    cliff_reason *larger = realloc(*reasons, (*count + 1) * sizeof *larger);
    if (!larger) return tool_error(TOOL_FAILED, "out of host memory for the rows of %s", path);
    *reasons = larger;
    code = read_line(path, number, line, &larger[*count]);
    *count += !code;
  }
  return code;
}

const char *cliff_reason_of(const cliff_run *run, size_t point) {
  const cliff_point *at = &run->points[point];
  for (size_t i = 0; i < run->reason_count; ++i) {
    const cliff_reason *reason = &run->reasons[i];
    if (strcmp(reason->chip, run->chip) == 0 && strcmp(reason->sweep, at->sweep->name) == 0 &&
        reason->to == at->step && point > 0 && at[-1].sweep == at->sweep && reason->from == at[-1].step)
      return reason->reason;
  }
  return NULL;
}
