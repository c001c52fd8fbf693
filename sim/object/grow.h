// SPDX-License-Identifier: MIT
// Implements arrays that grow.
#ifndef SIM_OBJECT_GROW_H
#define SIM_OBJECT_GROW_H

#include <stdbool.h>
#include <stdlib.h>

// Makes space for `need` elements of `size` bytes in the array at *data, which has space for *capacity of
// them. Returns false when host memory runs out; the array is then as it was.
static inline bool sim_grow(void **data, size_t *capacity, size_t need, size_t size) {
  if (need <= *capacity) return true;
  size_t larger = *capacity ? *capacity : 64;
  while (larger < need) larger *= 2;
  void *grown = realloc(*data, larger * size);
  if (!grown) return false;
  *data = grown;
  *capacity = larger;
  return true;
}

#endif
