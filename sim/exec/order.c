// SPDX-License-Identifier: MIT
// Work-groups are handed out in order, so the lowest running index bounds all that have finished.
#include "sim/exec/order.h"

#include <stdlib.h>

void sim_order_init(sim_order *order, uint64_t total, uint64_t limit, unsigned threads) {
  *order = (sim_order){.total = total,
                       .limit = limit,
                       .threads = threads,
                       .fault_index = UINT64_MAX,
                       .holder = total ? 0 : UINT64_MAX,
                       .first_new = 1};
  pthread_mutex_init(&order->mutex, NULL);
  pthread_cond_init(&order->changed, NULL);
  for (unsigned i = 0; i < SIM_MAX_THREADS; ++i) order->running[i] = UINT64_MAX;
}

void sim_order_destroy(sim_order *order) {
  pthread_cond_destroy(&order->changed);
  pthread_mutex_destroy(&order->mutex);
  free(order->parked);
}

static bool is_running(const sim_order *o, uint64_t index) {
  for (unsigned i = 0; i < o->threads; ++i)
    if (o->running[i] == index) return true;
  return false;
}

static uint64_t residents(const sim_order *o) {
  uint64_t count = o->parked_count;
  for (unsigned i = 0; i < o->threads; ++i) count += o->running[i] != UINT64_MAX;
  return count;
}

// The parked work-group that comes next after the last one, in dispatch order and round again.
static sim_parked *next_parked(sim_order *o) {
  sim_parked *lowest = NULL, *next = NULL;
  for (uint64_t i = 0; i < o->parked_count; ++i) {
    sim_parked *p = &o->parked[i];
    if (!lowest || p->position < lowest->position) lowest = p;
    if (p->position >= o->after && (!next || p->position < next->position)) next = p;
  }
  if (next) return next;
  o->stalled = !o->moved;
  o->moved = false;
  return lowest;
}

// The holder has ended or been parked: finds the next.
static void pass_on(sim_order *o) {
  o->holder = UINT64_MAX;
  while (o->first_new < o->total && o->parked_count < o->limit) {
    const uint64_t index = o->first_new++;
    if (index < o->next && !is_running(o, index)) continue;  // it has ended without the order
    o->holder = index;
    return;
  }
  const sim_parked *p = o->parked_count ? next_parked(o) : NULL;
  if (!p) return;
  o->holder = p->position;
  o->after = p->position + 1;
}

static void *take_parked(sim_order *o, uint64_t position) {
  for (uint64_t i = 0; i < o->parked_count; ++i) {
    if (o->parked[i].position != position) continue;
    void *slot = o->parked[i].slot;
    o->parked[i] = o->parked[--o->parked_count];
    return slot;
  }
  return NULL;
}

static void end_running(sim_order *o, unsigned thread) {
  const uint64_t index = o->running[thread];
  o->running[thread] = UINT64_MAX;
  if (index == UINT64_MAX) return;
  o->moved = true;
  if (index == o->holder) pass_on(o);
  pthread_cond_broadcast(&o->changed);
}

// After a fault only work-groups below it matter, and they get no further when all of them wait.
static bool is_over(const sim_order *o) {
  if (o->fault_index == UINT64_MAX) return o->next >= o->total && !o->parked_count;
  if (o->next < o->fault_index && o->next < o->total && !o->stalled) return false;
  return o->stalled || !o->parked_count || o->holder > o->fault_index;
}

uint64_t sim_order_next(sim_order *o, unsigned thread, void **slot, bool *stalled) {
  uint64_t index = UINT64_MAX;
  *slot = NULL;
  *stalled = false;
  pthread_mutex_lock(&o->mutex);
  end_running(o, thread);
  while (!is_over(o)) {
    if ((*slot = take_parked(o, o->holder))) {
      index = o->holder;
      *stalled = o->stalled;
      o->stalled = false;
      break;
    }
    if (o->next < o->total && o->next < o->fault_index && residents(o) < o->limit) {
      index = o->next++;
      break;
    }
    if (o->next >= o->total && !o->parked_count) break;
    pthread_cond_wait(&o->changed, &o->mutex);
  }
  o->running[thread] = index;
  pthread_cond_broadcast(&o->changed);
  pthread_mutex_unlock(&o->mutex);
  return index;
}

bool sim_order_park(sim_order *o, unsigned thread, void *slot, bool moved) {
  pthread_mutex_lock(&o->mutex);
  bool ok = o->parked_count < o->parked_room;
  if (!ok) {
    const uint64_t room = o->parked_room ? 2 * o->parked_room : 16;
    sim_parked *larger = realloc(o->parked, room * sizeof *larger);
    if ((ok = larger != NULL)) o->parked = larger, o->parked_room = room;
  }
  if (ok) {
    o->parked[o->parked_count++] = (sim_parked){o->running[thread], slot};
    o->running[thread] = UINT64_MAX;
    o->moved |= moved;
    pass_on(o);
    pthread_cond_broadcast(&o->changed);
  }
  pthread_mutex_unlock(&o->mutex);
  return ok;
}

bool sim_order_fault(sim_order *o, uint64_t index) {
  pthread_mutex_lock(&o->mutex);
  const bool lowest = index < o->fault_index;
  if (lowest) o->fault_index = index;
  pthread_cond_broadcast(&o->changed);
  pthread_mutex_unlock(&o->mutex);
  return lowest;
}

bool sim_order_wait(sim_order *o, uint64_t index) {
  pthread_mutex_lock(&o->mutex);
  while (o->fault_index >= index && o->holder != index) pthread_cond_wait(&o->changed, &o->mutex);
  const bool ok = o->fault_index >= index;
  pthread_mutex_unlock(&o->mutex);
  return ok;
}

static bool runs_lower(const sim_order *o, uint64_t index) {
  for (unsigned i = 0; i < o->threads; ++i)
    if (o->running[i] < index) return true;
  return false;
}

bool sim_order_wait_for_lower(sim_order *o, uint64_t index) {
  pthread_mutex_lock(&o->mutex);
  while (o->fault_index >= index && runs_lower(o, index)) pthread_cond_wait(&o->changed, &o->mutex);
  const bool ok = o->fault_index >= index;
  pthread_mutex_unlock(&o->mutex);
  return ok;
}
