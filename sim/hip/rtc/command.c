// SPDX-License-Identifier: MIT
// Finds and runs `wavetile hipcc`.
#define _GNU_SOURCE  // dladdr, posix_spawn_file_actions_addchdir_np
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/hip/rtc/rtc.h"
#include "sim/settings/say.h"

extern char **environ;

// The command stands in bin/ near this library, whether that is in the build folder or installed, or in PATH.
static bool find_command(char path[PATH_MAX]) {
  static const char *const near[] = {"../bin/wavetile", "../../bin/wavetile", "../../../bin/wavetile"};
  Dl_info self;
  char library[PATH_MAX], name[PATH_MAX + 32];
  if (dladdr((void *)(uintptr_t)&sim_rtc_available, &self) && realpath(self.dli_fname, library)) {
    const char *folder = dirname(library);
    for (size_t i = 0; i < sizeof near / sizeof *near; ++i) {
      snprintf(name, sizeof name, "%s/%s", folder, near[i]);
      if (access(name, X_OK) == 0 && realpath(name, path)) return true;
    }
  }
  const char *rest = getenv("PATH");
  while (rest && *rest) {
    const size_t length = strcspn(rest, ":");
    if (length && (size_t)snprintf(path, PATH_MAX, "%.*s/wavetile", (int)length, rest) < PATH_MAX &&
        access(path, X_OK) == 0)
      return true;
    rest += length + (rest[length] == ':');
  }
  return false;
}

bool sim_rtc_available(const char *call) {
  char path[PATH_MAX];
  if (find_command(path)) return true;
  sim_say(
      "%s is not available: it needs the command wavetile, which is neither in bin/ beside the runtime's "
      "folder nor in PATH; install it together with clang-22",
      call);
  return false;
}

int sim_rtc_run(const sim_rtc_folder *folder, const sim_rtc_list *words) {
  char path[PATH_MAX];
  posix_spawn_file_actions_t actions;
  char **command = calloc(words->count + 3, sizeof *command);
  if (!command || !find_command(path)) {
    free(command);
    return -1;
  }
  command[0] = path;
  command[1] = "hipcc";
  for (size_t i = 0; i < words->count; ++i) command[i + 2] = words->text[i];
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder->path);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child;
  int status = -1;
  if (!posix_spawn(&child, path, &actions, NULL, command, environ))
    while (waitpid(child, &status, 0) < 0) continue;
  posix_spawn_file_actions_destroy(&actions);
  free(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
