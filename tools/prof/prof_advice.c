// SPDX-License-Identifier: MIT
// Names what limits a kernel: the first rule about the whole launch that applies, then the cause that takes
// most of the loop.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "prof.h"
#include "sim/isa/op.h"

enum {
  BUSY_PIPES = 90,    // percent of the loop: there is little left to gain in it
  BUSY_MEMORY = 60,   // percent of HBM's peak: little more is reached in practice
  BUSY_CACHE = 80,    // percent of what a cache passes on at most: requests wait for each other
  WORTH_ADDING = 1,   // ... of the loop
  WORTH_SAYING = 10,  // percent of the launch
};

typedef struct cause_text {
  const char *resource, *sentence, *suggestion;
} cause_text;

// Each sentence begins after the share of the loop.
static const cause_text causes[WT_SIM_STALLS + 1] = {
    [WT_SIM_STALL_MATRIX] =
        {"MFMA latency", "goes to MFMAs that wait for the result of another",
         "Put more independent accumulators between two MFMAs on the same one, or let a second wave "
         "share the SIMD."},
    [WT_SIM_STALL_VALU] = {"VALU latency", "goes to vector instructions that wait for the one before",
                           "Interleave independent chains, or let more waves share the SIMD."},
    [WT_SIM_STALL_LDS_WAIT] =
        {"LDS latency", "goes to waiting for LDS data or scalar loads",
         "Issue the LDS reads a step earlier, between the MFMAs of the step before, and wait for them "
         "with a counter that leaves the younger ones under way."},
    [WT_SIM_STALL_LDS_QUEUE] =
        {"LDS bandwidth", "goes to LDS instructions in front of a full queue",
         "Spread the reads between MFMAs, read 16 bytes per lane, or enlarge the register tile so "
         "that each byte serves more MFMAs."},
    [WT_SIM_STALL_VMEM_WAIT] =
        {"memory latency", "goes to waiting for vector memory",
         "Load further ahead (another stage in LDS), or let more waves share a compute unit."},
    [WT_SIM_STALL_TCP] =
        {"L1 (TCP) requests", "goes to loads and stores in front of a full L1 queue",
         "Spread the loads over the loop, move 16 bytes per lane, or enlarge the tile so that fewer bytes "
         "are loaded for each MFMA."},
    [WT_SIM_STALL_BARRIER] =
        {"barriers", "goes to waves that wait for each other at a barrier",
         "Give the waves equal work between barriers, or have more stages and fewer barriers."},
    [WT_SIM_STALL_ISSUE] =
        {"issue", "goes to instructions whose port another instruction holds",
         "Take work out of the loop, or use the larger MFMA shape: it reads its operands less often."},
    [WT_SIM_STALL_FETCH] = {"instruction fetch", "goes to taken branches and instruction fetch",
                            "Unroll the loop further and align its 8-byte instructions to 8 bytes."},
    [WT_SIM_STALL_SLEEP] = {"s_nop and s_sleep", "goes to s_nop and s_sleep",
                            "Fill the wait states with useful instructions, or poll less often."},
    [WT_SIM_STALLS] =
        {"instruction issue", "goes to issuing instructions",
         "Take instructions out of the loop: addresses by constant offsets, wider loads, packed "
         "arithmetic; or let more waves share the SIMD."},
};

// Waits for LDS and for scalar loads have one counter: which of them the wave waits for at an op.
static bool waits_for_scalar(const sim_profile_launch *l, const sim_profile_op *op) {
  for (const sim_profile_op *before = op; before-- != l->ops;) {
    if (before->klass == SIM_CLASS_SMEM) return true;
    if (before->klass == SIM_CLASS_LDS) return false;
  }
  return false;
}

// Returns the op of the loop (of the whole kernel where there is none), or of what is outside it, that loses
// most cycles to a cause.
static const sim_profile_op *worst_op(const prof_kernel *k, int cause, bool outside) {
  const sim_profile_launch *l = k->timed;
  const sim_profile_op *worst = NULL;
  if (cause == WT_SIM_STALLS) return NULL;
  for (uint64_t i = 0; i < l->facts.op_count; ++i) {
    if (k->loop.found && (i < k->loop.first || i > k->loop.last) != outside) continue;
    const uint64_t lost = l->ops[i].seen.stall[cause];
    if (lost && (!worst || lost > worst->seen.stall[cause])) worst = &l->ops[i];
  }
  return worst;
}

// ---- causes by time

// Fills in the percent of the loop that each cause takes: of the matrix pipe's time where there is one,
// otherwise of the waves'.
static void weigh(const prof_kernel *k, double percent[WT_SIM_STALLS + 1], const char **of) {
  const prof_loop *loop = &k->loop;
  const wt_sim_timing_result *r = &k->timed->facts.result;
  const double pipe = loop->pipe_busy + loop->pipe_idle;
  const double *stall = loop->found ? loop->stall : r->stall;
  const double whole = loop->found ? loop->wave_cycles : r->wave_cycles;
  double issuing = whole;
  *of = pipe > 0      ? "the matrix pipes' time in the loop"
        : loop->found ? "the waves' time in the loop"
                      : "the waves' time";
  for (int i = 0; i < WT_SIM_STALLS; ++i) {
    percent[i] = pipe > 0 ? prof_percent(loop->idle[i], pipe) : prof_percent(stall[i], whole);
    issuing -= stall[i];
  }
  percent[WT_SIM_STALLS] =
      pipe > 0 ? prof_percent(loop->idle[WT_SIM_STALLS], pipe) : prof_percent(issuing, whole);
}

static int mnemonic_length(const prof_kernel *k, const sim_profile_op *op) {
  return (int)strcspn(prof_op_text(k->timed, op), " ");
}

static prof_advice worst_cause(const prof_kernel *k, double *most) {
  double percent[WT_SIM_STALLS + 1];
  const char *of;
  int worst = 0;
  weigh(k, percent, &of);
  for (int i = 1; i <= WT_SIM_STALLS; ++i)
    if (percent[i] > percent[worst]) worst = i;
  *most = percent[worst];
  const cause_text *text = &causes[worst];
  const sim_profile_op *op = worst_op(k, worst, false);
  prof_advice a = {.resource = text->resource, .suggestion = text->suggestion};
  int used = snprintf(a.sentence, sizeof a.sentence, "%.1f%% of %s %s", percent[worst], of, text->sentence);
  if (op)
    used += snprintf(a.sentence + used, sizeof a.sentence - (size_t)used, ", most at +0x%05llx %.*s",
                     (unsigned long long)op->offset, mnemonic_length(k, op), prof_op_text(k->timed, op));
  if (worst == WT_SIM_STALL_LDS_WAIT && op && waits_for_scalar(k->timed, op)) {
    a.resource = "scalar loads";
    a.suggestion =
        "These are arguments and constants from memory: load them before they are needed, or give each "
        "wave more work for them.";
  }
  const unsigned long long conflicts = k->timed->facts.result.lds_conflicts;
  if (worst == WT_SIM_STALL_LDS_QUEUE && conflicts) {
    snprintf(a.sentence + used, sizeof a.sentence - (size_t)used, "; %llu cycles are bank conflicts",
             conflicts);
    a.suggestion = "Swizzle the tile in LDS so that the lanes of a phase want different banks.";
  }
  return a;
}

// ---- rules that look at the whole launch; each false when it does not apply

static bool idle_units(const prof_kernel *k, prof_advice *a) {
  const sim_profile_facts *f = &k->timed->facts;
  if (100 * k->groups > (100 - WORTH_SAYING) * (double)f->cus) return false;
  a->resource = "the grid";
  snprintf(a->sentence, sizeof a->sentence,
           "%.0f work-group%s leave%s %.0f%% of the %u compute units without work", k->groups,
           k->groups == 1 ? "" : "s", k->groups == 1 ? "s" : "", 100 - 100 * k->groups / f->cus, f->cus);
  a->suggestion = "Make more work-groups: smaller tiles, or a split of the summation (split-K).";
  return true;
}

static bool busy_memory(const prof_kernel *k, prof_advice *a) {
  const sim_profile_facts *f = &k->timed->facts;
  const double share = prof_percent(k->bytes_per_second, f->hbm_bytes_per_second);
  if (share < BUSY_MEMORY) return false;
  a->resource = "HBM bandwidth";
  snprintf(a->sentence, sizeof a->sentence, "HBM moves %.2f TB/s, %.0f%% of its peak",
           k->bytes_per_second / 1e12, share);
  a->suggestion =
      "Move fewer bytes: fuse with the kernel before or after, store narrower types, or order the work "
      "so that caches serve it again.";
  return true;
}

// Tells whether a cache is busy; HBM has a rule of its own, which counts from its peak.
static bool busy_cache(const prof_kernel *k, prof_advice *a) {
  static const struct {
    const char *resource, *suggestion;
  } texts[WT_SIM_LEVEL_HBM] = {
      [WT_SIM_LEVEL_L1] = {"L1 (TCP) bandwidth",
                           "Load fewer bytes for each operation: a larger tile in registers or in "
                           "LDS, so that the lanes share what is loaded."},
      [WT_SIM_LEVEL_L2] = {"L2 bandwidth",
                           "Load fewer bytes for each operation: a larger tile for each work-group, or data "
                           "that L1 or LDS keeps."},
      [WT_SIM_LEVEL_LLC] = {"LLC bandwidth",
                            "Let L2 serve more: order the work-groups of a die so that they share what they "
                            "load, as wavetile grid shows."}};
  int worst = WT_SIM_LEVEL_L1;
  double most = 0;
  for (int i = 0; i < WT_SIM_LEVEL_HBM; ++i) {
    const double share = prof_percent(prof_level_rate(k, (wt_sim_level)i), k->level[i].limit);
    if (share <= most) continue;
    most = share;
    worst = i;
  }
  if (most < BUSY_CACHE) return false;
  a->resource = texts[worst].resource;
  snprintf(a->sentence, sizeof a->sentence, "%s moves %.2f TB/s, %.0f%% of what it passes on at most",
           prof_level_names[worst], prof_level_rate(k, (wt_sim_level)worst) / 1e12, most);
  a->suggestion = texts[worst].suggestion;
  return true;
}

// Adds what the waves lose most time to before and after the loop.
static void add_outside(const prof_kernel *k, prof_advice *a, int used) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  const prof_loop *loop = &k->loop;
  int worst = 0;
  for (int i = 1; i < WT_SIM_STALLS; ++i)
    if (r->stall[i] - loop->stall[i] > r->stall[worst] - loop->stall[worst]) worst = i;
  const sim_profile_op *op = worst_op(k, worst, true);
  if (!op) return;
  snprintf(a->sentence + used, sizeof a->sentence - (size_t)used,
           "; of what the waves spend outside the loop, %.0f%% %s, most at +0x%05llx %.*s",
           prof_percent(r->stall[worst] - loop->stall[worst], r->wave_cycles - loop->wave_cycles),
           causes[worst].sentence, (unsigned long long)op->offset, mnemonic_length(k, op),
           prof_op_text(k->timed, op));
}

static bool busy_pipes(const prof_kernel *k, prof_advice *a) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  const double lost = 100 * (r->loop_efficiency - r->matrix_share);
  if (100 * r->loop_efficiency < BUSY_PIPES) return false;
  a->resource = lost > WORTH_SAYING ? "what is outside the loop" : "the matrix pipes";
  const int used = snprintf(a->sentence, sizeof a->sentence,
                            "the matrix pipes are busy %.1f%% of the hot loop and %.1f%% of the launch",
                            100 * r->loop_efficiency, 100 * r->matrix_share);
  if (k->loop.found && lost > WORTH_ADDING) add_outside(k, a, used);
  a->suggestion =
      lost > WORTH_SAYING
          ? "Make the loop a larger part: more work for each work-group, or a persistent kernel that "
            "loads the next tile during the epilogue."
          : "Little is left to gain but a faster type.";
  return true;
}

static bool last_round(const prof_kernel *k, prof_advice *a) {
  const sim_profile_facts *f = &k->timed->facts;
  const double round = (double)f->cus * f->groups_per_cu, rounds = k->groups / round;
  if (rounds <= 1 || 100 * (1 - rounds / ceil(rounds)) < WORTH_SAYING) return false;
  a->resource = "the last round";
  snprintf(a->sentence, sizeof a->sentence,
           "%.0f work-groups are %.2f rounds of the %.0f that fit on the chip", k->groups, rounds, round);
  a->suggestion = "Choose a tile with which the last round is full, or split the summation.";
  return true;
}

size_t prof_advise(const prof_kernel *k, prof_advice out[PROF_ADVICE]) {
  static bool (*const rules[])(const prof_kernel *, prof_advice *) = {idle_units, busy_memory, busy_cache,
                                                                      last_round, busy_pipes};
  size_t count = 0;
  double percent;
  for (size_t i = 0; i < sizeof rules / sizeof *rules && !count; ++i) count += rules[i](k, &out[0]);
  out[count] = worst_cause(k, &percent);
  if (count == 0 || percent >= WORTH_ADDING) ++count;
  return count;
}
