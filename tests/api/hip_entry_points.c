// SPDX-License-Identifier: MIT
// Entry points that programs look up by name, launches by configuration, and small calls with no other home:
// words that streams write and wait for, the driver's 3D copy, contexts as peers. Arguments: code objects for
// gfx950 (device 0) and gfx942 (device 1).
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>

#include "hip_capture.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

typedef struct launch_attribute {  // hipLaunchAttribute of ROCm 6.5
  int id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
  };
} launch_attribute;

typedef struct launch_config {  // HIP_LAUNCH_CONFIG of ROCm 6.5
  unsigned grid[3], block[3], dynamic_lds;
  hipStream_t stream;
  const launch_attribute *attributes;
  unsigned attribute_count;
} launch_config;

hipError_t hipGetProcAddress(const char *symbol, void **out, int version, uint64_t flags, int *found);
hipError_t hipDrvLaunchKernelEx(const launch_config *config, hipFunction_t f, void **params, void **extra);

typedef hipError_t (*properties_call)(void *out, int device);
typedef hipError_t (*count_call)(int *count);

static void entry_points_are_found_by_name(void) {
  void *address = NULL;
  int found = 7, count = 0;
  OK(hipGetProcAddress("hipGetDeviceCount", &address, 600, 0, &found));
  CHECK(found == 0 && ((count_call)address)(&count) == hipSuccess && count == 2, "%d devices", count);
  // The structure of ROCm 6 begins with the name; at the end it is much larger than that of ROCm 5.
  unsigned char large[4096];
  for (int version = 500; version <= 600; version += 100) {
    memset(large, 0xee, sizeof large);
    OK(hipGetProcAddress("hipGetDeviceProperties", &address, version, 0, NULL));
    CHECK(((properties_call)address)(large, 0) == hipSuccess, "version %d", version);
    CHECK((large[1400] == 0xee) == (version < 600), "version %d has written the structure of the other",
          version);
  }
  SAYS(hipErrorInvalidValue, "no symbol \"hipMakeCoffee\"",
       hipGetProcAddress("hipMakeCoffee", &address, 600, 0, &found));
  CHECK(found == 1 && !address, "not found");
  SAYS(hipErrorInvalidValue, "no symbol is named", hipGetProcAddress(NULL, &address, 600, 0, NULL));
  SAYS(hipErrorInvalidValue, "pfn is null", hipGetProcAddress("hipInit", NULL, 600, 0, NULL));
}

static void launches_take_a_configuration(hipFunction_t add_table) {
  int *memory;
  OK(hipMallocManaged((void **)&memory, 64 * sizeof *memory, hipMemAttachGlobal));
  memset(memory, 0, 64 * sizeof *memory);
  void *params[] = {&memory};
  launch_attribute attributes[2] = {{.id = 8}, {.id = 2, .cooperative = 1}};
  launch_config config = {{1, 1, 1}, {64, 1, 1}, 0, NULL, attributes, 2};
  OK(hipDrvLaunchKernelEx(&config, add_table, params, NULL));
  OK(hipDeviceSynchronize());
  CHECK(memory[1] == 20, "the kernel added %d", memory[1]);
  config.grid[0] = 1u << 20;
  SAYS(hipErrorCooperativeLaunchTooLarge, "at a time",
       hipDrvLaunchKernelEx(&config, add_table, params, NULL));
  SAYS(hipErrorInvalidValue, "configuration is null", hipDrvLaunchKernelEx(NULL, add_table, params, NULL));
  OK(hipFree(memory));
}

static void streams_write_and_wait_for_words(void) {
  uint32_t *word;
  uint64_t *wide;
  OK(hipHostMalloc((void **)&word, 16, 0));
  wide = (uint64_t *)word + 1;
  OK(hipStreamWriteValue32(NULL, word, 0xf0, 0));
  OK(hipStreamWriteValue64(NULL, wide, 0x100000000ull, 0));
  OK(hipStreamSynchronize(NULL));
  CHECK(*word == 0xf0 && *wide == 0x100000000ull, "%#x %#llx", *word, (unsigned long long)*wide);
  OK(hipStreamWaitValue32(NULL, word, 0xef, hipStreamWaitValueGte, ~0u));
  OK(hipStreamWaitValue32(NULL, word, 0x30, hipStreamWaitValueEq, 0x3f));
  OK(hipStreamWaitValue32(NULL, word, 0x81, hipStreamWaitValueAnd, ~0u));
  OK(hipStreamWaitValue32(NULL, word, 0x01, hipStreamWaitValueNor, ~0u));
  OK(hipStreamWaitValue64(NULL, wide, 0x100000000ull, hipStreamWaitValueEq, ~0ull));
  OK(hipStreamSynchronize(NULL));
  static const struct {
    uint32_t value;
    unsigned flags;
    uint32_t mask, there;
  } later[] = {{0xf1, hipStreamWaitValueGte, ~0u, 0xf1},
               {0x0f, hipStreamWaitValueAnd, ~0u, 0x08},
               {0x0f, hipStreamWaitValueNor, 0xff, 0xe0}};
  for (size_t i = 0; i < sizeof later / sizeof *later; ++i) {
    *word = 0xf0;
    OK(hipStreamWaitValue32(NULL, word, later[i].value, later[i].flags, later[i].mask));
    CHECK(hipStreamQuery(NULL) == hipErrorNotReady, "wait %zu holds for 0xf0", i);
    __atomic_store_n(word, later[i].there, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(NULL));
  }
  SAYS(hipErrorInvalidValue, "flags is 0x9", hipStreamWaitValue32(NULL, word, 0, 9, ~0u));
  SAYS(hipErrorInvalidValue, "not aligned", hipStreamWriteValue64(NULL, word + 1, 0, 0));
  SAYS(hipErrorInvalidValue, "in no allocation", hipStreamWriteValue64(NULL, wide + 1, 0, 0));
  OK(hipHostFree(word));
}

static void the_driver_copies_boxes(void) {
  enum { W = 6, H = 3, D = 2 };
  unsigned char in[D][H][W], out[D][H][W], *d;
  for (int i = 0; i < D * H * W; ++i) (&in[0][0][0])[i] = (unsigned char)(i + 1);
  memset(out, 0, sizeof out);
  OK(hipMalloc((void **)&d, D * 4 * 16));
  HIP_MEMCPY3D copy = {.srcMemoryType = hipMemoryTypeHost,
                       .srcHost = in,
                       .srcPitch = W,
                       .srcHeight = H,
                       .dstMemoryType = hipMemoryTypeDevice,
                       .dstDevice = d,
                       .dstPitch = 16,
                       .dstHeight = 4,
                       .WidthInBytes = W,
                       .Height = H,
                       .Depth = D};
  OK(hipDrvMemcpy3D(&copy));
  // Copies back one byte fewer of each row, from the second row on, to the same places.
  HIP_MEMCPY3D back = {.srcMemoryType = hipMemoryTypeDevice,
                       .srcDevice = d,
                       .srcPitch = 16,
                       .srcHeight = 4,
                       .srcXInBytes = 1,
                       .srcY = 1,
                       .dstMemoryType = hipMemoryTypeHost,
                       .dstHost = out,
                       .dstPitch = W,
                       .dstHeight = H,
                       .dstXInBytes = 1,
                       .dstY = 1,
                       .WidthInBytes = W - 1,
                       .Height = H - 1,
                       .Depth = D};
  OK(hipDrvMemcpy3DAsync(&back, NULL));
  for (int z = 0; z < D; ++z)
    for (int y = 0; y < H; ++y)
      for (int x = 0; x < W; ++x)
        CHECK(out[z][y][x] == (x && y ? in[z][y][x] : 0), "element %d %d %d is %d", z, y, x, out[z][y][x]);
  copy.dstMemoryType = hipMemoryTypeArray;
  SAYS(hipErrorNotSupported, "arrays", hipDrvMemcpy3D(&copy));
  SAYS(hipErrorInvalidValue, "description is null", hipDrvMemcpy3D(NULL));
  OK(hipFree(d));
}

static void devices_are_linked(void) {
  uint32_t type = 0, hops = 0;
  int can = 0;
  hipCtx_t other;
  OK(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops));
  CHECK(type == 4 && hops == 1, "type %u, %u hops", type, hops);
  SAYS(hipErrorInvalidValue, "no two devices", hipExtGetLinkTypeAndHopCount(1, 1, &type, &hops));
  OK(hipDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1, "peers");
  OK(hipDevicePrimaryCtxRetain(&other, 1));
  OK(hipCtxEnablePeerAccess(other, 0));
  CHECK(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled, "the same as by device");
  (void)hipGetLastError();
  OK(hipCtxDisablePeerAccess(other));
  SAYS(hipErrorInvalidContext, "not one of this runtime", hipCtxEnablePeerAccess((hipCtx_t)&type, 0));
}

static void the_run_time_compiler_refuses_itself(void) {
  char said[1024] = "";
  char path[1024] = "";
  Dl_info self;
  if (dladdr((void *)(uintptr_t)&hipInit, &self))
    snprintf(path, sizeof path, "%.*slibhiprtc.so.6",
             (int)(strrchr(self.dli_fname, '/') + 1 - self.dli_fname), self.dli_fname);
  void *library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL, "%s", library ? "" : dlerror());
  if (!library) return;
  int (*create)(void *) = (int (*)(void *))dlsym(library, "hiprtcCreateProgram");
  hip_capture capture = capture_begin();
  int status = create ? create(NULL) : 0;
  capture_end(capture, said);
  CHECK(status == 4 && strstr(said, "hiprtcCreateProgram: the result"), "status %d: %s", status, said);
  (void)hipGetLastError();
  dlclose(library);
}

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t add_table = NULL;
  CHECK(argc == 3, "arguments: the code object of each device in order");
  OK(hipModuleLoad(&module, argc > 1 ? argv[1] : ""));
  OK(hipModuleGetFunction(&add_table, module, "add_table"));
  entry_points_are_found_by_name();
  launches_take_a_configuration(add_table);
  streams_write_and_wait_for_words();
  the_driver_copies_boxes();
  devices_are_linked();
  the_run_time_compiler_refuses_itself();
  OK(hipModuleUnload(module));
  return test_result();
}
