// SPDX-License-Identifier: MIT
// Runs the cases of snippets.h.
#include "tests/check/snippets.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/exec/dispatch.h"

enum { MEMORY = 65536 };

static char found[4096];

const char *check_found(void) { return found; }

static void unwrite(sim_wave *w, uint32_t waves) {
  for (uint32_t i = 0; i < waves; ++i, ++w) {
    for (unsigned s = 0; s < SIM_VCC + 2; ++s) w->s[s] = SIM_UNWRITTEN;
    for (unsigned v = 0; v < 512; ++v)
      for (int l = 0; l < SIM_LANES; ++l) w->v[v][l] = SIM_UNWRITTEN;
    w->s[SIM_M0] = SIM_UNWRITTEN;
  }
}

void check_prepare(sim_wave *w, uint32_t waves, uint32_t group, void *memory) {
  const uint64_t address = (uint64_t)(uintptr_t)memory;
  for (uint32_t i = 0; i < waves; ++i, ++w) {
    for (unsigned s = 0; s < 16; ++s) w->s[s] = 0;
    sim_set_s64(w, 4, address);
    w->s[8] = (uint32_t)address;
    w->s[9] = (uint32_t)(address >> 32);
    w->s[10] = MEMORY;
    w->s[11] = 0x00020000;
    w->s[12] = i * 1024;
    w->s[13] = (i + 1) % waves * 1024;
    w->s[14] = group;
    for (uint32_t l = 0; l < SIM_LANES; ++l) {
      w->v[0][l] = l * 4;
      w->v[1][l] = l * 16;
    }
  }
}

static sim_check *run(isa_program *p, size_t number, const check_case *c, void *memory, sim_schedule schedule,
                      bool cooperative, sim_launch *launch) {
  const uint32_t waves = c->waves ? c->waves : 1, groups = c->groups ? c->groups : 1;
  sim_wave *w = isa_begin_waves(p, number, waves);
  *launch = *isa_group(p)->launch;
  launch->cooperative = cooperative;
  launch->grid[0] = groups;
  launch->block[0] = waves * SIM_LANES;
  launch->dynamic_lds = ISA_LDS_BYTES - launch->kernel->lds_bytes;
  sim_check *check = sim_check_create(launch);
  void *thread = check ? sim_check_observer.open(check) : NULL;
  if (!thread) {
    fprintf(stderr, "out of memory\n");
    exit(EXIT_FAILURE);
  }
  for (uint32_t group = 0; group < groups; ++group) {
    if (group) w = isa_begin_waves(p, number, waves);
    if (c->unwritten) unwrite(w, waves);
    check_prepare(w, waves, group, memory);
    sim_group *g = isa_group(p);
    sim_watch_group(g, SIM_SEAT_CHECK, &sim_check_observer, thread);
    g->schedule = schedule;
    g->index = g->id[0] = group;
    sim_check_observer.begin(thread, g);
    while (!sim_group_run(g)) continue;  // one that only polls is run on
    sim_check_observer.end(thread, g);
    const bool deadlock = c->kind == SIM_FINDING_DEADLOCK;
    CHECK((g->fault == SIM_FAULT_NONE) == !deadlock, "%s: %s", c->name, isa_report(p));
  }
  sim_check_observer.close(thread);
  return check;
}

// What is found does not depend on the schedule.
static const struct {
  const char *name;
  sim_schedule schedule;
} schedules[] = {{"late", SIM_LATE}, {"early", SIM_EARLY}, {"lockstep", SIM_LOCKSTEP}, {"timed", SIM_TIMED}};

static void compare(const char *target, const char *schedule, const check_case *c, sim_check *check) {
  const sim_finding *findings;
  const size_t count = sim_check_findings(check, &findings);
  bool right = true, named = !c->remedy;
  size_t used = 0;
  found[0] = 0;
  for (size_t i = 0; i < count; ++i) {
    const sim_finding *f = &findings[i];
    right &= (int)f->kind == c->kind;
    if (c->remedy && (strstr(f->remedy, c->remedy) || strstr(f->detail, c->remedy))) named = true;
    if (used < sizeof found)
      used += (size_t)snprintf(found + used, sizeof found - used, "\n  %s: %s; %s", sim_finding_name(f->kind),
                               f->detail, f->remedy);
  }
  if (c->kind == CHECK_CLEAN) {
    CHECK(count == 0, "%s on %s under %s is right, but:%s", c->name, target, schedule, found);
    return;
  }
  CHECK(count > 0, "%s on %s under %s: nothing is found", c->name, target, schedule);
  CHECK(count == 0 || right, "%s on %s under %s: not only %s is found:%s", c->name, target, schedule,
        sim_finding_name((sim_finding_kind)c->kind), found);
  CHECK(count == 0 || named, "%s on %s under %s: nothing says '%s':%s", c->name, target, schedule, c->remedy,
        found);
}

static void run_all(const char *target, const check_case *cases, size_t count, bool cooperative) {
  const char **code = calloc(count, sizeof *code);
  for (size_t i = 0; i < count; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, count);
  void *memory = isa_memory(p, MEMORY);
  for (size_t i = 0; i < count; ++i) {
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; ++s) {
      sim_launch launch;
      sim_check *check = run(p, i, &cases[i], memory, schedules[s].schedule, cooperative, &launch);
      compare(target, schedules[s].name, &cases[i], check);
      sim_check_free(check);
    }
  }
  isa_free(p);
  free(code);
}

void check_run(const char *target, const check_case *cases, size_t count) {
  run_all(target, cases, count, false);
}

void check_run_cooperative(const char *target, const check_case *cases, size_t count) {
  run_all(target, cases, count, true);
}
