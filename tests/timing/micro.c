// SPDX-License-Identifier: MIT
// Traces a snippet while it executes, and replays it.
#include "tests/timing/micro.h"

#include <stdio.h>
#include <stdlib.h>

sim_timing_result micro_run(const char *target, const char *code, uint32_t waves, micro_setup setup) {
  isa_program *p = isa_assemble(target, &code, 1);
  sim_wave *w = isa_begin_waves(p, 0, waves);
  sim_group *g = isa_group(p);
  sim_group_trace trace;
  sim_trace_begin(&trace, waves);
  for (uint32_t i = 0; i < waves; ++i) {
    trace.waves[i].first = w[i].pc;
    if (setup) setup(&w[i]);
  }
  g->trace = &trace;
  g->lds_counts = calloc(g->program->op_count + 1u, sizeof *g->lds_counts);
  CHECK_RUN(p);
  sim_timing_plan plan = {.dies = 1, .count = 1, .groups = &trace};
  sim_launch launch = *g->launch;
  launch.timing = &plan;
  sim_timing_result result;
  sim_timing_run(&launch, NULL, &result);
  CHECK(result.valid, "%s: no prediction", code);
  free(g->lds_counts);
  sim_trace_free(&trace);
  isa_free(p);
  return result;
}

double micro_cycles(const char *target, const char *before, const char *body, const char *after,
                    uint32_t times, uint32_t waves, micro_setup setup) {
  double cycles[2];
  for (uint32_t i = 0; i < 2; ++i) {
    char code[2048];
    snprintf(code, sizeof code, "%s\n.rept %u\n%s\n.endr\n%s", before, times * (i + 1), body, after);
    cycles[i] = micro_run(target, code, waves, setup).cycles;
  }
  return (cycles[1] - cycles[0]) / times;
}
