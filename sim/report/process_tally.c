// SPDX-License-Identifier: MIT
// Adds up in a tally. A process that cannot open it says so once and goes on.
#include "sim/report/process_tally.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "sim/report/tally.h"
#include "sim/settings/environment.h"
#include "sim/settings/say.h"

static sim_tally *tally;  // NULL: nobody asked for one
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_tally(void) {
  const char *path = sim_env_text(SIM_ENV_TALLY);
  if (path) tally = sim_tally_open(path);
  if (path && !tally && errno != ENOENT)  // else whoever wanted to know has ended
    sim_say("WT_SIM_TALLY=%s: this is no tally of wavetile run: %s; leave the setting out", path,
            strerror(errno));
}

static sim_tally *get(void) {
  pthread_once(&once, open_tally);
  return tally;
}

void sim_tally_begin(void) {
  sim_tally *t = get();
  if (t) atomic_fetch_add(&t->processes, 1);
}

void sim_tally_launch(const sim_machine *machine, bool faulted, uint64_t instructions, uint64_t workgroups) {
  sim_tally *t = get();
  for (size_t i = 0; t && i < SIM_TALLY_CHIPS; ++i)
    if (sim_machine_at(i) && sim_machine_at(i)->chip == machine->chip) atomic_fetch_add(&t->launches[i], 1);
  if (!t) return;
  atomic_fetch_add(&t->faults, faulted);
  atomic_fetch_add(&t->instructions, instructions);
  atomic_fetch_add(&t->workgroups, workgroups);
}

void sim_tally_predicted(double seconds) {
  sim_tally *t = get();
  if (!t) return;
  atomic_fetch_add(&t->predicted, 1);
  atomic_fetch_add(&t->picoseconds, (uint64_t)(seconds * 1e12));
}

void sim_tally_finding(sim_finding_kind kind) {
  sim_tally *t = get();
  if (t) atomic_fetch_add(&t->found[sim_finding_class_of(kind)], 1);
}
