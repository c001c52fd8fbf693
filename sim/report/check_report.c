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
#include "sim/object/source_lines.h"
#include "sim/report/process_tally.h"
#include "sim/settings/config.h"
#include "sim/settings/say.h"

// The exit status of a process that fails, by WT_SIM_CHECK=fail or strict: EX_SOFTWARE of sysexits.h.
enum { FAIL_STATUS = 70 };

typedef struct place {
  char function[256], text[160], source[512];
  uint64_t offset;  // from the function's first byte
} place;

typedef struct entry {
  struct entry *next;
  char *kernel;
  const char *target;  // of the machine
  sim_finding finding;
  place at, other;
  bool has_other;
} entry;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool checking;
static entry *entries, **last = &entries;  // in the order they were found
static unsigned long long places[SIM_FOUND_CLASSES], met[SIM_FOUND_CLASSES];
static bool incomplete;

// ---- text

static void print_place(const char *label, const place *p) {
  fprintf(stderr, "  %s %s+0x%llx: %s\n", label, p->function, (unsigned long long)p->offset, p->text);
  if (*p->source) fprintf(stderr, "          %s\n", p->source);
}

static void print_entry(const entry *e) {
  const sim_finding *f = &e->finding;
  char lane[32] = "";
  if (f->lane >= 0) snprintf(lane, sizeof lane, ", lane %d", f->lane);
  fprintf(stderr, "wavetile check: %s (%llu times)\n", sim_finding_name(f->kind),
          (unsigned long long)f->count);
  fprintf(stderr, "  kernel  %s (%s), first in work-group (%u,%u,%u), wave %u%s\n", e->kernel, e->target,
          f->id[0], f->id[1], f->id[2], f->wave, lane);
  print_place("at     ", &e->at);
  if (e->has_other) print_place("with   ", &e->other);
  fprintf(stderr, "  why     %s\n  remedy  %s\n", f->detail, f->remedy);
}

static void print_text(void) {
  for (const entry *e = entries; e; e = e->next) print_entry(e);
  if (incomplete) fprintf(stderr, "wavetile check: host memory ran out: something may be missing here\n");
  fprintf(stderr, "wavetile check: %llu errors, %llu places that depend on timing", places[SIM_FOUND_ERROR],
          places[SIM_FOUND_TIMING]);
  if (places[SIM_FOUND_TABLE])
    fprintf(stderr, ", %llu where only the manual's table asks for more", places[SIM_FOUND_TABLE]);
  if (places[SIM_FOUND_READING])
    fprintf(stderr, ", %llu on how ranges of buffers are read", places[SIM_FOUND_READING]);
  fputc('\n', stderr);
}

// ---- JSON

static void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void json_member(FILE *out, const char *name, const char *text) {
  fprintf(out, "\"%s\": ", name);
  json_string(out, text);
}

static void json_place(FILE *out, const char *name, const place *p) {
  fprintf(out, ",\n     \"%s\": {", name);
  json_member(out, "function", p->function);
  fprintf(out, ", \"offset\": %llu, ", (unsigned long long)p->offset);
  json_member(out, "text", p->text);
  fputs(", ", out);
  json_member(out, "source", p->source);
  fputc('}', out);
}

static void json_entry(FILE *out, const entry *e) {
  const sim_finding *f = &e->finding;
  fputs("    {", out);
  json_member(out, "kind", sim_finding_name(f->kind));
  const sim_finding_class class = sim_finding_class_of(f->kind);
  fprintf(out, ", \"class\": \"%s\", \"error\": %s, \"count\": %llu,\n     ", sim_finding_class_name(class),
          class == SIM_FOUND_ERROR ? "true" : "false", (unsigned long long)f->count);
  json_member(out, "kernel", e->kernel);
  fputs(", ", out);
  json_member(out, "target", e->target);
  fprintf(out, ", \"workgroup\": [%u, %u, %u], \"wave\": %u, \"lane\": %d", f->id[0], f->id[1], f->id[2],
          f->wave, f->lane);
  json_place(out, "at", &e->at);
  if (e->has_other) json_place(out, "with", &e->other);
  fputs(",\n     ", out);
  json_member(out, "why", f->detail);
  fputs(",\n     ", out);
  json_member(out, "remedy", f->remedy);
  fputc('}', out);
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
  for (const entry *e = entries; e; e = e->next) {
    fputs(e == entries ? "\n" : ",\n", out);
    json_entry(out, e);
  }
  fputs("]}\n", out);
  fclose(out);
}

static void report(void) {
  pthread_mutex_lock(&lock);
  const sim_config *config = sim_configuration();
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

static void describe(place *p, const sim_launch *launch, const sim_source_lines *lines, uint32_t index) {
  const sim_op *op = &launch->program->ops[index];
  uint64_t begins;
  snprintf(p->function, sizeof p->function, "%s", sim_function_at(launch, op->offset, &begins));
  snprintf(p->text, sizeof p->text, "%s", sim_op_text(launch->program, op));
  p->offset = op->offset - begins;
  sim_source_line_at(lines, op->offset, p->source, sizeof p->source);
}

static bool same_place(const place *a, const place *b) {
  return a->offset == b->offset && strcmp(a->text, b->text) == 0 && strcmp(a->function, b->function) == 0;
}

static void add(const sim_launch *launch, const sim_source_lines *lines, const sim_finding *f) {
  met[sim_finding_class_of(f->kind)] += f->count;
  entry *made = calloc(1, sizeof *made);
  if (made) made->kernel = strdup(launch->kernel->name);
  if (!made || !made->kernel) {
    free(made);
    incomplete = true;
    return;
  }
  made->target = launch->machine->target;
  made->finding = *f;
  made->has_other = f->other != SIM_NO_OP;
  describe(&made->at, launch, lines, f->op);
  if (made->has_other) describe(&made->other, launch, lines, f->other);
  for (entry *e = entries; e; e = e->next) {
    bool same = e->finding.kind == f->kind && e->target == made->target && e->has_other == made->has_other &&
                strcmp(e->kernel, made->kernel) == 0 && same_place(&e->at, &made->at) &&
                (!e->has_other || same_place(&e->other, &made->other));
    if (!same) continue;
    e->finding.count += f->count;
    free(made->kernel);
    free(made);
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
    sim_source_lines *lines = sim_source_lines_read(launch->object);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; ++i) add(launch, lines, &findings[i]);
    pthread_mutex_unlock(&lock);
    sim_source_lines_free(lines);
  }
  sim_check_free(check);
}

int wtSimCheck(int enable, unsigned long long *error, unsigned long long *timing) {
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
