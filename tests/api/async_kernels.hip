// SPDX-License-Identifier: MIT
// Kernels of the tests of host and device at the same time. Freestanding.
#define GLOBAL extern "C" __attribute__((global))

// Waits until the host, or other work, has set the flag, by an atomic as programs do it, and says so.
GLOBAL void wait_for_flag(int *flag, int *out) {
  while (!__hip_atomic_fetch_add(flag, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) {
  }
  *out = *out * 10 + 1;
}

// The same by a volatile load.
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
