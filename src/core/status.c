// SPDX-License-Identifier: MIT
// Holds the status codes as text, the last-error sentences and the version.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#define WT_STRING_(x) #x
#define WT_STRING(x) WT_STRING_(x)

// The sentence goes here when no context can hold it: there is one per thread, so that it needs no lock and
// nothing is freed.
static _Thread_local char orphan_error[512];

const char *wt_version(void) {
  return WT_STRING(WT_VERSION_MAJOR) "." WT_STRING(WT_VERSION_MINOR) "." WT_STRING(WT_VERSION_PATCH);
}

const char *wt_status_string(wt_status status) {
  switch (status) {
#define WT_STATUS_CASE(name, number, sentence) \
  case name: return sentence;
    WT_STATUS_LIST(WT_STATUS_CASE)
#undef WT_STATUS_CASE
  }
  return "unknown status";
}

static wt_error_slot *slot_of_thread(const wt_context *context) {
  for (wt_error_slot *slot = context->errors; slot; slot = slot->next)
    if (pthread_equal(slot->thread, pthread_self())) return slot;
  return NULL;
}

wt_status wt_fail(wt_context *context, wt_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!context) {
    vsnprintf(orphan_error, sizeof orphan_error, format, args);
  } else {
    pthread_mutex_lock(&context->mutex);
    wt_error_slot *slot = slot_of_thread(context);
    if (!slot && (slot = calloc(1, sizeof *slot))) {
      slot->thread = pthread_self();
      slot->next = context->errors;
      context->errors = slot;
    }
    if (slot) vsnprintf(slot->text, sizeof slot->text, format, args);
    pthread_mutex_unlock(&context->mutex);
  }
  va_end(args);
  return status;
}

const char *wt_last_error(const wt_context *context) {
  if (!context) return orphan_error;
  wt_context *lockable = (wt_context *)context;  // the mutex is the only member written
  pthread_mutex_lock(&lockable->mutex);
  const wt_error_slot *slot = slot_of_thread(context);
  pthread_mutex_unlock(&lockable->mutex);
  return slot ? slot->text : "";
}

void wt_errors_free(wt_context *context) {
  while (context->errors) {
    wt_error_slot *slot = context->errors;
    context->errors = slot->next;
    free(slot);
  }
}
