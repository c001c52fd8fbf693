// SPDX-License-Identifier: MIT
// Distances are numbers of typing errors: letters left out, added, replaced, or swapped with their neighbour.
// Whether letters are capitals makes no difference.
#include "sim/settings/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  LONGEST = 64,        // names with more characters are not compared by their letters
  LETTERS_A_TYPO = 3,  // a name is near when it has at most one error for this many letters, rounded
  PART_LETTERS = 3     // a name is also near when it contains what was typed, from this many letters on
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

// Returns whether `name` contains `part`.
static bool contains(const char *name, const char *part) {
  for (; *name; ++name) {
    size_t i = 0;
    while (part[i] && same(name[i], part[i])) ++i;
    if (!part[i]) return true;
  }
  return false;
}

// Returns the restricted Damerau-Levenshtein distance.
static size_t distance_of(const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  size_t row[3][LONGEST + 1];  // the rows i - 2, i - 1 and i, each at its index modulo 3
  if (m > LONGEST || n > LONGEST) return SIZE_MAX;
  for (size_t j = 0; j <= n; ++j) row[0][j] = j;
  for (size_t i = 1; i <= m; ++i) {
    size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= n; ++j) {
      now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + !same(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = least(now[j], earlier[j - 2] + 1);
    }
  }
  return row[m % 3][n];
}

nearest nearest_begin(const char *wanted) { return (nearest){.wanted = wanted}; }

void nearest_offer(nearest *search, const char *name) {
  const size_t length = strlen(search->wanted);
  size_t distance = distance_of(search->wanted, name);
  if (length >= PART_LETTERS && contains(name, search->wanted)) distance = 1;
  if (distance > (length + 1) / LETTERS_A_TYPO) return;
  if (strlen(name) >= NEAREST_LENGTH) return;
  int at = 0;  // after those that are as near
  for (; at < NEAREST_NAMES && *search->name[at] && search->distance[at] <= distance; ++at)
    if (strcmp(search->name[at], name) == 0) return;
  if (at == NEAREST_NAMES) return;
  const size_t later = (size_t)(NEAREST_NAMES - 1 - at);
  memmove(search->name[at + 1], search->name[at], later * sizeof *search->name);
  memmove(&search->distance[at + 1], &search->distance[at], later * sizeof *search->distance);
  strcpy(search->name[at], name);
  search->distance[at] = distance;
}

void nearest_text(const nearest *search, const char *prefix, char *out, size_t size) {
  size_t used = 0;
  *out = 0;
  for (int i = 0; i < NEAREST_NAMES && *search->name[i] && used < size; ++i) {
    const bool last = i + 1 == NEAREST_NAMES || !*search->name[i + 1];
    const char *before = i == 0 ? "; did you mean " : last ? " or " : ", ";
    used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", before, prefix, search->name[i],
                             last ? "?" : "");
  }
}
