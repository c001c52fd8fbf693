// SPDX-License-Identifier: MIT
// Reads tuning tables, and finds a problem in them.
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut.h"

static const char header[] = "target,type_a,type_b,m,n,k,kernel,window,chunk,parts,cycles";
enum { TARGET, TYPE_A, TYPE_B, M, N, K, KERNEL, WINDOW, CHUNK, PARTS, CYCLES, FIELDS, LONGEST_LINE = 512 };
static const char *const names[FIELDS] = {"target", "type_a", "type_b", "m",     "n",     "k",
                                          "kernel", "window", "chunk",  "parts", "cycles"};

// Describes a table being read, and where.
typedef struct reader {
  wt_context *context;
  const char *path;
  size_t line;
  wt_gemm_table *table;
} reader;

static wt_status fail(const reader *r, const char *name, const char *value, const char *remedy) {
  return wt_fail(r->context, WT_ERROR_FILE, "%.200s:%zu: %s is \"%.64s\"; %s", r->path, r->line, name, value,
                 remedy);
}

// Cuts a line at its commas, in place. Returns false when there are not FIELDS fields.
static bool split(char *line, char *field[FIELDS]) {
  int count = 0;
  for (char *at = line; at; ++count) {
    if (count == FIELDS) return false;
    field[count] = at;
    at = strchr(at, ',');
    if (at) *at++ = 0;
  }
  return count == FIELDS;
}

static bool read_whole(const char *text, int64_t least, int64_t *value) {
  char *end;
  errno = 0;
  const long long number = strtoll(text, &end, 10);
  *value = number;
  return end != text && !*end && !errno && number >= least && number <= INT32_MAX;
}

static bool is_input(const char *type) {
  static const char *const inputs[] = {"f8e4m3", "f8e5m2", "bf16", "f16", "i8"};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i)
    if (strcmp(inputs[i], type) == 0) return true;
  return false;
}

static wt_status read_numbers(const reader *r, char *field[FIELDS], wt_gemm_entry *e) {
  int64_t window, chunk, parts;
  const struct {
    int field;
    int64_t least, *value;
    const char *remedy;
  } numbers[] = {{M, 1, &e->m, "write a size from 1 to 2147483647"},
                 {N, 1, &e->n, "write a size from 1 to 2147483647"},
                 {K, 1, &e->k, "write a size from 1 to 2147483647"},
                 {WINDOW, 0, &window, "write tile rows from 1, or 0 for the kernel's own"},
                 {CHUNK, 0, &chunk, "write tiles from 1, or 0 for the kernel's own"},
                 {PARTS, 0, &parts, "write parts of K from 1 to 1024, or 0 to have them chosen"}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!read_whole(field[numbers[i].field], numbers[i].least, numbers[i].value))
      return fail(r, names[numbers[i].field], field[numbers[i].field], numbers[i].remedy);
  if (parts > WT_MAX_SPLIT)
    return fail(r, names[PARTS], field[PARTS], "write parts of K from 1 to 1024, or 0 to have them chosen");
  e->window = (int)window, e->chunk = (int)chunk, e->parts = (int)parts;
  char *end;
  const double cycles = strtod(field[CYCLES], &end);
  if (end == field[CYCLES] || *end || !(cycles >= 0))
    return fail(r, names[CYCLES], field[CYCLES], "write predicted or measured cycles, or 0");
  return WT_SUCCESS;
}

static wt_status read_entry(const reader *r, char *line, wt_gemm_entry *e) {
  char *field[FIELDS];
  if (!split(line, field))
    return wt_fail(r->context, WT_ERROR_FILE,
                   "%.200s:%zu: a row has not the %d fields \"%s\"; write all of them", r->path, r->line,
                   FIELDS, header);
  if (strcmp(field[TARGET], "gfx942") != 0 && strcmp(field[TARGET], "gfx950") != 0)
    return fail(r, names[TARGET], field[TARGET], "write gfx942 or gfx950");
  for (int i = TYPE_A; i <= TYPE_B; ++i)
    if (!is_input(field[i])) return fail(r, names[i], field[i], "write f8e4m3, f8e5m2, bf16, f16 or i8");
  e->kernel = wt_kernel_find(field[KERNEL]);
  if (!e->kernel)
    return fail(r, names[KERNEL], field[KERNEL],
                "write a name from wt_gemm_kernel_at, such as gemm_4wave_256x256");
  wt_status status = read_numbers(r, field, e);
  if (!status && !wt_kernel_takes_order(e->kernel) && (e->window || e->chunk))
    status = fail(r, e->window ? names[WINDOW] : names[CHUNK], field[e->window ? WINDOW : CHUNK],
                  "write 0, for this kernel has its own order of tiles");
  snprintf(e->target, sizeof e->target, "%.15s", field[TARGET]);
  snprintf(e->type_a, sizeof e->type_a, "%.7s", field[TYPE_A]);
  snprintf(e->type_b, sizeof e->type_b, "%.7s", field[TYPE_B]);
  return status;
}

static wt_status add_entry(const reader *r, const wt_gemm_entry *entry) {
  wt_gemm_table *t = r->table;
  wt_gemm_entry *larger = realloc(t->entries, (t->count + 1) * sizeof *larger);
  if (!larger)
    return wt_fail(r->context, WT_ERROR_NO_MEMORY, "out of host memory for the rows of %.200s", r->path);
  t->entries = larger;
  t->entries[t->count++] = *entry;
  return WT_SUCCESS;
}

static wt_status read_lines(reader *r, FILE *file) {
  char line[LONGEST_LINE];
  bool begun = false;
  wt_status status = WT_SUCCESS;
  while (!status && fgets(line, sizeof line, file)) {
    ++r->line;
    const size_t length = strcspn(line, "\r\n");
    if (!line[length] && !feof(file))
      return wt_fail(r->context, WT_ERROR_FILE,
                     "%.200s:%zu: the line has more than %d bytes; a row is shorter than that", r->path,
                     r->line, LONGEST_LINE - 2);
    line[length] = 0;
    if (!*line || *line == '#') continue;
    if (!begun && strcmp(line, header) != 0)
      return wt_fail(r->context, WT_ERROR_FILE, "%.200s:%zu: the first row is \"%.64s\"; it must be \"%s\"",
                     r->path, r->line, line, header);
    if (begun) {
      wt_gemm_entry entry = {.m = 0};
      status = read_entry(r, line, &entry);
      if (!status) status = add_entry(r, &entry);
    }
    begun = true;
  }
  if (!status && ferror(file))
    return wt_fail(r->context, WT_ERROR_FILE, "%.200s cannot be read: %s; pass a file", r->path,
                   strerror(errno));
  if (!status && !begun)
    return wt_fail(r->context, WT_ERROR_FILE, "%.200s is empty; a table begins with \"%s\"", r->path, header);
  return status;
}

static wt_status read_table(reader *r) {
  FILE *file = fopen(r->path, "rb");
  if (!file)
    return wt_fail(r->context, WT_ERROR_FILE,
                   "%.200s cannot be read: %s; pass a file that wavetile tune wrote", r->path,
                   strerror(errno));
  r->table = calloc(1, sizeof *r->table);
  wt_status status = r->table
                         ? read_lines(r, file)
                         : wt_fail(r->context, WT_ERROR_NO_MEMORY, "out of host memory for a tuning table");
  fclose(file);
  return status;
}

void wt_gemm_table_free(wt_gemm_table *table) {
  if (table) free(table->entries);
  free(table);
}

wt_status wt_gemm_table_load(wt_context *context, const char *path) {
  if (!context)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "context is NULL; pass one made by wt_context_create");
  reader r = {.context = context, .path = path};
  const wt_status status = path ? read_table(&r) : WT_SUCCESS;
  wt_gemm_table *unused = r.table;
  if (!status) {
    pthread_mutex_lock(&context->mutex);
    unused = context->gemm_table;
    context->gemm_table = r.table;
    pthread_mutex_unlock(&context->mutex);
  }
  wt_gemm_table_free(unused);
  return status;
}

static bool matches(const wt_context *context, const wt_gemm_desc *d, const wt_gemm_entry *e) {
  const char *a = wt_kernel_input_name(context->target, d->type_a);
  const char *b = wt_kernel_input_name(context->target, d->type_b);
  return a && b && e->m == d->m && e->n == d->n && e->k == d->k &&
         strcmp(e->target, context->target->name) == 0 && strcmp(e->type_a, a) == 0 &&
         strcmp(e->type_b, b) == 0;
}

bool wt_gemm_table_find(wt_context *context, const wt_gemm_plan *plan, wt_gemm_entry *entry) {
  const wt_gemm_desc *d = &plan->desc;
  bool found = false;
  if (d->batch != 1 || d->split_k > 1) return false;
  pthread_mutex_lock(&context->mutex);
  const wt_gemm_table *t = context->gemm_table;
  for (size_t i = t ? t->count : 0; i-- > 0 && !found;) {
    found = matches(context, d, &t->entries[i]);
    if (found) *entry = t->entries[i];
  }
  pthread_mutex_unlock(&context->mutex);
  return found;
}
