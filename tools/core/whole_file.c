// SPDX-License-Identifier: MIT
// Output files that are written whole or not at all.
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

// The folder part of `path`, "." when it has none.
static void folder_of(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(out, size, ".");
  else
    snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

bool whole_file_allowed(const char *path, char *message, size_t message_size) {
  char folder[WHOLE_FILE_PATH];
  struct stat info;
  if (strlen(path) + 16 > sizeof folder) {
    snprintf(message, message_size, "%.64s...: the path is too long; choose a shorter one", path);
    return false;
  }
  folder_of(path, folder, sizeof folder);
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    snprintf(message, message_size, "%s: cannot be written: folder %s does not exist; create it", path,
             folder);
  } else if (access(folder, W_OK | X_OK) != 0) {
    snprintf(message, message_size, "%s: cannot be written: folder %s: %s", path, folder, strerror(errno));
  } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    snprintf(message, message_size, "%s: cannot be written: it is not a regular file; choose another name",
             path);
  } else {
    return true;
  }
  return false;
}

static bool fail(const whole_file *file, char *message, size_t message_size) {
  snprintf(message, message_size, "%s: cannot be written: %s", file->path, strerror(errno));
  return false;
}

static void remove_temporary(const whole_file *file) {
  unlink(file->temporary);
  cleanup_forget(file->temporary);
}

bool whole_file_begin(whole_file *file, const char *path, char *message, size_t message_size) {
  if (!whole_file_allowed(path, message, message_size)) return false;
  file->path = path;
  snprintf(file->temporary, sizeof file->temporary, "%s.XXXXXX", path);
  const int descriptor = cleanup_make_file(file->temporary);
  if (descriptor < 0) return fail(file, message, message_size);
  const mode_t mask = umask(0);
  umask(mask);
  file->stream = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "wb") : NULL;
  if (file->stream) return true;
  fail(file, message, message_size);
  close(descriptor);
  remove_temporary(file);
  return false;
}

bool whole_file_end(whole_file *file, bool good, char *message, size_t message_size) {
  const int error = errno;
  const bool closed = fclose(file->stream) == 0;
  if (!good) errno = error;
  if (good && closed && rename(file->temporary, file->path) == 0) {
    cleanup_forget(file->temporary);
    return true;
  }
  fail(file, message, message_size);
  remove_temporary(file);
  return false;
}
