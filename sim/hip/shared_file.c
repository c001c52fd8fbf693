// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // memfd_create
#include "sim/hip/shared_file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool sim_hip_share_file(sim_hip_shared_file *out) {
  static _Atomic uint32_t last_serial;
  const uint32_t serial = atomic_fetch_add(&last_serial, 1) + 1;
  char name[64];
  snprintf(name, sizeof name, "wavetile-ipc-%u", serial);
  *out = (sim_hip_shared_file){getpid(), memfd_create(name, MFD_CLOEXEC), serial};
  return out->file >= 0;
}

int sim_hip_open_shared_file(const sim_hip_shared_file *file) {
  char path[64], target[128] = "", name[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", file->process, file->file);
  snprintf(name, sizeof name, "/memfd:wavetile-ipc-%u ", file->serial);  // " (deleted)" follows
  return readlink(path, target, sizeof target - 1) > 0 && !strncmp(target, name, strlen(name))
             ? open(path, O_RDWR | O_CLOEXEC)
             : -1;
}
