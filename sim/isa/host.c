// SPDX-License-Identifier: MIT
// Chooses the host vector variant once per process.
#include <pthread.h>

#include "sim/isa/tables.h"
#include "sim/settings/environment.h"

static sim_host chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Every CPU with AVX2 and BMI2 also has F16C and LZCNT, which not every compiler can ask for.
bool sim_host_usable(sim_host host) {
#if !defined(SIM_PORTABLE_ONLY)
  bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (host == SIM_HOST_AVX512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
  if (host == SIM_HOST_AVX2) return avx2;
#endif
  return host == SIM_HOST_PORTABLE;
}

static void choose(void) {
  const int wanted = sim_env_choice(SIM_ENV_HOST, -1);
  for (int host = wanted < 0 ? 0 : wanted; host < SIM_HOST_COUNT; ++host) {
    if (!sim_host_usable((sim_host)host)) continue;
    chosen = (sim_host)host;
    return;
  }
}

sim_host sim_host_variant(void) {
  pthread_once(&once, choose);
  return chosen;
}
