// SPDX-License-Identifier: MIT
// Says which rows are whose, for `wavetile grouped`: random runs, the check of files, and the owner of each
// row.
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "grouped.h"

static int64_t count_of(const family_job *job, const grouped_sizes *s, int64_t group, int64_t left) {
  const grouped_own *own = job->own;
  const bool masked = own->contract == WT_GROUP_MASKED;
  if (strcmp(own->share_name, "one") == 0) return group == 0 ? s->m : 0;
  if (strcmp(own->share_name, "even") == 0)
    return masked ? s->m : s->m / s->groups + (group < s->m % s->groups);
  const uint64_t number = random_at(job->run_options.seed + TENSORS, (uint64_t)group);
  const int64_t most = masked ? s->m : 2 * (s->m / s->groups + 1);
  const int64_t count = (int64_t)(number % (uint64_t)(most + 1));
  return masked || count < left ? count : left;
}

// Random runs: the rows of one group after those of the other.
void grouped_make_rows(family_job *job) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  int32_t *rows = job->tensors[ROWS].values.integers;
  const int64_t grain = grouped_grain(job);  // a block of scales is of one group
  int64_t at = 0;
  for (int64_t i = 0; i < s.m && own->contract == WT_GROUP_INDICES; ++i) rows[i] = NOBODY;
  for (int64_t g = 0; g < s.groups; ++g) {
    const int64_t count = count_of(job, &s, g, s.m - at) / grain * grain;
    if (own->contract == WT_GROUP_MASKED) rows[g] = (int32_t)count;
    if (own->contract == WT_GROUP_MASKED) continue;
    if (own->contract == WT_GROUP_OFFSETS) rows[g] = (int32_t)at, rows[g + 1] = (int32_t)(at + count);
    for (int64_t i = 0; i < count && own->contract == WT_GROUP_INDICES; ++i) rows[at + i] = (int32_t)g;
    at += count;
  }
}

static int bad_row(const family_job *job, int64_t i, const char *remedy) {
  return tool_error(TOOL_USAGE, "--rows %s: element [%lld] is %d; %s", job->tensors[ROWS].path, (long long)i,
                    job->tensors[ROWS].values.integers[i], remedy);
}

// The C API takes numbers of the device as they are; those of a file are looked at.
int grouped_check_rows(const family_job *job) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  const npy_array *values = &job->tensors[ROWS].values;
  const int32_t *rows = values->integers;
  const int64_t grain = grouped_grain(job);
  bool *seen = calloc((size_t)s.groups, sizeof *seen);
  int code = seen ? TOOL_OK : tool_error(TOOL_FAILED, "out of host memory for --rows");
  for (int64_t i = 0; i < values->shape[0] && !code; ++i) {
    const bool first = i == 0 || rows[i] != rows[i - 1];
    const int64_t begins = own->contract == WT_GROUP_OFFSETS ? rows[i] : i;
    const bool empty = own->contract == WT_GROUP_OFFSETS && (i == s.groups || rows[i] == rows[i + 1]);
    if (own->contract == WT_GROUP_OFFSETS && (rows[i] < 0 || rows[i] > s.m || (i && rows[i] < rows[i - 1])))
      code = bad_row(job, i, "pass numbers from 0 to the rows of X, none less than the one before");
    if (own->contract == WT_GROUP_MASKED && (rows[i] < 0 || rows[i] > s.m))
      code = bad_row(job, i, "pass numbers from 0 to the rows that a group has in X");
    if (!code && own->contract == WT_GROUP_OFFSETS && !empty && begins % grain)
      code = bad_row(job, i, "let each group begin with a block of scales");
    if (own->contract != WT_GROUP_INDICES || rows[i] < 0) continue;
    if (rows[i] >= s.groups) code = bad_row(job, i, "pass the number of a group, from 0, or -1 for padding");
    if (!code && first && begins % grain)
      code = bad_row(job, i, "let each group begin with a block of scales");
    if (!code && first && seen[rows[i]])
      code = bad_row(job, i, "put the rows of a group together, for it had some before");
    if (!code) seen[rows[i]] = true;
  }
  free(seen);
  return code;
}

static void own_rows(grouped_own *own, int64_t first, int64_t end, int64_t group) {
  for (int64_t i = first; i < end; ++i) own->owner[i] = (int)group;
}

int grouped_find_owners(family_job *job) {
  grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  const int32_t *rows = job->tensors[ROWS].values.integers;
  free(own->owner);
  own->owner = malloc((size_t)s.rows * sizeof *own->owner);
  if (!own->owner) return tool_error(TOOL_FAILED, "out of host memory for the rows of X");
  own_rows(own, 0, s.rows, NOBODY);
  for (int64_t g = 0; g < s.groups && own->contract == WT_GROUP_OFFSETS; ++g)
    own_rows(own, rows[g], rows[g + 1], g);
  for (int64_t g = 0; g < s.groups && own->contract == WT_GROUP_MASKED; ++g)
    own_rows(own, g * s.m, g * s.m + rows[g], g);
  for (int64_t i = 0; i < s.rows && own->contract == WT_GROUP_INDICES; ++i) own->owner[i] = rows[i];
  own->counted = 0;
  for (int64_t i = 0; i < s.rows; ++i) own->counted += own->owner[i] >= 0;
  return TOOL_OK;
}
