// SPDX-License-Identifier: MIT
// Memory pools: allocation in stream order, attributes, access, and what is refused. Kernels use other
// devices' memory only where peer access or the pool allows it. Arguments: code objects for gfx950 (device 0)
// and gfx942 (device 1).
#include <stdatomic.h>

#include "hip_capture.h"

static atomic_bool gate;
static void pass_gate(void *unused) {
  (void)unused;
  while (!gate) usleep(100);
}

static uint64_t attribute(hipMemPool_t pool, hipMemPoolAttr which) {
  uint64_t value = 0;
  OK(hipMemPoolGetAttribute(pool, which, &value));
  return value;
}

static hipMemPoolProps props_of(int device) {
  return (hipMemPoolProps){.allocType = hipMemAllocationTypePinned,
                           .location = {hipMemLocationTypeDevice, device}};
}

static void memory_comes_from_the_current_pool(hipStream_t stream) {
  hipMemPool_t standard, pool, got;
  char *a, *b, host[100];
  size_t before, after, total;
  int supported = 0;
  OK(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
  CHECK(supported == 1, "memory pools are said to be supported");
  OK(hipMemGetInfo(&before, &total));
  OK(hipDeviceGetDefaultMemPool(&standard, 0));
  OK(hipDeviceGetMemPool(&got, 0));
  CHECK(got == standard, "the default pool is current");
  OK(hipMallocAsync((void **)&a, 1000, stream));
  OK(hipMemsetAsync(a, 0x5a, 1000, stream));
  OK(hipMemcpyAsync(host, a + 900, 100, hipMemcpyDeviceToHost, stream));
  CHECK(host[0] == 0x5a && host[99] == 0x5a, "the memory can be used");
  CHECK(attribute(standard, hipMemPoolAttrUsedMemCurrent) == 1000, "in use");

  hipMemPoolProps props = props_of(0);
  OK(hipMemPoolCreate(&pool, &props));
  OK(hipDeviceSetMemPool(0, pool));
  OK(hipMallocAsync((void **)&b, 500, stream));
  CHECK(attribute(pool, hipMemPoolAttrUsedMemCurrent) == 500, "from the pool that is current now");
  OK(hipFreeAsync(b, stream));
  OK(hipMallocFromPoolAsync((void **)&b, 300, standard, stream));
  CHECK(attribute(standard, hipMemPoolAttrUsedMemCurrent) == 1300 &&
            attribute(standard, hipMemPoolAttrReservedMemCurrent) >= 1300,
        "from the named pool");
  OK(hipFree(b));  // also frees memory of pools
  CHECK(attribute(standard, hipMemPoolAttrUsedMemCurrent) == 1000 &&
            attribute(standard, hipMemPoolAttrUsedMemHigh) == 1300,
        "watermarks");
  uint64_t zero = 0;
  OK(hipMemPoolSetAttribute(standard, hipMemPoolAttrUsedMemHigh, &zero));
  CHECK(attribute(standard, hipMemPoolAttrUsedMemHigh) == 1000, "the watermark begins anew");
  OK(hipMallocAsync((void **)&b, 200, stream));
  OK(hipMemPoolDestroy(pool));  // with memory in use
  OK(hipMemset(b, 0, 200));
  OK(hipFreeAsync(b, stream));
  OK(hipDeviceGetMemPool(&got, 0));
  CHECK(got == standard, "the default pool is current again");
  OK(hipLaunchHostFunc(stream, pass_gate, NULL));
  OK(hipFreeAsync(a, stream));
  SAYS(hipErrorInvalidValue, "hipFreeAsync has freed", hipMemset(a, 0, 1));
  OK(hipMemPoolTrimTo(standard, 0));
  gate = true;
  OK(hipStreamSynchronize(stream));
  SAYS(hipErrorInvalidValue, "in no allocation", hipMemset(a, 0, 1));
  OK(hipMemGetInfo(&after, &total));
  CHECK(before == after, "%zu bytes are missing", before - after);
}

static void attributes_and_refusals(hipStream_t stream) {
  hipMemPool_t pool, got;
  hipMemPoolProps props = props_of(1);
  void *memory;
  uint64_t threshold = 12345, back = 0;
  int reuse = 0;
  OK(hipMemPoolCreate(&pool, &props));
  OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &back));
  OK(hipMemPoolGetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &reuse));
  CHECK(back == 12345 && reuse == 1, "threshold %llu, reuse %d", (unsigned long long)back, reuse);
  reuse = 0;
  OK(hipMemPoolSetAttribute(pool, hipMemPoolReuseFollowEventDependencies, &reuse));
  reuse = 7;
  OK(hipMemPoolGetAttribute(pool, hipMemPoolReuseFollowEventDependencies, &reuse));
  CHECK(reuse == 0, "reuse %d", reuse);
  SAYS(hipErrorInvalidValue, "only be set to 0",
       hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &threshold));
  SAYS(hipErrorInvalidValue, "cannot be set",
       hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &back));
  SAYS(hipErrorInvalidValue, "attribute 99", hipMemPoolGetAttribute(pool, (hipMemPoolAttr)99, &back));
  SAYS(hipErrorInvalidValue, "the value is null",
       hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, NULL));
  SAYS(hipErrorInvalidValue, "is on device 1, not 0", hipDeviceSetMemPool(0, pool));
  OK(hipMemPoolDestroy(pool));
  SAYS(hipErrorInvalidValue, "not a pool", hipMemPoolDestroy(pool));
  SAYS(hipErrorInvalidValue, "not a pool", hipMallocFromPoolAsync(&memory, 8, pool, stream));
  OK(hipDeviceGetDefaultMemPool(&got, 1));
  SAYS(hipErrorInvalidValue, "default pool", hipMemPoolDestroy(got));
  SAYS(hipErrorInvalidDevice, "device 9", hipDeviceGetDefaultMemPool(&got, 9));
  SAYS(hipErrorInvalidValue, "null", hipDeviceGetMemPool(NULL, 0));
  props.location.id = 9;
  SAYS(hipErrorInvalidValue, "device 9", hipMemPoolCreate(&pool, &props));
  props = props_of(0);
  props.handleTypes = hipMemHandleTypePosixFileDescriptor;  // which nobody need ever ask for
  OK(hipMemPoolCreate(&pool, &props));
  OK(hipMemPoolDestroy(pool));
  props.handleTypes = hipMemHandleTypeWin32;
  SAYS(hipErrorNotSupported, "no such handles", hipMemPoolCreate(&pool, &props));
  props.allocType = hipMemAllocationTypeInvalid;
  SAYS(hipErrorInvalidValue, "pinned", hipMemPoolCreate(&pool, &props));
  SAYS(hipErrorInvalidValue, "is null", hipMemPoolCreate(&pool, NULL));
  SAYS(hipErrorInvalidValue, "is null", hipMallocAsync(NULL, 8, stream));
  SAYS(hipErrorInvalidValue, "is null", hipFreeAsync(NULL, stream));
  SAYS(hipErrorOutOfMemory, "hipMallocAsync", hipMallocAsync(&memory, (size_t)1 << 50, stream));
  SAYS(hipErrorInvalidHandle, "stream", hipMallocAsync(&memory, 8, (hipStream_t)&props));
}

// hipMemPoolProps::maxSize of ROCm 6.1 has the place of bytes that were reserved before.
static void a_pool_may_have_a_size(hipStream_t stream) {
  const size_t most = 1000;
  hipMemPool_t pool;
  hipMemPoolProps props = props_of(0);
  void *first, *second;
  memcpy(props.reserved, &most, sizeof most);
  OK(hipMemPoolCreate(&pool, &props));
  OK(hipMallocFromPoolAsync(&first, 600, pool, stream));
  SAYS(hipErrorOutOfMemory, "at most 1000", hipMallocFromPoolAsync(&second, 401, pool, stream));
  SAYS(hipErrorOutOfMemory, "at most 1000", hipMallocFromPoolAsync(&second, SIZE_MAX, pool, stream));
  OK(hipMallocFromPoolAsync(&second, 400, pool, stream));
  OK(hipFree(first));
  SAYS(hipErrorOutOfMemory, "at most 1000", hipMallocFromPoolAsync(&first, 601, pool, stream));
  OK(hipMallocFromPoolAsync(&first, 600, pool, stream));
  CHECK(attribute(pool, hipMemPoolAttrUsedMemHigh) == 1000, "what is refused does not count");
  OK(hipFree(first));
  OK(hipFree(second));
  OK(hipMemPoolDestroy(pool));
}

// Lets a kernel of device 0 add to memory of device 1.
static hipError_t add_on_device_0(hipFunction_t add_table, int *memory) {
  void *params[] = {&memory};
  OK(hipSetDevice(0));
  OK(hipModuleLaunchKernel(add_table, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  return hipDeviceSynchronize();
}

static void peers_ask_for_access(hipFunction_t add_table) {
  int *theirs, *pooled, *managed, sum = 0;
  hipMemPool_t pool;
  hipMemPoolProps props = props_of(1);
  hipMemAccessFlags flags;
  hipMemLocation here = {hipMemLocationTypeDevice, 0};
  OK(hipSetDevice(1));
  OK(hipMalloc((void **)&theirs, 256));
  OK(hipMemset(theirs, 0, 256));
  OK(hipMallocManaged((void **)&managed, 256, hipMemAttachGlobal));
  OK(hipMemPoolCreate(&pool, &props));
  OK(hipMallocFromPoolAsync((void **)&pooled, 256, pool, NULL));
  OK(hipMemset(pooled, 0, 256));

  SAYS(hipErrorIllegalAddress, "hipDeviceEnablePeerAccess(1, 0)", add_on_device_0(add_table, theirs));
  CHECK(add_on_device_0(add_table, managed) == hipSuccess, "managed memory is everyone's");
  OK(hipDeviceEnablePeerAccess(1, 0));
  CHECK(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled, "twice");
  (void)hipGetLastError();
  CHECK(add_on_device_0(add_table, theirs) == hipSuccess, "enabled");
  OK(hipMemcpyPeer(&sum, 0, theirs, 1, 0));
  OK(hipMemcpy(&sum, theirs, sizeof sum, hipMemcpyDeviceToHost));
  CHECK(sum == 10, "the kernel added %d", sum);
  OK(hipDeviceDisablePeerAccess(1));
  SAYS(hipErrorIllegalAddress, "memory of device 1", add_on_device_0(add_table, theirs));

  OK(hipMemPoolGetAccess(&flags, pool, &here));
  CHECK(flags == hipMemAccessFlagsProtNone, "access %d", (int)flags);
  SAYS(hipErrorIllegalAddress, "memory of device 1", add_on_device_0(add_table, pooled));
  hipMemAccessDesc allow = {here, hipMemAccessFlagsProtReadWrite};
  OK(hipMemPoolSetAccess(pool, &allow, 1));
  OK(hipMemPoolGetAccess(&flags, pool, &here));
  CHECK(flags == hipMemAccessFlagsProtReadWrite, "access %d", (int)flags);
  CHECK(add_on_device_0(add_table, pooled) == hipSuccess, "the pool allows it");
  allow.flags = hipMemAccessFlagsProtRead;
  SAYS(hipErrorInvalidValue, "asks for access", hipMemPoolSetAccess(pool, &allow, 1));
  allow = (hipMemAccessDesc){{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtNone};
  SAYS(hipErrorInvalidValue, "own device", hipMemPoolSetAccess(pool, &allow, 1));
  allow.flags = hipMemAccessFlagsProtReadWrite;  // as it is
  OK(hipMemPoolSetAccess(pool, &allow, 1));
  hipMemAccessDesc none = {here, hipMemAccessFlagsProtNone};
  OK(hipMemPoolSetAccess(pool, &none, 1));
  OK(hipMemPoolGetAccess(&flags, pool, &here));
  CHECK(flags == hipMemAccessFlagsProtNone, "access %d", (int)flags);
  SAYS(hipErrorIllegalAddress, "memory of device 1", add_on_device_0(add_table, pooled));
  SAYS(hipErrorInvalidValue, "empty", hipMemPoolSetAccess(pool, NULL, 0));
  for (int ordinal = -1; ordinal <= 2; ordinal += 3) {
    allow.location.id = ordinal;
    SAYS(hipErrorInvalidDevice, "does not exist", hipMemPoolSetAccess(pool, &allow, 1));
  }
  OK(hipFree(theirs));
  OK(hipFree(managed));
  OK(hipFreeAsync(pooled, NULL));
  OK(hipMemPoolDestroy(pool));
}

int main(int argc, char **argv) {
  hipStream_t stream;
  hipModule_t module;
  hipFunction_t add_table = NULL;
  CHECK(argc == 3, "arguments: the code object of each device in order");
  OK(hipStreamCreate(&stream));
  OK(hipModuleLoad(&module, argc > 1 ? argv[1] : ""));
  OK(hipModuleGetFunction(&add_table, module, "add_table"));
  memory_comes_from_the_current_pool(stream);
  attributes_and_refusals(stream);
  a_pool_may_have_a_size(stream);
  peers_ask_for_access(add_table);
  OK(hipSetDevice(0));
  OK(hipStreamDestroy(stream));
  OK(hipModuleUnload(module));
  return test_result();
}
