// SPDX-License-Identifier: MIT
// Keeps one cache for each device.
#include "sim/timing/left_over.h"

#include <pthread.h>

#include "sim/settings/environment.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_cache kept[SIM_ENV_DEVICES_MOST];

// Exchanges what is kept for a device, and returns what was.
static sim_cache exchange(int device, sim_cache llc) {
  pthread_mutex_lock(&lock);
  const sim_cache before = kept[device];
  kept[device] = llc;
  pthread_mutex_unlock(&lock);
  return before;
}

sim_cache sim_left_over_take(int device) { return exchange(device, (sim_cache){0}); }

void sim_left_over_put(int device, sim_cache *llc) {
  sim_cache before = exchange(device, *llc);
  *llc = (sim_cache){0};
  sim_cache_free(&before);
}

void sim_left_over_forget(void) {
  for (int i = 0; i < SIM_ENV_DEVICES_MOST; ++i) {
    sim_cache before = exchange(i, (sim_cache){0});
    sim_cache_free(&before);
  }
}
