// SPDX-License-Identifier: MIT
// Keeps the allocations of the program with the calls that made them.
#include "sim/report/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/finding.h"
#include "sim/check/written.h"
#include "sim/object/grow.h"
#include "sim/report/check_report.h"
#include "sim/settings/config.h"

typedef struct allocation {
  const void *base;
  const char *call;
  size_t size;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *allocations;
static size_t count, capacity;

void sim_report_allocated(const char *call, const void *base, size_t size, sim_memory_kind kind) {
  const sim_config *config = sim_configuration();
  if (config->check_unwritten && kind == SIM_MEMORY_DEVICE) sim_written_add((uintptr_t)base, size);
  if (!config->check_leaks || !sim_report_checking()) return;
  pthread_mutex_lock(&lock);
  if (sim_grow((void **)&allocations, &capacity, count + 1, sizeof *allocations))
    allocations[count++] = (allocation){base, call, size};
  pthread_mutex_unlock(&lock);
}

void sim_report_freed(const void *base) {
  const sim_config *config = sim_configuration();
  if (config->check_unwritten) sim_written_remove((uintptr_t)base);
  if (!config->check_leaks) return;
  pthread_mutex_lock(&lock);
  size_t i = 0;
  while (i < count && allocations[i].base != base) ++i;
  if (i < count) memmove(&allocations[i], &allocations[i + 1], (--count - i) * sizeof *allocations);
  pthread_mutex_unlock(&lock);
}

static int by_call(const void *a, const void *b) {
  const allocation *x = a, *y = b;
  const int calls = strcmp(x->call, y->call);
  return calls ? calls : (x->size > y->size) - (x->size < y->size);
}

// Calls `tell` for each call and size with how many allocations there are. Returns how often.
static size_t each(void (*tell)(FILE *out, const allocation *a, size_t times, bool first), FILE *out) {
  size_t findings = 0;
  pthread_mutex_lock(&lock);
  if (count) qsort(allocations, count, sizeof *allocations, by_call);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && by_call(&allocations[i], &allocations[next]) == 0;) ++next;
    if (out) tell(out, &allocations[i], next - i, findings == 0);
    ++findings;
  }
  pthread_mutex_unlock(&lock);
  return findings;
}

static void tell_text(FILE *out, const allocation *a, size_t times, bool first) {
  (void)first;
  fprintf(out, "wavetile check: %s (%zu times)\n", sim_finding_name(SIM_FINDING_LEAK), times);
  fprintf(out, "  why     %zu bytes of %s are still allocated when the process ends\n", a->size, a->call);
  fprintf(out, "  remedy  free them before\n");
}

static void tell_json(FILE *out, const allocation *a, size_t times, bool first) {
  fprintf(out, "%s\n    {\"call\": \"%s\", \"bytes\": %zu, \"count\": %zu}", first ? "" : ",", a->call,
          a->size, times);
}

size_t sim_report_leaks_text(FILE *out) { return each(tell_text, out); }
size_t sim_report_leaks_json(FILE *out) { return each(tell_json, out); }
