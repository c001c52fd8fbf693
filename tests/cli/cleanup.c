// SPDX-License-Identifier: MIT
// A process that a signal ends leaves none of its temporary files and folders behind, ends the program that
// it has started, and has the exit status of one that the signal ended.
#include "core/cleanup.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char work[512];

static int entries(void) {
  int count = 0;
  DIR *dir = opendir(work);
  for (struct dirent *e; dir && (e = readdir(dir));) count += e->d_name[0] != '.';
  if (dir) closedir(dir);
  return count;
}

static void path_in(const char *folder, const char *name, char out[1024]) {
  snprintf(out, 1024, "%s/%s", folder, name);
}

static void touch(const char *folder, const char *name) {
  char path[1024];
  path_in(folder, name, path);
  FILE *file = fopen(path, "wb");
  if (file) fclose(file);
}

// Returns whether a process has ended; nobody may have taken its status.
static bool has_ended(pid_t process) {
  char path[64], state = 'Z';
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  if (file) fclose(file);
  return state == 'Z' || state == 'X';
}

// Two files, one of which is given up and so stays, a folder with files in it, and a program, which ignores
// SIGTERM.
static void leave_things(int signal_number, int ready) {
  char file[1024], kept[1024], folder[1024];
  path_in(work, "file.XXXXXX", file);
  path_in(work, "kept.XXXXXX", kept);
  path_in(work, "folder.XXXXXX", folder);
  if (cleanup_make_file(file) < 0 || cleanup_make_file(kept) < 0 || cleanup_make_folder(folder)) _exit(3);
  cleanup_forget(kept);
  touch(folder, "one");
  touch(folder, ".two");
  const pid_t program = cleanup_fork();
  if (program == 0) {
    // A program that was started has no handlers of ours.
    signal(signal_number, signal_number == SIGTERM ? SIG_IGN : SIG_DFL);
    for (;;) pause();
  }
  if (write(ready, &program, sizeof program) != sizeof program) _exit(3);
  for (;;) pause();
}

static void a_signal_leaves_nothing(int signal_number) {
  int ends[2], status = 0;
  pid_t program = 0;
  const int before = entries();
  CHECK(pipe(ends) == 0, "no pipe");
  const pid_t process = fork();
  if (process == 0) leave_things(signal_number, ends[1]);
  CHECK(read(ends[0], &program, sizeof program) == sizeof program, "it does not begin");
  CHECK(entries() == before + 3, "it has made %d files", entries() - before);
  kill(process, signal_number);
  CHECK(waitpid(process, &status, 0) == process, "no end");
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal_number, "signal %d: status %x", signal_number,
        (unsigned)status);
  CHECK(entries() == before + 1, "signal %d leaves %d files", signal_number, entries() - before);
  for (int i = 0; i < 1000 && !has_ended(program); ++i) usleep(10000);
  CHECK(has_ended(program), "signal %d: the program goes on", signal_number);
  close(ends[0]);
  close(ends[1]);
}

// This is as under nohup.
static void an_ignored_signal_stays_ignored(void) {
  int status = 0;
  const pid_t process = fork();
  if (process == 0) {
    char file[1024];
    path_in(work, "ignored.XXXXXX", file);
    signal(SIGHUP, SIG_IGN);
    if (cleanup_make_file(file) < 0) _exit(3);
    raise(SIGHUP);
    usleep(100000);
    _exit(access(file, F_OK) == 0 && unlink(file) == 0 ? 0 : 4);
  }
  waitpid(process, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}

static void writes_beyond_the_limit_fail(void) {
  int status = 0;
  const pid_t process = fork();
  if (process == 0) {
    const struct rlimit limit = {4096, 4096};
    static char bytes[8192];
    char file[1024];
    cleanup_begin();
    setrlimit(RLIMIT_FSIZE, &limit);
    path_in(work, "limit.XXXXXX", file);
    const int descriptor = cleanup_make_file(file);
    const bool good = write(descriptor, bytes, sizeof bytes) == 4096 && write(descriptor, bytes, 1) == -1;
    _exit(good && unlink(file) == 0 ? 0 : 4);
  }
  waitpid(process, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}

int main(void) {
  const char *root = getenv("TMPDIR");
  snprintf(work, sizeof work, "%s/cleanup-XXXXXX", root && *root ? root : "/tmp");
  if (!mkdtemp(work)) return 1;
  const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) a_signal_leaves_nothing(signals[i]);
  an_ignored_signal_stays_ignored();
  writes_beyond_the_limit_fail();
  CHECK(entries() == (int)(sizeof signals / sizeof *signals),
        "%d files, of which each signal leaves the one given up", entries());
  cleanup_remove_folder(work);
  CHECK(access(work, F_OK) != 0, "a folder with files is not removed");
  return test_result();
}
