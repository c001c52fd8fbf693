// SPDX-License-Identifier: MIT
// Predicts the calls of the rows, each once, and reads the rows' quantities from them.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/micro.h"

static bool is_micro(const bench_row *row) { return strncmp(row->kernel, "micro_", 6) == 0; }

// Returns whether the row names a kernel of wt_gemm, and does not leave it to the library.
static bool names_gemm(const bench_row *row) {
  static const char *const chosen[] = {"gemm_chosen", "gemm_mx", "gemm_block"};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; ++i)
    if (strcmp(row->kernel, chosen[i]) == 0) return false;
  return strncmp(row->kernel, "gemm_", 5) == 0;
}

// A kernel that is named has K whole unless the row says otherwise, as the kernels that others measured.
static predict_call call_of(const bench_row *row) {
  predict_call call = {.chip = row->chip, .kernel = row->kernel, .type = row->type, .shape = row->sizes};
  predict_shape *s = &call.shape;
  if (names_gemm(row) && predict_option(s, "split", 0) == 0)
    s->option[s->options].value = 1, strcpy(s->option[s->options++].name, "split");
  return call;
}

static bool same_call(const bench_row *a, const bench_row *b) {
  return strcmp(a->chip, b->chip) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
         strcmp(a->type, b->type) == 0 && strcmp(a->shape, b->shape) == 0;
}

static double share(uint64_t part, uint64_t whole) { return whole ? 100 * (double)part / (double)whole : 0; }

static double quantity_of(bench_quantity quantity, const predict_result *r) {
  const wt_sim_timing_result *longest = &r->total.longest;
  switch (quantity) {
    case BENCH_TFLOPS: return r->flops / r->total.seconds * 1e-12;
    case BENCH_MICROSECONDS: return r->total.seconds * 1e6;
    case BENCH_CYCLES: return r->total.cycles;
    case BENCH_LOOP: return predict_loop(r);
    case BENCH_OVERALL: return predict_overall(r);
    case BENCH_LAG: return predict_loop(r) - predict_overall(r);
    case BENCH_GBYTES: return r->bytes / r->total.seconds * 1e-9;
    case BENCH_STREAM: return 100 * r->bytes / (r->hbm_rate * r->total.cycles);
    case BENCH_HBM: return predict_hbm(r);
    case BENCH_L2: return share(longest->l2_hits, longest->l2_lines);
    case BENCH_LLC: return share(longest->llc_hits, longest->llc_lines);
    case BENCH_DRAM: return (double)longest->read_lines;
    case BENCH_PING_PONG:  // of the two calls' rates, in predict_row
    case BENCH_EACH:       // of micro_predict
    case BENCH_SPAN:
    case BENCH_QUANTITIES: break;
  }
  return 0;
}

// Slow kernels execute billions of instructions, and their work-groups on other dies hardly disturb each
// other: one die has to do, where no launch reads what the others have written.
static wt_sim_timing_mode mode_for(const bench_row *row) {
  const bool slow = row->quantity == BENCH_TFLOPS && row->measured < 100;
  return slow && !predict_needs_all_dies(row->kernel) ? WT_SIM_TIMING_DIE : WT_SIM_TIMING_ONLY;
}

static int predict_micro(bench_row *row) {
  const predict_call call = call_of(row);
  double span = 0;
  const int code = micro_predict(&call, &span);
  row->value = row->quantity == BENCH_EACH ? span / MICRO_TIMES : span;
  row->predicted = !code;
  return code;
}

// Predicts the row's call, for it and all later rows of the same call.
static int predict_rows(bench_table *table, size_t first, bench_limit *limit) {
  bench_row *row = &table->rows[first];
  if (is_micro(row)) return predict_micro(row);
  predict_call call = call_of(row);
  predict_result result, ping_pong;
  int code = predict(&call, mode_for(row), &result);
  if (code) return code;
  if (row->quantity == BENCH_PING_PONG) {
    call.kernel = "gemm_8wave_256x256";
    code = predict(&call, mode_for(row), &ping_pong);
    row->value = 100 * ping_pong.total.seconds / result.total.seconds;
    row->predicted = !code;
    return code;
  }
  for (size_t i = first; i < table->count; ++i) {
    bench_row *other = &table->rows[i];
    if (!same_call(other, row) || other->quantity == BENCH_PING_PONG) continue;
    other->value = quantity_of(other->quantity, &result);
    other->predicted = true;
    if (limit) limit(other, &result.total.longest, other->limits, sizeof other->limits);
  }
  return TOOL_OK;
}

void bench_say_progress(size_t row, size_t rows, const char *text) {
  static const char blank[] =
      "                                                                              ";
  if (!isatty(STDERR_FILENO))
    fprintf(stderr, "%zu of %zu: %s\n", row, rows, text);
  else
    fprintf(stderr, "\r%.78s\r%zu of %zu: %s%s", blank, row, rows, text, row == rows ? "\n" : "");
  fflush(stderr);
}

static bool is_wanted(const bench_row *row, const char *only) {
  return !only || strstr(row->kernel, only) || strstr(row->group, only);
}

void bench_leave_out(bench_table *table, const char *only) {
  size_t kept = 0;
  for (size_t i = 0; i < table->count; ++i)
    if (is_wanted(&table->rows[i], only)) table->rows[kept++] = table->rows[i];
  table->count = kept;
}

int bench_check_only(const bench_table *table, const char *only) {
  for (size_t i = 0; i < table->count; ++i)
    if (is_wanted(&table->rows[i], only)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--only is \"%s\", which no row's group or kernel contains", only);
}

int bench_predict(bench_table *table, const char *only, const char *keep, bench_limit *limit) {
  int code = keep ? bench_keep_read(keep, table) : TOOL_OK;
  for (size_t i = 0; i < table->count && !code; ++i) {
    bench_row *row = &table->rows[i];
    if (row->predicted || strcmp(row->kernel, "none") == 0 || !is_wanted(row, only)) continue;
    char text[96];
    snprintf(text, sizeof text, "%s %s", row->kernel, row->shape);
    bench_say_progress(i + 1, table->count, text);
    code = predict_rows(table, i, limit);
    for (size_t j = i; keep && j < table->count && !code; ++j)
      if (table->rows[j].predicted && same_call(&table->rows[j], row))
        code = bench_keep_add(keep, &table->rows[j]);
  }
  return code;
}

double bench_error(const bench_row *row) {
  return bench_quantities[row->quantity].points ? row->value - row->measured
                                                : 100 * (row->value / row->measured - 1);
}

bool bench_within(const bench_row *row) { return !row->bound || fabs(bench_error(row)) <= row->bound; }

bool bench_met(const bench_row *row) {
  return row->role == BENCH_MOST ? row->value <= row->measured : row->value >= row->measured;
}
