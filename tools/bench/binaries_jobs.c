// SPDX-License-Identifier: MIT
// Predicts cases in processes of their own: addresses are the same for each, whatever was predicted before,
// and what one kernel does wrong stays with it.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/binaries.h"

typedef struct job {
  pid_t process;  // 0: none
  int answer;     // the end of a pipe from which its result is read
  binary_case *c;
} job;

static void predict_and_answer(binary_case *c, int answer) {
  setenv("WT_SIM_MFMA", "fast", 0);  // nobody looks at the results
  const int code = binary_predict(c);
  // The result is shorter than a pipe, so that nobody has to read while it is written.
  const bool sent = code || write(answer, &c->number, sizeof c->number) == (ssize_t)sizeof c->number;
  fflush(stderr);
  _exit(sent ? code : TOOL_FAILED);
}

static int start(job *j, binary_case *c) {
  int ends[2];
  if (pipe(ends)) return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  fflush(NULL);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    predict_and_answer(c, ends[1]);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  }
  *j = (job){process, ends[0], c};
  return TOOL_OK;
}

// Takes the result of a job whose process has ended.
static int finish(job *j, int status, const char *keep) {
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_FAILED;
  if (WIFSIGNALED(status))
    tool_error(TOOL_FAILED, "%s: the prediction ended with signal %d", j->c->name, WTERMSIG(status));
  if (!code) {
    j->c->predicted = read(j->answer, &j->c->number, sizeof j->c->number) == (ssize_t)sizeof j->c->number;
    if (!j->c->predicted) code = tool_error(TOOL_FAILED, "%s: its process gave no prediction", j->c->name);
  }
  close(j->answer);
  if (!code && keep) code = binary_keep_add(keep, j->c);
  *j = (job){.process = 0};
  return code;
}

// Waits until one of the jobs has ended.
static int wait_for_one(job *jobs, size_t count, const char *keep) {
  int status;
  const pid_t ended = waitpid(-1, &status, 0);
  for (size_t i = 0; i < count; ++i)
    if (jobs[i].process == ended) return finish(&jobs[i], status, keep);
  return ended < 0 ? tool_error(TOOL_FAILED, "cannot wait for a process: %s", strerror(errno)) : TOOL_OK;
}

static job *unused(job *jobs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!jobs[i].process) return &jobs[i];
  return NULL;
}

int binary_predict_all(binary_cases *cases, size_t count, const char *keep) {
  job *jobs = calloc(count, sizeof *jobs), *next;
  size_t running = 0;
  int first = jobs ? TOOL_OK : tool_error(TOOL_FAILED, "out of host memory for %zu jobs", count);
  for (size_t i = 0; i <= cases->count && jobs; ++i) {
    const bool last = i == cases->count;
    while (running && (last || running == count)) {
      const int code = wait_for_one(jobs, count, keep);
      if (!first) first = code;
      --running;
    }
    if (last || cases->cases[i].predicted) continue;
    bench_say_progress(i + 1, cases->count, cases->cases[i].name);
    next = unused(jobs, count);
    const int code = start(next, &cases->cases[i]);
    if (!first) first = code;
    running += !code;
  }
  free(jobs);
  return first;
}
