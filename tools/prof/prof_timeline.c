// SPDX-License-Identifier: MIT
// Makes slices of issued instructions. When an instruction leaves its port is known; why a wave then waited
// is taken from what the next op lost most cycles to over the whole launch.
#include "prof_timeline.h"

#include <stdlib.h>

#include "sim/exec/op_cost.h"
#include "sim/isa/op.h"

typedef struct lanes {
  const sim_profile_launch *launch;
  prof_slice *slices;
  size_t count;
  const sim_timing_issue *last[PROF_PLACES];  // of the wave in this place
  uint64_t pipe_end[PROF_SIMDS];
} lanes;

static wt_sim_stall cause_of(const sim_profile_launch *l, const sim_timing_issue *before,
                             const sim_timing_issue *next) {
  const sim_profile_op *op = &l->ops[next->op];
  // These lose their cycles after they issued.
  if (l->ops[before->op].klass == SIM_CLASS_BARRIER) return WT_SIM_STALL_BARRIER;
  if (l->ops[before->op].seen.stall[WT_SIM_STALL_SLEEP]) return WT_SIM_STALL_SLEEP;
  int most = WT_SIM_STALL_FETCH;
  for (int i = 0; i < WT_SIM_STALLS; ++i)
    if (op->seen.stall[i] > op->seen.stall[most]) most = i;
  return (wt_sim_stall)most;
}

static void emit(lanes *s, const sim_timing_issue *issue, prof_slice_kind kind, uint64_t begin,
                 uint64_t end) {
  s->slices[s->count++] = (prof_slice){.begin = begin,
                                       .end = end,
                                       .op = issue->op,
                                       .wave = issue->wave,
                                       .simd = issue->simd,
                                       .place = issue->place,
                                       .kind = (uint8_t)kind};
}

// Closes the slice of the instruction the wave issued before, now that it is known when the next one came
// (NULL: not at all).
static void close_slice(lanes *s, const sim_timing_issue *before, const sim_timing_issue *next) {
  const sim_timing_op *seen = &s->launch->ops[before->op].seen;
  uint64_t end = before->cycle + PROF_SLOT_CYCLES;
  const bool uses_port = seen->unit == SIM_UNIT_VALU || seen->unit == SIM_UNIT_MFMA;
  if (uses_port && seen->cycles > PROF_SLOT_CYCLES) end = before->cycle + seen->cycles;
  const bool goes_on = next && next->wave == before->wave;
  if (next && end > next->cycle) end = next->cycle;
  emit(s, before, PROF_SLICE_ISSUE, before->cycle, end);
  if (!goes_on || end == next->cycle) return;
  emit(s, before, PROF_SLICE_STALL, end, next->cycle);
  s->slices[s->count - 1].cause = (uint8_t)cause_of(s->launch, before, next);
}

static void add_issue(lanes *s, const sim_timing_issue *issue) {
  const sim_profile_op *op = &s->launch->ops[issue->op];
  if (s->last[issue->place]) close_slice(s, s->last[issue->place], issue);
  s->last[issue->place] = issue;
  if (op->seen.unit != SIM_UNIT_MFMA) return;
  uint64_t *end = &s->pipe_end[issue->simd];
  const uint64_t begin = *end > issue->cycle ? *end : issue->cycle;
  *end = begin + op->seen.cycles;
  emit(s, issue, PROF_SLICE_PIPE, begin, *end);
}

prof_slice *prof_slices(const sim_profile_launch *launch, uint64_t from, uint64_t to, size_t *count) {
  const uint64_t issues = launch->facts.issue_count;
  lanes s = {.launch = launch, .slices = malloc((3 * issues + 1) * sizeof *s.slices)};
  *count = 0;
  if (!s.slices) return NULL;
  for (uint64_t i = 0; i < issues; ++i) {
    const sim_timing_issue *issue = &launch->issues[i];
    if (issue->cycle < from || issue->cycle >= to) continue;
    if (issue->place < PROF_PLACES && issue->simd < PROF_SIMDS) add_issue(&s, issue);
  }
  for (int i = 0; i < PROF_PLACES; ++i)
    if (s.last[i]) close_slice(&s, s.last[i], NULL);
  *count = s.count;
  return s.slices;
}
