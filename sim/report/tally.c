// SPDX-License-Identifier: MIT
// Shares a tally as memory without a file on disk, which others find through the descriptors of its maker.
#define _GNU_SOURCE  // memfd_create
#include "sim/report/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Differs when the layout has another size.
static const uint64_t magic = 0x7774616c6c790000u + sizeof(sim_tally);

static sim_tally *map(int descriptor) {
  void *memory = mmap(NULL, sizeof(sim_tally), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

sim_tally *sim_tally_create(char *path, size_t size) {
  const int descriptor = memfd_create("wavetile-tally", MFD_CLOEXEC);
  if (descriptor < 0) return NULL;
  snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), descriptor);
  sim_tally *t = ftruncate(descriptor, sizeof(sim_tally)) == 0 ? map(descriptor) : NULL;
  if (t)
    t->magic = magic;
  else
    close(descriptor);  // otherwise it remains open, for those who open the path
  return t;
}

sim_tally *sim_tally_open(const char *path) {
  struct stat file;
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  sim_tally *t = NULL;
  errno = EINVAL;
  if (fstat(descriptor, &file) == 0 && file.st_size == (off_t)sizeof(sim_tally)) t = map(descriptor);
  close(descriptor);
  if (!t || t->magic == magic) return t;
  munmap(t, sizeof *t);
  errno = EINVAL;
  return NULL;
}
