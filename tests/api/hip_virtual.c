// SPDX-License-Identifier: MIT
// Virtual memory management: memory mapped at reserved addresses keeps its bytes wherever it is mapped, is
// used by devices with access only, goes to another process as a file descriptor; and what is refused. It
// takes two devices.
#include <sys/wait.h>

#include "hip_capture.h"

enum { GRANULE = 4096, SIZE = 4 * GRANULE };

static hipMemAllocationProp device_memory(int device) {
  return (hipMemAllocationProp){.type = hipMemAllocationTypePinned,
                                .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
                                .location = {hipMemLocationTypeDevice, device}};
}

static void memory_keeps_its_bytes(void) {
  const hipMemAllocationProp properties = device_memory(1);
  hipMemAllocationProp told;
  const hipMemAccessDesc both[] = {{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtRead},
                                   {{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite}};
  hipMemGenericAllocationHandle_t memory, again;
  size_t granule = 0, before, after, total;
  unsigned long long access = 9;
  char *first, *second;
  char in[SIZE], out[SIZE];
  for (int i = 0; i < SIZE; ++i) in[i] = (char)(i * 7);
  OK(hipMemGetAllocationGranularity(&granule, &properties, hipMemAllocationGranularityMinimum));
  CHECK(granule == GRANULE, "granularity %zu", granule);
  OK(hipSetDevice(1));
  OK(hipMemGetInfo(&before, &total));
  OK(hipMemCreate(&memory, SIZE, &properties, 0));
  OK(hipMemGetInfo(&after, &total));
  CHECK(before - after == SIZE, "%zu bytes are taken", before - after);
  OK(hipMemGetAllocationPropertiesFromHandle(&told, memory));
  CHECK(told.location.id == 1 && told.type == hipMemAllocationTypePinned, "device %d", told.location.id);
  OK(hipMemAddressReserve((void **)&first, 2 * SIZE, 1 << 21, NULL, 0));
  CHECK((uintptr_t)first % (1 << 21) == 0, "%p is aligned", (void *)first);
  second = first + SIZE;
  OK(hipMemMap(first, SIZE, 0, memory, 0));
  OK(hipMemMap(second, SIZE, 0, memory, 0));
  OK(hipMemSetAccess(first, 2 * SIZE, both, 2));
  OK(hipMemGetAccess(&access, &both[0].location, first));
  CHECK(access == hipMemAccessFlagsProtRead, "device 0 has access %llu", access);
  OK(hipMemGetAccess(&access, &both[1].location, second + SIZE - 1));
  CHECK(access == hipMemAccessFlagsProtReadWrite, "device 1 has access %llu", access);
  OK(hipMemcpy(first, in, SIZE, hipMemcpyHostToDevice));
  OK(hipMemcpy(out, second, SIZE, hipMemcpyDeviceToHost));
  CHECK(!memcmp(in, out, SIZE), "both mappings are of the same memory");
  OK(hipMemset(first + SIZE - 1, 5, 2));  // the last byte of one mapping and the first of the next
  CHECK(first[0] == 5 && second[SIZE - 1] == 5, "a range may cross from mapping to mapping");
  SAYS(hipErrorInvalidValue, "overruns", hipMemset(second, 1, SIZE + 1));
  OK(hipMemRetainAllocationHandle(&again, second));
  CHECK(again == memory, "the address names its memory");
  OK(hipMemRelease(again));
  OK(hipMemRelease(memory));
  SAYS(hipErrorInvalidValue, "no memory of this runtime", hipMemRelease(memory));
  SAYS(hipErrorInvalidValue, "still mapped", hipMemAddressFree(first, 2 * SIZE));
  OK(hipMemUnmap(first, SIZE));
  CHECK(second[0] == 5, "memory lives as long as something is mapped");
  OK(hipMemUnmap(second, SIZE));
  SAYS(hipErrorInvalidValue, "no mapping", hipMemUnmap(second, SIZE));
  OK(hipMemAddressFree(first, 2 * SIZE));
  OK(hipMemGetInfo(&after, &total));
  CHECK(before == after, "all bytes are given back");
  OK(hipSetDevice(0));
}

static void devices_need_access(void) {
  const hipMemAllocationProp properties = device_memory(0);
  hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  hipMemGenericAllocationHandle_t memory;
  hipPointerAttribute_t told;
  char *base;
  OK(hipMemCreate(&memory, SIZE, &properties, 0));
  OK(hipMemAddressReserve((void **)&base, SIZE, 0, NULL, 0));
  OK(hipMemMap(base, SIZE, 0, memory, 0));
  CHECK(hipPointerGetAttributes(&told, base) == hipErrorInvalidValue, "no device knows the address");
  (void)hipGetLastError();
  OK(hipMemSetAccess(base, SIZE, &access, 1));
  OK(hipPointerGetAttributes(&told, base));
  CHECK(told.device == 0 && told.devicePointer == base, "memory of device %d", told.device);
  SAYS(hipErrorInvalidValue, "mapped memory", hipFree(base));
  access.flags = hipMemAccessFlagsProtNone;
  OK(hipMemSetAccess(base, SIZE, &access, 1));
  CHECK(hipPointerGetAttributes(&told, base) == hipErrorInvalidValue, "access is taken away");
  (void)hipGetLastError();
  OK(hipMemUnmap(base, SIZE));
  OK(hipMemRelease(memory));
  OK(hipMemAddressFree(base, SIZE));
}

static void another_process_maps_the_memory(void) {
  const hipMemAllocationProp properties = device_memory(0);
  const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  hipMemGenericAllocationHandle_t memory, imported;
  int file = -1, status = -1;
  char *base;
  OK(hipMemCreate(&memory, SIZE, &properties, 0));
  OK(hipMemAddressReserve((void **)&base, SIZE, 0, NULL, 0));
  OK(hipMemMap(base, SIZE, 0, memory, 0));
  OK(hipMemSetAccess(base, SIZE, &access, 1));
  OK(hipMemset(base, 3, SIZE));
  OK(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0));
  SAYS(hipErrorInvalidValue, "no exported memory",
       hipMemImportFromShareableHandle(&imported, &(int){0}, hipMemHandleTypePosixFileDescriptor));
  const pid_t child = fork();
  if (!child) {
    char *mine = NULL;
    const int failed =
        hipMemImportFromShareableHandle(&imported, &file, hipMemHandleTypePosixFileDescriptor) ||
        hipMemAddressReserve((void **)&mine, SIZE, 0, NULL, 0) || hipMemMap(mine, SIZE, 0, imported, 0) ||
        mine[SIZE - 1] != 3;
    if (!failed) mine[0] = 4;
    _exit(failed);
  }
  waitpid(child, &status, 0);
  CHECK(status == 0 && base[0] == 4 && base[1] == 3, "status %d, byte %d", status, base[0]);
  close(file);
  OK(hipMemUnmap(base, SIZE));
  OK(hipMemRelease(memory));
  OK(hipMemAddressFree(base, SIZE));
}

static void wrong_calls_are_refused(void) {
  hipMemAllocationProp properties = device_memory(0);
  hipMemGenericAllocationHandle_t memory;
  void *base;
  SAYS(hipErrorInvalidValue, "multiple of 4096", hipMemCreate(&memory, SIZE - 1, &properties, 0));
  SAYS(hipErrorInvalidValue, "flags", hipMemCreate(&memory, SIZE, &properties, 1));
  properties.location.id = 2;
  SAYS(hipErrorInvalidValue, "device 2", hipMemCreate(&memory, SIZE, &properties, 0));
  properties.location.id = 0;
  SAYS(hipErrorOutOfMemory, "do not fit", hipMemCreate(&memory, (size_t)1 << 50, &properties, 0));
  SAYS(hipErrorMemoryAllocation, "power of two", hipMemAddressReserve(&base, SIZE, 3, NULL, 0));
  OK(hipMemCreate(&memory, SIZE, &properties, 0));
  OK(hipMemAddressReserve(&base, SIZE, 0, NULL, 0));
  int file = -1;
  SAYS(hipErrorInvalidValue, "the result pointer is null",
       hipMemExportToShareableHandle(NULL, memory, hipMemHandleTypePosixFileDescriptor, 0));
  SAYS(hipErrorInvalidValue, "flags must be 0",
       hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 1));
  CHECK(file == -1, "a refused export gives file %d", file);
  SAYS(hipErrorInvalidValue, "not reserved", hipMemMap((char *)base + SIZE, SIZE, 0, memory, 0));
  SAYS(hipErrorInvalidValue, "offset", hipMemMap(base, SIZE, GRANULE, memory, 0));
  SAYS(hipErrorInvalidValue, "the memory has 16384 bytes", hipMemMap(base, 2 * SIZE, 0, memory, 0));
  OK(hipMemMap(base, SIZE, 0, memory, 0));
  SAYS(hipErrorInvalidValue, "mapped there already", hipMemMap(base, GRANULE, 0, memory, 0));
  const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  SAYS(hipErrorInvalidValue, "whole mappings", hipMemSetAccess(base, GRANULE, &access, 1));
  OK(hipMemUnmap(base, SIZE));
  SAYS(hipErrorInvalidValue, "no reservation", hipMemAddressFree(base, GRANULE));
  OK(hipMemAddressFree(base, SIZE));
  OK(hipMemRelease(memory));
}

int main(void) {
  memory_keeps_its_bytes();
  devices_need_access();
  another_process_maps_the_memory();
  wrong_calls_are_refused();
  return test_result();
}
