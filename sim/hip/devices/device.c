// SPDX-License-Identifier: MIT
// Implements the simulated devices: which there are, which one is current, and waiting for them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/order.h"
#include "sim/isa/tables.h"
#include "sim/report/process_tally.h"
#include "sim/settings/config.h"
#include "sim/settings/environment.h"

static sim_hip_device devices[SIM_HIP_MAX_DEVICES];
static sim_machine machines[SIM_HIP_MAX_DEVICES];  // what each device is: a chip, perhaps with fewer units
static int device_count;
static pthread_once_t devices_once = PTHREAD_ONCE_INIT;
static __thread int current_device;
static _Atomic unsigned device_flags[SIM_HIP_MAX_DEVICES];  // hipSetDeviceFlags
static _Atomic int cache_config[SIM_HIP_MAX_DEVICES];       // hipDeviceSetCacheConfig

static void add_device(const sim_machine *chip) {
  const uint64_t most = sim_env_number(SIM_ENV_COMPUTE_UNITS, chip->cus);
  sim_machine *machine = &machines[device_count];
  *machine = *chip;
  if (most < machine->cus) machine->cus = (uint32_t)most;
  devices[device_count] = (sim_hip_device){.ordinal = device_count, .machine = machine};
  ++device_count;
}

// Every chip, the ones for which most of the program's own code objects were compiled first.
static void add_every_device(void) {
  const sim_machine *order[SIM_HIP_MAX_DEVICES];
  int served[SIM_HIP_MAX_DEVICES], count = 0;
  for (; count < SIM_HIP_MAX_DEVICES && sim_machine_at((size_t)count); ++count) {
    const sim_machine *machine = sim_machine_at((size_t)count);
    const int serves = sim_hip_fatbins_for(machine);
    int at = count;
    for (; at > 0 && served[at - 1] < serves; --at) {
      order[at] = order[at - 1];
      served[at] = served[at - 1];
    }
    order[at] = machine;
    served[at] = serves;
  }
  for (int i = 0; i < count; ++i) add_device(order[i]);
}

// Refuses a setting that is right by itself, but not on this host.
static bool host_allows(void) {
  const int host = sim_env_choice(SIM_ENV_HOST, SIM_HOST_PORTABLE);
  if (sim_host_usable((sim_host)host)) return true;
  fprintf(stderr, "wavetile sim: %s=%s is not supported by this CPU; leave it out for the widest that is\n",
          sim_env_name(SIM_ENV_HOST), sim_env_text(SIM_ENV_HOST));
  return false;
}

// Settings that are wrong leave no device, so that every call fails. Their sentence is printed whatever
// WT_SIM_QUIET says, for it is the only word about why.
static void create_devices(void) {
  const sim_config *config = sim_configuration();
  sim_tally_begin();
  if (*config->refused) fprintf(stderr, "wavetile sim: %s\n", config->refused);
  if (*config->refused || !host_allows()) {
    sim_hip_result(hipErrorNoDevice);  // hipGetLastError may be the first call
    return;
  }
  if (!*config->devices) {
    add_every_device();
    return;
  }
  char names[sizeof config->devices];
  memcpy(names, config->devices, sizeof names);
  char *rest = names;
  for (char *name; (name = strsep(&rest, ","));) add_device(sim_machine_find(name));
}

int sim_hip_device_count(void) {
  pthread_once(&devices_once, create_devices);
  return device_count;
}

sim_hip_device *sim_hip_device_at(int ordinal) {
  return ordinal >= 0 && ordinal < sim_hip_device_count() ? &devices[ordinal] : NULL;
}

sim_hip_device *sim_hip_current(void) { return sim_hip_device_at(current_device); }

hipError_t sim_hip_set_current(int ordinal) {
  if (sim_hip_device_count() == 0) return hipErrorNoDevice;
  if (!sim_hip_device_at(ordinal)) return hipErrorInvalidDevice;
  current_device = ordinal;
  return hipSuccess;
}

hipError_t sim_hip_synchronize(sim_hip_device *device) {
  sim_hip_wait_for_device(device);
  return sim_hip_deliver(device, UINT64_MAX);
}

// Finds the device, or the error for an ordinal that does not exist, with its sentence.
static hipError_t need_device(const char *call, int ordinal, const void *result, sim_hip_device **out) {
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (!result) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  *out = sim_hip_device_at(ordinal);
  if (*out) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist; there are %d", call, ordinal,
                        sim_hip_device_count());
}

hipError_t hipInit(unsigned int flags) {
  if (flags != 0) return sim_hip_refuse(hipErrorInvalidValue, "hipInit: flags is %u, it must be 0", flags);
  return sim_hip_result(sim_hip_device_count() ? hipSuccess : hipErrorNoDevice);
}

static hipError_t version(const char *call, int *out) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  *out = HIP_VERSION;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int *out) { return version("hipDriverGetVersion", out); }
hipError_t hipRuntimeGetVersion(int *out) { return version("hipRuntimeGetVersion", out); }

hipError_t hipGetDeviceCount(int *count) {
  if (!count) return sim_hip_refuse(hipErrorInvalidValue, "hipGetDeviceCount: count is null");
  *count = sim_hip_device_count();
  return sim_hip_result(*count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipSetDevice(int ordinal) {
  hipError_t error = sim_hip_set_current(ordinal);
  if (error == hipErrorInvalidDevice)
    return sim_hip_refuse(error, "hipSetDevice: device %d does not exist; there are %d", ordinal,
                          sim_hip_device_count());
  return sim_hip_result(error);
}

hipError_t hipGetDevice(int *ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipGetDevice", current_device, ordinal, &device);
  if (error == hipSuccess) *ordinal = device->ordinal;
  return error;
}

hipError_t hipDeviceGet(hipDevice_t *out, int ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGet", ordinal, out, &device);
  if (error == hipSuccess) *out = ordinal;
  return error;
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t ordinal) {
  sim_hip_device *device;
  hipError_t error =
      need_device("hipDeviceComputeCapability", ordinal, major && minor ? major : NULL, &device);
  if (error != hipSuccess) return error;
  hipDeviceProp_t prop;
  sim_hip_properties(device, &prop);
  *major = prop.major;
  *minor = prop.minor;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char *name, int size, hipDevice_t ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetName", ordinal, name, &device);
  if (error != hipSuccess) return error;
  if (size <= 0)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetName: len is %d, not positive", size);
  snprintf(name, (size_t)size, "%s", device->machine->product);
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetUuid", ordinal, uuid, &device);
  if (error == hipSuccess) sim_hip_uuid(device, uuid);
  return error;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceTotalMem", ordinal, bytes, &device);
  if (error == hipSuccess) *bytes = device->machine->memory_bytes;
  return error;
}

static void pci_bus_id(const sim_hip_device *device, char text[32]) {
  hipDeviceProp_t prop;
  sim_hip_properties(device, &prop);
  snprintf(text, 32, "%04x:%02x:%02x.0", (unsigned)prop.pciDomainID, (unsigned)prop.pciBusID,
           (unsigned)prop.pciDeviceID);
}

hipError_t hipDeviceGetPCIBusId(char *text, int size, int ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetPCIBusId", ordinal, text, &device);
  if (error != hipSuccess) return error;
  char id[32];
  pci_bus_id(device, id);
  if (size > 0) snprintf(text, (size_t)size, "%s", id);  // as much as fits
  if (size > (int)strlen(id)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetPCIBusId: len is %d, it must be at least %d", size,
                        (int)strlen(id) + 1);
}

hipError_t hipDeviceGetByPCIBusId(int *ordinal, const char *text) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetByPCIBusId", 0, text ? ordinal : NULL, &device);
  if (error != hipSuccess) return error;
  for (int i = 0; i < device_count; ++i) {
    char id[32];
    pci_bus_id(&devices[i], id);
    if (strcmp(id, text) == 0) {
      *ordinal = i;
      return hipSuccess;
    }
  }
  return sim_hip_refuse(hipErrorInvalidDevice, "hipDeviceGetByPCIBusId: no device has the id \"%s\"", text);
}

hipError_t hipDeviceSynchronize(void) {
  sim_hip_device *device = sim_hip_current();
  hipError_t error = sim_hip_capture_refuses_wait("hipDeviceSynchronize");
  if (error != hipSuccess) return error;
  return sim_hip_result(device ? sim_hip_synchronize(device) : hipErrorNoDevice);
}

// Releases everything the program owns on the current device. Code of <<<>>> kernels is loaded anew at its
// next use.
hipError_t hipDeviceReset(void) {
  sim_hip_device *device = sim_hip_current();
  if (!device) return sim_hip_result(hipErrorNoDevice);
  sim_hip_hold(device);
  (void)sim_hip_deliver(device, UINT64_MAX);
  sim_hip_fatbin_reset(device);
  for (void *p; (p = sim_hip_handle_any(SIM_HIP_MODULE, device));) sim_hip_module_free(p);
  for (void *p; (p = sim_hip_handle_any(SIM_HIP_STREAM, device));) sim_hip_stream_free(p);
  for (void *p; (p = sim_hip_handle_any(SIM_HIP_EVENT, device));) (void)hipEventDestroy(p);
  for (void *p; (p = sim_hip_handle_any(SIM_HIP_ALLOCATION, device));) sim_hip_release(p);
  sim_hip_virtual_reset(device);
  sim_hip_pool_reset(device);
  device->heap = NULL;
  atomic_store(&device_flags[device->ordinal], 0);
  atomic_store(&cache_config[device->ordinal], (int)hipFuncCachePreferNone);
  sim_hip_let_go();
  return hipSuccess;
}

// ---- limits and settings: kept or accepted where the hardware ignores them too

hipError_t hipSetDeviceFlags(unsigned flags) {
  const sim_hip_device *device = sim_hip_current();
  const unsigned schedule = flags & hipDeviceScheduleMask;
  if (!device) return sim_hip_result(hipErrorNoDevice);
  if (flags & ~(unsigned)(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax))
    return sim_hip_refuse(hipErrorInvalidValue, "hipSetDeviceFlags: flags 0x%x has unknown bits", flags);
  if (schedule & (schedule - 1))
    return sim_hip_refuse(hipErrorInvalidValue, "hipSetDeviceFlags: flags 0x%x asks for several schedules",
                          flags);
  atomic_store(&device_flags[device->ordinal], schedule);  // the others are always so
  return hipSuccess;
}

hipError_t hipGetDeviceFlags(unsigned *flags) {
  const sim_hip_device *device = sim_hip_current();
  if (!flags) return sim_hip_refuse(hipErrorInvalidValue, "hipGetDeviceFlags: flags is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  *flags = atomic_load(&device_flags[device->ordinal]);
  return hipSuccess;
}

// Device malloc takes what it needs from the device's memory, and device printf has a packet for every wave:
// these sizes limit nothing here, they are kept for the caller. The stack is of recursion and indirect calls.
static _Atomic size_t stack_bytes = SIM_STACK_BYTES, printf_bytes = 1 << 20, heap_bytes = 8 << 20;

enum {
  LIMIT_STACK_SIZE = 0,  // hipLimitStackSize of ROCm 5.3
  // COMPUTE_TMPRING_SIZE.WAVESIZE can say so much: 8191 units of 256 dwords a wave, 64 lanes (LLVM
  // AMDGPUUsage).
  STACK_MAX = 8191 * 1024 / 64
};

static _Atomic size_t *limit_of(enum hipLimit_t limit) {
  return (int)limit == LIMIT_STACK_SIZE    ? &stack_bytes
         : limit == hipLimitPrintfFifoSize ? &printf_bytes
         : limit == hipLimitMallocHeapSize ? &heap_bytes
                                           : NULL;
}

uint32_t sim_hip_stack_bytes(void) { return (uint32_t)atomic_load(&stack_bytes); }

hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
  if (!value) return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetLimit: the result pointer is null");
  if (!limit_of(limit))
    return sim_hip_refuse(hipErrorUnsupportedLimit, "hipDeviceGetLimit: limit %d is not known", (int)limit);
  *value = atomic_load(limit_of(limit));
  return hipSuccess;
}

SIM_HIP_EXPORT hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
  if (!limit_of(limit))
    return sim_hip_refuse(hipErrorUnsupportedLimit, "hipDeviceSetLimit: limit %d is not known", (int)limit);
  if ((int)limit == LIMIT_STACK_SIZE && (value == 0 || value > STACK_MAX))
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipDeviceSetLimit: a stack of %zu bytes; a work-item can have 1..%d", value,
                          STACK_MAX);
  if ((int)limit == LIMIT_STACK_SIZE) value = (value + 15) / 16 * 16;  // the unit of a lane's scratch
  atomic_store(limit_of(limit), value);
  return hipSuccess;
}

// The LDS of these chips has one size, and its banks are 4 bytes wide.
hipError_t sim_hip_check_cache_config(const char *call, hipFuncCache_t config) {
  if ((int)config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: configuration %d is not known", call, (int)config);
}

hipError_t sim_hip_check_lds_config(const char *call, hipSharedMemConfig config) {
  if ((int)config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte)
    return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: configuration %d is not known", call, (int)config);
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
  const sim_hip_device *device = sim_hip_current();
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_check_cache_config("hipDeviceSetCacheConfig", config);
  if (error == hipSuccess) atomic_store(&cache_config[device->ordinal], (int)config);
  return error;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
  if (!config)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetCacheConfig: the result pointer is null");
  const sim_hip_device *device = sim_hip_current();
  if (!device) return sim_hip_result(hipErrorNoDevice);
  *config = (hipFuncCache_t)atomic_load(&cache_config[device->ordinal]);
  return hipSuccess;
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return sim_hip_check_lds_config("hipDeviceSetSharedMemConfig", config);
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
  if (!config)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetSharedMemConfig: the result pointer is null");
  *config = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return hipSuccess;
}

// ---- peers: copies between devices always work; a kernel that uses another device's memory needs the access
// enabled

static _Atomic uint32_t peers_enabled[SIM_HIP_MAX_DEVICES];  // bit p: device p is enabled

uint32_t sim_hip_peers(const sim_hip_device *device) { return atomic_load(&peers_enabled[device->ordinal]); }

static hipError_t need_peer(const char *call, int peer, sim_hip_device **self) {
  *self = sim_hip_current();
  if (!*self) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_device_at(peer) && peer != (*self)->ordinal) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d is not a peer of device %d", call, peer,
                        (*self)->ordinal);
}

hipError_t hipDeviceCanAccessPeer(int *can, int ordinal, int peer) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceCanAccessPeer", ordinal, can, &device);
  if (error == hipSuccess) error = need_device("hipDeviceCanAccessPeer", peer, can, &device);
  if (error == hipSuccess) *can = ordinal != peer;
  return error;
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  sim_hip_device *self;
  if (flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceEnablePeerAccess: flags is %u, it must be 0",
                          flags);
  hipError_t error = need_peer("hipDeviceEnablePeerAccess", peer, &self);
  if (error != hipSuccess) return error;
  uint32_t before = atomic_fetch_or(&peers_enabled[self->ordinal], 1u << peer);
  return sim_hip_result(before >> peer & 1 ? hipErrorPeerAccessAlreadyEnabled : hipSuccess);
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  sim_hip_device *self;
  hipError_t error = need_peer("hipDeviceDisablePeerAccess", peer, &self);
  if (error != hipSuccess) return error;
  uint32_t before = atomic_fetch_and(&peers_enabled[self->ordinal], ~(1u << peer));
  return sim_hip_result(before >> peer & 1 ? hipSuccess : hipErrorPeerAccessNotEnabled);
}

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int ordinal, int peer) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetP2PAttribute", ordinal, value, &device);
  if (error == hipSuccess) error = need_device("hipDeviceGetP2PAttribute", peer, value, &device);
  if (error != hipSuccess) return error;
  switch (attribute) {
    case hipDevP2PAttrAccessSupported:
    case hipDevP2PAttrNativeAtomicSupported: *value = ordinal != peer; return hipSuccess;
    case hipDevP2PAttrPerformanceRank:
    case hipDevP2PAttrHipArrayAccessSupported: *value = 0; return hipSuccess;
  }
  return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetP2PAttribute: attribute %d is not known",
                        (int)attribute);
}

// The devices of one node are linked by HSA_AMD_LINK_INFO_TYPE_XGMI, one hop (as on platforms of these
// chips).
enum { LINK_XGMI = 4 };

hipError_t hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t *type, uint32_t *hops) {
  const char *call = "hipExtGetLinkTypeAndHopCount";
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (!type || !hops) return sim_hip_refuse(hipErrorInvalidValue, "%s: a result pointer is null", call);
  if (!sim_hip_device_at(first) || !sim_hip_device_at(second) || first == second)
    return sim_hip_refuse(
        first < 0 || second < 0 || first == second ? hipErrorInvalidValue : hipErrorInvalidDevice,
        "%s: devices %d and %d are no two devices of %d", call, first, second, sim_hip_device_count());
  *type = LINK_XGMI;
  *hops = 1;
  return hipSuccess;
}
