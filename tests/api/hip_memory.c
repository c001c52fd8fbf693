// SPDX-License-Identifier: MIT
// Allocation, pointer attributes, copies and fills: right data inside the bounds, a named error outside them.
#include <pthread.h>
#include <sys/resource.h>

#include "hip_capture.h"

static void copies_are_checked_against_the_allocation(void) {
  char *d, host[4096] = {0};
  OK(hipMalloc((void **)&d, 1000));
  CHECK((uintptr_t)d % 256 == 0, "aligned to 256 bytes: %p", (void *)d);
  OK(hipMemcpy(d, host, 1000, hipMemcpyHostToDevice));
  SAYS(hipErrorInvalidValue, "by 1 bytes", hipMemcpy(d, host, 1001, hipMemcpyHostToDevice));
  SAYS(hipErrorInvalidValue, "by 96 bytes", hipMemcpy(d + 996, host, 100, hipMemcpyHostToDevice));
  SAYS(hipErrorInvalidValue, "source", hipMemcpy(host, d, 1001, hipMemcpyDeviceToHost));
  SAYS(hipErrorInvalidValue, "hipMemcpyAsync", hipMemcpyAsync(host, d, 1001, hipMemcpyDefault, NULL));
  SAYS(hipErrorInvalidValue, "hipMemset", hipMemset(d, 0, 1001));
  SAYS(hipErrorInvalidValue, "hipMemsetD32", hipMemsetD32((hipDeviceptr_t)d, 0, 251));
  SAYS(hipErrorInvalidValue, "in no allocation", hipMemcpy(host, host + 8, 8, hipMemcpyHostToDevice));
  SAYS(hipErrorInvalidValue, "in no allocation", hipMemcpyDtoH(host, (hipDeviceptr_t)(host + 8), 8));
  SAYS(hipErrorInvalidValue, "null", hipMemcpy(NULL, d, 8, hipMemcpyDeviceToHost));
  SAYS(hipErrorInvalidMemcpyDirection, "kind 99", hipMemcpy(d, host, 8, (hipMemcpyKind)99));
  SAYS(hipErrorContextIsDestroyed, "stream",
       hipMemcpyAsync(d, host, 8, hipMemcpyHostToDevice, (hipStream_t)host));
  OK(hipMemcpy(d + 1000, host, 0, hipMemcpyHostToDevice));
  OK(hipFree(d));
  SAYS(hipErrorInvalidValue, "in no allocation", hipMemcpy(d, host, 8, hipMemcpyHostToDevice));
}

static void data_arrives(void) {
  enum { N = 100000 };
  test_rng rng = test_seed(3);
  unsigned char *a, *b, *host = malloc(N), *back = malloc(N);
  for (int i = 0; i < N; ++i) host[i] = (unsigned char)test_random(&rng);
  OK(hipMalloc((void **)&a, N));
  OK(hipMalloc((void **)&b, N));
  OK(hipMemcpyHtoD(a, host, N));
  OK(hipMemcpyDtoD(b + 7, a, N - 7));
  OK(hipMemcpyDtoH(back, b, N));
  CHECK(memcmp(back + 7, host, N - 7) == 0, "device to device");
  OK(hipMemcpy(a + 5, a, N - 5, hipMemcpyDefault));
  OK(hipMemcpy(back, a, N, hipMemcpyDefault));
  CHECK(memcmp(back + 5, host, N - 5) == 0, "overlapping ranges");
  OK(hipMemcpyPeer(b, 0, a, 0, N));
  OK(hipMemsetD16(b + 2, 0xabcd, 3));
  OK(hipMemsetD32(b + 8, 0x01020304, 2));
  OK(hipMemsetD8(b + 16, 0x77, 1));
  OK(hipMemcpy(back, b, 18, hipMemcpyDeviceToHost));
  static const unsigned char expected[] = {0xcd, 0xab, 0xcd, 0xab, 0xcd, 0xab, 4, 3, 2, 1, 4, 3, 2, 1, 0x77};
  CHECK(memcmp(back + 2, expected, sizeof expected) == 0, "memset patterns");
  SAYS(hipErrorInvalidValue, "not aligned", hipMemsetD32(b + 1, 0, 1));
  OK(hipFree(a));
  OK(hipFree(b));
  free(host);
  free(back);
}

// A box from and to every place of a larger one, in every direction.
static void boxes_at_positions(void) {
  enum { W = 4, H = 3, D = 3 };
  static unsigned char in[D][H][W], out[D][H][W], want[D][H][W];
  for (int i = 0; i < D * H * W; ++i) (&in[0][0][0])[i] = (unsigned char)(i + 1);
  for (int place = 0; place < 64; ++place) {
    const struct hipPos from = {place & 1, place >> 1 & 1, place >> 2 & 1},
                        to = {place >> 3 & 1, place >> 4 & 1, place >> 5 & 1};
    const struct hipMemcpy3DParms p = {.srcPtr = {in, W, W, H},
                                       .srcPos = from,
                                       .dstPtr = {out, W, W, H},
                                       .dstPos = to,
                                       .extent = {3, 2, 2},
                                       .kind = hipMemcpyHostToHost};
    memset(out, 0, sizeof out);
    memset(want, 0, sizeof want);
    for (size_t z = 0; z < 2; ++z)
      for (size_t y = 0; y < 2; ++y)
        for (size_t x = 0; x < 3; ++x)
          want[z + to.z][y + to.y][x + to.x] = in[z + from.z][y + from.y][x + from.x];
    OK(hipMemcpy3D(&p));
    CHECK(memcmp(out, want, sizeof out) == 0, "a box from place %d to place %d", place & 7, place >> 3);
  }
}

static void pitched_boxes(void) {
  enum { W = 5, H = 3, D = 2 };
  hipPitchedPtr box;
  unsigned char in[D][H][W], out[D][H][W];
  for (int i = 0; i < D * H * W; ++i) (&in[0][0][0])[i] = (unsigned char)(i + 1);
  OK(hipMalloc3D(&box, (hipExtent){W, H, D}));
  CHECK(box.pitch >= W && box.pitch % 256 == 0, "pitch %zu", box.pitch);
  struct hipMemcpy3DParms p = {
      .srcPtr = {in, W, W, H}, .dstPtr = box, .extent = {W, H, D}, .kind = hipMemcpyHostToDevice};
  OK(hipMemcpy3D(&p));
  CHECK(((unsigned char *)box.ptr)[box.pitch * (H + 2) + 4] == in[1][2][4], "last element of the last row");
  // Element (1,1,1) alone becomes 99.
  hipPitchedPtr inner = {(char *)box.ptr + box.pitch * (H + 1) + 1, box.pitch, 1, H};
  OK(hipMemset3D(inner, 99, (hipExtent){1, 1, 1}));
  memset(out, 0, sizeof out);
  OK(hipMemcpy2D(out[1], W, (char *)box.ptr + box.pitch * H, box.pitch, W, H, hipMemcpyDeviceToHost));
  in[1][1][1] = 99;
  CHECK(memcmp(out[1], in[1], sizeof in[1]) == 0, "the second plane");
  memset(out, 0, sizeof out);
  OK(hipMemcpy2D(out, 1, (char *)box.ptr + box.pitch * (H + 2), 1, W, 1, hipMemcpyDeviceToHost));
  CHECK(memcmp(out, in[1][2], W) == 0, "a single row needs no pitch");
  SAYS(hipErrorInvalidPitchValue, "pitch",
       hipMemcpy2D(out, 4, box.ptr, box.pitch, W, H, hipMemcpyDeviceToHost));
  SAYS(hipErrorInvalidValue, "overruns",
       hipMemcpy2D(out, W, box.ptr, box.pitch, W, D * H + 1, hipMemcpyDeviceToHost));
  SAYS(hipErrorInvalidValue, "overruns", hipMemset2D(box.ptr, box.pitch, 0, box.pitch, D * H + 1));
  hip_Memcpy2D q = {.srcMemoryType = hipMemoryTypeDevice,
                    .srcDevice = box.ptr,
                    .srcPitch = box.pitch,
                    .srcXInBytes = 1,
                    .srcY = 1,
                    .dstMemoryType = hipMemoryTypeHost,
                    .dstHost = out,
                    .dstPitch = 2,
                    .WidthInBytes = 2,
                    .Height = 2};
  OK(hipMemcpyParam2D(&q));
  CHECK(memcmp(out, (unsigned char[]){in[0][1][1], in[0][1][2], in[0][2][1], in[0][2][2]}, 4) == 0,
        "a 2x2 box");
  q.srcMemoryType = hipMemoryTypeArray;
  SAYS(hipErrorNotSupported, "arrays", hipMemcpyParam2D(&q));
  OK(hipFree(box.ptr));
}

static void attributes_describe_the_pointer(void) {
  char *device, *pinned, *managed, block[128], *local = block + 32;
  hipPointerAttribute_t a;
  OK(hipSetDevice(1));
  OK(hipMalloc((void **)&device, 512));
  OK(hipSetDevice(0));
  OK(hipHostMalloc((void **)&pinned, 512, hipHostMallocMapped));
  OK(hipMallocManaged((void **)&managed, 512, hipMemAttachGlobal));
  OK(hipPointerGetAttributes(&a, device + 100));
  CHECK(a.memoryType == hipMemoryTypeDevice && a.device == 1 && a.devicePointer == device + 100 &&
            !a.hostPointer && !a.isManaged,
        "device pointer: type %d device %d", (int)a.memoryType, a.device);
  OK(hipPointerGetAttributes(&a, pinned));
  CHECK(a.memoryType == hipMemoryTypeHost && a.device == 0 && a.hostPointer == pinned &&
            a.devicePointer == pinned && a.allocationFlags == hipHostMallocMapped,
        "pinned pointer: type %d flags %u", (int)a.memoryType, a.allocationFlags);
  OK(hipPointerGetAttributes(&a, managed + 511));
  CHECK(a.isManaged && a.hostPointer == managed + 511, "managed pointer");
  // A list is read to its end, or to what is not available; memory without an address on the host says null.
  hipPointer_attribute names[] = {HIP_POINTER_ATTRIBUTE_HOST_POINTER, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                  HIP_POINTER_ATTRIBUTE_RANGE_SIZE, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *on_host = local, *start = NULL;
  size_t bytes = 0;
  int ordinal = -1;
  void *places[] = {&on_host, &start, &bytes, &ordinal};
  OK(hipDrvPointerGetAttributes(4, names, places, device + 100));
  CHECK(!on_host && start == device && bytes == 512 && ordinal == 1, "a list: %p, %p, %zu, device %d",
        on_host, start, bytes, ordinal);
  names[2] = (hipPointer_attribute)999, bytes = 0, ordinal = -1;
  SAYS(hipErrorNotSupported, "attribute 999", hipDrvPointerGetAttributes(4, names, places, device + 100));
  CHECK(bytes == 0 && ordinal == -1, "what follows an unknown attribute is read");
  SAYS(hipErrorInvalidValue, "attributes is null", hipDrvPointerGetAttributes(4, NULL, places, device));
  SAYS(hipErrorInvalidValue, "data is null", hipDrvPointerGetAttributes(4, names, NULL, device));
  SAYS(hipErrorInvalidValue, "the list is empty", hipDrvPointerGetAttributes(0, names, places, device));
  SAYS(hipErrorInvalidValue, "", hipPointerGetAttributes(&a, local));
  SAYS(hipErrorInvalidValue, "", hipPointerGetAttributes(&a, device + 512));
  hipDeviceptr_t base = NULL;
  size_t size = 0;
  OK(hipMemGetAddressRange(&base, &size, device + 300));
  CHECK(base == device && size == 512, "range %p %zu", base, size);
  OK(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, device + 1));
  CHECK(size == 512, "range size %zu", size);
  void *mapped = NULL;
  OK(hipHostGetDevicePointer(&mapped, pinned + 8, 0));
  CHECK(mapped == pinned + 8, "device addresses are host addresses");
  SAYS(hipErrorInvalidValue, "hipHostRegister", hipHostGetDevicePointer(&mapped, local, 0));
  OK(hipHostRegister(local, 64, hipHostRegisterDefault));
  OK(hipHostGetDevicePointer(&mapped, local, 0));
  SAYS(hipErrorHostMemoryAlreadyRegistered, "overlap", hipHostRegister(local + 32, 8, 0));
  SAYS(hipErrorInvalidValue, "was not allocated", hipHostFree(local));
  SAYS(hipErrorHostMemoryAlreadyRegistered, "overlap", hipHostRegister(local - 8, 16, 0));
  OK(hipMemcpy(local, device, 64, hipMemcpyDeviceToDevice));
  SAYS(hipErrorHostMemoryAlreadyRegistered, "overlap", hipHostRegister(local, 63, 0));
  SAYS(hipErrorHostMemoryAlreadyRegistered, "overlap", hipHostRegister(local, 65, 0));
  OK(hipHostRegister(local, 64,
                     hipHostRegisterMapped));  // the same again, as after a free that HIP has not seen
  unsigned flags = 99;
  OK(hipHostGetFlags(&flags, local));
  CHECK(flags == hipHostRegisterMapped, "flags %u", flags);
  SAYS(hipErrorHostMemoryAlreadyRegistered, "overlap", hipHostRegister(pinned, 64, 0));
  // Memory that HIP has allocated is freed, not unregistered.
  SAYS(hipErrorHostMemoryNotRegistered, "not the start", hipHostUnregister(pinned));
  SAYS(hipErrorHostMemoryNotRegistered, "not the start", hipHostUnregister(device));
  SAYS(hipErrorHostMemoryNotRegistered, "not the start", hipHostUnregister(local + 4));
  OK(hipHostUnregister(local));
  SAYS(hipErrorHostMemoryNotRegistered, "not the start", hipHostUnregister(local));
  SAYS(hipErrorInvalidValue, "16 bytes into", hipFree(device + 16));
  OK(hipFree(device));
  SAYS(hipErrorInvalidValue, "freed already", hipFree(device));
  OK(hipHostFree(pinned));
  OK(hipFree(managed));
  OK(hipFree(NULL));
}

static void neighbours_are_not_one_range(void) {
  static char host[128], got[128];
  OK(hipHostRegister(host, 64, hipHostRegisterDefault));
  OK(hipHostRegister(host + 64, 64, hipHostRegisterDefault));
  OK(hipMemset(host, 1, 64));
  OK(hipMemset(host + 64, 2, 64));
  SAYS(hipErrorInvalidValue, "by 1 bytes", hipMemset(host, 3, 65));
  SAYS(hipErrorInvalidValue, "by 64 bytes", hipMemset(host, 3, 128));
  OK(hipMemcpy(got, host, 64, hipMemcpyDeviceToHost));
  CHECK(got[0] == 1 && got[63] == 1 && host[64] == 2, "%d %d %d", got[0], got[63], host[64]);
  OK(hipHostUnregister(host));
  OK(hipHostUnregister(host + 64));
}

static void memory_is_lazy_and_capped(void) {
  size_t available, total, after;
  void *big = NULL, *more = NULL;
  OK(hipMemGetInfo(&available, &total));
  CHECK(available == total, "nothing is allocated: %zu of %zu", available, total);
  struct rusage before, now;
  getrusage(RUSAGE_SELF, &before);
  OK(hipMalloc(&big, 64ull << 30));
  OK(hipMemcpy((char *)big + (63ull << 30), &total, sizeof total, hipMemcpyHostToDevice));
  getrusage(RUSAGE_SELF, &now);
  CHECK(now.ru_maxrss - before.ru_maxrss < 10000, "64 GiB cost %ld KB", now.ru_maxrss - before.ru_maxrss);
  OK(hipMemGetInfo(&after, &total));
  CHECK(available - after == 64ull << 30, "free fell by %zu", available - after);
  SAYS(hipErrorOutOfMemory, "do not fit", hipMalloc(&more, after + 1));
  CHECK(more == NULL, "no pointer without memory");
  OK(hipMalloc(&more, 0));
  CHECK(more == NULL, "zero bytes are no allocation");
  SAYS(hipErrorOutOfMemory, "do not fit", hipMalloc(&more, SIZE_MAX));
  SAYS(hipErrorInvalidValue, "null", hipMalloc(NULL, 16));
  OK(hipFree(big));
  OK(hipMalloc(&big, 100));
  OK(hipDeviceReset());
  OK(hipMemGetInfo(&after, &total));
  CHECK(after == total, "a reset frees everything");
}

// Allocates and frees at random; every live block must be found with its own bounds.
// ROCm has one way to free memory, whatever its kind.
static void either_call_frees_either_kind(void) {
  void *device, *host, *managed;
  size_t before, after, total;
  OK(hipMemGetInfo(&before, &total));
  OK(hipMalloc(&device, 4096));
  OK(hipHostMalloc(&host, 4096, hipHostMallocCoherent));
  OK(hipMallocManaged(&managed, 4096, hipMemAttachHost));
  OK(hipFree(host));
  OK(hipHostFree(device));
  OK(hipHostFree(managed));
  SAYS(hipErrorInvalidValue, "in no allocation", hipHostFree(host));
  OK(hipMemGetInfo(&after, &total));
  CHECK(before == after, "%zu bytes are missing", before - after);
  SAYS(hipErrorInvalidValue, "coherent",
       hipHostMalloc(&host, 4096, hipHostMallocCoherent | hipHostMallocNonCoherent));
  SAYS(hipErrorInvalidValue, "size is 0", hipMallocManaged(&managed, 0, hipMemAttachGlobal));
}

static void *churn(void *argument) {
  enum { BLOCKS = 64 };
  char *block[BLOCKS] = {0};
  size_t size[BLOCKS];
  long wrong = 0;
  test_rng rng = {(uint64_t)(uintptr_t)argument};
  for (int step = 0; step < 4000; ++step) {
    unsigned i = (unsigned)(test_random(&rng) % BLOCKS);
    if (block[i]) {
      hipDeviceptr_t base;
      size_t got;
      wrong += hipMemGetAddressRange(&base, &got, block[i] + test_random(&rng) % size[i]) != hipSuccess ||
               base != block[i] || got != size[i];
      wrong += hipFree(block[i]) != hipSuccess;
      block[i] = NULL;
    } else {
      size[i] = 1 + test_random(&rng) % 100000;
      wrong += hipMalloc((void **)&block[i], size[i]) != hipSuccess;
    }
  }
  for (int i = 0; i < BLOCKS; ++i) hipFree(block[i]);
  return (void *)wrong;
}

static void threads_may_allocate_at_once(void) {
  pthread_t thread[4];
  for (long i = 0; i < 4; ++i) pthread_create(&thread[i], NULL, churn, (void *)(i + 1));
  for (int i = 0; i < 4; ++i) {
    void *wrong;
    pthread_join(thread[i], &wrong);
    CHECK(wrong == NULL, "thread %d: %ld wrong answers", i, (long)wrong);
  }
  size_t available, total;
  OK(hipMemGetInfo(&available, &total));
  CHECK(available == total, "everything was freed: %zu bytes are missing", total - available);
}

int main(void) {
  neighbours_are_not_one_range();
  memory_is_lazy_and_capped();
  copies_are_checked_against_the_allocation();
  data_arrives();
  boxes_at_positions();
  pitched_boxes();
  attributes_describe_the_pointer();
  threads_may_allocate_at_once();
  either_call_frees_either_kind();
  return test_result();
}
