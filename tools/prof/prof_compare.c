// SPDX-License-Identifier: MIT
// Compares two runs that were saved with --json.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/tool.h"
#include "prof_json.h"

typedef struct measure {
  const char *label, *group, *name;  // kernel[group][name]
  double factor;                     // to the label's unit
  int decimals;
} measure;

static const measure measures[] = {
    {"time, us", "time", "seconds", 1e6, 2},
    {"all launches, us", "time", "seconds_of_all_launches", 1e6, 2},
    {"cycles", "time", "cycles", 1, 0},
    {"clock, MHz", "time", "clock_mhz", 1, 0},
    {"matrix, TFLOP/s", "matrix", "flops_per_second", 1e-12, 1},
    {"pipes busy, %", "matrix", "busy", 100, 1},
    {"pipes busy in loop, %", "matrix", "busy_in_loop", 100, 1},
    {"vector, TFLOP/s", "vector", "flops_per_second", 1e-12, 2},
    {"HBM, TB/s", "memory", "bytes_per_second", 1e-12, 3},
    {"HBM, % of peak", "memory", "share_of_peak", 100, 1},
    {"waves per SIMD", "occupancy", "waves_per_simd", 1, 2},
    {"VGPRs", "occupancy", "vgprs", 1, 0},
    {"cycles of an iteration", "loop", "cycles_per_iteration", 1, 1},
    {"pipe idle in an iteration", "loop", "pipe_idle_per_iteration", 1, 1},
};

static double number(const json_t *kernel, const char *group, const char *name) {
  return json_number_value(json_object_get(json_object_get(kernel, group), name));
}

static void print_row(const char *label, double a, double b, int decimals) {
  printf("    %-32s %14.*f %14.*f", label, decimals, a, decimals, b);
  if (a != 0)
    printf(" %10.3f\n", b / a);
  else
    printf(" %10s\n", b == a ? "1.000" : "-");
}

static void print_measures(const json_t *a, const json_t *b) {
  for (size_t i = 0; i < sizeof measures / sizeof *measures; ++i) {
    const measure *m = &measures[i];
    const double x = number(a, m->group, m->name) * m->factor, y = number(b, m->group, m->name) * m->factor;
    if (x != 0 || y != 0) print_row(m->label, x, y, m->decimals);
  }
}

// Prints the causes whose share differs by a tenth of a percent or more; says whether there was one.
static bool print_causes(const json_t *a, const json_t *b, const char *where, const char *title) {
  const json_t *x = json_object_get(json_object_get(a, "waves_time"), where);
  json_t *y = json_object_get(json_object_get(b, "waves_time"), where), *value;
  const char *cause;
  bool any = false;
  json_object_foreach(y, cause, value) {
    const double before = 100 * json_number_value(json_object_get(x, cause)),
                 after = 100 * json_number_value(value);
    if (fabs(after - before) < 0.1) continue;
    if (!any) printf("    %s\n", title);
    any = true;
    char label[64];
    snprintf(label, sizeof label, "  %s", cause);
    print_row(label, before, after, 1);
  }
  return any;
}

static const char *text(const json_t *kernel, const char *name) {
  const char *value = json_string_value(json_object_get(kernel, name));
  return value ? value : "";
}

static bool same_work(const json_t *a, const json_t *b) {
  return strcmp(text(a, "name"), text(b, "name")) == 0 && strcmp(text(a, "chip"), text(b, "chip")) == 0 &&
         json_equal(json_object_get(a, "grid"), json_object_get(b, "grid")) &&
         json_equal(json_object_get(a, "block"), json_object_get(b, "block"));
}

// Returns the rank of the n-th kernel among those with the same work as `like`, or how many there are before
// `like` itself.
static size_t rank_of(const json_t *kernels, const json_t *like) {
  size_t i, rank = 0;
  json_t *k;
  json_array_foreach(kernels, i, k) {
    if (k == like) break;
    rank += same_work(k, like);
  }
  return rank;
}

static json_t *find(const json_t *kernels, const json_t *like, size_t rank) {
  size_t i;
  json_t *k;
  json_array_foreach(kernels, i, k) if (same_work(k, like) && rank-- == 0) return k;
  return NULL;
}

static void print_name(const json_t *k) {
  const json_t *grid = json_object_get(k, "grid");
  printf("%s (%s), grid %lldx%lldx%lld\n", text(k, "title"), text(k, "target"),
         (long long)json_integer_value(json_array_get(grid, 0)),
         (long long)json_integer_value(json_array_get(grid, 1)),
         (long long)json_integer_value(json_array_get(grid, 2)));
}

static void compare(const json_t *a, const json_t *b) {
  printf(same_work(a, b) ? "\n" : "\nA  ");
  print_name(a);
  if (!same_work(a, b)) {
    printf("B  ");
    print_name(b);
  }
  if (json_equal(a, b)) {
    printf("    no difference\n");
    return;
  }
  printf("    %-32s %14s %14s %10s\n", "", "A", "B", "B/A");
  print_measures(a, b);
  print_causes(a, b, "loop", "waves' time in the loop, %");
  print_causes(a, b, "matrix_pipe_in_loop", "matrix pipes' time in the loop, %");
}

// Returns the kernels of `kernels` that have no counterpart in `others`.
static json_t *unmatched(const json_t *kernels, const json_t *others) {
  json_t *left = json_array(), *k;
  size_t i;
  json_array_foreach(kernels, i, k) if (!find(others, k, rank_of(kernels, k))) json_array_append(left, k);
  return left;
}

static void print_unmatched(const json_t *left, const char *where) {
  size_t i;
  json_t *k;
  json_array_foreach(left, i, k) {
    putchar('\n');
    print_name(k);
    printf("    only in %s\n", where);
  }
}

static void compare_runs(const json_t *a, const json_t *b) {
  const json_t *of_a = json_object_get(a, "kernels"), *of_b = json_object_get(b, "kernels");
  size_t i;
  json_t *k;
  json_array_foreach(of_a, i, k) {
    const json_t *other = find(of_b, k, rank_of(of_a, k));
    if (other) compare(k, other);
  }
  // A change may be another kernel in the place of one.
  json_t *left_a = unmatched(of_a, of_b), *left_b = unmatched(of_b, of_a);
  if (json_array_size(left_a) == 1 && json_array_size(left_b) == 1) {
    compare(json_array_get(left_a, 0), json_array_get(left_b, 0));
  } else {
    print_unmatched(left_a, "A");
    print_unmatched(left_b, "B");
  }
  json_decref(left_a);
  json_decref(left_b);
  const double x = json_number_value(json_object_get(a, "seconds")),
               y = json_number_value(json_object_get(b, "seconds"));
  printf("\nall kernels\n");
  print_row("time, us", x * 1e6, y * 1e6, 2);
}

int prof_compare(const char *path_a, const char *path_b) {
  json_t *a = prof_read_json(path_a), *b = a ? prof_read_json(path_b) : NULL;
  if (a && b) {
    printf("predicted, not measured\nA  %s\nB  %s\n", path_a, path_b);
    compare_runs(a, b);
  }
  const int code = a && b ? TOOL_OK : TOOL_USAGE;
  json_decref(a);
  json_decref(b);
  return code;
}
