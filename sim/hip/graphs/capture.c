// SPDX-License-Identifier: MIT
// Stream capture: work given to a captured stream becomes a node that depends on what the stream had before.
// An event recorded there carries the dependency on; another stream that waits for it joins the capture.
#include <stdlib.h>
#include <string.h>

#include "sim/hip/graphs/graph.h"

#pragma GCC visibility push(default)
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *status,
                                       unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus *status,
                                          unsigned long long *id, hipGraph_t *graph,
                                          const hipGraphNode_t **nodes, size_t *count);
#pragma GCC visibility pop

typedef struct sim_hip_capture {
  hipStream_t origin;
  hipGraph_t graph;
  hipStreamCaptureMode mode;
  pthread_t thread;
  uint64_t id;
  bool invalid;
  bool borrowed;         // the graph was the program's before, and remains so
  hipStream_t *streams;  // that take part, the origin first
  size_t count;
  hipGraphNode_t *dropped;  // nodes that the program took from what a stream's next node depends on
  size_t dropped_count;
  struct sim_hip_capture *next;
} capture;

static capture *captures;
static uint64_t last_id;
static _Atomic int active;  // captures in progress: where there are none, nothing here takes time
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER;  // guards the captures, and `last` of streams and events
static __thread hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

// Holds what a capture of the calling thread's stream keeps, as other streams do in their own structure.
static __thread struct ihipStream_t per_thread;

static hipStream_t kept(hipStream_t stream) { return stream == hipStreamPerThread ? &per_thread : stream; }

static bool is_null(hipStream_t stream) { return (uintptr_t)stream < (uintptr_t)hipStreamPerThread; }

static capture *capture_of(hipStream_t stream) {
  if (stream == &per_thread) return atomic_load(&stream->capture);
  return is_null(stream) || !sim_hip_handle_is(stream, SIM_HIP_STREAM) ? NULL : atomic_load(&stream->capture);
}

static capture *find(uint64_t id) {
  for (capture *c = captures; c; c = c->next)
    if (c->id == id) return c;
  return NULL;
}

// ---- dependency sets

static bool copy_set(hipGraphNode_t **to, size_t *to_count, const hipGraphNode_t *from, size_t count) {
  hipGraphNode_t *set = malloc((count + 1) * sizeof *set);
  if (!set) return false;
  if (count) memcpy(set, from, count * sizeof *set);
  free(*to);
  *to = set;
  *to_count = count;
  return true;
}

static bool add_set(hipGraphNode_t **to, size_t *to_count, const hipGraphNode_t *from, size_t count) {
  hipGraphNode_t *set = realloc(*to, (*to_count + count + 1) * sizeof *set);
  if (!set) return false;
  *to = set;
  for (size_t i = 0; i < count; ++i) {
    size_t k = 0;
    while (k < *to_count && set[k] != from[i]) ++k;
    if (k == *to_count) set[(*to_count)++] = from[i];
  }
  return true;
}

// ---- the life of a capture; the caller holds the lock

static bool join(capture *c, hipStream_t stream) {
  hipStream_t *larger = realloc(c->streams, (c->count + 1) * sizeof *larger);
  if (!larger) return false;
  c->streams = larger;
  c->streams[c->count++] = stream;
  atomic_store(&stream->capture, c);
  return true;
}

static void end(capture *c) {
  for (size_t i = 0; i < c->count; ++i) {
    free(c->streams[i]->last);
    c->streams[i]->last = NULL;
    c->streams[i]->last_count = 0;
    atomic_store(&c->streams[i]->capture, NULL);
  }
  for (capture **link = &captures; *link; link = &(*link)->next)
    if (*link == c) {
      *link = c->next;
      break;
    }
  free(c->streams);
  free(c->dropped);
  free(c);
  atomic_fetch_sub(&active, 1);
}

// Returns whether the origin's last nodes, and those that the program dropped, depend on all that the other
// streams had last: marks backwards from the former.
static bool all_joined(capture *c) {
  hipGraph_t graph = c->graph;
  for (size_t i = 0; i < graph->count; ++i) graph->nodes[i]->waiting = 1;
  for (size_t i = 0; i < c->origin->last_count; ++i) c->origin->last[i]->waiting = 0;
  for (size_t i = 0; i < c->dropped_count; ++i)
    if (sim_hip_node_is(c->dropped[i]) && c->dropped[i]->graph == graph) c->dropped[i]->waiting = 0;
  for (bool marked = true; marked;) {  // once, unless the program has linked nodes against their order
    marked = false;
    for (size_t i = graph->count; i-- > 0;)
      for (size_t k = 0; !graph->nodes[i]->waiting && k < graph->nodes[i]->before_count; ++k) {
        marked |= graph->nodes[i]->before[k]->waiting != 0;
        graph->nodes[i]->before[k]->waiting = 0;
      }
  }
  for (size_t s = 1; s < c->count; ++s)
    for (size_t i = 0; i < c->streams[s]->last_count; ++i)
      if (c->streams[s]->last[i]->waiting) return false;
  return true;
}

static hipError_t refuse_invalid(const char *call) {
  return sim_hip_refuse(hipErrorStreamCaptureInvalidated,
                        "%s: an earlier call has made the stream's capture invalid, end it", call);
}

// ---- begin and end

// Captures into a new graph, or into one of the program's, of which the first nodes depend on the given ones.
static hipError_t begin(const char *call, hipStream_t stream, hipStreamCaptureMode mode, hipGraph_t given,
                        const hipGraphNode_t *before, size_t before_count) {
  sim_hip_device *device;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  if (is_null(stream))
    return sim_hip_refuse(hipErrorStreamCaptureUnsupported,
                          "%s: the null stream cannot be captured, create one", call);
  stream = kept(stream);
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: mode %d is not known", call, (int)mode);
  pthread_mutex_lock(&lock);
  bool busy = atomic_load(&stream->capture) != NULL, ok = false;
  capture *c = busy ? NULL : calloc(1, sizeof *c);
  hipGraph_t graph = !c ? NULL : given ? given : sim_hip_graph_new();
  if (graph) {
    *c = (capture){.origin = stream,
                   .graph = graph,
                   .mode = mode,
                   .thread = pthread_self(),
                   .borrowed = given != NULL,
                   .next = captures};
    ok = copy_set(&stream->last, &stream->last_count, before, before_count) && join(c, stream);
  }
  if (ok) {
    graph->captured = true;
    c->id = ++last_id;
    captures = c;
    atomic_fetch_add(&active, 1);
  } else {
    if (graph && !given) sim_hip_graph_free(graph);
    free(c);
  }
  pthread_mutex_unlock(&lock);
  if (busy) return sim_hip_refuse(hipErrorIllegalState, "%s: the stream is being captured already", call);
  return sim_hip_result(ok ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return begin("hipStreamBeginCapture", stream, mode, NULL, NULL, 0);
}

// Edges have no data on these devices.
SIM_HIP_EXPORT hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                                       const hipGraphNode_t *before, const void *edge_data,
                                                       size_t before_count, hipStreamCaptureMode mode);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *before,
                                        const void *edge_data, size_t before_count,
                                        hipStreamCaptureMode mode) {
  const char *call = "hipStreamBeginCaptureToGraph";
  hipError_t error = sim_hip_graph_need(call, graph, before, before_count);
  if (error != hipSuccess) return error;
  if (edge_data) return sim_hip_refuse(hipErrorInvalidValue, "%s: dependencyData must be null", call);
  if (graph->captured)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the graph is being captured into already", call);
  return begin(call, stream, mode, graph, before, before_count);
}

// Returns the graph of a capture that came to nothing, which the caller frees when it has let go of the lock;
// NULL when it is the program's or gone.
static hipGraph_t abandon(capture *c) {
  if (c->graph) c->graph->captured = false;
  return c->borrowed ? NULL : c->graph;
}

void sim_hip_capture_lose(hipGraph_t graph) {
  pthread_mutex_lock(&lock);
  for (capture *c = captures; c; c = c->next) {
    if (c->graph != graph) continue;
    c->graph = NULL;
    c->invalid = true;
  }
  pthread_mutex_unlock(&lock);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  const char *call = "hipStreamEndCapture";
  sim_hip_device *device;
  if (!graph) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  *graph = NULL;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  hipGraph_t unused = NULL;
  hipError_t error = hipSuccess;
  if (!c)
    error = sim_hip_refuse(hipErrorIllegalState, "%s: the stream is not being captured", call);
  else if (c->origin != stream)
    error = sim_hip_refuse(hipErrorStreamCaptureUnmatched, "%s: the capture began in another stream", call);
  else if (c->mode != hipStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
    error = sim_hip_refuse(hipErrorStreamCaptureWrongThread, "%s: the capture began in another thread", call);
  if (error == hipSuccess) {
    if (c->invalid)
      error = refuse_invalid(call);
    else if (!all_joined(c))
      error = sim_hip_refuse(
          hipErrorStreamCaptureUnjoined,
          "%s: work of another stream is in the capture that this stream has not waited for", call);
    if (error == hipSuccess) {
      *graph = c->graph;
      c->graph->captured = false;
    } else {
      unused = abandon(c);
    }
    end(c);
  }
  pthread_mutex_unlock(&lock);
  if (unused) sim_hip_graph_free(unused);
  return error;
}

void sim_hip_capture_forget(hipStream_t stream) {
  pthread_mutex_lock(&lock);
  capture *c = atomic_load(&stream->capture);
  hipGraph_t unused = NULL;
  if (c && c->origin == stream) {
    unused = abandon(c);
    end(c);
  } else if (c) {
    c->invalid = true;
    for (size_t i = 1; i < c->count; ++i)
      if (c->streams[i] == stream) c->streams[i] = c->streams[--c->count];
  }
  free(stream->last);
  stream->last = NULL;
  pthread_mutex_unlock(&lock);
  if (unused) sim_hip_graph_free(unused);
}

// ---- work, events

// The null stream waits for all work of streams that were not created as non-blocking.
static capture *implicit_dependency(void) {
  for (capture *c = captures; c; c = c->next)
    for (size_t i = 0; i < c->count; ++i)
      if (!(c->streams[i]->flags & hipStreamNonBlocking) &&
          (c->mode == hipStreamCaptureModeGlobal || pthread_equal(c->thread, pthread_self())))
        return c;
  return NULL;
}

static hipError_t take(const char *call, capture *c, hipStream_t stream, const sim_hip_work *work) {
  if (c->invalid) return refuse_invalid(call);
  hipGraphNode_t node = sim_hip_graph_add(c->graph, work, stream->last, stream->last_count);
  if (node && copy_set(&stream->last, &stream->last_count, &node, 1)) return hipSuccess;
  c->invalid = true;
  return sim_hip_result(hipErrorOutOfMemory);
}

bool sim_hip_captures(const char *call, hipStream_t stream, const sim_hip_work *work, hipError_t *error) {
  if (!atomic_load(&active)) return false;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  bool captured = c != NULL;
  if (c) {
    *error = take(call, c, stream, work);
  } else if (is_null(stream) && (c = implicit_dependency())) {
    c->invalid = captured = true;
    *error =
        sim_hip_refuse(hipErrorStreamCaptureImplicit,
                       "%s: the null stream would wait for a stream that is being captured; create that with "
                       "hipStreamNonBlocking",
                       call);
  }
  pthread_mutex_unlock(&lock);
  return captured;
}

bool sim_hip_capture_record(const char *call, hipEvent_t event, hipStream_t stream, hipError_t *error) {
  if (!atomic_load(&active) && !atomic_load(&event->capture)) return false;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  *error = hipSuccess;
  atomic_store(&event->capture, c ? c->id : 0);
  if (c && c->invalid)
    *error = refuse_invalid(call);
  else if (c && !copy_set(&event->last, &event->last_count, stream->last, stream->last_count))
    *error = sim_hip_result(hipErrorOutOfMemory);
  pthread_mutex_unlock(&lock);
  return c != NULL;
}

static hipError_t wait_in_capture(const char *call, capture *from, capture *to, hipEvent_t event,
                                  hipStream_t stream) {
  if ((from && from->invalid) || (to && to->invalid)) return refuse_invalid(call);
  if (to && !from) {
    if (!atomic_load(&event->number) && !atomic_load(&event->capture)) return hipSuccess;  // never recorded
    to->invalid = true;
    return sim_hip_refuse(hipErrorStreamCaptureIsolation,
                          "%s: the event was recorded outside the stream's capture", call);
  }
  if (to && from != to) {
    from->invalid = to->invalid = true;
    return sim_hip_refuse(hipErrorStreamCaptureMerge, "%s: the event belongs to another capture", call);
  }
  if ((to || join(from, stream)) &&
      add_set(&stream->last, &stream->last_count, event->last, event->last_count))
    return hipSuccess;
  from->invalid = true;
  return sim_hip_result(hipErrorOutOfMemory);
}

bool sim_hip_capture_wait(const char *call, hipEvent_t event, hipStream_t stream, hipError_t *error) {
  if (!atomic_load(&active)) return false;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *to = capture_of(stream), *from = find(atomic_load(&event->capture));
  bool captured = to || from;
  if (from && is_null(stream)) {
    from->invalid = true;
    *error = sim_hip_refuse(hipErrorStreamCaptureImplicit, "%s: the null stream cannot join a capture", call);
  } else if (captured) {
    *error = wait_in_capture(call, from, to, event, stream);
  }
  pthread_mutex_unlock(&lock);
  return captured;
}

bool sim_hip_is_captured(hipStream_t stream) {
  if (!atomic_load(&active)) return false;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  const bool captured = capture_of(stream) != NULL;
  pthread_mutex_unlock(&lock);
  return captured;
}

// ---- what is not allowed meanwhile

hipError_t sim_hip_capture_refuses(const char *call, hipStream_t stream) {
  if (!atomic_load(&active)) return hipSuccess;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  if (c) c->invalid = true;
  pthread_mutex_unlock(&lock);
  if (!c) return hipSuccess;
  return sim_hip_refuse(hipErrorStreamCaptureUnsupported,
                        "%s: not possible while the stream is being captured", call);
}

static hipError_t refuses(const char *call, bool waits_for_all) {
  if (!atomic_load(&active) || (thread_mode == hipStreamCaptureModeRelaxed && !waits_for_all))
    return hipSuccess;
  bool refused = false;
  pthread_mutex_lock(&lock);
  for (capture *c = captures; c; c = c->next) {
    bool mine =
        pthread_equal(c->thread, pthread_self()) && (waits_for_all || c->mode != hipStreamCaptureModeRelaxed);
    bool global = thread_mode == hipStreamCaptureModeGlobal && c->mode == hipStreamCaptureModeGlobal;
    if (!mine && !global) continue;
    c->invalid = refused = true;
  }
  pthread_mutex_unlock(&lock);
  if (!refused) return hipSuccess;
  return sim_hip_refuse(
      hipErrorStreamCaptureUnsupported,
      "%s: not possible while a stream is being captured in this mode (hipStreamCaptureMode)", call);
}

hipError_t sim_hip_capture_refuses_unsafe(const char *call) { return refuses(call, false); }
hipError_t sim_hip_capture_refuses_wait(const char *call) { return refuses(call, true); }

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    return sim_hip_refuse(hipErrorInvalidValue, "hipThreadExchangeStreamCaptureMode: the mode is %s",
                          mode ? "not known" : "null");
  hipStreamCaptureMode old = thread_mode;
  thread_mode = *mode;
  *mode = old;
  return hipSuccess;
}

// ---- questions

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                                      unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **nodes,
                                      size_t *count) {
  const char *call = "hipStreamGetCaptureInfo";
  sim_hip_device *device;
  if (!status) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  if (is_null(stream) && implicit_dependency()) {
    pthread_mutex_unlock(&lock);
    return sim_hip_refuse(hipErrorStreamCaptureImplicit,
                          "%s: the null stream waits for a stream that is being captured", call);
  }
  *status = !c           ? hipStreamCaptureStatusNone
            : c->invalid ? hipStreamCaptureStatusInvalidated
                         : hipStreamCaptureStatusActive;
  if (*status == hipStreamCaptureStatusActive) {
    if (id) *id = c->id;
    if (graph) *graph = c->graph;
    if (nodes) *nodes = stream->last;
    if (count) *count = stream->last_count;
  }
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  return hipStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL);
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *nodes, size_t count,
                                              unsigned flags) {
  const char *call = "hipStreamUpdateCaptureDependencies";
  if (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, it must be 0 or 1", call, flags);
  stream = kept(stream);
  pthread_mutex_lock(&lock);
  capture *c = capture_of(stream);
  hipError_t error;
  if (!c)
    error = sim_hip_refuse(hipErrorIllegalState, "%s: the stream is not being captured", call);
  else if (c->invalid)
    error = refuse_invalid(call);
  else
    error = sim_hip_graph_need(call, c->graph, nodes, count);
  const bool sets = flags == hipStreamSetCaptureDependencies;
  if (error == hipSuccess &&
      ((sets && !add_set(&c->dropped, &c->dropped_count, stream->last, stream->last_count)) ||
       !(sets ? copy_set : add_set)(&stream->last, &stream->last_count, nodes, count)))
    error = sim_hip_result(hipErrorOutOfMemory);
  pthread_mutex_unlock(&lock);
  return error;
}

// ---- the names that -fgpu-default-stream=per-thread substitutes

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
  return hipStreamBeginCapture(stream, mode);
}
hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *graph) {
  return hipStreamEndCapture(stream, graph);
}
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *status) {
  return hipStreamIsCapturing(stream, status);
}
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *status,
                                       unsigned long long *id) {
  return hipStreamGetCaptureInfo(stream, status, id);
}
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus *status,
                                          unsigned long long *id, hipGraph_t *graph,
                                          const hipGraphNode_t **nodes, size_t *count) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}
