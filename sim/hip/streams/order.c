// SPDX-License-Identifier: MIT
// Whoever runs a piece of work holds the device, one holder at a time. Threads that wait for work run it
// themselves if they can, so that a synchronous call costs no change of threads.
#include "sim/hip/streams/order.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "sim/report/check_report.h"
#include "sim/report/finish.h"
#include "sim/report/lds_report.h"
#include "sim/settings/say.h"

enum {
  MOST = 1 << 16,                // pieces of work; who enqueues more waits, as for a full queue of hardware
  POLL_NANOSECONDS = 500000,     // between two looks at a word that a stream waits for
  GRACE_NANOSECONDS = 200000000  // what a host function may take before later work passes it
};

struct sim_hip_task {
  uint64_t number;  // place in the order of calls, from 1
  uint64_t after;   // see sim_hip_enqueue
  sim_hip_queue queue;
  const char *call;
  sim_hip_work work;
  bool running;
  struct timespec begun;
  sim_hip_task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file
static pthread_cond_t changed;                            // on the monotonic clock
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sim_hip_task *first, **end = &first;  // by number, without what has ended
static uint64_t last_number, count;
static sim_hip_task *holder;    // runs now and has not given way
static bool held;               // by sim_hip_hold
static unsigned spare_threads;  // that look for work
static __thread sim_hip_task *mine;

static bool runs_on_host(const sim_hip_task *t) {
  return t->work.type == hipGraphNodeTypeHost || t->work.type == SIM_HIP_CALLBACK;
}

static struct timespec in(long nanoseconds) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec += nanoseconds;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static void wait_at_most(long nanoseconds) {
  const struct timespec until = in(nanoseconds);
  pthread_cond_timedwait(&changed, &lock, &until);
}

static bool takes_long(const sim_hip_task *t) {
  const struct timespec now = in(0);
  return (now.tv_sec - t->begun.tv_sec) * 1000000000 + (now.tv_nsec - t->begun.tv_nsec) > GRACE_NANOSECONDS;
}

// ---- the rules of streams: which work waits for which

// Holds what the walk through the list has passed that has not ended.
typedef struct passed {
  uint64_t queues[64];
  unsigned count;
  uint32_t null, blocking;  // bit d: of device d
} passed;

static void pass(passed *p, const sim_hip_queue *q) {
  if (q->kind == SIM_HIP_NULL_QUEUE) p->null |= 1u << q->device->ordinal;
  if (q->kind == SIM_HIP_BLOCKING_QUEUE) p->blocking |= 1u << q->device->ordinal;
  for (unsigned i = 0; i < p->count; ++i)
    if (p->queues[i] == q->id) return;
  p->queues[p->count++] = q->id;
}

static bool must_wait(const passed *p, const sim_hip_queue *q) {
  const unsigned bit = 1u << q->device->ordinal;
  if (q->kind == SIM_HIP_NULL_QUEUE) return (p->null | p->blocking) & bit;
  if (q->kind == SIM_HIP_BLOCKING_QUEUE && p->null & bit) return true;
  for (unsigned i = 0; i < p->count; ++i)
    if (p->queues[i] == q->id) return true;
  return false;
}

static bool is_listed(uint64_t number) {
  const sim_hip_task *t = first;
  while (t && t->number < number) t = t->next;
  return t && t->number == number;
}

// Returns whether a task belongs to what a caller waits for: work of the null stream is that of all streams
// it waits for.
static bool is_in(const sim_hip_task *t, const sim_hip_queue *q) {
  if (t->queue.device != q->device) return false;
  if (q->kind == SIM_HIP_NULL_QUEUE) return t->queue.kind != SIM_HIP_OWN_QUEUE;
  return t->queue.id == q->id;
}

// ---- running

static void drop(sim_hip_task *t) {
  sim_hip_work_drop(&t->work);
  free(t);
}

static void take_out(sim_hip_task *t) {
  sim_hip_task **link = &first;
  while (*link != t) link = &(*link)->next;
  *link = t->next;
  if (!t->next) end = link;
  --count;
  if (holder == t) holder = NULL;
  pthread_cond_broadcast(&changed);
}

static void fault(sim_hip_device *device, hipError_t error, uint64_t number) {
  if (device->fault != hipSuccess) return;
  device->fault = error;
  device->fault_number = number;
}

// Returns the first piece of work that may run now, NULL when there is none; *polls tells that a stream waits
// for a word. Work that needs no time ends here.
static sim_hip_task *next_task(bool *polls) {
  *polls = false;
  if (holder && runs_on_host(holder)) {
    *polls = true;
    if (!takes_long(holder)) return NULL;
    holder = NULL;
  }
  if (holder || held) return NULL;
  passed p = {.count = 0};
  for (sim_hip_task *t = first, *next; t && p.count < sizeof p.queues / sizeof *p.queues; t = next) {
    next = t->next;
    const bool waits = t->running || must_wait(&p, &t->queue) || (t->after && is_listed(t->after));
    const bool instant = !waits && sim_hip_work_is_instant(&t->work);
    if (!waits && !instant) return t;
    if (instant && sim_hip_work_finish(&t->work)) {
      take_out(t);
      drop(t);
      continue;
    }
    *polls |= instant;
    pass(&p, &t->queue);
  }
  return NULL;
}

static void *work_on(void *unused);

static void need_thread(void) {
  if (spare_threads) return;
  pthread_t thread;
  sigset_t all, before;
  // Signals are for the program's own threads, save those that a thread raises itself.
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ};
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (pthread_create(&thread, NULL, work_on, NULL) == 0) {
    ++spare_threads;
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// The caller has the lock, and has it again afterwards.
static void run(sim_hip_task *t) {
  sim_hip_task *outer = mine;
  t->running = true;
  t->begun = in(0);
  holder = mine = t;
  if (runs_on_host(t)) need_thread();
  pthread_mutex_unlock(&lock);
  const hipError_t error = sim_hip_work_run(t->call, &t->work);
  pthread_mutex_lock(&lock);
  mine = outer;
  if (error != hipSuccess) fault(t->queue.device, error, t->number);
  take_out(t);
  drop(t);
}

static void *work_on(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    bool polls;
    sim_hip_task *t = next_task(&polls);
    if (t) {
      --spare_threads;
      (void)sim_hip_set_current(t->queue.device->ordinal);  // for host functions
      run(t);
      ++spare_threads;
    } else if (polls) {
      wait_at_most(POLL_NANOSECONDS);
    } else {
      pthread_cond_wait(&changed, &lock);
    }
  }
  return unused;
}

static void wait_for_all(void) {
  if (!mine) sim_hip_wait_for_device(NULL);
}

// The reports that a process makes at its end come after the end of its work: what is registered last runs
// first.
static void begin(void) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  (void)sim_report_checking();
  (void)sim_report_counts_lds();
  sim_report_finishes_by(wait_for_all);
  atexit(wait_for_all);
}

static void take_lock(void) {
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
}

uint64_t sim_hip_enqueue(const char *call, const sim_hip_queue *queue, const sim_hip_work *work,
                         uint64_t after, bool awaited) {
  sim_hip_task *t = malloc(sizeof *t);
  if (!t) return 0;
  *t = (sim_hip_task){.after = after, .queue = *queue, .call = call, .work = *work};
  take_lock();
  while (count >= MOST && !mine) {
    need_thread();
    pthread_cond_wait(&changed, &lock);
  }
  const uint64_t number = t->number = *queue->last = ++last_number;
  *end = t;
  end = &t->next;
  ++count;
  sim_hip_work_enqueued(&t->work, number);
  bool polls;
  if ((next_task(&polls) || polls) && !awaited) {
    need_thread();
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return number;
}

// ---- waiting

typedef struct target {
  uint64_t number;             // of the last piece of work that counts
  bool exact;                  // only that one does
  const sim_hip_queue *queue;  // or all of a queue; NULL: of the device
  const sim_hip_device *device;
} target;

static bool counts(const sim_hip_task *t, const target *what) {
  if (what->exact) return t->number == what->number;
  if (t->number > what->number || (mine && t->number >= mine->number)) return false;
  return what->queue ? is_in(t, what->queue) : !what->device || t->queue.device == what->device;
}

static bool pending(const target *what) {
  for (const sim_hip_task *t = first; t && t->number <= what->number; t = t->next)
    if (counts(t, what)) return true;
  return false;
}

// The caller has the lock.
static void wait_until_done(const target *what) {
  while (pending(what)) {
    bool polls;
    sim_hip_task *t = next_task(&polls);
    if (t && counts(t, what) && !runs_on_host(t)) {
      run(t);
      continue;
    }
    if (!pending(what)) break;
    if (t) {
      need_thread();
      pthread_cond_broadcast(&changed);
    }
    if (polls)
      wait_at_most(POLL_NANOSECONDS);
    else
      pthread_cond_wait(&changed, &lock);
  }
  if (first) need_thread();
}

void sim_hip_wait_for(uint64_t number) {
  take_lock();
  wait_until_done(&(target){.number = number, .exact = true});
  pthread_mutex_unlock(&lock);
}

void sim_hip_wait_for_queue(const sim_hip_queue *queue) {
  take_lock();
  wait_until_done(&(target){.number = last_number, .queue = queue});
  pthread_mutex_unlock(&lock);
}

void sim_hip_wait_for_device(const sim_hip_device *device) {
  take_lock();
  wait_until_done(&(target){.number = last_number, .device = device});
  pthread_mutex_unlock(&lock);
}

bool sim_hip_is_pending(uint64_t number) {
  take_lock();
  const bool result = is_listed(number);
  pthread_mutex_unlock(&lock);
  return result;
}

bool sim_hip_queue_is_pending(const sim_hip_queue *queue) {
  take_lock();
  const bool result = pending(&(target){.number = last_number, .queue = queue});
  pthread_mutex_unlock(&lock);
  return result;
}

bool sim_hip_in_host_function(void) { return mine != NULL; }

// ---- holding and giving way

static bool is_free(const sim_hip_device *device) {
  if (held || (holder && holder != mine)) return false;
  for (const sim_hip_task *t = first; t; t = t->next)
    if (t->running && t != mine && (!device || t->queue.device == device)) return false;
  return true;
}

void sim_hip_hold(const sim_hip_device *device) {
  take_lock();
  wait_until_done(&(target){.number = last_number, .device = device});
  while (!is_free(device)) pthread_cond_wait(&changed, &lock);
  held = true;
  pthread_mutex_unlock(&lock);
}

void sim_hip_let_go(void) {
  pthread_mutex_lock(&lock);
  held = false;
  if (first) need_thread();
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

void sim_hip_give_way(void) {
  bool polls;
  pthread_mutex_lock(&lock);
  if (holder == mine) holder = NULL;
  if (first->next) need_thread();
  pthread_cond_broadcast(&changed);
  wait_at_most(POLL_NANOSECONDS);
  while (holder || held || next_task(&polls)) pthread_cond_wait(&changed, &lock);
  holder = mine;
  pthread_mutex_unlock(&lock);
}

// ---- faults

void sim_hip_fault(sim_hip_device *device, hipError_t error) {
  pthread_mutex_lock(&lock);
  fault(device, error, mine->number);
  pthread_mutex_unlock(&lock);
}

hipError_t sim_hip_deliver(sim_hip_device *device, uint64_t number) {
  hipError_t error = hipSuccess;
  take_lock();
  if (device->fault_number <= number) {
    error = device->fault;
    device->fault = hipSuccess;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

uint64_t sim_hip_queue_last(const sim_hip_queue *queue) {
  take_lock();
  const uint64_t number = queue->kind == SIM_HIP_NULL_QUEUE ? last_number : *queue->last;
  pthread_mutex_unlock(&lock);
  return number;
}

uint64_t sim_hip_last(void) {
  take_lock();
  const uint64_t number = last_number;
  pthread_mutex_unlock(&lock);
  return number;
}
