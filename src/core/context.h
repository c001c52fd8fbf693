// SPDX-License-Identifier: MIT
// Declares the context behind wavetile.h: the device, the modules loaded so far, and each thread's last-error
// sentence.
#ifndef WT_SRC_CONTEXT_H
#define WT_SRC_CONTEXT_H

#include <hip/hip_runtime_api.h>
#include <pthread.h>

#include "target.h"
#include "wavetile.h"

typedef struct wt_error_slot {
  struct wt_error_slot *next;
  pthread_t thread;  // a thread that ended may leave its slot to one that got the same id
  char text[512];
} wt_error_slot;

typedef struct wt_module {
  hipModule_t module;  // NULL until first used
} wt_module;

struct wt_context {
  int device;
  int compute_units;
  const wt_target *target;
  hipMemPool_t pool;                 // NULL where the device has no memory pools
  pthread_mutex_t mutex;             // guards the members below
  struct wt_gemm_table *gemm_table;  // NULL: none
  size_t workspace_most;             // bytes of the pool that one call may take (workspace.h)
  wt_error_slot *errors;
  wt_module modules[];  // one per entry of wt_embedded_table
};

// Makes a context of a device, without what single families keep in it; the second frees one.
wt_status wt_context_open(int device, wt_context **out);
void wt_context_close(wt_context *context);

// Stores the sentence for the calling thread (context may be NULL) and returns `status`.
wt_status wt_fail(wt_context *context, wt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Frees the sentences of all threads; part of destroying a context.
void wt_errors_free(wt_context *context);

// Returns whether there is a kernel file `stem` for the context's target, built or left out.
bool wt_context_knows(const wt_context *context, const char *stem);

// Returns whether the code object of kernel file `stem` is embedded.
bool wt_context_has(const wt_context *context, const char *stem);

// Fails because the build left out the kernel file `stem`, which the context knows.
wt_status wt_fail_left_out(wt_context *context, const char *stem);

// Finds the function `name` of the embedded code object `stem` for the context's target, and loads the module
// on first use. The device must be current.
wt_status wt_context_function(wt_context *context, const char *stem, const char *name, hipFunction_t *out);

#endif
