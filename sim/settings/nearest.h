// SPDX-License-Identifier: MIT
// Finds the names that a misspelt one may have meant.
#ifndef SIM_SETTINGS_NEAREST_H
#define SIM_SETTINGS_NEAREST_H

#include <stddef.h>

enum { NEAREST_NAMES = 3, NEAREST_LENGTH = 128 };  // longer names are not offered again

typedef struct nearest {
  const char *wanted;  // the name as it was spelt
  // The nearest names, nearest first; empty where there is no other.
  char name[NEAREST_NAMES][NEAREST_LENGTH];
  size_t distance[NEAREST_NAMES];
} nearest;

// Begins a search for names near to `wanted`, which must outlive it.
nearest nearest_begin(const char *wanted);
// Offers one valid name. A name that is not near is passed over.
void nearest_offer(nearest *search, const char *name);
// Writes `; did you mean A, B or C?` with `prefix` before each name, or nothing when none is near.
void nearest_text(const nearest *search, const char *prefix, char *out, size_t size);

#endif
