// SPDX-License-Identifier: MIT
// Chooses the host vector variant once per process.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/tables.h"

static const char *const variant_names[SIM_HOST_COUNT] = {"avx512", "avx2", "portable"};
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
  const char *wanted = getenv("WT_SIM_HOST");
  for (int host = 0; host < SIM_HOST_COUNT; ++host) {
    if (wanted && strcmp(wanted, variant_names[host]) != 0) continue;
    if (!sim_host_usable((sim_host)host)) continue;
    chosen = (sim_host)host;
    return;
  }
  chosen = SIM_HOST_PORTABLE;
  fprintf(stderr,
          "wavetile sim: WT_SIM_HOST=%s is not one of avx512, avx2, portable or not supported by this CPU; "
          "using portable\n",
          wanted);
}

sim_host sim_host_variant(void) {
  pthread_once(&once, choose);
  return chosen;
}
