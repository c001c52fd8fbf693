// SPDX-License-Identifier: MIT
// Lends memory of the context's device for the time of one call, in the order of the call's stream.
#ifndef WT_SRC_WORKSPACE_H
#define WT_SRC_WORKSPACE_H

#include "operand.h"

// Makes the context's pool, part of creating a context. A device without memory pools gets none, and then
// wt_workspace_most is 0.
wt_status wt_workspace_begin(wt_context *context);
void wt_workspace_end(wt_context *context);

// Returns how many bytes one call may take.
size_t wt_workspace_most(wt_context *context);

// Takes memory for the work that is enqueued on the stream from now on until it is given back; NULL when the
// device has too little. Calls on other streams get other memory, the next call on this stream is likely to
// get the same. In a captured stream both become nodes of the graph, which then owns the memory. The device
// must be current.
void *wt_workspace_take(wt_context *context, size_t bytes, hipStream_t stream);
wt_status wt_workspace_give_back(wt_context *context, void *memory, hipStream_t stream);

// Provides what a call needs for its intermediate results, in memory that the caller gives or, where that is
// NULL, in the context's.
typedef struct wt_workspace {
  size_t bytes;        // 0: none is needed
  const char *what;    // "rows by index": what needs it, a plural
  const char *query;   // "wt_grouped_workspace_size"
  void *given;         // desc->workspace
  size_t given_bytes;  // desc->workspace_bytes
} wt_workspace;

// Checks that what is given is large enough or, if nothing is given, that the context has as much.
wt_status wt_workspace_check(wt_context *context, const wt_workspace *workspace);

// Adds the memory that is given, as far as it is needed, to the operands of a call. Returns their new number.
int wt_workspace_add_operand(const wt_workspace *workspace, wt_operand *all, int count);

// Calls launch(context, call, memory, stream) with the memory, which is NULL when none is needed. The device
// must be current.
typedef wt_status wt_workspace_launch(wt_context *context, const void *call, void *memory,
                                      hipStream_t stream);
wt_status wt_workspace_run(wt_context *context, const wt_workspace *workspace, wt_workspace_launch *launch,
                           const void *call, hipStream_t stream);

#endif
