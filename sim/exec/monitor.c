// SPDX-License-Identifier: MIT
#include "sim/exec/monitor.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "sim/settings/environment.h"
#include "sim/settings/say.h"

enum { SECONDS = 5 };
// These count the instructions between two looks, and between the looks that find the loop.
enum { SHARE = 1 << 20, SAMPLE = 211, SAMPLES = 64 };

static _Atomic int running;  // launches
static volatile sig_atomic_t interrupted;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void end_process(void) {
  signal(SIGINT, SIG_DFL);
  kill(getpid(), SIGINT);
}

// The launch tells about itself first; nothing holds up a second Ctrl-C.
static void on_interrupt(int number) {
  (void)number;
  if (interrupted || !running) end_process();
  interrupted = 1;
}

// A program that handles the signal itself keeps its handler.
static void watch_interrupts(void) {
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0 || now.sa_handler != SIG_DFL) return;
  sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, NULL);
}

void sim_monitor_begin(sim_monitor *m, const sim_launch *launch) {
  *m = (sim_monitor){.launch = launch, .begun = seconds()};
  m->wanted = isatty(STDERR_FILENO) || sim_env_choice(SIM_ENV_PROGRESS, 0);
  ++running;
  if (m->wanted) watch_interrupts();
}

void sim_monitor_end(sim_monitor *m) {
  (void)m;
  --running;
  if (interrupted) end_process();
}

void sim_monitor_count(sim_monitor *m, const sim_group *g) {
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < g->wave_count; ++i) instructions += g->waves[i].instructions;
  m->instructions += instructions;
  ++m->ended;
}

static void say(sim_monitor *m, const sim_group *g) {
  const sim_op *ops = g->program->ops;
  uint64_t instructions = m->instructions, begins;
  const uint64_t first = ops[g->loop_begin].offset, last = ops[g->loop_end].offset;
  for (uint32_t i = 0; i < g->wave_count; ++i) instructions += g->waves[i].instructions;
  const char *function = sim_function_at(m->launch, first, &begins);
  sim_say(
      "kernel %s %s after %.0f seconds: %llu of %llu work-groups have ended, %llu instructions have been "
      "executed; work-group (%u,%u,%u) is between %s+0x%llx and +0x%llx%s",
      m->launch->kernel->name, interrupted ? "was interrupted" : "is still running", seconds() - m->begun,
      (unsigned long long)m->ended, (unsigned long long)sim_launch_groups(m->launch),
      (unsigned long long)instructions, g->id[0], g->id[1], g->id[2], function,
      (unsigned long long)(first - begins), (unsigned long long)(last - begins),
      g->idle_polls ? ", where it polls memory that nobody has changed" : "");
}

uint64_t sim_monitor_look(sim_wave *w) {
  sim_group *g = w->group;
  sim_monitor *m = g->monitor;
  if (!m || !m->wanted) return SHARE;
  if (!g->samples) {
    if (!interrupted && (m->said || seconds() - m->begun < SECONDS)) return SHARE;
    g->samples = SAMPLES;
    g->loop_begin = g->loop_end = w->pc;
    return SAMPLE;
  }
  if (w->pc < g->loop_begin) g->loop_begin = w->pc;
  if (w->pc > g->loop_end) g->loop_end = w->pc;
  if (--g->samples) return SAMPLE;
  if (!atomic_exchange(&m->said, true) || interrupted) say(m, g);
  if (interrupted) end_process();
  return SHARE;
}
