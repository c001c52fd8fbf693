// SPDX-License-Identifier: MIT
// Makes and removes the folder of one compilation, below TMPDIR.
#define _GNU_SOURCE  // nftw
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/hip/rtc/rtc.h"

enum { NAME = 4096 };

bool sim_rtc_list_add(sim_rtc_list *list, const char *text) {
  char **larger = realloc(list->text, (list->count + 2) * sizeof *larger);
  char *copy = strdup(text);
  if (larger) list->text = larger;
  if (!larger || !copy) {
    free(copy);
    return false;
  }
  list->text[list->count++] = copy;
  list->text[list->count] = NULL;
  return true;
}

void sim_rtc_list_free(sim_rtc_list *list) {
  for (size_t i = 0; i < list->count; ++i) free(list->text[i]);
  free(list->text);
  *list = (sim_rtc_list){NULL, 0};
}

bool sim_rtc_folder_open(sim_rtc_folder *folder) {
  const char *parent = getenv("TMPDIR");
  static const char name[] = "/wavetile-rtc-XXXXXX";
  if (!parent || !*parent || strlen(parent) + sizeof name > sizeof folder->path) parent = "/tmp";
  snprintf(folder->path, sizeof folder->path, "%s%s", parent, name);
  return mkdtemp(folder->path) != NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

void sim_rtc_folder_close(const sim_rtc_folder *folder) {
  nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool path_of(const sim_rtc_folder *folder, const char *name, char path[NAME]) {
  return !strstr(name, "..") && (size_t)snprintf(path, NAME, "%s/%s", folder->path, name) < NAME;
}

bool sim_rtc_write(const sim_rtc_folder *folder, const char *name, const void *data, size_t size) {
  char path[NAME];
  if (!path_of(folder, name, path)) return false;
  for (char *slash = path + strlen(folder->path) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);  // it may be there already
  }
  FILE *file = fopen(path, "wb");
  const bool written = file && fwrite(data, 1, size, file) == size;
  return (file && !fclose(file)) && written;
}

bool sim_rtc_read(const sim_rtc_folder *folder, const char *name, sim_rtc_bytes *out) {
  char path[NAME];
  struct stat status;
  *out = (sim_rtc_bytes){.data = NULL};
  FILE *file = path_of(folder, name, path) ? fopen(path, "rb") : NULL;
  if (file && !fstat(fileno(file), &status) && (out->data = calloc(1, (size_t)status.st_size + 1)))
    out->size = fread(out->data, 1, (size_t)status.st_size, file);
  if (file) fclose(file);
  return out->data != NULL;
}
