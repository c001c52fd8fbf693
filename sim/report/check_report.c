// SPDX-License-Identifier: MIT
// Collects the findings of launches by kernel and place and reports them when the process ends: text on
// standard error, JSON in the file that WT_SIM_REPORT names. Names and texts are copied: a module may be
// unloaded by then.
#include "sim/report/check_report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/wavetile_sim.h"
#include "sim/check/check.h"
#include "sim/isa/program.h"
#include "sim/object/demangle.h"
#include "sim/object/source_frames.h"
#include "sim/report/allocations.h"
#include "sim/report/check_entry.h"
#include "sim/report/finish.h"
#include "sim/report/process_tally.h"
#include "sim/settings/config.h"
#include "sim/settings/say.h"

// The exit status of a process that fails, by WT_SIM_CHECK=fail or strict: EX_SOFTWARE of sysexits.h.
enum { FAIL_STATUS = 70 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool checking;
static sim_check_entry *entries, **last = &entries;   // in the order they were found
static unsigned long long places[SIM_FOUND_CLASSES];  // causes
static unsigned long long met[SIM_FOUND_CLASSES];     // how often they were met
static bool incomplete;

static void print_text(void) {
  for (const sim_check_entry *e = entries; e; e = e->next) sim_check_print(e);
  sim_report_leaks_text(stderr);
  if (incomplete) fprintf(stderr, "wavetile check: host memory ran out: something may be missing here\n");
  fprintf(stderr, "wavetile check: %llu errors, %llu places that depend on timing", places[SIM_FOUND_ERROR],
          places[SIM_FOUND_TIMING]);
  if (places[SIM_FOUND_TABLE])
    fprintf(stderr, ", %llu where only the manual's table asks for more", places[SIM_FOUND_TABLE]);
  if (places[SIM_FOUND_READING])
    fprintf(stderr, ", %llu on how ranges of buffers are read", places[SIM_FOUND_READING]);
  fputc('\n', stderr);
}

static void write_json(const char *path) {
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "wavetile check: cannot write WT_SIM_REPORT=%s\n", path);
    return;
  }
  fprintf(out,
          "{\"errors\": %llu, \"timing_dependent\": %llu, \"table\": %llu, \"range_readings\": %llu, "
          "\"complete\": %s,\n  \"findings\": [",
          places[SIM_FOUND_ERROR], places[SIM_FOUND_TIMING], places[SIM_FOUND_TABLE],
          places[SIM_FOUND_READING], incomplete ? "false" : "true");
  for (const sim_check_entry *e = entries; e; e = e->next) {
    fputs(e == entries ? "\n" : ",\n", out);
    sim_check_json(out, e);
  }
  fputs("],\n  \"leaks\": [", out);
  sim_report_leaks_json(out);
  fputs("]}\n", out);
  fclose(out);
}

static void report(void) {
  pthread_mutex_lock(&lock);
  const sim_config *config = sim_configuration();
  const size_t leaks = sim_report_leaks_text(NULL);
  places[SIM_FOUND_ERROR] += leaks;
  for (size_t i = 0; i < leaks; ++i) sim_tally_finding(SIM_FINDING_LEAK);
  if (!config->quiet) print_text();
  if (*config->report) write_json(config->report);
  const bool fail =
      (config->check >= SIM_CHECK_FAIL && places[SIM_FOUND_ERROR]) ||
      (config->check == SIM_CHECK_STRICT && (places[SIM_FOUND_TIMING] || places[SIM_FOUND_TABLE]));
  pthread_mutex_unlock(&lock);
  if (!fail) return;
  fflush(NULL);
  _exit(FAIL_STATUS);
}

static void begin(void) {
  if (!sim_configuration()->check) return;
  checking = true;
  atexit(report);
}

bool sim_report_checking(void) {
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  bool result = checking;
  pthread_mutex_unlock(&lock);
  return result;
}

// ---- collecting

static void describe(sim_check_place *p, const sim_launch *launch, const sim_source_frames *frames,
                     uint32_t index) {
  const sim_op *op = &launch->program->ops[index];
  sim_source_place place[SIM_CHECK_FRAMES];
  uint64_t begins;
  snprintf(p->function, sizeof p->function, "%s", sim_function_at(launch, op->offset, &begins));
  snprintf(p->text, sizeof p->text, "%s", sim_op_text(launch->program, op));
  p->offset = op->offset - begins;
  p->source_count = sim_source_frames_at(frames, op->offset, place, SIM_CHECK_FRAMES);
  for (size_t i = 0; i < p->source_count; ++i)
    sim_source_place_text(&place[i], p->source[i], sizeof p->source[i]);
}

// Returns whether two places are the same lines of the source or, where those are not known, the same
// instruction.
static bool same_place(const sim_check_place *a, const sim_check_place *b) {
  if (a->source_count != b->source_count || strcmp(a->function, b->function) != 0) return false;
  for (size_t i = 0; i < a->source_count; ++i)
    if (strcmp(a->source[i], b->source[i]) != 0) return false;
  return a->source_count || (a->offset == b->offset && strcmp(a->text, b->text) == 0);
}

static bool same_rule(const sim_finding *a, const sim_finding *b) {
  return a->kind == b->kind && (a->rule == b->rule || (a->rule && b->rule && strcmp(a->rule, b->rule) == 0));
}

static bool same_cause(const sim_check_entry *a, const sim_check_entry *b) {
  if (!same_rule(&a->finding, &b->finding) || a->target != b->target || a->has_other != b->has_other ||
      strcmp(a->kernel, b->kernel) != 0)
    return false;
  if (same_place(&a->at, &b->at) && (!a->has_other || same_place(&a->other, &b->other))) return true;
  // Which of two accesses in no order comes second is chance.
  const bool race = a->finding.kind == SIM_FINDING_LDS_RACE || a->finding.kind == SIM_FINDING_GLOBAL_RACE;
  return race && a->has_other && same_place(&a->at, &b->other) && same_place(&a->other, &b->at);
}

// Notes that an entry was found at these instructions, in this order or the other. Returns false when host
// memory runs out.
static bool add_pair(sim_check_entry *e, uint64_t at, uint64_t other) {
  const uint64_t first = at < other ? at : other, second = at < other ? other : at;
  for (size_t i = 0; i < e->place_count; ++i)
    if (e->places[i][0] == first && e->places[i][1] == second) return true;
  uint64_t (*grown)[2] = realloc(e->places, (e->place_count + 1) * sizeof *grown);
  if (!grown) return false;
  e->places = grown;
  e->places[e->place_count][0] = first;
  e->places[e->place_count++][1] = second;
  return true;
}

static void free_entry(sim_check_entry *e) {
  if (!e) return;
  free(e->kernel);
  free(e->title);
  free(e->places);
  free(e);
}

static sim_check_entry *make_entry(const sim_launch *launch, const sim_source_frames *frames,
                                   const sim_finding *f) {
  sim_check_entry *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->kernel = strdup(launch->kernel->name);
  made->title = sim_demangle(launch->kernel->name);
  made->target = launch->machine->target;
  made->finding = *f;
  made->has_other = f->other != SIM_NO_OP;
  describe(&made->at, launch, frames, f->op);
  if (made->has_other) describe(&made->other, launch, frames, f->other);
  if (made->kernel && made->title && add_pair(made, made->at.offset, made->other.offset)) return made;
  free_entry(made);
  return NULL;
}

static void add(const sim_launch *launch, const sim_source_frames *frames, const sim_finding *f) {
  met[sim_finding_class_of(f->kind)] += f->count;
  sim_check_entry *made = make_entry(launch, frames, f), *e = entries;
  if (!made) {
    incomplete = true;
    return;
  }
  while (e && !same_cause(e, made)) e = e->next;
  if (e) {
    e->finding.count += f->count;
    incomplete |= !add_pair(e, made->at.offset, made->other.offset);
    free_entry(made);
    return;
  }
  ++places[sim_finding_class_of(f->kind)];
  sim_tally_finding(f->kind);
  *last = made;
  last = &made->next;
}

void sim_report_findings(const sim_launch *launch, sim_check *check) {
  const sim_finding *findings;
  const size_t count = check ? sim_check_findings(check, &findings) : 0;
  if (!check) {
    pthread_mutex_lock(&lock);
    incomplete = true;
    pthread_mutex_unlock(&lock);
  }
  if (count) {
    sim_source_frames *frames = sim_source_frames_read(launch->object);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; ++i) add(launch, frames, &findings[i]);
    pthread_mutex_unlock(&lock);
    sim_source_frames_free(frames);
  }
  sim_check_free(check);
}

int wtSimCheck(int enable, unsigned long long *error, unsigned long long *timing) {
  sim_report_finish();
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  if (error) *error = met[SIM_FOUND_ERROR];
  if (timing) *timing = met[SIM_FOUND_TIMING];
  if (enable >= 0) checking = enable > 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

int wtSimCheckCounts(wt_sim_check_counts *counts, size_t size) {
  if (!counts) {
    sim_say("wtSimCheckCounts: counts is NULL; pass the address of a wt_sim_check_counts");
    return 1;
  }
  pthread_mutex_lock(&lock);
  const wt_sim_check_counts known = {.errors = met[SIM_FOUND_ERROR],
                                     .timing = met[SIM_FOUND_TIMING],
                                     .table = met[SIM_FOUND_TABLE],
                                     .range = met[SIM_FOUND_READING]};
  pthread_mutex_unlock(&lock);
  memset(counts, 0, size);
  memcpy(counts, &known, size < sizeof known ? size : sizeof known);
  return 0;
}
