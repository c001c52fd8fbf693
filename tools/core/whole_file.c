// SPDX-License-Identifier: MIT
// Writes output files whole or not at all.
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

// Finds the folder part of `path`, "." when it has none.
static void folder_of(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(out, size, ".");
  else
    snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

// Follows a path that is a symbolic link, also one to a file that does not exist yet. Returns false with
// errno set when the path is too long or the links form a circle.
static bool follow_links(const char *path, char *out) {
  char link[WHOLE_FILE_PATH], folder[WHOLE_FILE_PATH];
  const size_t room = WHOLE_FILE_PATH - sizeof ".XXXXXX";  // for the temporary file's name
  errno = ENAMETOOLONG;
  if (strlen(path) > room) return false;
  strcpy(out, path);
  for (int i = 0; i < 40; ++i) {
    const ssize_t length = readlink(out, link, sizeof link - 1);
    if (length < 0) return true;
    link[length] = 0;
    folder_of(out, folder, sizeof folder);
    errno = ENAMETOOLONG;
    if (link[0] != '/' && strlen(folder) + 1 + (size_t)length > room) return false;
    if (link[0] == '/')
      strcpy(out, link);
    else
      strcat(strcat(strcpy(out, folder), "/"), link);
  }
  errno = ELOOP;
  return false;
}

static bool refuse(const char *path, char *message, size_t message_size, const char *why) {
  snprintf(message, message_size, "%s: cannot be written: %s", path, why);
  return false;
}

static void remove_temporary(const whole_file *file) {
  unlink(file->temporary);
  cleanup_forget(file->temporary);
}

// Makes the checks of whole_file_allowed for a path without links.
static bool target_allowed(const char *path, const char *target, char *message, size_t message_size) {
  char folder[WHOLE_FILE_PATH];
  struct stat info;
  folder_of(target, folder, sizeof folder);
  const bool exists = stat(target, &info) == 0;
  if (exists && !S_ISREG(info.st_mode))
    return refuse(path, message, message_size, "it is not a regular file; choose another name");
  if (exists && access(target, W_OK) != 0) return refuse(path, message, message_size, strerror(errno));
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    snprintf(message, message_size, "%s: cannot be written: folder %s does not exist; create it", path,
             folder);
    return false;
  }
  if (access(folder, W_OK | X_OK) == 0) return true;
  snprintf(message, message_size, "%s: cannot be written: folder %s: %s", path, folder, strerror(errno));
  return false;
}

bool whole_file_allowed(const char *path, char *message, size_t message_size) {
  char target[WHOLE_FILE_PATH];
  if (!follow_links(path, target)) {
    snprintf(message, message_size, "%.64s%s: cannot be written: %s", path, strlen(path) > 64 ? "..." : "",
             strerror(errno));
    return false;
  }
  return target_allowed(path, target, message, message_size);
}

static bool fail(const whole_file *file, char *message, size_t message_size) {
  return refuse(file->path, message, message_size, strerror(errno));
}

// Takes the mode and the owner of the file that is replaced, or the mode of a new one.
static bool take_attributes(int descriptor, const char *target) {
  struct stat info;
  if (stat(target, &info) != 0) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor, 0666 & ~mask) == 0;
  }
  // Only root may give a file away: another user's file that one may write becomes one's own.
  if (fchown(descriptor, info.st_uid, info.st_gid) != 0) errno = 0;
  return fchmod(descriptor, info.st_mode & 07777) == 0;
}

bool whole_file_begin(whole_file *file, const char *path, char *message, size_t message_size) {
  if (!whole_file_allowed(path, message, message_size)) return false;
  file->path = path;
  if (!follow_links(path, file->target)) return fail(file, message, message_size);
  strcat(strcpy(file->temporary, file->target), ".XXXXXX");
  const int descriptor = cleanup_make_file(file->temporary);
  if (descriptor < 0) return fail(file, message, message_size);
  file->stream = take_attributes(descriptor, file->target) ? fdopen(descriptor, "wb") : NULL;
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
  if (good && closed && rename(file->temporary, file->target) == 0) {
    cleanup_forget(file->temporary);
    return true;
  }
  fail(file, message, message_size);
  remove_temporary(file);
  return false;
}
