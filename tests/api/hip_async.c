// SPDX-License-Identifier: MIT
// Host and device work at the same time, in the order that the rules of streams give. Arguments: code objects
// for gfx950 (device 0) and gfx942 (device 1); the test starts itself again with a third one, "exit" or
// "hang".
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

#include "hip_capture.h"
#include "wavetile_sim.h"

extern char **environ;

enum { A_WHILE = 20000 };  // microseconds in which work that is not held up would have run

static hipModule_t module;
static _Atomic int gate;  // a host function waits until it is 1
static int *log_;         // pinned; work appends a digit to it
static int *flag;         // pinned; kernels wait until it is set

static void pass_gate(void *unused) {
  (void)unused;
  while (!gate) usleep(100);
}

static void set(int *word, int value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static int get(const int *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static void append_9(void *unused) {
  (void)unused;
  set(log_, get(log_) * 10 + 9);
}

static hipFunction_t function(const char *name) {
  hipFunction_t f = NULL;
  OK(hipModuleGetFunction(&f, module, name));
  return f;
}

static void launch(const char *name, hipStream_t stream, void **params) {
  OK(hipModuleLaunchKernel(function(name), 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static void append(hipStream_t stream, int digit) {
  void *params[] = {&log_, &digit};
  launch("append", stream, params);
}

static void wait_for_flag(const char *how, hipStream_t stream) {
  void *params[] = {&flag, &log_};
  launch(how, stream, params);
}

static void begin(void) {
  OK(hipDeviceSynchronize());
  gate = 0;
  *flag = 0;
  *log_ = 0;
}

static void expect(int expected, const char *what) {
  OK(hipDeviceSynchronize());
  CHECK(*log_ == expected, "%s: the order was %d, not %d", what, *log_, expected);
}

static hipStream_t new_stream(unsigned flags) {
  hipStream_t stream = NULL;
  OK(hipStreamCreateWithFlags(&stream, flags));
  return stream;
}

// ---- the rules of streams

static void queries_tell_the_truth(void) {
  hipStream_t stream = new_stream(hipStreamNonBlocking), idle = new_stream(hipStreamDefault);
  hipEvent_t start, stop;
  float ms;
  begin();
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipEventRecord(start, stream));
  OK(hipLaunchHostFunc(stream, pass_gate, NULL));
  OK(hipEventRecord(stop, stream));
  OK(hipEventQuery(start));
  CHECK(hipStreamQuery(stream) == hipErrorNotReady, "the stream is not ready");
  CHECK(hipEventQuery(stop) == hipErrorNotReady, "the event has not happened");
  CHECK(hipEventElapsedTime(&ms, start, stop) == hipErrorNotReady, "no time has been measured");
  CHECK(hipGetLastError() == hipSuccess, "not to be ready is no error");
  OK(hipStreamQuery(idle));
  OK(hipStreamQuery(NULL));
  gate = 1;
  OK(hipEventSynchronize(stop));
  OK(hipEventQuery(stop));
  OK(hipStreamQuery(stream));
  OK(hipEventElapsedTime(&ms, start, stop));
  OK(hipEventDestroy(start));
  OK(hipEventDestroy(stop));
  OK(hipStreamDestroy(stream));
  OK(hipStreamDestroy(idle));
}

// Tests what waits for the stream `held`, and what does not: `passes` streams get through while it is held
// up.
static void the_null_stream_waits_for_blocking_ones(void) {
  hipStream_t held = new_stream(hipStreamDefault), blocking = new_stream(hipStreamDefault),
              own = new_stream(hipStreamNonBlocking);
  begin();
  OK(hipLaunchHostFunc(held, pass_gate, NULL));
  append(NULL, 1);
  append(blocking, 2);  // waits for the null stream
  append(own, 3);
  append(hipStreamPerThread, 4);
  OK(hipStreamSynchronize(own));
  usleep(A_WHILE);
  CHECK(*log_ == 3, "while a blocking stream was held up: %d", *log_);
  CHECK(hipStreamQuery(NULL) == hipErrorNotReady && hipStreamQuery(blocking) == hipErrorNotReady &&
            hipStreamQuery(hipStreamPerThread) == hipErrorNotReady,
        "three streams wait");
  gate = 1;
  expect(3124, "null stream");
  begin();
  OK(hipLaunchHostFunc(own, pass_gate, NULL));
  append(NULL, 1);
  append(blocking, 2);
  OK(hipStreamSynchronize(blocking));
  CHECK(*log_ == 12, "a non-blocking stream holds nothing up: %d", *log_);
  append(own, 3);
  gate = 1;
  expect(123, "non-blocking stream");
  OK(hipStreamDestroy(held));
  OK(hipStreamDestroy(blocking));
  OK(hipStreamDestroy(own));
}

// Another stream gets through behind host functions that take long, though nobody waits for it.
static void host_functions_hold_up_no_other_stream(void) {
  enum { HELD = 4 };
  hipStream_t held[HELD], other = new_stream(hipStreamNonBlocking);
  begin();
  for (int i = 0; i < HELD; ++i) {
    held[i] = new_stream(hipStreamNonBlocking);
    OK(hipLaunchHostFunc(held[i], pass_gate, NULL));
  }
  OK(hipLaunchHostFunc(other, append_9, NULL));
  for (int i = 0; i < 1000 && !get(log_); ++i) usleep(10000);
  CHECK(*log_ == 9, "while host functions wait: %d", *log_);
  gate = 1;
  expect(9, "a host function");
  for (int i = 0; i < HELD; ++i) OK(hipStreamDestroy(held[i]));
  OK(hipStreamDestroy(other));
}

static void events_order_streams(void) {
  hipStream_t a = new_stream(hipStreamNonBlocking), b = new_stream(hipStreamNonBlocking);
  hipEvent_t event;
  begin();
  OK(hipEventCreate(&event));
  OK(hipStreamWaitEvent(b, event, 0));  // never recorded: no wait
  append(b, 1);
  OK(hipStreamSynchronize(b));
  OK(hipLaunchHostFunc(a, pass_gate, NULL));
  append(a, 2);
  OK(hipEventRecord(event, a));
  append(a, 4);
  OK(hipStreamWaitEvent(b, event, 0));
  OK(hipLaunchHostFunc(b, append_9, NULL));
  OK(hipEventDestroy(event));  // before it has happened
  usleep(A_WHILE);
  CHECK(*log_ == 1, "before the event: %d", *log_);
  gate = 1;
  OK(hipDeviceSynchronize());
  CHECK(*log_ == 1249 || *log_ == 1294, "after the event: %d", *log_);
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

static void streams_wait_for_words(void) {
  hipStream_t a = new_stream(hipStreamNonBlocking), b = new_stream(hipStreamNonBlocking);
  begin();
  OK(hipStreamWaitValue32(a, flag, 5, hipStreamWaitValueGte, ~0u));
  append(a, 1);
  append(b, 2);
  OK(hipStreamSynchronize(b));
  CHECK(*log_ == 2 && hipStreamQuery(a) == hipErrorNotReady, "waiting for a word: %d", *log_);
  OK(hipStreamWriteValue32(b, flag, 6, 0));  // given later than what waits for it
  OK(hipStreamSynchronize(a));
  CHECK(*log_ == 21, "another stream has written the word: %d", *log_);
  set(flag, 0);
  OK(hipStreamWaitValue32(a, flag, 1, hipStreamWaitValueEq, ~0u));
  append(a, 3);
  usleep(A_WHILE);
  CHECK(*log_ == 21, "waiting for the host: %d", *log_);
  set(flag, 1);
  expect(213, "the host has written the word");
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

static void feed(hipStream_t stream, hipError_t status, void *user) {
  CHECK(status == hipSuccess, "callback status %d", (int)status);
  append((hipStream_t)user, 7);
  append(stream, 8);
  SAYS(hipErrorNotSupported, "cannot wait for the work", hipMemset(flag, 0, 4));
}

static void callbacks_feed_streams(void) {
  hipStream_t a = new_stream(hipStreamNonBlocking), b = new_stream(hipStreamNonBlocking);
  begin();
  append(a, 1);
  OK(hipLaunchHostFunc(a, pass_gate, NULL));
  OK(hipStreamAddCallback(a, feed, b, 0));
  append(a, 2);
  gate = 1;
  OK(hipStreamSynchronize(a));
  expect(1278, "a callback feeds streams");
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

static void *append_in_thread(void *unused) {
  append(hipStreamPerThread, 3);
  OK(hipStreamSynchronize(hipStreamPerThread));
  return unused;
}

static void each_thread_has_its_own_stream(void) {
  pthread_t thread;
  begin();
  OK(hipLaunchHostFunc(hipStreamPerThread, pass_gate, NULL));
  append(hipStreamPerThread, 1);
  pthread_create(&thread, NULL, append_in_thread, NULL);
  pthread_join(thread, NULL);
  CHECK(*log_ == 3, "the other thread's stream has passed: %d", *log_);
  gate = 1;
  expect(31, "per-thread streams");
}

// ---- kernels and the host

static void a_kernel_waits_for_the_host(const char *how) {
  hipStream_t stream = new_stream(hipStreamNonBlocking), other = new_stream(hipStreamNonBlocking);
  begin();
  wait_for_flag(how, stream);
  append(stream, 2);
  usleep(A_WHILE);
  CHECK(*log_ == 0 && hipStreamQuery(stream) == hipErrorNotReady, "%s: before the flag: %d", how, *log_);
  set(flag, 1);
  OK(hipStreamSynchronize(stream));
  CHECK(*log_ == 12, "%s: after the flag: %d", how, *log_);
  OK(hipStreamDestroy(stream));
  OK(hipStreamDestroy(other));
}

static void host_and_kernel_talk(void) {
  enum { ROUNDS = 20 };
  int *question = flag, *reply = log_, rounds = ROUNDS;
  void *params[] = {&question, &reply, &rounds};
  begin();
  launch("answer", NULL, params);
  for (int i = 1; i <= ROUNDS; ++i) {
    set(question, i);
    while (__atomic_load_n(reply, __ATOMIC_ACQUIRE) != i + 1) usleep(10);
  }
  expect(ROUNDS + 1, "questions and answers");
}

static void other_work_passes_a_kernel_that_polls(void) {
  hipStream_t polling = new_stream(hipStreamNonBlocking), other = new_stream(hipStreamNonBlocking);
  begin();
  wait_for_flag("wait_for_flag", polling);
  append(other, 2);
  OK(hipStreamSynchronize(other));
  CHECK(*log_ == 2 && hipStreamQuery(polling) == hipErrorNotReady, "other work: %d", *log_);
  OK(hipMemsetD32Async((hipDeviceptr_t)flag, 1, 1, other));
  expect(21, "other work sets the flag");
  begin();
  for (int i = 0; i < 3; ++i) wait_for_flag("wait_for_volatile", i % 2 ? other : polling);
  append(NULL, 3);  // the null stream does not wait for these two
  OK(hipStreamSynchronize(NULL));
  CHECK(*log_ == 3, "two kernels poll: %d", *log_);
  set(flag, 1);
  expect(3111, "two kernels poll");
  OK(hipStreamDestroy(polling));
  OK(hipStreamDestroy(other));
}

// ---- work-groups that wait for each other

typedef struct waiting {
  const char *kernel;
  unsigned groups;
  int word, out;  // the word they wait for at the beginning, the result
} waiting;

static unsigned long long instructions_of(const waiting *w) {
  unsigned long long before, after;
  int *word = flag, *out = log_;
  void *params[] = {&word, &out};
  begin();
  *flag = w->word;
  wtSimTotals(&before, NULL);
  OK(hipModuleLaunchKernel(function(w->kernel), w->groups, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(hipDeviceSynchronize());
  wtSimTotals(&after, NULL);
  CHECK(*log_ == w->out, "%s: %d, not %d", w->kernel, *log_, w->out);
  return after - before;
}

static void work_groups_wait_for_each_other(void) {
  static const char *const threads[] = {"1", "2", "3", "8"};
  static const waiting cases[] = {{"first_waits", 2, 0, 1},
                                  {"first_waits", 700, 0, 699},
                                  {"each_waits", 6, 6, 5 * 243 + 4 * 81 + 3 * 27 + 2 * 9 + 3},
                                  {"lock_and_add", 40, 0, 40}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    unsigned long long count[4];
    for (int k = 0; k < 4; ++k) {
      setenv("WT_SIM_THREADS", threads[k], 1);
      count[k] = instructions_of(&cases[i]);
    }
    for (int k = 1; k < 4; ++k)
      CHECK(count[k] == count[0], "%s: %llu instructions with %s threads, %llu with one", cases[i].kernel,
            count[k], threads[k], count[0]);
    setenv("WT_SIM_RESIDENT", "1", 1);
    instructions_of(&cases[i]);
    unsetenv("WT_SIM_RESIDENT");
  }
  unsetenv("WT_SIM_THREADS");
}

static void delays_take_few_instructions(void) {
  unsigned long long before, after;
  long long *ticks;
  OK(hipHostMalloc((void **)&ticks, 3 * sizeof *ticks, 0));
  void *params[] = {&ticks};
  begin();
  wtSimTotals(&before, NULL);
  launch("delay", NULL, params);
  OK(hipDeviceSynchronize());
  wtSimTotals(&after, NULL);
  const long long wanted[] = {1000000, 24000000, 1000000};
  for (int i = 0; i < 3; ++i)
    CHECK(ticks[i] >= wanted[i] && ticks[i] <= wanted[i] + wanted[i] / 16, "delay %d: %lld ticks", i,
          ticks[i]);
  CHECK(after - before < 100000, "three delays of 10 ms: %llu instructions", after - before);
  OK(hipHostFree(ticks));
}

static void the_budget_names_its_case(void) {
  static const struct {
    const char *kernel, *says;
  } cases[] = {{"wait_for_flag", "polls memory of the host"},
               {"each_waits", "polls memory of the device"},
               {"endless", "a loop may never end"}};
  int *word, *out = log_, *words[2];
  OK(hipMalloc((void **)&word, 64));
  words[0] = flag;
  words[1] = word;
  setenv("WT_SIM_BUDGET", "3000", 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char said[1024];
    begin();
    OK(hipMemset(word, 0x77, 64));
    void *params[] = {i == 2 ? &word : &words[i], &out};
    hip_capture capture = capture_begin();
    launch(cases[i].kernel, NULL, params);
    const hipError_t error = hipDeviceSynchronize();
    capture_end(capture, said);
    CHECK(error == hipErrorLaunchTimeOut && hipGetLastError() == error, "%s: %s", cases[i].kernel,
          hipGetErrorName(error));
    CHECK(strstr(said, cases[i].says) != NULL, "%s should say \"%s\": %s", cases[i].kernel, cases[i].says,
          said);
  }
  unsetenv("WT_SIM_BUDGET");
  OK(hipFree(word));
}

static void copies_of_pageable_memory_are_synchronous(void) {
  int *d, host = 5;
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  OK(hipMalloc((void **)&d, sizeof *d));
  OK(hipMemcpyAsync(d, &host, sizeof host, hipMemcpyHostToDevice, stream));
  host = 0;
  OK(hipMemcpyAsync(&host, d, sizeof host, hipMemcpyDeviceToHost, stream));
  CHECK(host == 5, "copied %d", host);
  OK(hipFree(d));
  OK(hipStreamDestroy(stream));
}

// ---- what waits for the device

static void freed_memory_can_still_be_used_by_earlier_work(void) {
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  int *d;
  begin();
  OK(hipMallocAsync((void **)&d, sizeof *d, stream));
  OK(hipLaunchHostFunc(stream, pass_gate, NULL));
  void *params[] = {&d};
  launch("store_at", stream, params);
  OK(hipMemcpyAsync(log_, d, sizeof *d, hipMemcpyDeviceToHost, stream));
  OK(hipFreeAsync(d, stream));
  SAYS(hipErrorInvalidValue, "given to a stream to free", hipFree(d));
  SAYS(hipErrorInvalidValue, "given to a stream to free", hipFreeAsync(d, stream));
  gate = 1;
  expect(1, "stream-ordered memory");
  SAYS(hipErrorInvalidValue, "in no allocation", hipFree(d));
  OK(hipStreamDestroy(stream));
}

typedef struct release {
  pthread_t thread;
  hipError_t (*call)(void *);
  void *argument;
  hipError_t result;
  _Atomic int done;
} release;

static void *release_now(void *argument) {
  release *r = argument;
  r->result = r->call(r->argument);
  r->done = 1;
  return NULL;
}

static hipError_t call_free(void *memory) { return hipFree(memory); }
static hipError_t call_unload(void *m) { return hipModuleUnload(m); }
static hipError_t call_destroy(void *stream) { return hipStreamDestroy(stream); }
static hipError_t call_reset(void *unused) {
  (void)unused;
  return hipDeviceReset();
}

// Another thread makes the call while a kernel runs that uses what the call takes away.
static void waits_for_the_kernel(const char *what, hipError_t (*call)(void *), void *argument) {
  release r = {.call = call, .argument = argument};
  pthread_create(&r.thread, NULL, release_now, &r);
  usleep(A_WHILE);
  CHECK(!r.done && *log_ == 0, "%s does not wait for the kernel", what);
  set(flag, 1);
  pthread_join(r.thread, NULL);
  CHECK(r.done && r.result == hipSuccess && *log_ == 1, "%s gave %s, and the kernel left %d", what,
        hipGetErrorName(r.result), *log_);
}

static void what_takes_something_away_waits(const char *object) {
  hipModule_t mine = module, other;
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  int *d;
  begin();
  OK(hipMalloc((void **)&d, 4));
  wait_for_flag("wait_for_flag", stream);
  waits_for_the_kernel("hipFree", call_free, d);
  begin();
  wait_for_flag("wait_for_flag", stream);
  waits_for_the_kernel("hipStreamDestroy", call_destroy, stream);
  begin();
  OK(hipModuleLoad(&other, object));
  module = other;
  wait_for_flag("wait_for_flag", hipStreamPerThread);
  module = mine;
  waits_for_the_kernel("hipModuleUnload", call_unload, other);
}

static void faults_belong_to_their_stream(void) {
  hipStream_t a = new_stream(hipStreamNonBlocking), b = new_stream(hipStreamNonBlocking);
  char said[1024];
  int *nowhere = (int *)64;
  void *params[] = {&nowhere};
  begin();
  append(b, 1);
  hip_capture capture = capture_begin();
  launch("store_at", a, params);
  append(a, 2);  // runs: it is work of its own
  const hipError_t before = hipStreamSynchronize(b), query = hipGetLastError(),
                   fault = hipStreamSynchronize(a), after = hipStreamSynchronize(a);
  capture_end(capture, said);
  CHECK(before == hipSuccess && query == hipSuccess, "the fault of later work: %d, %d", (int)before,
        (int)query);
  CHECK(fault == hipErrorIllegalAddress && after == hipSuccess, "the fault: %d, then %d", (int)fault,
        (int)after);
  CHECK(hipGetLastError() == hipErrorIllegalAddress, "the last error");
  CHECK(strstr(said, "store_at") != NULL, "said: %s", said);
  expect(12, "work after a fault");
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
}

// The work of a process that does not wait for it is done before its end.
static void write_done(void *unused) {
  (void)unused;
  printf("done %d\n", *log_);
  fflush(stdout);
}

static int leave(void) {
  begin();
  OK(hipLaunchHostFunc(NULL, pass_gate, NULL));
  append(NULL, 4);
  OK(hipLaunchHostFunc(NULL, write_done, NULL));
  gate = 1;
  return test_result();
}

// Launches a kernel that nothing ends, in a process that is interrupted when the kernel has said that it is
// there.
static int hang(void) {
  int *question = flag, *reply = log_, rounds = 2;
  begin();
  launch("answer", NULL, (void *[]){&question, &reply, &rounds});
  set(question, 1);
  while (__atomic_load_n(reply, __ATOMIC_ACQUIRE) != 2) usleep(10);
  printf("there\n");
  fflush(stdout);
  OK(hipDeviceSynchronize());
  return 0;
}

// Runs this program again and reads from one of its streams; interrupts it when it has written `until`.
static int child(char **argv, const char *what, int stream, const char *until, char text[2048]) {
  int ends[2], said[2], status = 0;
  pid_t pid;
  char *arguments[] = {argv[0], argv[1], argv[2], (char *)what, NULL}, word[64] = "";
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);  // what runs in the background may have been told to ignore it
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  CHECK(pipe(ends) == 0 && pipe(said) == 0, "two pipes");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, said[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  CHECK(posix_spawn(&pid, argv[0], &actions, &attributes, arguments, environ) == 0, "starting %s", argv[0]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  close(said[1]);
  if (until) {
    CHECK(read(said[0], word, sizeof word - 1) > 0 && strstr(word, until), "the process said %s", word);
    kill(pid, SIGINT);
  }
  size_t size = 0;
  for (ssize_t got; size < 2047 && (got = read(ends[0], text + size, 2047 - size)) > 0;) size += (size_t)got;
  text[size] = 0;
  close(ends[0]);
  close(said[0]);
  waitpid(pid, &status, 0);
  return status;
}

static void exit_waits(char **argv) {
  char text[2048];
  child(argv, "exit", STDOUT_FILENO, NULL, text);
  CHECK(strstr(text, "done 4") != NULL, "the process left: %s", text);
}

static void an_interrupted_kernel_says_where_it_is(char **argv) {
  char text[2048];
  setenv("WT_SIM_PROGRESS", "1", 1);
  const int status = child(argv, "hang", STDERR_FILENO, "there", text);
  unsetenv("WT_SIM_PROGRESS");
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "status %#x", (unsigned)status);
  CHECK(strstr(text, "kernel answer was interrupted") && strstr(text, "0 of 1 work-groups") &&
            strstr(text, "polls memory"),
        "it said: %s", text);
}

int main(int argc, char **argv) {
  CHECK(argc >= 3, "arguments: the code object of each device in order");
  if (argc < 3) return test_result();
  OK(hipModuleLoad(&module, argv[1]));
  OK(hipHostMalloc((void **)&log_, sizeof *log_, 0));
  OK(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  if (argc > 3) return strcmp(argv[3], "hang") == 0 ? hang() : leave();
  queries_tell_the_truth();
  the_null_stream_waits_for_blocking_ones();
  host_functions_hold_up_no_other_stream();
  events_order_streams();
  streams_wait_for_words();
  callbacks_feed_streams();
  each_thread_has_its_own_stream();
  a_kernel_waits_for_the_host("wait_for_flag");
  a_kernel_waits_for_the_host("wait_for_volatile");
  host_and_kernel_talk();
  other_work_passes_a_kernel_that_polls();
  work_groups_wait_for_each_other();
  delays_take_few_instructions();
  the_budget_names_its_case();
  copies_of_pageable_memory_are_synchronous();
  freed_memory_can_still_be_used_by_earlier_work();
  what_takes_something_away_waits(argv[1]);
  faults_belong_to_their_stream();
  exit_waits(argv);
  an_interrupted_kernel_says_where_it_is(argv);
  begin();
  // Memory of the host belongs to the device that was current, so the reset comes last.
  wait_for_flag("wait_for_flag", NULL);
  release r = {.call = call_reset};
  pthread_create(&r.thread, NULL, release_now, &r);
  usleep(A_WHILE);
  CHECK(!r.done, "hipDeviceReset does not wait for the kernel");
  set(flag, 1);
  pthread_join(r.thread, NULL);
  CHECK(hipModuleUnload(module) != hipSuccess, "the reset has unloaded the module");
  return test_result();
}
