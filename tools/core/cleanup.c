// SPDX-License-Identifier: MIT
// A signal handler may do next to nothing, so it wakes a thread, which removes everything and ends the
// process by the same signal. Handlers end with exec, so programs that are started have the usual ones.
#include "cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_PATHS = 32,
  PATIENCE_MS = 2000,  // for a program that was told to end
  REMOVALS = 100       // of a folder into which another process still writes
};

typedef struct kept_path {
  char *path;  // NULL: free
  bool folder;
} kept_path;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // of all below
static kept_path kept[MOST_PATHS];
static pid_t started;  // 0: no program runs
static bool ready;

static sem_t wake;
static volatile sig_atomic_t received;

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); }

static bool remove_once(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir) closedir(dir);
  return rmdir(folder) == 0 || errno != ENOTEMPTY;
}

static void remove_folder(const char *folder) {
  for (int i = 0; i < REMOVALS && !remove_once(folder); ++i) nap();
}

// Waits for the program without taking its status, which another thread may want.
static bool has_ended(pid_t process) {
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == process;
}

static void end_program(int signal) {
  if (!started) return;
  kill(started, signal);
  for (int i = 0; i < PATIENCE_MS / 10 && !has_ended(started); ++i) nap();
  if (!has_ended(started)) kill(started, SIGKILL);
}

static void *clean_up(void *nothing) {
  (void)nothing;
  while (sem_wait(&wake) != 0) continue;
  pthread_mutex_lock(&lock);  // for good: nothing is made any more
  const int signal_number = received;
  end_program(signal_number);
  for (int i = 0; i < MOST_PATHS; ++i) {
    if (!kept[i].path) continue;
    if (kept[i].folder)
      remove_folder(kept[i].path);
    else
      unlink(kept[i].path);
  }
  signal(signal_number, SIG_DFL);
  kill(getpid(), signal_number);
  return NULL;
}

static void on_signal(int signal_number) {
  const int error = errno;
  if (!received) {
    received = signal_number;
    sem_post(&wake);
  }
  errno = error;
}

static void on_limit(int signal_number) { (void)signal_number; }

static void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  // A signal that is ignored, as under nohup, remains ignored.
  if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(signal_number, &action, NULL);
}

// Called with the lock held. If no thread can be started, everything works except the removal after a signal.
static void get_ready(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  pthread_t thread;
  if (ready || sem_init(&wake, 0, 0) != 0 || pthread_create(&thread, NULL, clean_up, NULL) != 0) return;
  pthread_detach(thread);
  ready = true;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) handle(signals[i], on_signal);
}

void cleanup_begin(void) { handle(SIGXFSZ, on_limit); }

static void keep(const char *path, bool folder) {
  for (int i = 0; i < MOST_PATHS; ++i) {
    if (kept[i].path) continue;
    kept[i] = (kept_path){strdup(path), folder};
    return;
  }
}

int cleanup_make_file(char *path_template) {
  pthread_mutex_lock(&lock);
  get_ready();
  const int descriptor = mkstemp(path_template);
  if (descriptor >= 0) keep(path_template, false);
  pthread_mutex_unlock(&lock);
  return descriptor;
}

int cleanup_make_folder(char *path_template) {
  pthread_mutex_lock(&lock);
  get_ready();
  const bool made = mkdtemp(path_template) != NULL;
  if (made) keep(path_template, true);
  pthread_mutex_unlock(&lock);
  return made ? 0 : -1;
}

void cleanup_forget(const char *path) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST_PATHS; ++i) {
    if (!kept[i].path || strcmp(kept[i].path, path) != 0) continue;
    free(kept[i].path);
    kept[i].path = NULL;
  }
  pthread_mutex_unlock(&lock);
}

void cleanup_remove_folder(const char *path) {
  remove_folder(path);
  cleanup_forget(path);
}

pid_t cleanup_fork(void) {
  pthread_mutex_lock(&lock);
  get_ready();
  const pid_t process = fork();
  if (process > 0) started = process;
  pthread_mutex_unlock(&lock);
  return process;
}

void cleanup_forked_ended(void) {
  pthread_mutex_lock(&lock);
  started = 0;
  pthread_mutex_unlock(&lock);
}
