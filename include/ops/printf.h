// SPDX-License-Identifier: MIT
// This header has printf and an assertion for kernels, without the HIP headers and without a device library.
// No compiler flags are needed beyond those of every kernel here; -mprintf-kind has no effect on them.
// Kernels that use them run as they are on the simulated device and, because they follow the device library's
// protocol (isa/host_call.h), are meant to run under ROCm's runtime; nobody has tried that yet.
//
// A call costs a round trip to the host, in which the wave waits, and some hundred instructions of code:
// leave none in a kernel whose time counts. The registers that the code takes are the kernel's.
//
// scope: wave; operands: a format, and numbers, pointers and strings; leaves: none; waits: nobody; LDS: none;
// registers: about 40; chips: both
#ifndef WT_OPS_PRINTF_H
#define WT_OPS_PRINTF_H

#include "isa/global.h"
#include "isa/host_call.h"
#include "isa/ids.h"
#include "isa/launch.h"

namespace wt {

namespace detail {

enum class host_stream : u64 { out = 0, error = 1 };

// Holds a message to the host's printf: quadwords in parts of up to seven. Each lane has its own. The
// descriptor (ockl, services.cl) says whether a part begins or ends the message, how many quadwords it has,
// and, once the host has answered the first part, which message it belongs to.
struct message {
  static constexpr int kMost = kPayloadSlots - 1;
  static constexpr u64 kBegin = 1, kEnd = 2;
  static constexpr int kLengthShift = 5;
  static constexpr u64 kLengthMask = 7ull << kLengthShift;

  u64 descriptor = kBegin;
  u64 part[kPayloadSlots] = {};

  // Sends the first `count` quadwords of the part; the next part begins.
  WT_DEVICE void send(int count, bool last) {
    part[0] = (descriptor & ~kLengthMask) | static_cast<u64>(count) << kLengthShift | (last ? kEnd : 0);
    descriptor = host_call(host_service::printf, part);
  }
};

// Returns eight bytes of a text of `length` bytes, its end included, from byte `at` on; zeros beyond its end.
WT_DEVICE u64 quadword_of(const char *text, int at, int length) {
  if (at + 8 <= length) return global_load<u64>(text + at);
  u64 bits = 0;
#pragma unroll 1
  for (int i = length - at - 1; i >= 0; --i) bits = bits << 8 | static_cast<unsigned char>(text[at + i]);
  return bits;
}

// Sends a text with its end, in as many parts as it needs. `First` quadwords lie in the part already.
template <int First>
WT_DEVICE void send_text(message &to, const char *text, bool last) {
  int length = 1;
#pragma unroll 1
  while (text[length - 1] != 0) ++length;
  int at = 0, filled = First;
#pragma unroll 1
  for (;;) {
    // The first part has less space than the others. The lanes' texts may differ in length.
    int count = filled;
#pragma unroll
    for (int i = 0; i < message::kMost; ++i) {
      if (i >= filled && at < length) {
        to.part[i + 1] = quadword_of(text, at, length);
        at += 8;
        ++count;
      }
    }
    const bool done = at >= length;
    to.send(count, last && done);
    if (done) return;
    filled = 0;
  }
}

template <class T>
constexpr bool is_text = is_one_of<T, const char *, char *>;

// Returns an argument as the host reads it: floats as doubles, integers and pointers as 64 bits.
template <class T>
WT_DEVICE u64 argument_bits(T value) {
  if constexpr (is_one_of<T, double, float, f16, bf16>) {
    return __builtin_bit_cast(u64, static_cast<double>(value));
  } else if constexpr (__is_pointer(T)) {
    return reinterpret_cast<u64>(value);
  } else {
    static_assert(__is_integral(T) || __is_enum(T),
                  "printf takes numbers, pointers and strings: print a tile or vector element by element");
    return static_cast<u64>(static_cast<long long>(value));
  }
}

// Sends the arguments from the one numbered `Next` on; `Filled` quadwords lie in the part already.
template <int Filled>
WT_DEVICE void send_arguments(message &to) {
  if constexpr (Filled != 0) to.send(Filled, true);
}
template <int Filled, class First, class... More>
WT_DEVICE void send_arguments(message &to, First first, More... more) {
  static constexpr bool kLast = sizeof...(More) == 0;
  if constexpr (is_text<First>) {
    if constexpr (Filled != 0) to.send(Filled, false);
    send_text<0>(to, first, kLast);
    send_arguments<0>(to, more...);
  } else {
    to.part[Filled + 1] = argument_bits(first);
    if constexpr (Filled + 1 == message::kMost) {
      to.send(message::kMost, kLast);
      send_arguments<0>(to, more...);
    } else {
      send_arguments<Filled + 1>(to, more...);
    }
  }
}

template <class... Arguments>
WT_DEVICE int print_to(host_stream stream, const char *format, Arguments... arguments) {
  message m;
  m.part[1] = static_cast<u64>(stream);
  send_text<1>(m, format, sizeof...(Arguments) == 0);
  send_arguments<0>(m, arguments...);
  return static_cast<int>(m.descriptor);
}

}  // namespace detail

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"  // the attribute on a function without an ellipsis

// Prints once for each active lane, to the host's standard output, in the order of the lanes: what C's printf
// prints of the same format and arguments. The compiler checks the format against them, as for printf. Widen
// f16 and bf16 with to_f32 for the check's sake. %n writes nothing. Returns the number of bytes printed, or a
// negative number when the host refuses the format. Strings may lie in global memory or be literals, not in
// LDS. The wave waits for the host inside; work-groups' lines do not mix within a line.
template <class... Arguments>
__attribute__((format(printf, 1, 2))) WT_DEVICE int printf(const char *format, Arguments... arguments) {
  return detail::print_to(detail::host_stream::out, format, arguments...);
}

// Does the same to standard error.
template <class... Arguments>
__attribute__((format(printf, 1, 2))) WT_DEVICE int printf_error(const char *format, Arguments... arguments) {
  return detail::print_to(detail::host_stream::error, format, arguments...);
}

#pragma clang diagnostic pop

namespace detail {
template <class = void>
[[noreturn]] WT_DEVICE void assertion_failed(const char *file, int line, const char *function,
                                             const char *condition) {
  printf_error("%s:%d: %s: work-group (%d, %d, %d), thread (%d, %d, %d): assertion `%s' failed.\n", file,
               line, function, workgroup_x(), workgroup_y(), workgroup_z(), thread_id(), thread_y(),
               thread_z(), condition);
  stop_kernel();
}
}  // namespace detail

}  // namespace wt

// Where the condition is false, each such lane says so on standard error with file, line, function,
// work-group and thread, and the kernel stops: calls that wait for it return hipErrorAssert on the simulated
// device, an error (hipErrorLaunchFailure) elsewhere. With -DNDEBUG it is nothing, and the condition is not
// evaluated.
#ifdef NDEBUG
#define WT_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define WT_ASSERT(condition)                                                                             \
  ((condition) ? static_cast<void>(0)                                                                    \
               : ::wt::detail::assertion_failed(__FILE__, __LINE__, static_cast<const char *>(__func__), \
                                                #condition))
#endif

#endif
