// SPDX-License-Identifier: MIT
// Work-groups are handed out in order, so the lowest running index bounds all that have finished.
#include "sim/exec/turn.h"

void sim_turn_init(sim_turn *turn, uint64_t total, unsigned threads) {
  pthread_mutex_init(&turn->mutex, NULL);
  pthread_cond_init(&turn->changed, NULL);
  turn->next = 0;
  turn->total = total;
  turn->threads = threads;
  turn->fault_index = UINT64_MAX;
  for (unsigned i = 0; i < SIM_MAX_THREADS; ++i) turn->running[i] = UINT64_MAX;
}

void sim_turn_destroy(sim_turn *turn) {
  pthread_cond_destroy(&turn->changed);
  pthread_mutex_destroy(&turn->mutex);
}

uint64_t sim_turn_next(sim_turn *turn, unsigned thread) {
  pthread_mutex_lock(&turn->mutex);
  uint64_t index = turn->next < turn->total && turn->next < turn->fault_index ? turn->next++ : UINT64_MAX;
  turn->running[thread] = index;
  pthread_cond_broadcast(&turn->changed);
  pthread_mutex_unlock(&turn->mutex);
  return index;
}

int sim_turn_fault(sim_turn *turn, uint64_t index) {
  pthread_mutex_lock(&turn->mutex);
  int lowest = index < turn->fault_index;
  if (lowest) turn->fault_index = index;
  pthread_cond_broadcast(&turn->changed);
  pthread_mutex_unlock(&turn->mutex);
  return lowest;
}

static int has_turn(const sim_turn *turn, uint64_t index) {
  for (unsigned i = 0; i < turn->threads; ++i)
    if (turn->running[i] < index) return 0;
  return 1;
}

int sim_turn_wait(sim_turn *turn, uint64_t index) {
  pthread_mutex_lock(&turn->mutex);
  while (turn->fault_index >= index && !has_turn(turn, index))
    pthread_cond_wait(&turn->changed, &turn->mutex);
  int ok = turn->fault_index >= index;
  pthread_mutex_unlock(&turn->mutex);
  return ok;
}
