// SPDX-License-Identifier: MIT
// Memory of the context's device for the time of one call, in the order of the call's stream.
#ifndef WT_SRC_WORKSPACE_H
#define WT_SRC_WORKSPACE_H

#include "context.h"

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

#endif
