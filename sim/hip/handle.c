// SPDX-License-Identifier: MIT
// Implements the table of handles: a chained hash from pointer to kind and device.
#include <stdlib.h>

#include "sim/hip/hip.h"

typedef struct entry {
  const void *handle;
  sim_hip_kind kind;
  const sim_hip_device *device;
  struct entry *next;
} entry;

enum { BUCKET_BITS = 10 };
static entry *buckets[1 << BUCKET_BITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static entry **bucket(const void *handle) {
  uint64_t key = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;
  return &buckets[key >> (64 - BUCKET_BITS)];
}

// Returns the link that points to the entry, or the link at the end of the chain. The caller holds the lock.
static entry **find(const void *handle, sim_hip_kind kind) {
  entry **link = bucket(handle);
  while (*link && ((*link)->handle != handle || (*link)->kind != kind)) link = &(*link)->next;
  return link;
}

bool sim_hip_handle_add(const void *handle, sim_hip_kind kind, const sim_hip_device *device) {
  entry *e = malloc(sizeof *e);
  if (!e) return false;
  *e = (entry){handle, kind, device, NULL};
  pthread_mutex_lock(&lock);
  entry **head = bucket(handle);
  e->next = *head;
  *head = e;
  pthread_mutex_unlock(&lock);
  return true;
}

bool sim_hip_handle_is(const void *handle, sim_hip_kind kind) {
  pthread_mutex_lock(&lock);
  bool found = *find(handle, kind) != NULL;
  pthread_mutex_unlock(&lock);
  return found;
}

bool sim_hip_handle_remove(const void *handle, sim_hip_kind kind) {
  pthread_mutex_lock(&lock);
  entry **link = find(handle, kind), *e = *link;
  if (e) *link = e->next;
  pthread_mutex_unlock(&lock);
  bool found = e != NULL;
  free(e);
  return found;
}

void *sim_hip_handle_any(sim_hip_kind kind, const sim_hip_device *device) {
  const void *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 1 << BUCKET_BITS && !found; ++i)
    for (entry *e = buckets[i]; e && !found; e = e->next)
      if (e->kind == kind && e->device == device) found = e->handle;
  pthread_mutex_unlock(&lock);
  return (void *)(uintptr_t)found;
}
