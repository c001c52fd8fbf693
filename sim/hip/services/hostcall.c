// SPDX-License-Identifier: MIT
// Implements the buffer between a kernel and the host, in the layout of ROCm's device library (ockl,
// hostcall_impl.cl). A wave takes a packet from the free stack, writes one request for all its lanes, pushes
// the packet onto the ready stack and signals a doorbell; the signal has a mailbox, so it sends
// MSG_INTERRUPT, and that is where the host serves. The wave then sees the packet's control bit cleared,
// reads the answers and returns the packet. The stacks are changed by compare-and-swap, which work-groups
// perform in dispatch order: so the requests come in that order.
#include "sim/hip/services/hostcall.h"

#include <string.h>
#include <sys/mman.h>

enum { LANES = 64, SLOTS = 8, LEAST_PACKETS = 64, SIGNAL_KIND_USER = 1, HEAP_BYTES = 1 << 18 };
enum service { SERVICE_FUNCTION_CALL = 1, SERVICE_PRINTF = 2, SERVICE_MEMORY = 3 };
enum { CONTROL_READY = 1 };

typedef struct header {
  uint64_t next, lanes;  // next packet of the stack; lanes that take part
  uint32_t service, control;
} header;

typedef struct signal {  // amd_signal_t (HSA): a store to the mailbox and a message follow each change of
                         // value
  int64_t kind, value;
  uint64_t mailbox;
  uint32_t event, reserved0;
  uint64_t reserved1[4];
} signal;
_Static_assert(sizeof(signal) == 64, "an HSA signal is 64 bytes");

// A packet is named by its index plus a multiple of the packet count, so that a name differs from use to use;
// 0 ends a stack.
typedef struct buffer {
  header *headers;
  uint64_t (*payloads)[LANES][SLOTS];
  uint64_t doorbell;
  _Atomic uint64_t free_stack, ready_stack;
  uint64_t index_mask;
} buffer;

// Describes what the device sees, before the packets. A kernel may write anything to it.
typedef struct region {
  buffer buffer;
  uint64_t mailbox, reserved;
  signal doorbell;
} region;
_Static_assert(offsetof(region, doorbell) % 64 == 0, "signals are aligned to 64 bytes");

// Describes the host's side of the buffer.
static struct {
  region *region;
  header *headers;
  uint64_t (*payloads)[LANES][SLOTS];
  size_t packets, bytes;
  bool used;  // since its stacks were filled
  sim_hip_device *device;
} shared;
// A launch has the buffer for itself, but waves of several of its work-groups may interrupt.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill_region(void) {
  region *r = shared.region;
  *r = (region){.buffer = {.headers = shared.headers,
                           .payloads = shared.payloads,
                           .doorbell = (uintptr_t)&r->doorbell,
                           .index_mask = shared.packets - 1},
                .doorbell = {.kind = SIGNAL_KIND_USER, .mailbox = (uintptr_t)&r->mailbox}};
  for (size_t i = 0; i < shared.packets; ++i)
    shared.headers[i] = (header){.next = i ? shared.packets + i - 1 : 0};
  atomic_store(&r->buffer.free_stack, 2 * shared.packets - 1);
  shared.used = false;
}

static bool make_region(size_t packets) {
  size_t payloads = (sizeof(region) + packets * sizeof(header) + 4095) / 4096 * 4096;
  size_t bytes = payloads + packets * sizeof *shared.payloads;
  char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  if (!sim_memory_add((sim_allocation){.base = (uintptr_t)base, .size = bytes, .kind = SIM_MEMORY_CODE})) {
    munmap(base, bytes);
    return false;
  }
  shared.region = (region *)(void *)base;
  shared.headers = (header *)(void *)(base + sizeof(region));
  shared.payloads = (void *)(base + payloads);
  shared.packets = packets;
  shared.bytes = bytes;
  fill_region();
  return true;
}

// Makes sure of a region with a packet for every wave: the device library does not look whether the free
// stack is empty.
static bool need_region(uint64_t waves) {
  size_t packets = LEAST_PACKETS;
  while (packets < waves) packets *= 2;
  if (shared.region && shared.packets >= packets) return true;
  if (shared.region) {
    sim_memory_remove((uintptr_t)shared.region);
    munmap(shared.region, shared.bytes);
    shared.region = NULL;
  }
  return make_region(packets);
}

// Requests of 0 free the address in slots[0]; others allocate slots[1] bytes. Slabs are found by their
// alignment, so everything is aligned as the largest of them (ockl, dm.cl: 2 MB).
static void serve_memory(sim_hip_device *device, uint64_t slots[SLOTS]) {
  void *made = NULL;
  if (slots[0])
    sim_hip_release((void *)(uintptr_t)slots[0]);
  else if (sim_hip_allocate_on("device malloc", device, &made, slots[1], 2u << 20, SIM_MEMORY_DEVICE, 0) !=
           hipSuccess)
    made = NULL;
  slots[0] = (uintptr_t)made;
}

static const char *serve_packet(header *h, uint64_t (*slots)[SLOTS]) {
  for (uint64_t lanes = h->lanes; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctzll(lanes);
    const char *wrong = NULL;
    if (h->service == SERVICE_PRINTF)
      wrong = sim_hip_message_part(slots[lane]);
    else if (h->service == SERVICE_MEMORY)
      serve_memory(shared.device, slots[lane]);
    else if (h->service == SERVICE_FUNCTION_CALL)
      wrong = "a kernel calls a function of the host, which the simulated device does not do; leave it out";
    else
      wrong = "a kernel asks the host for a service that the simulated device does not know";
    if (wrong) return wrong;
  }
  // The wave polls this word: what was written for it must be there before.
  __atomic_and_fetch(&h->control, ~(uint32_t)CONTROL_READY, __ATOMIC_RELEASE);
  return NULL;
}

static const char *serve(void *context) {
  region *r = context;
  header *headers = shared.headers;
  const char *wrong = NULL;
  const size_t mask = shared.packets - 1;
  uint64_t oldest = 0;
  size_t count = 0;
  pthread_mutex_lock(&lock);
  shared.used = true;
  for (uint64_t name = atomic_exchange(&r->buffer.ready_stack, 0), next; name && !wrong;
       name = next) {  // the newest is on top
    if (count++ == shared.packets) wrong = "the kernel's requests to the host form no list";
    header *h = &headers[name & mask];
    next = h->next;
    h->next = oldest;
    oldest = name;
  }
  // Names that stand for the same packet would make a ring: there are no more requests than were counted.
  for (uint64_t name = oldest, next; name && count && !wrong; name = next, --count) {
    const size_t index = name & mask;
    next = headers[index].next;
    wrong = serve_packet(&headers[index], shared.payloads[index]);
  }
  pthread_mutex_unlock(&lock);
  return wrong;
}

static bool wants(const sim_kernel *kernel, sim_arg_kind kind) {
  for (uint32_t i = 0; i < kernel->arg_count; ++i)
    if (kernel->args[i].kind == kind) return true;
  return false;
}

// Returns how many waves may wait for the host at the same time. Work-groups that run to their end call it
// one after the other; those that are on the device at once are at most as many as it can hold.
static uint64_t waves_in_flight(const sim_launch *l) {
  const sim_machine *m = l->machine;
  uint64_t waves = (l->block[0] * l->block[1] * l->block[2] + 63u) / 64u;
  uint64_t groups = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  uint64_t room = (uint64_t)m->cus * m->simds_per_cu * m->waves_per_simd;
  return groups > room / waves ? room : groups * waves;
}

void sim_hip_hostcall_begin(sim_launch *launch, sim_hip_device *device) {
  if (wants(launch->kernel, SIM_ARG_HIDDEN_HOSTCALL_BUFFER) && need_region(waves_in_flight(launch))) {
    if (shared.used) fill_region();
    shared.device = device;
    launch->hostcall_buffer = (uintptr_t)&shared.region->buffer;
    launch->interrupt = serve;
    launch->interrupt_context = shared.region;
  }
  // An empty heap is all zeros; it lives as long as what kernels have allocated from it.
  if (wants(launch->kernel, SIM_ARG_HIDDEN_HEAP_V1)) {
    if (!device->heap && sim_hip_allocate_on("device malloc", device, &device->heap, HEAP_BYTES, 0,
                                             SIM_MEMORY_DEVICE, 0) != hipSuccess)
      device->heap = NULL;
    launch->heap = (uintptr_t)device->heap;
  }
}

bool sim_hip_hostcall_end(const sim_launch *launch) {
  return launch->hostcall_buffer && sim_hip_messages_end();
}
