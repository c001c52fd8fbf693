// SPDX-License-Identifier: MIT
// Has freestanding kernels of the tests of host and device at the same time.
#define GLOBAL extern "C" __attribute__((global))

// Waits until the host, or other work, has set the flag, by an atomic as programs do it, and says so.
GLOBAL void wait_for_flag(int *flag, int *out) {
  while (!__hip_atomic_fetch_add(flag, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) {
  }
  *out = *out * 10 + 1;
}

// Does the same by a volatile load.
GLOBAL void wait_for_volatile(volatile int *flag, int *out) {
  while (!*flag) {
  }
  *out = *out * 10 + 1;
}

GLOBAL void append(int *out, int digit) { *out = *out * 10 + digit; }

// Answers each number of the host by the next one.
GLOBAL void answer(int *question, int *reply, int rounds) {
  for (int i = 1; i <= rounds; ++i) {
    while (__hip_atomic_load(question, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != i) {
    }
    __hip_atomic_store(reply, i + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
}

GLOBAL void store_at(int *out) { *out = 1; }

// The first work-group waits for all others.
GLOBAL void first_waits(int *counter, int *out) {
  const int others = *(const unsigned *)__builtin_amdgcn_implicitarg_ptr() - 1;
  if (__builtin_amdgcn_workgroup_id_x()) {
    __hip_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return;
  }
  while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != others)
    __builtin_amdgcn_s_sleep(1);
  *out = others;
}

// Each work-group waits for the one after it; the last one begins.
GLOBAL void each_waits(int *token, int *out) {
  const int self = __builtin_amdgcn_workgroup_id_x();
  while (__hip_atomic_load(token, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != self + 1) {
  }
  *out = *out * 3 + self;
  __hip_atomic_store(token, self, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// Holds a lock around an update that is not atomic.
GLOBAL void lock_and_add(int *lock, int *out) {
  while (__hip_atomic_exchange(lock, 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  *out = *out + 1;
  __hip_atomic_store(lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// Makes delays of 10 ms by the 100 MHz clock, by core clocks and with sleeps in between; out: ticks that
// passed.
GLOBAL void delay(long *out) {
  enum { TICKS = 1000000, CLOCKS = 24000000 };
  long begin = __builtin_readsteadycounter(), now;
  do now = __builtin_readsteadycounter();
  while (now - begin < TICKS);
  out[0] = now - begin;
  begin = __builtin_readcyclecounter();
  do now = __builtin_readcyclecounter();
  while (now - begin < CLOCKS);
  out[1] = now - begin;
  begin = __builtin_readsteadycounter();
  do {
    __builtin_amdgcn_s_sleep(127);
    now = __builtin_readsteadycounter();
  } while (now - begin < TICKS);
  out[2] = now - begin;
}

GLOBAL void endless(int *out) {
  for (int i = 0;; ++i) __builtin_amdgcn_sched_barrier(0), out[i & 1] = i;
}
