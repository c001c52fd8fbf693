// SPDX-License-Identifier: MIT
// This header has what all families of kernels share: status codes, element types, contexts, the last error.
// It serves C11 and C++.
#ifndef WAVETILE_BASE_H
#define WAVETILE_BASE_H

#include <stddef.h>
#include <stdint.h>

// WT_API marks what the library exports, WT_MUST_CHECK a result that must not be ignored.
#if defined(__GNUC__)
#define WT_API __attribute__((visibility("default")))
#define WT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define WT_API
#define WT_MUST_CHECK
#endif

// This is the version of the header.
#define WT_VERSION_MAJOR 0
#define WT_VERSION_MINOR 1
#define WT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

// These are the status codes, as X(name, number, sentence). Numbers never change; 1 to 19 are wrong
// arguments, 20 to 39 say that something is not supported, 40 to 59 are errors of device and host.
#define WT_STATUS_LIST(X)                                                                        \
  X(WT_SUCCESS, 0, "success")                                                                    \
  X(WT_ERROR_NULL_ARGUMENT, 1, "a required pointer is NULL")                                     \
  X(WT_ERROR_STRUCT_SIZE, 2, "struct_size is not that of a known version of the struct")         \
  X(WT_ERROR_SIZE, 3, "a size is not positive or is too large")                                  \
  X(WT_ERROR_LEADING_DIMENSION, 4, "a leading dimension is shorter than the row it steps over")  \
  X(WT_ERROR_STRIDE, 5, "a stride is negative, too short, or makes an output overlap itself")    \
  X(WT_ERROR_VALUE, 6, "a scalar argument has a value that is not allowed")                      \
  X(WT_ERROR_MISALIGNED, 7, "a pointer is not aligned as required")                              \
  X(WT_ERROR_OVERLAP, 8, "an output overlaps other memory of the call")                          \
  X(WT_ERROR_BUFFER, 9, "a buffer is not memory of the device, or is too short for the shape")   \
  X(WT_ERROR_FILE, 10, "a file cannot be read, or is not what it should be")                     \
  X(WT_ERROR_UNSUPPORTED_TYPE, 20, "no kernel handles this combination of types on this device") \
  X(WT_ERROR_UNSUPPORTED_TARGET, 21, "the device is not one the library has kernels for")        \
  X(WT_ERROR_UNKNOWN_KERNEL, 22, "no kernel has this name")                                      \
  X(WT_ERROR_UNSUPPORTED_KERNEL, 23, "the named kernel cannot run this descriptor")              \
  X(WT_ERROR_UNSUPPORTED_SIZE, 24, "no kernel handles this size")                                \
  X(WT_ERROR_NOT_BUILT, 25, "the build left out the kernel that this needs")                     \
  X(WT_ERROR_NO_DEVICE, 40, "there is no such device")                                           \
  X(WT_ERROR_DEVICE, 41, "the HIP runtime reported an error")                                    \
  X(WT_ERROR_NO_MEMORY, 42, "out of host memory")

// This is what a call returns: WT_SUCCESS, or why it failed.
typedef enum wt_status {
#define WT_STATUS_ENUM(name, number, sentence) name = number,
  WT_STATUS_LIST(WT_STATUS_ENUM)
#undef WT_STATUS_ENUM
} wt_status;

// These are element types. FP8 is OCP on gfx950 and FNUZ on gfx942; the two encode the same byte differently.
typedef enum wt_type {
  WT_TYPE_F8E4M3 = 1,       // OCP: bias 7, largest 448, NaN 0x7f and 0xff
  WT_TYPE_F8E5M2 = 2,       // OCP: bias 15, largest 57344, infinities and NaN
  WT_TYPE_F8E4M3_FNUZ = 3,  // bias 8, largest 240, NaN 0x80, no negative zero
  WT_TYPE_F8E5M2_FNUZ = 4,  // bias 16, largest 57344, NaN 0x80, no negative zero
  WT_TYPE_BF16 = 5,
  WT_TYPE_F16 = 6,
  WT_TYPE_F32 = 7,
  WT_TYPE_I8 = 8,
  WT_TYPE_I32 = 9,
  WT_TYPE_F6E2M3 =
      10,  // bias 1, largest 7.5, neither infinities nor NaN; in the blocks of block_scale.h only
  WT_TYPE_F6E3M2 = 11,  // bias 3, largest 28, likewise
  WT_TYPE_F4E2M1 = 12   // bias 1, largest 6, likewise
} wt_type;

// These are functions of one element.
typedef enum wt_activation {
  WT_ACTIVATION_NONE = 0,
  WT_ACTIVATION_RELU = 1,  // max(x, 0)
  WT_ACTIVATION_GELU = 2,  // the tanh form: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  WT_ACTIVATION_SILU = 3   // x / (1 + exp(-x))
} wt_activation;

// This is what a hipStream_t points to.
struct ihipStream_t;

// A context is the device side of a program: one HIP device and the kernels loaded on it.
typedef struct wt_context wt_context;

// This many bytes hold the sums of a 256 x 256 tile of C, in f32, for each of up to 512 compute units.
#define WT_WORKSPACE_LIMIT_DEFAULT ((size_t)128 << 20)

// Returns the version of the library that is loaded, such as "0.1.0", which may be newer than the header's.
WT_API const char *wt_version(void);

// Returns the sentence of WT_STATUS_LIST for `status`, or "unknown status". The result is never NULL.
WT_API const char *wt_status_string(wt_status status);

// Creates a context for the HIP device with this number, from 0. On success the caller owns *out until
// wt_context_destroy; on failure *out is NULL. The call loads no kernel yet; the first use of each does. The
// caller's current device does not change.
//
// The call reads the GEMM tuning table that the environment variable WT_GEMM_TABLE names, as
// wt_gemm_table_load does.
WT_API WT_MUST_CHECK wt_status wt_context_create(int device, wt_context **out);

// Waits for the device, then frees everything the context owns. NULL is accepted. No other thread may still
// use it.
WT_API void wt_context_destroy(wt_context *context);

// Sets how many bytes of device memory one call may take for its intermediate results where it is given no
// workspace of its own (split_k of wt_gemm_desc); with 0 such calls do without. A new context has
// WT_WORKSPACE_LIMIT_DEFAULT, or 0 where the device has no memory pools.
//
// The memory comes from a pool of the context (hipMallocFromPoolAsync), in the order of the call's stream:
// calls on different streams use different memory, and the pool keeps up to `bytes` of what it has given out
// for later calls until the context is destroyed or the limit lowered. A call in a stream that is captured
// adds an allocation and a free to the graph, which then has memory of its own; pass a workspace where the
// graph shall hold none, since graphs with such nodes cannot be cloned or be children of others. Where the
// device has not enough memory left the call does without it, and says nothing.
WT_API WT_MUST_CHECK wt_status wt_context_set_workspace_limit(wt_context *context, size_t bytes);

// Returns the target the context runs on, "gfx950" or "gfx942", or NULL for a NULL context. The context owns
// the string.
WT_API const char *wt_context_target(const wt_context *context);

// Returns the sentence of the last call the calling thread made with this context that failed, or "" if none
// did. For NULL it is that of the last failing call without a context (wt_context_create, wt_gemm_kernel_at,
// or a NULL context). The string is valid until the same thread's next failure on the same context, or until
// the context is destroyed. It is never NULL.
WT_API const char *wt_last_error(const wt_context *context);

#ifdef __cplusplus
}
#endif

#endif
