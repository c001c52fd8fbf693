// SPDX-License-Identifier: MIT
// A tiny transformer in C, built on wavetile.h alone: one block over text bytes, and a head that predicts the
// next byte, forward and backward.
//
//   h1 = norm(x0)        qkv = h1 Wqkv^T, rotated     o = attention(qkv)      x1 = x0 + o Wo^T
//   h2 = norm(x1)        gu = h2 Wgu^T                a = silu(g) * u         x2 = x1 + a Wd^T
//   h3 = norm(x2)        logits = h3 Wout^T           loss = mean cross-entropy with the next bytes
//
// Matrices are F16, row-major, a row per byte of text; norms' weights and the weights' gradients are F32.
#ifndef TRANSFORMER_H
#define TRANSFORMER_H

#include <hip/hip_runtime_api.h>
#include <wavetile.h>

enum {
  SEQUENCES = 2,
  LENGTH = 96,
  ROWS = SEQUENCES * LENGTH,
  WIDTH = 256,  // of x and h
  HEADS = 4,
  KV_HEADS = 2,
  HEAD_DIM = 64,
  QKV = (HEADS + 2 * KV_HEADS) * HEAD_DIM,
  HIDDEN = 512,
  VOCABULARY = 256
};

// Gradients are this many times larger than they should be, so that F16 holds the small ones.
#define LOSS_SCALE 4096.0f

typedef enum element { F16, F32, I32 } element;

// X(name, element, rows, columns) lists everything in memory. First comes what is given: the parameters, the
// bytes' embedded rows and the next bytes; then what forward computes; then what backward does.
#define TENSORS(X)                      \
  X(norm1, F32, 1, WIDTH)               \
  X(wqkv, F16, QKV, WIDTH)              \
  X(wo, F16, WIDTH, HEADS *HEAD_DIM)    \
  X(norm2, F32, 1, WIDTH)               \
  X(wgu, F16, 2 * HIDDEN, WIDTH)        \
  X(wd, F16, WIDTH, HIDDEN)             \
  X(norm3, F32, 1, WIDTH)               \
  X(wout, F16, VOCABULARY, WIDTH)       \
  X(x0, F16, ROWS, WIDTH)               \
  X(next, I32, 1, ROWS)                 \
  X(h1, F16, ROWS, WIDTH)               \
  X(rstd1, F32, 1, ROWS)                \
  X(qkv, F16, ROWS, QKV)                \
  X(o, F16, ROWS, HEADS *HEAD_DIM)      \
  X(lse, F32, SEQUENCES *HEADS, LENGTH) \
  X(add1, F16, ROWS, WIDTH)             \
  X(x1, F16, ROWS, WIDTH)               \
  X(h2, F16, ROWS, WIDTH)               \
  X(rstd2, F32, 1, ROWS)                \
  X(gu, F16, ROWS, 2 * HIDDEN)          \
  X(a, F16, ROWS, HIDDEN)               \
  X(add2, F16, ROWS, WIDTH)             \
  X(x2, F16, ROWS, WIDTH)               \
  X(h3, F16, ROWS, WIDTH)               \
  X(rstd3, F32, 1, ROWS)                \
  X(logits, F16, ROWS, VOCABULARY)      \
  X(losses, F32, 1, ROWS)               \
  X(loss, F32, 1, 1)                    \
  X(dlogits, F16, ROWS, VOCABULARY)     \
  X(dh3, F16, ROWS, WIDTH)              \
  X(dx2, F16, ROWS, WIDTH)              \
  X(da, F16, ROWS, HIDDEN)              \
  X(dgu, F16, ROWS, 2 * HIDDEN)         \
  X(dh2, F16, ROWS, WIDTH)              \
  X(dx1, F16, ROWS, WIDTH)              \
  X(dout, F16, ROWS, HEADS *HEAD_DIM)   \
  X(dqkv, F16, ROWS, QKV)               \
  X(dh1, F16, ROWS, WIDTH)              \
  X(dx0, F16, ROWS, WIDTH)              \
  X(dwout, F32, VOCABULARY, WIDTH)      \
  X(dnorm3, F32, 1, WIDTH)              \
  X(dwd, F32, WIDTH, HIDDEN)            \
  X(dwgu, F32, 2 * HIDDEN, WIDTH)       \
  X(dnorm2, F32, 1, WIDTH)              \
  X(dwo, F32, WIDTH, HEADS *HEAD_DIM)   \
  X(dwqkv, F32, QKV, WIDTH)             \
  X(dnorm1, F32, 1, WIDTH)

typedef struct tensor {
  const char *name;
  element element;
  int rows, columns;
  void *data;  // of host and device
} tensor;

#define NAME(name, ...) NAME_##name,
enum { TENSORS(NAME) TENSOR_COUNT };
#undef NAME

typedef struct transformer {
  wt_context *context;
  tensor of[TENSOR_COUNT];
  void *workspace;  // for what the library asks for
  size_t workspace_bytes;
} transformer;

// Names the tensor of a transformer by name, as in T(t, wqkv).
#define T(t, name) (&(t)->of[NAME_##name])

// Ends the program with the library's sentence, or the runtime's, if something failed.
void must(const transformer *t, wt_status status);
void must_hip(hipError_t error);

// Both enqueue all of their work on the default stream.
void forward(transformer *t);
void backward(transformer *t);

// The descriptors that both passes share.
wt_attention_desc attention_desc(void);
wt_rotary_desc rotary_desc(void);
wt_activation_desc activation_desc(void);

// Returns at least `bytes` of workspace. Calls on one stream follow each other, so that they can share it.
void *workspace(transformer *t, size_t bytes);

// Computes c = op(a) * op(b)^T, in the shapes of the tensors: with trans_a, a is stored the other way round,
// and so on.
void multiply(transformer *t, const tensor *a, int trans_a, const tensor *b, int trans_b, const tensor *c);

#endif
