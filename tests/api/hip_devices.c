// SPDX-License-Identifier: MIT
// The devices are those of WT_SIM_DEVICES, in its order, and every way to ask about one gives the same
// answer. Arguments: the expected chips; none: an unknown name was given, so there is no device.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>

#include "hip_capture.h"

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);  // declared since HIP 5.3

static const struct {
  const char *chip, *product, *arch;
  int major, minor, cus, lds;
  size_t memory;
} chips[] = {
    // AMD's data sheets give 256 CUs, 160 KiB LDS and 288 GB for MI355X, and 304 CUs, 64 KiB and 192 GB for
    // MI300X.
    {"mi355x", "AMD Instinct MI355X (simulated)", "gfx950:sramecc+:xnack-", 9, 5, 256, 163840, 288ull << 30},
    {"mi300x", "AMD Instinct MI300X (simulated)", "gfx942:sramecc+:xnack-", 9, 4, 304, 65536, 192ull << 30},
};

static int attribute(hipDeviceAttribute_t which, int device) {
  int value = -1;
  OK(hipDeviceGetAttribute(&value, which, device));
  return value;
}

static void properties_match_the_chip(int device, const char *chip) {
  int row = strcmp(chip, chips[0].chip) == 0 ? 0 : 1;
  hipDeviceProp_t p;
  memset(&p, 0xff, sizeof p);
  OK(hipGetDeviceProperties(&p, device));
  CHECK(strcmp(p.name, chips[row].product) == 0, "name is \"%s\"", p.name);
  CHECK(strcmp(p.gcnArchName, chips[row].arch) == 0, "arch is \"%s\"", p.gcnArchName);
  CHECK(p.major == chips[row].major && p.minor == chips[row].minor, "capability %d.%d", p.major, p.minor);
  CHECK(p.multiProcessorCount == chips[row].cus, "%d CUs", p.multiProcessorCount);
  CHECK((int)p.sharedMemPerBlock == chips[row].lds, "%zu bytes of LDS", p.sharedMemPerBlock);
  CHECK(p.totalGlobalMem == chips[row].memory, "%zu bytes of HBM", p.totalGlobalMem);
  CHECK(p.warpSize == 64, "wave of %d", p.warpSize);
  CHECK(p.maxThreadsPerBlock == 1024, "blocks of %d", p.maxThreadsPerBlock);
}

static void other_queries_repeat_the_properties(int device) {
  hipDeviceProp_t p;
  OK(hipGetDeviceProperties(&p, device));
  CHECK(attribute(hipDeviceAttributeMultiprocessorCount, device) == p.multiProcessorCount, "CUs");
  CHECK(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock, device) == (int)p.sharedMemPerBlock, "LDS");
  CHECK(attribute(hipDeviceAttributeWarpSize, device) == p.warpSize, "wave");
  CHECK(attribute(hipDeviceAttributeClockRate, device) == p.clockRate && p.clockRate > 1000000,
        "clock in kHz");
  CHECK(attribute(hipDeviceAttributeTotalGlobalMem, device) == 0x7fffffff, "a size beyond 32 bits saturates");
  CHECK(attribute(hipDeviceAttributeComputeCapabilityMinor, device) == p.minor, "minor");
  char name[256], bus[32];
  OK(hipDeviceGetName(name, sizeof name, device));
  CHECK(strcmp(name, p.name) == 0, "name \"%s\"", name);
  OK(hipDeviceGetName(name, 4, device));
  CHECK(strcmp(name, "AMD") == 0, "a short buffer gives a short name, got \"%s\"", name);
  size_t bytes = 0;
  OK(hipDeviceTotalMem(&bytes, device));
  CHECK(bytes == p.totalGlobalMem, "memory %zu", bytes);
  int major = 0, minor = 0, found = -1;
  OK(hipDeviceComputeCapability(&major, &minor, device));
  CHECK(major == p.major && minor == p.minor, "%d.%d", major, minor);
  OK(hipDeviceGetPCIBusId(bus, sizeof bus, device));
  OK(hipDeviceGetByPCIBusId(&found, bus));
  CHECK(found == device, "PCI id %s leads to device %d, not %d", bus, found, device);

  // The same goes through the ROCm 6 entry point, by the offsets of its layout.
  hipError_t (*r0600)(void *, int);
  *(void **)&r0600 = dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600");
  CHECK(r0600 != NULL, "hipGetDevicePropertiesR0600 is exported");
  char *raw = calloc(1, 1472 + 64);
  memset(raw + 1472, 0x5a, 64);
  if (r0600) OK(r0600(raw, device));
  CHECK(strcmp(raw, p.name) == 0, "R0600 name \"%s\"", raw);
  CHECK(memcmp(raw + 288, &p.totalGlobalMem, sizeof(size_t)) == 0, "R0600 memory at 288");
  CHECK(strcmp(raw + 1160, p.gcnArchName) == 0, "R0600 arch at 1160: \"%s\"", raw + 1160);
  for (int i = 0; i < 64; ++i) CHECK(raw[1472 + i] == 0x5a, "R0600 writes no byte beyond its 1472");
  free(raw);
}

// Tests what HIP 5.2 did not have yet.
static void later_attributes_and_limits(int device) {
  int value = -1;
  size_t bytes = 0;
  const enum hipLimit_t stack = (enum hipLimit_t)0;  // hipLimitStackSize
  OK(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)89, device));
  CHECK(value == 1, "virtual memory management is there: %d", value);
  OK(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)10017, device));
  CHECK(value == 100000, "the wall clock counts at 100 MHz, not %d kHz", value);
  OK(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)10018, device));
  CHECK(value == 8, "8 dies, not %d", value);
  OK(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)10019, device));
  CHECK(value == 512, "512 VGPRs, not %d", value);
  OK(hipDeviceGetLimit(&bytes, stack));
  CHECK(bytes == 16384, "a stack of %zu bytes", bytes);
  SAYS(hipErrorUnsupportedLimit, "limit -1", hipDeviceSetLimit((enum hipLimit_t) - 1, 1024));
  SAYS(hipErrorUnsupportedLimit, "limit -1", hipDeviceGetLimit(&bytes, (enum hipLimit_t) - 1));
  // These are pointers to registers that the device does not have.
  static const hipDeviceAttribute_t registers[] = {hipDeviceAttributeHdpMemFlushCntl,
                                                   hipDeviceAttributeHdpRegFlushCntl};
  for (int i = 0; i < 2; ++i) {
    unsigned *address[2] = {&(unsigned){0}, &(unsigned){0}};
    OK(hipDeviceGetAttribute((int *)&address[0], registers[i], device));
    CHECK(!address[0] && address[1], "register %d at %p, and beside it %p", i, (void *)address[0],
          (void *)address[1]);
  }
  OK(hipDeviceSetLimit(stack, 20001));
  OK(hipDeviceGetLimit(&bytes, stack));
  CHECK(bytes == 20016, "a stack of %zu bytes", bytes);
  SAYS(hipErrorInvalidValue, "1..131056", hipDeviceSetLimit(stack, 131057));
  SAYS(hipErrorInvalidValue, "0 bytes", hipDeviceSetLimit(stack, 0));
  OK(hipDeviceSetLimit(stack, 16384));
  for (unsigned flags = 0; flags < 5; ++flags) {
    void *memory;
    OK(hipExtMallocWithFlags(&memory, 8, flags));
    OK(hipFree(memory));
  }
  void *memory;
  SAYS(hipErrorInvalidValue, "0x9", hipExtMallocWithFlags(&memory, 8, 9));
  SAYS(hipErrorInvalidValue, "comes in 8", hipExtMallocWithFlags(&memory, 16, hipMallocSignalMemory));
}

static void bad_queries_are_refused(int count) {
  hipDeviceProp_t p;
  int value;
  SAYS(hipErrorInvalidDevice, "does not exist", hipGetDeviceProperties(&p, count));
  SAYS(hipErrorInvalidDevice, "does not exist", hipGetDeviceProperties(&p, -1));
  SAYS(hipErrorInvalidDevice, "does not exist", hipSetDevice(count));
  SAYS(hipErrorInvalidValue, "null", hipGetDeviceProperties(NULL, 0));
  SAYS(hipErrorInvalidValue, "attribute 123456",
       hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)123456, 0));
  SAYS(hipErrorInvalidValue, "null", hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0));
  SAYS(hipErrorUnsupportedLimit, "limit", hipDeviceGetLimit(&(size_t){0}, (enum hipLimit_t)77));
  SAYS(hipErrorInvalidValue, "flags", hipInit(1));
}

static void a_device_is_set_per_thread(int count) {
  int device = -1;
  for (int i = 0; i < count; ++i) {
    OK(hipSetDevice(i));
    OK(hipGetDevice(&device));
    CHECK(device == i, "device %d, expected %d", device, i);
  }
  OK(hipSetDevice(0));
}

// Each device has what is asked for when its own properties are asked for, and the first one when nothing is.
static void a_device_is_chosen_by_its_properties(int count) {
  int chosen = -1;
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t want;
    OK(hipGetDeviceProperties(&want, i));
    OK(hipChooseDevice(&chosen, &want));
    CHECK(chosen == i, "device %d is chosen for the properties of device %d", chosen, i);
  }
  OK(hipChooseDevice(&chosen, &(hipDeviceProp_t){.major = 0}));
  CHECK(chosen == 0, "device %d is chosen for no properties", chosen);
  SAYS(hipErrorInvalidValue, "hipChooseDevice: prop is null", hipChooseDevice(&chosen, NULL));
  SAYS(hipErrorInvalidValue, "hipChooseDevice: device is null",
       hipChooseDevice(NULL, &(hipDeviceProp_t){.major = 0}));
}

int main(int argc, char **argv) {
  int count = -1, version = 0;
  if (argc == 1) {
    SAYS(hipErrorNoDevice, "\"mi999\"", hipGetDeviceCount(&count));
    CHECK(count == 0, "%d devices", count);
    void *p = NULL;
    hipDeviceProp_t prop;
    SAYS(hipErrorNoDevice, "", hipMalloc(&p, 16));
    SAYS(hipErrorNoDevice, "", hipGetDeviceProperties(&prop, 0));
    SAYS(hipErrorNoDevice, "", hipDeviceSynchronize());
    SAYS(hipErrorNoDevice, "", hipStreamSynchronize(NULL));
    return test_result();
  }
  Dl_info info = {0};
  CHECK(dladdr((void *)hipInit, &info) && dlsym(RTLD_DEFAULT, "wtSimTotals"),
        "hipInit comes from %s, which is not the simulated runtime", info.dli_fname);
  OK(hipInit(0));
  OK(hipGetDeviceCount(&count));
  CHECK(count == argc - 1, "%d devices", count);
  OK(hipRuntimeGetVersion(&version));
  CHECK(version == HIP_VERSION, "version %d", version);
  for (int i = 0; i < count; ++i) {
    properties_match_the_chip(i, argv[i + 1]);
    other_queries_repeat_the_properties(i);
    later_attributes_and_limits(i);
  }
  bad_queries_are_refused(count);
  a_device_is_set_per_thread(count);
  a_device_is_chosen_by_its_properties(count);
  return test_result();
}
