// SPDX-License-Identifier: MIT
// Writes the line at the end: device, schedule, launches, instructions, predicted time, findings.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "sim/machine/machine.h"
#include "sim/settings/environment.h"

typedef struct line {
  char text[1024];
  size_t used;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
  va_end(args);
  if (n > 0) l->used += (size_t)n;
  if (l->used >= sizeof l->text) l->used = sizeof l->text - 1;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void add_time(line *l, double seconds) {
  static const struct {
    double least, scale;
    const char *unit;
  } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
  int i = 0;
  while (seconds < units[i].least) ++i;
  add(l, "%.4g %s", seconds * units[i].scale, units[i].unit);
}

static uint64_t add_devices(line *l, const sim_tally *t) {
  uint64_t launches = 0;
  const char *before = "";
  for (size_t i = 0; i < SIM_TALLY_CHIPS && sim_machine_at(i); ++i) {
    if (!t->launches[i]) continue;
    add(l, "%s%s (%s)", before, sim_machine_at(i)->name, sim_machine_at(i)->target);
    before = " and ";
    launches += t->launches[i];
  }
  return launches;
}

static void add_findings(line *l, const sim_tally *t) {
  const unsigned long long errors = t->found[SIM_FOUND_ERROR], timings = t->found[SIM_FOUND_TIMING],
                           table = t->found[SIM_FOUND_TABLE], readings = t->found[SIM_FOUND_READING];
  if (!sim_env_choice(SIM_ENV_CHECK, 0)) return;
  add(l, "; check mode found %llu error%s and %llu place%s that depend%s on timing", errors, plural(errors),
      timings, plural(timings), timings == 1 ? "s" : "");
  if (table) add(l, ", %llu where only the manual's table asks for more", table);
  if (readings) add(l, ", and %llu on how ranges of buffers are read", readings);
}

static void add_launches(line *l, const sim_tally *t, uint64_t launches) {
  const char *schedule = sim_env_text(SIM_ENV_SCHEDULE);
  const unsigned long long predicted = t->predicted, faults = t->faults;
  add(l, ", schedule %s: %llu launch%s, %llu work-group%s, %llu wave-instruction%s",
      schedule ? schedule : "late", (unsigned long long)launches, launches == 1 ? "" : "es",
      (unsigned long long)t->workgroups, plural(t->workgroups), (unsigned long long)t->instructions,
      plural(t->instructions));
  if (predicted) {
    add(l, "; predicted ");
    add_time(l, (double)t->picoseconds * 1e-12);
    if (predicted < launches) add(l, " for %llu of them", predicted);
    add(l, ", not measured");
  }
  if (faults) add(l, "; %llu launch%s failed", faults, faults == 1 ? "" : "es");
  add_findings(l, t);
}

void run_tell(const run_options *o, const sim_tally *t) {
  line l = {.used = 0};
  if (o->quiet) return;
  add(&l, "wavetile run: ");
  if (!t) {
    add(&l, "%s of ROCm's runtime; nothing was simulated", o->device);
  } else if (!t->processes) {
    add(&l,
        "%s made no HIP call on a simulated device; if it should have, see with \"ldd %s\" whether it loads "
        "another HIP runtime",
        o->program[0], o->program[0]);
  } else {
    const uint64_t launches = add_devices(&l, t);
    if (launches)
      add_launches(&l, t, launches);
    else
      add(&l, "%s launched no kernel on a simulated device", o->program[0]);
  }
  fprintf(stderr, "%s\n", l.text);
}
