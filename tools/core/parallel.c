// SPDX-License-Identifier: MIT
// Loops over the host's cores, with threads that take pieces of the range until none is left.
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 64, PIECES_PER_THREAD = 8 };

typedef struct shared_loop {
  void (*body)(void *context, int64_t begin, int64_t end);
  void *context;
  int64_t count, piece;
  _Atomic int64_t next;
} shared_loop;

static void *run_pieces(void *pointer) {
  shared_loop *loop = pointer;
  for (;;) {
    int64_t begin = atomic_fetch_add(&loop->next, loop->piece);
    if (begin >= loop->count) return NULL;
    int64_t end = begin + loop->piece < loop->count ? begin + loop->piece : loop->count;
    loop->body(loop->context, begin, end);
  }
}

void parallel_for(int64_t count, void (*body)(void *context, int64_t begin, int64_t end), void *context) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int threads = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
  int64_t piece = count / ((int64_t)threads * PIECES_PER_THREAD);
  shared_loop loop = {body, context, count, piece < 1 ? 1 : piece, 0};
  pthread_t started[MAX_THREADS];
  int running = 0;
  while (running < threads - 1 && pthread_create(&started[running], NULL, run_pieces, &loop) == 0) ++running;
  run_pieces(&loop);  // also all of it when no thread could be started
  while (running-- > 0) pthread_join(started[running], NULL);
}

uint64_t random_at(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
