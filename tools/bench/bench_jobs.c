// SPDX-License-Identifier: MIT
// Starts processes, and takes their results as they end.
#include "bench/bench_jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

typedef struct job {
  pid_t process;  // 0: none
  int answer;     // the end of a pipe from which its result is read
  size_t piece;
} job;

static void run_and_answer(const bench_work *work, size_t piece, int answer) {
  unsigned char result[BENCH_JOB_BYTES] = {0};
  setenv("WT_SIM_MFMA", "fast", 0);  // nobody looks at the results
  const int code = work->run(work->context, piece, result);
  // The result is shorter than a pipe, so that nobody has to read while it is written.
  const bool sent = code || write(answer, result, work->bytes) == (ssize_t)work->bytes;
  fflush(stderr);
  _exit(sent ? code : TOOL_FAILED);
}

static int start(job *j, const bench_work *work, size_t piece) {
  int ends[2];
  if (pipe(ends)) return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  fflush(NULL);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    run_and_answer(work, piece, ends[1]);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  }
  *j = (job){process, ends[0], piece};
  return TOOL_OK;
}

// Takes the result of a job whose process has ended.
static int finish(job *j, int status, const bench_work *work) {
  unsigned char result[BENCH_JOB_BYTES];
  const char *name = work->name(work->context, j->piece);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_FAILED;
  if (WIFSIGNALED(status))
    tool_error(TOOL_FAILED, "%s: the prediction ended with signal %d", name, WTERMSIG(status));
  if (!code && read(j->answer, result, work->bytes) != (ssize_t)work->bytes)
    code = tool_error(TOOL_FAILED, "%s: its process gave no prediction", name);
  close(j->answer);
  if (!code) code = work->take(work->context, j->piece, result);
  *j = (job){.process = 0};
  return code;
}

// Waits until one of the jobs has ended.
static int wait_for_one(job *jobs, size_t count, const bench_work *work) {
  int status;
  const pid_t ended = waitpid(-1, &status, 0);
  for (size_t i = 0; i < count; ++i)
    if (jobs[i].process == ended) return finish(&jobs[i], status, work);
  return ended < 0 ? tool_error(TOOL_FAILED, "cannot wait for a process: %s", strerror(errno)) : TOOL_OK;
}

static job *unused(job *jobs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!jobs[i].process) return &jobs[i];
  return NULL;
}

int bench_jobs_run(const bench_work *work, size_t count) {
  job *jobs = calloc(count, sizeof *jobs), *next;
  size_t running = 0;
  int first = jobs ? TOOL_OK : tool_error(TOOL_FAILED, "out of host memory for %zu jobs", count);
  for (size_t i = 0; i <= work->count && jobs; ++i) {
    const bool last = i == work->count;
    if (!last && work->is_done(work->context, i)) continue;
    while (running && (last || running == count)) {
      const int code = wait_for_one(jobs, count, work);
      if (!first) first = code;
      --running;
    }
    if (last) continue;
    bench_say_progress(i + 1, work->count, work->name(work->context, i));
    next = unused(jobs, count);
    const int code = start(next, work, i);
    if (!first) first = code;
    running += !code;
  }
  free(jobs);
  return first;
}
