// SPDX-License-Identifier: MIT
// Runs the waves of one work-group, interleaved instruction by instruction, in the order the schedule asks
// for.
#include "sim/exec/monitor.h"
#include "sim/exec/resident.h"
#include "sim/exec/wave.h"

// `late` says how often the group looks for what is due.
enum { LATE_CHECK = 1 << 12 };

static uint64_t next_random(sim_group *g) {  // splitmix64
  uint64_t z = (g->rng += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A probe has seen enough: at most a few instructions more follow.
static bool probed(const sim_group *g) { return g->probe && !g->budget; }

static const char *why_used_up(const sim_group *g) {
  if (!g->idle_polls)
    return "a loop may never end; raise WT_SIM_BUDGET if the kernel is meant to run this long";
  if (g->watched == SIM_MEMORY_DEVICE)
    return "it polls memory of the device that no other work-group changes; see that the one which should "
           "comes to it, or raise WT_SIM_BUDGET";
  return "it polls memory of the host, which the host does not change; see that the program does so before "
         "it "
         "waits for the kernel, or raise WT_SIM_BUDGET";
}

// The budget is given in shares, so that a look at the time costs nothing between them.
static void spend(sim_group *g, sim_wave *w) {
  if (g->budget--) return;
  g->budget = 0;
  if (g->probe) return;
  if (g->reserve) {
    const uint64_t share = sim_monitor_look(w);
    g->budget = share < g->reserve ? share : g->reserve;
    g->reserve -= g->budget--;
    return;
  }
  sim_fault(w, SIM_FAULT_BUDGET, &g->program->ops[w->pc], -1,
            "the work-group has used up its instruction budget: %s", why_used_up(g));
}

// Ten waves a cycle skip an instruction each (CDNA4 ISA 3.5, VSKIP), so skipped instructions take no time.
static void skip_vector_ops(sim_wave *w) {
  const sim_op *ops = w->group->program->ops;
  while (sim_op_is_vector(&ops[w->pc])) ++w->pc;
}

// The order of the observers is that of their seats.
static void run_observed(sim_wave *w, const sim_op *op) {
  const sim_group *g = w->group;
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (g->observer[seat] && g->observer[seat]->before) g->observer[seat]->before(w, op);
  op->run(w, op);
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (g->observer[seat] && g->observer[seat]->after) g->observer[seat]->after(w, op);
}

void sim_group_step(sim_wave *w) {
  sim_group *g = w->group;
  spend(g, w);
  if (g->fault) return;
  const sim_op *op = &g->program->ops[w->pc++];
  ++w->instructions;
  if (g->observed)
    run_observed(w, op);
  else
    op->run(w, op);
  if (w->mode & SIM_MODE_VSKIP) skip_vector_ops(w);
}

static bool runs(const sim_group *g) {
  if (g->fault || probed(g)) return false;
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state != SIM_WAVE_DONE) return true;
  return false;
}

// `late`: after each barrier another wave leads: it runs alone, so far that it meets
// whatever its peers have not waited for yet, before they go on one after the other. The limit
// makes a leader that polls for its peers yield to them.
enum { LEAD_LIMIT = 1 << 14 };

static void run_leader(sim_group *g) {
  uint32_t leader = g->leader;
  sim_wave *w = &g->waves[leader];
  while (g->lead_left && w->state == SIM_WAVE_RUN && !g->fault && !g->sleepy && !probed(g)) {
    sim_group_step(w);
    if (g->fault) return;
    ++g->round;
    if (g->leader != leader) return;  // it was the last to arrive at a barrier: another wave leads now
    --g->lead_left;
  }
  g->lead_left = 0;
}

static bool awake(const sim_group *g) {
  if (g->fault) return false;
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state == SIM_WAVE_RUN) return true;
  return false;
}

static void next_leader(sim_group *g) {
  g->leader = (g->leader + 1) % g->wave_count;
  g->lead_left = LEAD_LIMIT;
}

// `late-vmem` and `late-lds`: the waves run one after the other, each as far as a leader would.
static void hand_over(sim_group *g) {
  do {
    next_leader(g);
  } while (g->waves[g->leader].state != SIM_WAVE_RUN && awake(g));
}

// `lockstep`: the wave waits as long as the round is not there in which what it waits for lands.
static bool held(const sim_wave *w) {
  const sim_group *g = w->group;
  if (g->schedule != SIM_LOCKSTEP) return false;
  const sim_op *op = &g->program->ops[w->pc];
  return op->info && op->info->klass == SIM_CLASS_WAIT &&
         sim_outstanding(w, sim_op_vmcnt(op), sim_op_lgkmcnt(op));
}

// Executes one instruction of every wave that can run.
static void round_robin(sim_group *g) {
  for (uint32_t i = 0; i < g->wave_count && !g->fault; ++i)
    if (g->waves[i].state == SIM_WAVE_RUN && !held(&g->waves[i])) sim_group_step(&g->waves[i]);
  ++g->round;
}

static void land_due(sim_group *g) {
  for (uint32_t i = 0; i < g->wave_count && !g->fault; ++i)
    if (g->waves[i].state != SIM_WAVE_DONE) sim_land_due(&g->waves[i]);
}

// Runs one instruction of a random wave, then sometimes lands random operations of a random wave.
static void random_step(sim_group *g) {
  uint64_t random = next_random(g);
  uint32_t first = (uint32_t)(random % g->wave_count);
  for (uint32_t i = 0; i < g->wave_count; ++i) {
    sim_wave *w = &g->waves[(first + i) % g->wave_count];
    if (w->state != SIM_WAVE_RUN) continue;
    // A burst of instructions of one wave makes waves drift further apart than single steps would.
    for (uint64_t burst = 1 + (random >> 32 & 15); burst && w->state == SIM_WAVE_RUN && !g->fault; --burst)
      sim_group_step(w);
    break;
  }
  ++g->round;
  random = next_random(g);
  sim_wave *w = &g->waves[random % g->wave_count];
  if ((random >> 40 & 3) == 0 && w->state != SIM_WAVE_DONE && !g->fault) sim_land_random(w, random >> 8);
}

// At most to round `end`, where the schedule can leave rounds out.
static void advance(sim_group *g, uint64_t end) {
  switch (g->schedule) {
    case SIM_LATE:
      if (g->lead_left) run_leader(g);
      round_robin(g);
      if (g->round % LATE_CHECK == 0) land_due(g);
      break;
    case SIM_LATE_VMEM:
    case SIM_LATE_LDS:
      run_leader(g);
      if (!g->lead_left) hand_over(g);
      land_due(g);
      break;
    case SIM_EARLY: round_robin(g); break;
    case SIM_LOCKSTEP:
      round_robin(g);
      land_due(g);
      break;
    case SIM_RANDOM: random_step(g); break;
    case SIM_TIMED: sim_timed_slot(g, end); break;
  }
}

bool sim_group_run(sim_group *g) {
  if (g->round == 0) g->lead_left = LEAD_LIMIT;
  g->sleepy = g->moved = false;
  g->idle_polls = 0;
  while (runs(g) && !g->sleepy) advance(g, UINT64_MAX);
  return !runs(g);
}

bool sim_group_run_for(sim_group *g, uint64_t rounds) {
  if (g->round == 0) g->lead_left = LEAD_LIMIT;
  for (uint32_t i = 0; i < g->wave_count; ++i) {
    sim_wave *w = &g->waves[i];
    if (w->state == SIM_WAVE_GRID && w->opened != g->grid->opened) w->state = SIM_WAVE_RUN;
  }
  const uint64_t end = g->round + rounds;
  const bool any = awake(g);
  g->sleepy = g->moved = false;
  while (g->round < end && !g->sleepy && awake(g)) advance(g, end);
  if (g->schedule == SIM_TIMED) g->round = end;  // all work-groups have one clock
  return any;
}

// Releases the barrier when nobody is missing. An ended wave counts as arrived (CDNA3 ISA, S_BARRIER).
static void release_barrier(sim_group *g) {
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state == SIM_WAVE_RUN || g->waves[i].state == SIM_WAVE_GRID) return;
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (g->observer[seat] && g->observer[seat]->release) g->observer[seat]->release(g);
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state == SIM_WAVE_BARRIER) {
      g->waves[i].state = SIM_WAVE_RUN;
      g->waves[i].due = g->round + g->launch->machine->timing->barrier_cycles;
    }
  next_leader(g);
}

void sim_barrier(sim_wave *w) {
  w->state = SIM_WAVE_BARRIER;
  release_barrier(w->group);
}

void sim_end_wave(sim_wave *w) {
  sim_wait_all(w);
  w->state = SIM_WAVE_DONE;
  release_barrier(w->group);
}

void sim_jump(sim_wave *w, const sim_op *op, uint64_t offset) {
  const sim_op *target = sim_program_at(w->group->program, offset);
  if (!target) {
    sim_fault(w, SIM_FAULT_PROGRAM, op, -1,
              "jump to byte %#llx of the code image, where no instruction begins",
              (unsigned long long)offset);
    return;
  }
  w->pc = (uint32_t)(target - w->group->program->ops);
}
