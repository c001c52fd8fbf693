// SPDX-License-Identifier: MIT
// Defines every other symbol of the HIP runtime: it exists, says that it is not available and returns an
// error, so that nothing fails at link time or in silence. The file also has two calls whose results are no
// error codes.
#include <stdint.h>

// The real prototypes are not declared here: a stub ignores its arguments, whatever they are, which the
// calling convention of x86-64 allows.
#define SIM_HIP_EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 801 };  // hipErrorNotSupported

typedef int hipError_t;
void sim_say(const char *format, ...);
hipError_t sim_hip_result(hipError_t error);

static hipError_t unavailable(const char *call) {
  sim_say("%s is not available on the simulated device", call);
  return sim_hip_result(NOT_SUPPORTED);
}

#define UNAVAILABLE_STATUS(name)        \
  SIM_HIP_EXPORT hipError_t name(void); \
  hipError_t name(void) { return unavailable(#name); }
#define UNAVAILABLE_ZERO(name)     \
  SIM_HIP_EXPORT void *name(void); \
  void *name(void) {               \
    unavailable(#name);            \
    return 0;                      \
  }
#define UNAVAILABLE_TEXT(name)           \
  SIM_HIP_EXPORT const char *name(void); \
  const char *name(void) {               \
    unavailable(#name);                  \
    return #name " is not available";    \
  }

#include "unavailable_list.h"

#pragma GCC visibility push(default)
void __hipGetPCH(const char **data, unsigned *size);
typedef struct channel_desc {
  int x, y, z, w, kind;
} channel_desc;
channel_desc hipCreateChannelDesc(int x, int y, int z, int w, int kind);
#pragma GCC visibility pop

void __hipGetPCH(const char **data, unsigned *size) {
  unavailable("__hipGetPCH");
  *data = 0;
  *size = 0;
}

// Describes a texel; it touches no device.
channel_desc hipCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (channel_desc){x, y, z, w, kind};
}
