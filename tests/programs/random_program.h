// SPDX-License-Identifier: MIT
// Defines what the programs of random_program.py are written in: operations that are defined for every
// operand and give the same bits on host and device. The text is copied to the head of each program. HIP's
// own headers take most of a compilation, so the few declarations needed stand here.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define HD __host__ __device__ [[maybe_unused]]
#define NOINLINE __attribute__((noinline))

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern "C" {
int hipSetDevice(int);
int hipMalloc(void **, size_t);
int hipMemcpy(void *, const void *, size_t, int);
int hipDeviceSynchronize(void);
const char *hipGetErrorString(int);
int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, struct ihipStream_t *);
unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, struct ihipStream_t * = nullptr);
}

using u8 = uint8_t;
using i8 = int8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using u128 = unsigned __int128;
using i128 = __int128;
using f16 = _Float16;
using f32 = float;
using f64 = double;
template <class T, int N>
using vec = T __attribute__((ext_vector_type(N)));

template <class T>
constexpr bool is_float = std::is_same_v<T, f16> || std::is_same_v<T, f32> || std::is_same_v<T, f64>;
template <class T>
constexpr int width = sizeof(T) * 8;
// This is the unsigned type in which T's arithmetic wraps: never one that is promoted to int.
template <class T>
using wrapping = std::conditional_t<sizeof(T) <= 4, u32, std::conditional_t<sizeof(T) == 8, u64, u128>>;
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;

// Returns the value's bits, all NaN alike: IEEE 754 leaves their sign and payload open.
template <class T>
HD inline u64 bits(T x) {
  if constexpr (is_float<T>) {
    if (x != x) return 0x7ff8;
    return __builtin_bit_cast(bits_of<T>, x);
  } else if constexpr (sizeof(T) == 16) {
    return static_cast<u64>(x) ^ static_cast<u64>(x >> 64) * 31;
  } else {
    return static_cast<u64>(x);
  }
}
template <class T, int N>
HD inline u64 bits(vec<T, N> x) {
  u64 sum = 0;
  for (int i = 0; i < N; ++i) sum = sum * 0x9e3779b97f4a7c15u + bits<T>(x[i]);
  return sum;
}
HD inline u64 mix(u64 digest, u64 x) {
  digest = (digest ^ x) * 0x9e3779b97f4a7c15u;
  return digest ^ digest >> 29;
}

// Converts a number. A float beyond an integer's range gives 0; integers are cut to what f16 holds.
template <class To, class From>
HD inline To cv(From x) {
  if constexpr (is_float<From> && !is_float<To>) {
    const f64 wide = static_cast<f64>(x), top = static_cast<f64>(static_cast<To>(1) << (width<To> - 2)) * 2;
    const bool fits = std::is_signed_v<To> ? wide >= -top && wide < top : wide > -1.0 && wide < top * 2;
    return fits ? static_cast<To>(x) : static_cast<To>(0);
  } else if constexpr (std::is_same_v<To, f16> && !is_float<From>) {
    return static_cast<f16>(static_cast<i32>(x % static_cast<From>(sizeof(From) > 1 ? 30011 : 101)));
  } else {
    return static_cast<To>(x);
  }
}
template <class T>
HD inline T from_bits(u64 x) {
  if constexpr (is_float<T>) {
    return __builtin_bit_cast(T, static_cast<bits_of<T>>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
HD inline T add(T a, T b) {
  if constexpr (is_float<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <class T>
HD inline T sub(T a, T b) {
  if constexpr (is_float<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <class T>
HD inline T mul(T a, T b) {
  if constexpr (is_float<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}
template <class T>
HD inline bool divides(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && b == static_cast<T>(-1) && a == std::numeric_limits<T>::min());
}
template <class T>
HD inline T quotient(T a, T b) {
  if constexpr (is_float<T>)
    return a / b;
  else
    return divides(a, b) ? static_cast<T>(a / b) : a;
}
template <class T>
HD inline T rest(T a, T b) {
  return divides(a, b) ? static_cast<T>(a % b) : b;
}
template <class T>
HD inline T shl(T a, u32 by) {
  return static_cast<T>(static_cast<wrapping<T>>(a) << (by & (width<T> - 1)));
}
template <class T>
HD inline T shr(T a, u32 by) {
  return static_cast<T>(a >> (by & (width<T> - 1)));
}
template <class T>
HD inline T rotated(T a, u32 by) {
  using U = std::make_unsigned_t<T>;
  const u32 left = by & (width<T> - 1);
  return static_cast<T>(static_cast<U>(static_cast<U>(a) << left) |
                        static_cast<U>(a) >> ((width<T> - left) & (width<T> - 1)));
}
template <class T>
HD inline T field(T a, u32 offset, u32 count) {  // a signed field is sign-extended
  const u32 bits_left = width<T> - (count % (width<T> - 1) + 1);
  return static_cast<T>(shl<T>(shr<T>(a, offset), bits_left) >> bits_left);
}
template <class T>
HD inline T insert(T mask, T a, T b) {
  return static_cast<T>((a & mask) | (b & ~mask));
}
template <class T>
HD inline T high_product(T a, T b) {
  using W = std::conditional_t<std::is_signed_v<T>, i128, u128>;
  return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) >> width<T>);
}
template <class T>
HD inline T wide_product(T a, T b, u32 by) {
  using W = std::conditional_t<std::is_signed_v<T>, i128, u128>;
  return static_cast<T>(static_cast<W>(a) * b + static_cast<W>(b) >> (by & 127));
}
template <class T>
HD inline T wide_quotient(T a, T b, T c) {
  const u128 high = static_cast<u128>(static_cast<u64>(a)) << 64 | static_cast<u64>(b);
  return c == 0 ? a : static_cast<T>(high / static_cast<u128>(static_cast<u64>(c)));
}
template <class T>
HD inline T add_checked(T a, T b) {
  T sum;
  return __builtin_add_overflow(a, b, &sum) ? static_cast<T>(sum ^ 0x55) : sum;
}
template <class T>
HD inline T mul_checked(T a, T b) {
  T product;
  return __builtin_mul_overflow(a, b, &product) ? static_cast<T>(product ^ 0x2a) : product;
}
template <class T>
HD inline T sub_checked(T a, T b) {
  T difference;
  return __builtin_sub_overflow(a, b, &difference) ? static_cast<T>(~difference) : difference;
}
template <class T>
HD inline T magnitude(T a) {
  if constexpr (is_float<T>)
    return a != a ? a : __builtin_elementwise_abs(a);
  else
    return a < 0 ? sub<T>(0, a) : a;
}
template <class T>
HD inline u32 ones(T a) {
  return __builtin_popcountg(static_cast<std::make_unsigned_t<T>>(a));
}
template <class T>
HD inline u32 leading(T a) {
  return __builtin_clzg(static_cast<std::make_unsigned_t<T>>(a), width<T>);
}
template <class T>
HD inline u32 trailing(T a) {
  return __builtin_ctzg(static_cast<std::make_unsigned_t<T>>(a), width<T>);
}
template <class T>
HD inline T bytes_reversed(T a) {
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<u16>(a)));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<u32>(a)));
  else if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<u64>(a)));
  else
    return a;
}
// Byte i of the result is the byte of b:a that hexadecimal digit i of the selector (0 to 7) names.
template <class T>
HD inline T permuted(T a, T b, u32 selector) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 from = selector >> (4 * i) & 7;
    const u32 source = from < 4 ? static_cast<u32>(a) : static_cast<u32>(b);
    result |= (source >> (from & 3) * 8 & 0xff) << (8 * i);
  }
  return static_cast<T>(result);
}
template <class T>
HD inline T byte_differences(T a, T b) {  // as v_sad_u8
  u32 sum = static_cast<u32>(a >> (width<T> / 2));
  for (u32 i = 0; i < sizeof(T); ++i) {
    const i32 x = static_cast<u8>(a >> 8 * i), y = static_cast<u8>(b >> 8 * i);
    sum += static_cast<u32>(x < y ? y - x : x - y);
  }
  return static_cast<T>(sum);
}
template <class T>
HD inline T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
HD inline T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
HD inline T between(T a, T low, T high) {
  if (!(low < high)) return a;
  if constexpr (is_float<T>) {  // equal zeros of unlike sign may be either
    if (a != a || a == low || a == high) return low;
  }
  return __builtin_elementwise_min(__builtin_elementwise_max(a, low), high);
}

// Returns the correctly rounded a * b + c. The host's library has none of f16: rounded to odd in f64, then to
// f16.
template <class T>
HD inline T fused(T a, T b, T c) {
#ifndef __HIP_DEVICE_COMPILE__
  if constexpr (std::is_same_v<T, f16>) {
    const f64 x = static_cast<f64>(a) * static_cast<f64>(b), y = c, sum = x + y;
    const f64 back = sum - x, error = (x - (sum - back)) + (y - back);
    u64 pattern = __builtin_bit_cast(u64, sum);
    if (error != 0 && error == error && !(pattern & 1)) pattern += (error > 0) == (sum > 0) ? 1 : -1;
    return static_cast<f16>(__builtin_bit_cast(f64, pattern));
  }
#endif
  return __builtin_elementwise_fma(a, b, c);
}
template <class T>
HD inline T root(T a) {
  return __builtin_elementwise_sqrt(a);
}
template <class T>
HD inline T integral(T a, u32 way) {
  switch (way & 3) {
    case 0: return __builtin_elementwise_floor(a);
    case 1: return __builtin_elementwise_ceil(a);
    case 2: return __builtin_elementwise_trunc(a);
    default: return __builtin_elementwise_rint(a);
  }
}
template <class T>
HD inline T signed_as(T a, T b) {
  return b != b ? a : __builtin_elementwise_copysign(a, b);
}
template <class T>
HD inline T scaled(T a, i32 by) {
  if constexpr (std::is_same_v<T, f64>)
    return __builtin_ldexp(a, by);
  else
    return static_cast<T>(__builtin_ldexpf(static_cast<f32>(a), by & 15));
}
HD inline f32 as_bfloat(f32 a) {  // to bfloat16 and back
#ifdef __HIP_DEVICE_COMPILE__
  return static_cast<f32>(static_cast<__bf16>(a));
#else
  u32 x = __builtin_bit_cast(u32, a);
  if (a == a)
    x += 0x7fff + (x >> 16 & 1);
  else
    x |= 0x400000;
  return __builtin_bit_cast(f32, x & 0xffff0000u);
#endif
}

// Accesses memory at any address, in the ways that compilers tell apart; any type may stand anywhere, so
// compile with -fno-strict-aliasing. Floats travel as bits().
template <class T>
struct __attribute__((packed)) unaligned {
  T value;
};
template <class T>
HD inline T load(const u8 *p, u32 at, int way) {
  T x;
  switch (way) {
    case 0: return *reinterpret_cast<const T *>(p + at * sizeof(T));
    case 1: return *reinterpret_cast<const volatile T *>(p + at * sizeof(T));
    case 2: return __builtin_nontemporal_load(reinterpret_cast<const T *>(p + at * sizeof(T)));
    case 3: return reinterpret_cast<const unaligned<T> *>(p + at)->value;
    default: __builtin_memcpy(&x, p + at, sizeof x); return x;
  }
}
template <class T>
HD inline void store(u8 *p, u32 at, T x, int way) {
  switch (way) {
    case 0: *reinterpret_cast<T *>(p + at * sizeof(T)) = x; break;
    case 1: *reinterpret_cast<volatile T *>(p + at * sizeof(T)) = x; break;
    case 2: __builtin_nontemporal_store(x, reinterpret_cast<T *>(p + at * sizeof(T))); break;
    case 3: reinterpret_cast<unaligned<T> *>(p + at)->value = x; break;
    default: __builtin_memcpy(p + at, &x, sizeof x);
  }
}

// Describes the virtual functions of random objects.
struct shape {
  u32 seed;
  HD explicit shape(u32 s) : seed(s) {}
  HD virtual u32 measure(u32 x) const { return x * 3 + seed; }
};
struct ring : shape {
  u64 radius;
  HD ring(u32 s, u64 r) : shape(s), radius(r) {}
  HD u32 measure(u32 x) const override { return static_cast<u32>(radius >> (x & 63)) ^ seed; }
};
struct disk : ring {
  f32 area;
  HD disk(u32 s, u64 r) : ring(s, r), area(static_cast<f32>(s & 0xffff)) {}
  HD u32 measure(u32 x) const override {
    return x < 1000 ? ring::measure(x + 1) : static_cast<u32>(area * 4.0f);
  }
};

// Calls: recursion, functions by pointer and by virtual table.
HD NOINLINE static u64 recursive(u32 n, u32 x, u64 y) {
  if (n == 0) return y ^ x;
  if (x & 4) return recursive(n - 1, x * 5 + 1, y + n) * 3;
  const u64 part = recursive(n / 2, x >> 1, y * 2654435761u);
  return part ^ recursive(n - 1 - n / 2, x + 29, part);
}
HD NOINLINE static u32 f_plus(u32 a, u32 b) { return a + b * 40503u; }
HD NOINLINE static u32 f_turn(u32 a, u32 b) { return rotated<u32>(a, b) ^ 4660u; }
HD NOINLINE static u32 f_less(u32 a, u32 b) {
  return static_cast<u32>(static_cast<f32>(a >> 8) / static_cast<f32>(b | 1));
}
template <int way>
HD inline u32 functions_of(u32 a, u32 b) {
  u32 (*f)(u32, u32) = f_plus;
  if ((b >> way & 3) == 1) f = f_turn;
  if ((a >> way & 3) == 2) f = f_less;
  return f(a, b) + f(b, a);
}
HD NOINLINE static u32 chosen(u32 seed, u64 radius, u32 x) {
  const shape plain(seed);
  const ring round(seed, radius);
  const disk full(seed, radius);
  const shape *s = x % 3 == 0 ? &plain : x % 3 == 1 ? static_cast<const shape *>(&round) : &full;
  return s->measure(seed) + s->seed;
}

// This is what the threads of a wave and a work-group do together.
__device__ inline void synchronize() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline u64 ballot(bool vote) { return __builtin_amdgcn_ballot_w64(vote); }
__device__ inline u32 rank_in(u64 mask) {
  return __builtin_amdgcn_mbcnt_hi(static_cast<u32>(mask >> 32),
                                   __builtin_amdgcn_mbcnt_lo(static_cast<u32>(mask), 0));
}
// Applies a function of 32-bit words to each word of x.
template <class T, class F>
__device__ inline T by_words(T x, F f) {
  if constexpr (sizeof(T) == 8) {
    const u64 pattern = __builtin_bit_cast(u64, x);
    const u64 low = static_cast<u32>(f(static_cast<i32>(pattern))),
              high = static_cast<u32>(f(static_cast<i32>(pattern >> 32)));
    return __builtin_bit_cast(T, high << 32 | low);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, f(__builtin_bit_cast(i32, x)));
  } else {
    return static_cast<T>(f(static_cast<i32>(x)));
  }
}
template <class T>
__device__ inline T shuffle(T x, u32 lane) {
  return by_words(x,
                  [=](i32 word) { return __builtin_amdgcn_ds_bpermute(static_cast<i32>(lane << 2), word); });
}
template <class T>
__device__ inline T first_lane(T x) {
  return by_words(x, [](i32 word) { return __builtin_amdgcn_readfirstlane(word); });
}
template <class T>
__device__ inline T lane_of(T x, u32 lane) {
  return by_words(x, [=](i32 word) { return __builtin_amdgcn_readlane(word, static_cast<i32>(lane)); });
}
template <int control, int rows, int banks, int bound_ctrl, class T>
__device__ inline T dpp(T x) {
  return by_words(x, [](i32 word) {
    return __builtin_amdgcn_update_dpp(77, word, control, rows, banks, bound_ctrl != 0);
  });
}
template <int pattern, class T>
__device__ inline T swizzle(T x) {
  return by_words(x, [](i32 word) { return __builtin_amdgcn_ds_swizzle(word, pattern); });
}

// This compares what the device wrote with what the host expects, bit by bit.
inline int failures = 0;
template <class T>
void compare(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  for (size_t i = 0, shown = 0; i < want.size(); ++i) {
    if (got[i] == want[i]) continue;
    ++failures;
    if (++shown <= 4)
      std::printf("%s[%zu] is 0x%llx, expected 0x%llx\n", what, i, static_cast<unsigned long long>(got[i]),
                  static_cast<unsigned long long>(want[i]));
  }
}
inline void hip(int status) {
  if (status == 0) return;
  std::printf("HIP: %s\n", hipGetErrorString(status));
  std::exit(2);
}
template <class T>
T *to_device(const std::vector<T> &host) {
  void *device = nullptr;
  hip(hipMalloc(&device, host.size() * sizeof(T)));
  hip(hipMemcpy(device, host.data(), host.size() * sizeof(T), 1));
  return static_cast<T *>(device);
}
template <class T>
std::vector<T> to_host(const T *device, size_t count) {
  std::vector<T> host(count);
  hip(hipMemcpy(host.data(), device, count * sizeof(T), 2));
  return host;
}
