// SPDX-License-Identifier: MIT
// Reports accesses of LDS that come in no order.
#include <stdio.h>

#include "sim/check/lds_access.h"

enum {
  // So many instructions between two accesses make the order of waves in step count as meant: they take a
  // wave 256 cycles at least, the latency of LDS several times over. Where a barrier was forgotten, some of
  // the accesses are mostly closer.
  STEP_MARGIN = 64
};

// Loops around compare-and-swap read first what they then compare, by a load that looks like any other.
static bool compares(const sim_op *op) { return op->info->facts & SIM_ROW_COMPARES; }

// Returns how many instructions the accesses are away at least.
static uint32_t away(const sim_lds_sight *s, sim_span span) {
  return s->position > span.last    ? s->position - span.last
         : s->position < span.first ? span.first - s->position
                                    : 0;
}

// This is right only in step; `here` and `there` say what becomes of the byte by this access and by the other
// wave's.
static void explain_step(sim_lds_sight *s, uint32_t other, int lane, uint32_t dword, const char *here,
                         const char *there, unsigned wave, uint32_t margin) {
  if (s->told_step) return;
  s->told_step = true;
  sim_finding *found = sim_find(s->w, SIM_FINDING_TIMING, s->index, other, lane);
  if (!found) return;
  char condition[96] = "the waves are so nearly in step that the read comes before the data from memory";
  if (margin) snprintf(condition, sizeof condition, "no wave gets %u instructions ahead of another", margin);
  snprintf(found->detail, sizeof found->detail,
           "LDS byte 0x%x is %s by wave %u and, with no barrier between, %s by wave %u: right only if %s",
           dword * 4, here, s->w->id, there, wave, condition);
  snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
}

void sim_lds_explain_write(sim_lds_sight *s, uint64_t word, int lane, uint32_t dword) {
  sim_wave *w = s->w;
  const sim_check_group *g = sim_check_group_of(w->group);
  const unsigned writer = word >> WRITER_SHIFT & WRITER_MASK, wave = writer / PATHS;
  const sim_lds_path how = (sim_lds_path)(writer % PATHS);
  const uint32_t serial = (uint32_t)word & SERIAL_MASK, other = (uint32_t)(word >> WRITE_OP_SHIFT);
  const sim_queue_state *q = &g->waves[wave].queue[sim_lds_queue_of(how)];
  if (!s->writes && compares(&w->group->program->ops[other])) return;
  const char *what = how == PATH_COPY ? "copy" : "write";
  const bool own = wave == w->id, waited = serial > q->released_issue;
  const sim_span there = g->lds[dword].written_at;
  if (how == PATH_COPY && !own && waited && !s->writes && s->position < there.last) {
    explain_step(s, other, lane, dword, "read", "overwritten by a copy", wave, 0);
    return;
  }
  const uint32_t margin = how == PATH_DS && s->how == PATH_DS && !own && waited ? away(s, there) : 0;
  if (margin >= STEP_MARGIN) {
    explain_step(s, other, lane, dword, s->writes ? "written" : "read", "written", wave, margin);
    return;
  }
  if (s->told_write) return;
  s->told_write = true;
  sim_finding *found =
      sim_find(w, own || !waited ? SIM_FINDING_LDS_BEFORE_WAIT : SIM_FINDING_LDS_RACE, s->index, other, lane);
  if (!found) return;
  const char *verb = s->writes ? "written" : "read";
  if (own) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s while a %s of this wave to it may be in flight", dword * 4, verb, what);
    // A FLAT instruction is in the queue of the copies itself by now.
    sim_counters_remedy(&g->waves[wave], sim_lds_queue_of(how), serial + (s->how == PATH_FLAT), found->remedy,
                        sizeof found->remedy);
  } else if (!waited) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s while a %s of wave %u to it may be in flight: it did not wait for it "
             "before the last "
             "barrier",
             dword * 4, verb, what, wave);
    const uint32_t later = how == PATH_FLAT ? 0 : q->released_issue - serial;
    if (how == PATH_COPY)
      snprintf(found->remedy, sizeof found->remedy,
               "s_waitcnt vmcnt(%u) is needed before the writer's s_barrier", later);
    else
      snprintf(found->remedy, sizeof found->remedy,
               "s_waitcnt lgkmcnt(%u) is needed before the writer's s_barrier", later);
  } else {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s by wave %u and in no order with it by a %s of wave %u", dword * 4, verb,
             w->id, what, wave);
    snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
  }
}

void sim_lds_explain_read(sim_lds_sight *s, uint64_t word, int lane, uint32_t dword) {
  if (compares(s->op)) return;
  const uint32_t readers = (uint32_t)(word >> READERS_SHIFT & 0xffff) & ~(1u << s->w->id);
  const uint32_t other = (uint32_t)(word >> READ_OP_SHIFT);
  const unsigned reader = (unsigned)__builtin_ctz(readers);
  const bool late = word >> LATE_SHIFT & 1;
  const sim_span there = sim_check_group_of(s->w->group)->lds[dword].read_at;
  if (s->how == PATH_COPY && !late && there.last < s->position) {
    explain_step(s, other, lane, dword, "overwritten by a copy", "read", reader, 0);
    return;
  }
  const uint32_t margin = s->how == PATH_DS && !late ? away(s, there) : 0;
  if (margin >= STEP_MARGIN) {
    explain_step(s, other, lane, dword, "written", "read", reader, margin);
    return;
  }
  if (s->told_read) return;
  s->told_read = true;
  sim_finding *found =
      sim_find(s->w, late ? SIM_FINDING_TIMING : SIM_FINDING_LDS_RACE, s->index, other, lane);
  if (!found) return;
  if (late) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is overwritten while a read by wave %u that was issued before the last barrier "
             "may be in flight: right only if the read is faster",
             dword * 4, reader);
    snprintf(found->remedy, sizeof found->remedy,
             "s_waitcnt lgkmcnt is needed before the reader's s_barrier");
  } else {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is written by wave %u and in no order with it read by wave %u", dword * 4,
             s->w->id, reader);
    snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
  }
}
