// SPDX-License-Identifier: MIT
// Adds a row to a tuning table (docs/guide/tuning.md), which wt_gemm_table_load reads.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/read_file.h"
#include "core/tool.h"
#include "core/whole_file.h"
#include "tune/tune.h"

static const char head[] =
    "# Written by wavetile tune: predicted by a model, measured on no hardware.\n"
    "target,type_a,type_b,m,n,k,kernel,window,chunk,parts,cycles\n";

int tune_check_table(const tune_job *job) {
  char message[WHOLE_FILE_PATH + 512];
  wt_context *context;
  if (!job->out) return TOOL_OK;
  if (!whole_file_allowed(job->out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--out %s", message);
  if (access(job->out, F_OK) != 0) return TOOL_OK;
  if (access(job->out, W_OK) != 0)
    return tool_error(TOOL_USAGE, "--out %s: cannot be written: %s", job->out, strerror(errno));
  // A table that is there must be one: a context is asked.
  if (wt_context_create(0, &context)) return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  const int code = wt_gemm_table_load(context, job->out)
                       ? tool_error(TOOL_USAGE, "--out: %s", wt_last_error(context))
                       : TOOL_OK;
  wt_context_destroy(context);
  return code;
}

int tune_write(const tune_job *job) {
  char message[WHOLE_FILE_PATH + 512];
  size_t size = 0;
  whole_file file;
  if (strcmp(job->done[0].kernel, TUNE_SEVERAL) == 0) {
    printf("%s has no new row: what the library does without one is the fastest, with several kernels\n",
           job->out);
    return TOOL_OK;
  }
  if (!whole_file_begin(&file, job->out, message, sizeof message))
    return tool_error(TOOL_FAILED, "--out %s", message);
  unsigned char *old = read_file(job->out, &size);
  const tune_try *best = &job->done[0];
  if (old)
    fwrite(old, 1, size, file.stream);
  else
    fputs(head, file.stream);
  if (old && old[size - 1] != '\n') fputc('\n', file.stream);
  fprintf(file.stream, "%s,%s,%s,%lld,%lld,%lld,%s,%d,%d,%d,%.0f\n", job->target, job->type, job->type,
          job->m, job->n, job->k, best->kernel, best->window, best->chunk, best->parts,
          best->result.total.cycles);
  free(old);
  if (!whole_file_end(&file, !ferror(file.stream), message, sizeof message))
    return tool_error(TOOL_FAILED, "--out %s", message);
  return TOOL_OK;
}
