// SPDX-License-Identifier: MIT
// Collects findings, one for each kind and place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/state.h"

static const struct {
  const char *name;
  sim_finding_class class;
} kinds[SIM_FINDING_KINDS] = {
    [SIM_FINDING_READ_BEFORE_WAIT] = {"read-before-wait", SIM_FOUND_ERROR},
    [SIM_FINDING_OVERWRITE_PENDING] = {"overwrite-while-pending", SIM_FOUND_ERROR},
    [SIM_FINDING_SOURCE_OVERWRITTEN] = {"store-source-overwritten", SIM_FOUND_ERROR},
    [SIM_FINDING_WAIT_STATES] = {"wait-states", SIM_FOUND_ERROR},
    [SIM_FINDING_LDS_BEFORE_WAIT] = {"lds-before-wait", SIM_FOUND_ERROR},
    [SIM_FINDING_LDS_RACE] = {"lds-race", SIM_FOUND_ERROR},
    [SIM_FINDING_GLOBAL_RACE] = {"global-race", SIM_FOUND_ERROR},
    [SIM_FINDING_UNINITIALISED] = {"uninitialised", SIM_FOUND_ERROR},
    [SIM_FINDING_BARRIER] = {"barrier-mismatch", SIM_FOUND_ERROR},
    [SIM_FINDING_DEADLOCK] = {"deadlock", SIM_FOUND_ERROR},
    [SIM_FINDING_M0] = {"m0", SIM_FOUND_ERROR},
    [SIM_FINDING_LEAK] = {"leak", SIM_FOUND_ERROR},
    [SIM_FINDING_TIMING] = {"timing-dependent", SIM_FOUND_TIMING},
    [SIM_FINDING_TABLE] = {"table", SIM_FOUND_TABLE},
    [SIM_FINDING_RANGE] = {"range-reading", SIM_FOUND_READING},
};

const char *sim_finding_name(sim_finding_kind kind) { return kinds[kind].name; }
sim_finding_class sim_finding_class_of(sim_finding_kind kind) { return kinds[kind].class; }

const char *sim_finding_class_name(sim_finding_class class) {
  static const char *const names[SIM_FOUND_CLASSES] = {"error", "timing", "table", "reading"};
  return names[class];
}

static bool same_place(const sim_finding *a, const sim_finding *b) {
  return a->kind == b->kind && a->op == b->op && a->other == b->other;
}

static sim_finding *append(sim_finding **list, size_t *count, size_t *capacity, const sim_finding *f) {
  if (*count == *capacity) {
    size_t larger = *capacity ? 2 * *capacity : 16;
    sim_finding *grown = realloc(*list, larger * sizeof *grown);
    if (!grown) return NULL;
    *list = grown;
    *capacity = larger;
  }
  (*list)[*count] = *f;
  return &(*list)[(*count)++];
}

sim_finding *sim_find(sim_wave *w, sim_finding_kind kind, uint32_t op, uint32_t other, int lane) {
  sim_check_group *g = sim_check_group_of(w->group);
  sim_finding found = {.kind = kind,
                       .op = op,
                       .other = other,
                       .count = 1,
                       .group = w->group->index,
                       .id = {w->group->id[0], w->group->id[1], w->group->id[2]},
                       .wave = w->id,
                       .lane = lane};
  for (size_t i = 0; i < g->finding_count; ++i)
    if (same_place(&g->findings[i], &found)) {
      ++g->findings[i].count;
      return NULL;
    }
  sim_finding *added = append(&g->findings, &g->finding_count, &g->finding_capacity, &found);
  if (!added) g->incomplete = true;
  return added;
}

// Sums are the same whichever thread ran which work-group, and the earliest work-group is named.
static void merge(sim_check *check, const sim_finding *f) {
  for (size_t i = 0; i < check->finding_count; ++i) {
    sim_finding *known = &check->findings[i];
    if (!same_place(known, f)) continue;
    uint64_t count = known->count + f->count;
    if (f->group < known->group) *known = *f;
    known->count = count;
    return;
  }
  if (!append(&check->findings, &check->finding_count, &check->finding_capacity, f)) check->incomplete = true;
}

void sim_check_close(void *state) {
  sim_check_group *g = state;
  if (!g) return;
  sim_check *check = g->check;
  pthread_mutex_lock(&check->lock);
  for (size_t i = 0; i < g->finding_count; ++i) merge(check, &g->findings[i]);
  check->incomplete |= g->incomplete;
  check->flags |= g->flags;
  pthread_mutex_unlock(&check->lock);
  free(g->findings);
  free(g->waves);
  free(g->lds);
  free(g->verified);
  free(g->verified_next);
  free(g);
}

static int by_place(const void *a, const void *b) {
  const sim_finding *x = a, *y = b;
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return (x->other > y->other) - (x->other < y->other);
}

// Where waves wait for flags in LDS, accesses that no barrier orders may be ordered by the flags.
static void spare_flags(sim_check *check) {
  for (size_t i = 0; check->flags && i < check->finding_count; ++i) {
    sim_finding *f = &check->findings[i];
    if (f->kind != SIM_FINDING_LDS_RACE) continue;
    f->kind = SIM_FINDING_TIMING;
    snprintf(f->remedy, sizeof f->remedy,
             "the kernel's waves wait for flags in LDS: see that one orders these, or take s_barrier");
  }
}

size_t sim_check_findings(sim_check *check, const sim_finding **findings) {
  spare_flags(check);
  if (check->finding_count) qsort(check->findings, check->finding_count, sizeof *check->findings, by_place);
  *findings = check->findings;
  return check->finding_count;
}
