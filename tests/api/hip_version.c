// SPDX-License-Identifier: MIT
// Tests in which release's numbers a program is answered: HIP 5 and later ones number the kinds of memory
// differently. Argument: the major release.
#include "hip_capture.h"

#ifdef TELLS_BY_SYMBOL
hipError_t hipGetDevicePropertiesR0600(void *out, int device);
#endif

int main(int argc, char **argv) {
  const unsigned host = argc > 1 && atoi(argv[1]) >= 6,
                 device = host + 1;  // HIP 5: host 0, device 1; later 1 and 2
  hipPointerAttribute_t attributes;
  void *memory;
#ifdef TELLS_BY_SYMBOL
  char properties[1472];  // sizeof(hipDeviceProp_tR0600)
  OK(hipGetDevicePropertiesR0600(properties, 0));
#endif
  OK(hipMalloc(&memory, 64));
  OK(hipPointerGetAttributes(&attributes, memory));
  CHECK((unsigned)attributes.memoryType == device, "memory of the device is of type %u, not %u",
        (unsigned)attributes.memoryType, device);
  OK(hipFree(memory));
  OK(hipHostMalloc(&memory, 64, 0));
  OK(hipPointerGetAttributes(&attributes, memory));
  CHECK((unsigned)attributes.memoryType == host, "memory of the host is of type %u, not %u",
        (unsigned)attributes.memoryType, host);
  OK(hipHostFree(memory));
  return test_result();
}
