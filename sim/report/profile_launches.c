// SPDX-License-Identifier: MIT
// Decides which launches are timed in detail, and records them. A program may launch a kernel thousands of
// times: those that do the same work as far as can be told from outside are timed once.
#include "sim/report/profile_launches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/exec/memory.h"
#include "sim/exec/occupancy.h"
#include "sim/isa/program.h"
#include "sim/object/grow.h"
#include "sim/report/profile.h"
#include "sim/report/profile_sources.h"
#include "sim/report/timing_report.h"
#include "sim/settings/config.h"
#include "sim/settings/say.h"

// Arguments that differ in every launch, such as the number of a step, must not have each launch timed.
enum { MOST_ARGUMENT_SETS = 16 };

typedef struct shape {
  uint64_t work, arguments;  // numbers of kernel, grid and block; of those and the arguments
  uint64_t timed;
  bool left_all;                // the last that was timed has computed all, though only a part was asked for
  wt_sim_timing_result result;  // of the last that was timed
} shape;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shape *shapes;
static size_t count, capacity;
static int file = -1;
static long owner;   // the process that has it; 0: none yet
static bool failed;  // said once

bool sim_profiling(void) { return sim_configuration()->profile[0] != 0; }

// ---- which launches are alike

// Computes FNV-1a, as published by its authors.
static uint64_t hash(uint64_t h, const void *data, size_t size) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

static uint64_t work_of(const sim_launch *l) {
  uint64_t h = hash(0xcbf29ce484222325u, l->kernel->name, strlen(l->kernel->name) + 1);
  h = hash(h, l->machine->name, strlen(l->machine->name));
  h = hash(h, l->grid, sizeof l->grid);
  h = hash(h, l->block, sizeof l->block);
  h = hash(h, &l->dynamic_lds, sizeof l->dynamic_lds);
  // A launch that is predicted in another way has another time.
  const wt_sim_timing_mode mode = sim_report_timing();
  const wt_sim_timing_repeat repeats = sim_report_timing_repeats();
  const uint64_t times_set = sim_report_timing_times_set();
  h = hash(h, &mode, sizeof mode);
  h = hash(h, &repeats, sizeof repeats);
  return hash(h, &times_set, sizeof times_set);
}

// Two device addresses count as equal arguments when they lie at the same offset in a cache line.
static uint64_t arguments_of(const sim_launch *l, uint64_t h) {
  const uint8_t *bytes = l->kernarg;
  for (size_t i = 0; i < l->kernarg_size; i += 8) {
    uint64_t word = 0;
    sim_allocation found;
    size_t size = l->kernarg_size - i < 8 ? l->kernarg_size - i : 8;
    memcpy(&word, bytes + i, size);
    if (size == 8 && sim_memory_find(word, &found)) word = word % SIM_TRACE_LINE | (uint64_t)1 << 63;
    h = hash(h, &word, sizeof word);
  }
  return h;
}

static shape *add(uint64_t work, uint64_t arguments) {
  if (!sim_grow((void **)&shapes, &capacity, count + 1, sizeof *shapes)) return NULL;
  shapes[count] = (shape){.work = work, .arguments = arguments};
  return &shapes[count++];
}

// Returns the shape of these arguments; when there are too many of this work, the last of those that were
// timed.
static shape *find(uint64_t work, uint64_t arguments) {
  shape *last = NULL;
  int sets = 0;
  for (size_t i = 0; i < count; ++i) {
    if (shapes[i].work != work) continue;
    if (shapes[i].arguments == arguments) return &shapes[i];
    ++sets;
    if (shapes[i].timed) last = &shapes[i];
  }
  return sets >= MOST_ARGUMENT_SETS && last ? last : add(work, arguments);
}

// ---- the file

static void complain(void) {
  if (!failed)
    sim_say("WT_SIM_PROFILE: no more launches are recorded, for a record could not be written: %s",
            strerror(errno));
  failed = true;
}

// A process that was forked begins anew, with a file of its own.
static void notice_fork(void) {
  if (owner == (long)getpid()) return;
  if (file >= 0) close(file);
  file = -1;
  count = 0;
  owner = (long)getpid();
}

static bool open_file(void) {
  char path[sizeof sim_configuration()->profile + 32];
  if (file >= 0 || failed) return !failed;
  snprintf(path, sizeof path, "%s/%ld.wtprof", sim_configuration()->profile, owner);
  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) complain();
  return file >= 0;
}

// Writes by one call of the system, so that a process that is ended leaves no part of a record, and takes
// back what did not fit.
static bool append(const void *bytes, size_t size) {
  const off_t end = lseek(file, 0, SEEK_END);
  const ssize_t written = write(file, bytes, size);
  if (written == (ssize_t)size) return true;
  const int code = written < 0 ? errno : ENOSPC;
  if (written > 0 && ftruncate(file, end)) return false;
  errno = code;
  return false;
}

// Appends the launch, or, where that is NULL, what it is taken as.
static bool append_record(const sim_profile_launch *launch, sim_profile_kind kind, uint64_t number) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&bytes, &size);
  if (!memory) return false;
  const bool kept =
      launch ? sim_profile_write_launch(memory, launch) : sim_profile_write_shape(memory, kind, number);
  const bool ok = fclose(memory) == 0 && kept && append(bytes, size);
  free(bytes);
  return ok;
}

sim_profile_choice sim_profile_begin(const sim_launch *launch) {
  uint64_t work = work_of(launch), arguments = arguments_of(launch, work);
  pthread_mutex_lock(&lock);
  notice_fork();
  const shape *s = find(work, arguments);
  sim_profile_choice p = {.timed = true, .shape = s ? s->arguments : arguments};
  if (s && s->timed >= sim_configuration()->profile_launches) {
    p.timed = false;
    p.executed = s->left_all;
    p.equal = s->result;
    sim_profile_kind kind = s->arguments == arguments ? SIM_PROFILE_EQUAL : SIM_PROFILE_ALIKE;
    if (open_file() && !append_record(NULL, kind, p.shape)) complain();
  }
  pthread_mutex_unlock(&lock);
  return p;
}

// ---- a timed launch

static sim_profile_facts facts_of(const sim_launch *l, wt_sim_timing_mode mode, const sim_profile_choice *p,
                                  const wt_sim_timing_result *result) {
  const sim_machine *m = l->machine;
  const sim_kernel *k = l->kernel;
  uint32_t items = l->block[0] * l->block[1] * l->block[2];
  sim_profile_facts facts = {
      .shape = p->shape,
      .grid = {l->grid[0], l->grid[1], l->grid[2]},
      .block = {l->block[0], l->block[1], l->block[2]},
      .static_lds = k->lds_bytes,
      .dynamic_lds = l->dynamic_lds,
      .vgprs = k->vgpr_count,
      .allocated_vgprs = sim_allocated_vgprs(k),
      .agprs = k->agpr_count,
      .sgprs = k->sgpr_count,
      .scratch_bytes = k->scratch_bytes,
      .vgpr_spills = k->vgpr_spills,
      .sgpr_spills = k->sgpr_spills,
      .groups_per_cu = sim_occupancy(m, k, items, l->dynamic_lds),
      .group_waves = (items + 63) / 64,
      .cu_lds = m->lds_bytes,
      .cus = m->cus,
      .simds_per_cu = m->simds_per_cu,
      .waves_per_simd = m->waves_per_simd,
      .xcds = m->xcds,
      .clock_mhz = m->clock_mhz,
      // The clock of memory makes two transfers a cycle.
      .hbm_bytes_per_second = 2e6 * m->memory_clock_mhz * m->memory_bus_bits / 8,
      .mode = (uint32_t)mode,
      .loop_branch = UINT32_MAX,
      .result = *result,
  };
  for (int i = 0; i < WT_SIM_LEVELS; ++i) {
    facts.read_limit[i] = sim_level_read_rate(m, (wt_sim_level)i) * 1e6 * m->clock_mhz;
    facts.write_limit[i] = sim_level_write_rate(m, (wt_sim_level)i) * 1e6 * m->clock_mhz;
  }
  return facts;
}

// Finds the ops from the first to the last that was issued.
static void issued_range(const sim_program *program, const sim_timing_op *seen, uint32_t *first,
                         uint32_t *end) {
  *first = *end = 0;
  for (uint32_t i = program->op_count; i > 0; --i)
    if (seen[i - 1].issued) *first = i - 1;
  for (uint32_t i = 0; i < program->op_count; ++i)
    if (seen[i].issued) *end = i + 1;
}

// Fills ops and text; false when host memory runs out.
static bool list_ops(sim_profile_launch *out, const sim_launch *l, const sim_timing_profile *profile) {
  const sim_program *program = l->program;
  uint32_t first, end;
  issued_range(program, profile->ops, &first, &end);
  size_t bytes = 0;
  for (uint32_t i = first; i < end; ++i) bytes += strlen(sim_op_text(program, &program->ops[i])) + 1;
  out->ops = calloc(end - first + 1u, sizeof *out->ops);
  out->text = malloc(bytes + 1);
  if (!out->ops || !out->text) return false;
  for (uint32_t i = first; i < end; ++i) {
    const sim_op *op = &program->ops[i];
    const char *text = sim_op_text(program, op);
    const bool inside = op->target >= first && op->target < end;
    out->ops[i - first] = (sim_profile_op){
        .offset = op->offset - l->kernel->entry,
        .klass = op->info ? op->info->klass : SIM_CLASS_OTHER,
        .target = op->info && op->info->klass == SIM_CLASS_BRANCH && inside ? op->target - first : UINT32_MAX,
        .text = (uint32_t)out->facts.text_size,
        .size = op->size,
        .seen = profile->ops[i]};
    memcpy(out->text + out->facts.text_size, text, strlen(text) + 1);
    out->facts.text_size += strlen(text) + 1;
  }
  out->facts.op_count = end - first;
  if (profile->loop_branch >= first && profile->loop_branch < end)
    out->facts.loop_branch = profile->loop_branch - first;
  for (size_t i = 0; i < profile->issues.count; ++i) profile->issues.issue[i].op -= first;
  return true;
}

static bool record(const sim_launch *l, wt_sim_timing_mode mode, const sim_profile_choice *p,
                   const sim_timing_profile *profile, const wt_sim_timing_result *result) {
  sim_profile_launch out = {.facts = facts_of(l, mode, p, result),
                            .kernel = l->kernel->name,
                            .chip = (char *)l->machine->product,
                            .target = (char *)l->machine->target,
                            .issues = profile->issues.issue};
  out.facts.issue_count = profile->issues.count;
  bool ok = list_ops(&out, l, profile) && sim_profile_sources(&out, l) &&
            append_record(&out, SIM_PROFILE_TIMED, p->shape);
  free(out.ops);
  free(out.text);
  free(out.frames);
  return ok;
}

static void remember(const sim_launch *launch, const sim_timing_plan *plan, const sim_profile_choice *p,
                     const wt_sim_timing_result *result) {
  shape *s = find(work_of(launch), p->shape);
  if (!s) return;
  s->result = *result;
  s->left_all = sim_timing_leaves_all(plan);
  ++s->timed;
}

void sim_profile_timed(const sim_launch *launch, const sim_timing_plan *plan, const sim_profile_choice *p,
                       wt_sim_timing_result *result) {
  sim_timing_profile profile = {.issues = {.from = sim_configuration()->profile_from,
                                           .capacity = (size_t)sim_configuration()->profile_issues}};
  profile.ops = calloc(launch->program->op_count + 1u, sizeof *profile.ops);
  profile.issues.issue = calloc(profile.issues.capacity, sizeof *profile.issues.issue);
  *result = (wt_sim_timing_result){.valid = false};
  if (profile.ops && (profile.issues.issue || !profile.issues.capacity))
    sim_timing_run(launch, plan, &profile, result);
  if (result->valid) {
    pthread_mutex_lock(&lock);
    remember(launch, plan, p, result);
    if (open_file() && !record(launch, plan->mode, p, &profile, result)) complain();
    pthread_mutex_unlock(&lock);
  }
  free(profile.ops);
  free(profile.issues.issue);
}
