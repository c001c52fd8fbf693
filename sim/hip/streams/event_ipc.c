// SPDX-License-Identifier: MIT
#include "sim/hip/streams/event_ipc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/hip/shared_file.h"

enum { TURNS = 64 };  // that can be told apart; an older one counts as past

// Says what is in the file.
typedef struct moments {
  _Atomic uint64_t recorded;     // the last turn that was given out
  _Atomic uint64_t past[TURNS];  // the largest turn with this remainder that has happened
} moments;

struct sim_hip_shared_event {
  sim_hip_shared_file file;
  bool opened;  // the file is another process's
  moments *moments;
  _Atomic uint64_t own;  // the last turn of this process
};

// Says what hipIpcEventHandle_t holds.
typedef struct event_handle {
  char magic[8];
  sim_hip_shared_file file;
  int32_t device;
} event_handle;
_Static_assert(sizeof(event_handle) <= sizeof(hipIpcEventHandle_t), "the handle fits");
static const char magic[8] = "wt-evt1";

static moments *map(int file) {
  void *at = mmap(NULL, sizeof(moments), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? NULL : at;
}

// Takes over the file; returns NULL when it cannot be mapped.
static sim_hip_shared_event *make(sim_hip_shared_file file, int descriptor, bool opened) {
  sim_hip_shared_event *s = calloc(1, sizeof *s);
  if (s) *s = (sim_hip_shared_event){.file = file, .opened = opened, .moments = map(descriptor)};
  const bool made = s && s->moments;
  if (!made || opened) close(descriptor);
  if (made) return s;
  free(s);
  return NULL;
}

sim_hip_shared_event *sim_hip_shared_event_make(void) {
  sim_hip_shared_file file;
  if (!sim_hip_share_file(&file)) return NULL;
  if (!ftruncate(file.file, sizeof(moments))) return make(file, file.file, false);
  close(file.file);
  return NULL;
}

void sim_hip_shared_event_drop(sim_hip_shared_event *shared) {
  if (!shared) return;
  munmap(shared->moments, sizeof *shared->moments);
  if (!shared->opened) close(shared->file.file);
  free(shared);
}

uint64_t sim_hip_shared_event_record(sim_hip_shared_event *shared) {
  if (!shared) return 0;
  const uint64_t turn = atomic_fetch_add(&shared->moments->recorded, 1) + 1;
  atomic_store(&shared->own, turn);
  return turn;
}

void sim_hip_shared_event_happens(sim_hip_shared_event *shared, uint64_t turn) {
  if (!shared) return;
  _Atomic uint64_t *past = &shared->moments->past[turn % TURNS];
  uint64_t seen = atomic_load(past);
  while (seen < turn && !atomic_compare_exchange_weak(past, &seen, turn)) {
  }
}

uint64_t sim_hip_shared_event_turn(const sim_hip_shared_event *shared) {
  const uint64_t turn = shared ? atomic_load(&shared->moments->recorded) : 0;
  return turn && turn != atomic_load(&shared->own) ? turn : 0;
}

bool sim_hip_shared_event_is_past(const sim_hip_shared_event *shared, uint64_t turn) {
  return atomic_load(&shared->moments->past[turn % TURNS]) >= turn;
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *out, hipEvent_t event) {
  const char *call = "hipIpcGetEventHandle";
  if (!out || !event)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, out ? "event" : "result pointer");
  if (!sim_hip_handle_is(event, SIM_HIP_EVENT))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the event is not an event of this runtime", call);
  if (!event->shared || event->shared->opened)
    return sim_hip_refuse(hipErrorInvalidConfiguration,
                          "%s: the event must be made by this process, with hipEventInterprocess", call);
  event_handle handle = {.file = event->shared->file, .device = event->device->ordinal};
  memcpy(handle.magic, magic, sizeof magic);
  memset(out, 0, sizeof *out);
  memcpy(out, &handle, sizeof handle);
  return hipSuccess;
}

hipError_t hipIpcOpenEventHandle(hipEvent_t *out, hipIpcEventHandle_t given) {
  const char *call = "hipIpcOpenEventHandle";
  event_handle handle;
  memcpy(&handle, &given, sizeof handle);
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (!sim_hip_current()) return sim_hip_result(hipErrorNoDevice);
  if (memcmp(handle.magic, magic, sizeof magic))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the handle is none of hipIpcGetEventHandle", call);
  if (handle.file.process == getpid())
    return sim_hip_refuse(hipErrorInvalidContext, "%s: the event belongs to this process, use it itself",
                          call);
  const int file = sim_hip_open_shared_file(&handle.file);
  if (file < 0)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: the event cannot be opened: it was destroyed, or its process is gone", call);
  sim_hip_shared_event *shared = make(handle.file, file, true);
  if (!shared) return sim_hip_result(hipErrorOutOfMemory);
  sim_hip_device *device = sim_hip_device_at(handle.device);
  return sim_hip_event_make(device ? device : sim_hip_current(), hipEventDisableTiming | hipEventInterprocess,
                            shared, out);
}
