// SPDX-License-Identifier: MIT
// Has one kernel per kind of access to LDS and buffers. A wave's lane l owns 16 bytes of `in` and of `out`.
#include "ops/isa/buffer.h"
#include "ops/isa/ids.h"
#include "ops/isa/sync.h"

namespace {

using namespace wt;

constexpr int kLane = 16, kWave = 64 * kLane;

template <class V>
constexpr int kPitch = kValueBytes<V> == 12 ? 16 : kValueBytes<V>;

template <class V>
WT_DEVICE V piece(const u32x4 *in) {
  if constexpr (kValueBytes<V> < 4) {
    return static_cast<V>((*in)[0]);
  } else {
    V value;
    for (int i = 0; i < kValueBytes<V> / 4; ++i) {
      if constexpr (kValueBytes<V> == 4) {
        value = (*in)[0];
      } else {
        value[i] = (*in)[i];
      }
    }
    return value;
  }
}

// The lane's own value into LDS; out: the next lane's value, then the lane's own, byte by byte.
template <class V>
WT_DEVICE void lds_width(const u32x4 *in, u8 *out) {
  WT_SHARED static unsigned char memory[4096];
  constexpr int kOffset = 2048, kBytes = kValueBytes<V>;
  const int lane = lane_id();
  const u32 base = lds_address(memory);
  ds_write(base + lane * kPitch<V>, piece<V>(in + lane), kOffset);
  wait_lds<0>();
  raw_barrier();
  const V next = ds_read<V>(base + (lane + 1) % 64 * kPitch<V>, kOffset);
  for (int i = 0; i < kBytes; ++i) {
    u32 word;
    if constexpr (kBytes <= 4) {
      word = next;
    } else {
      word = next[i / 4];
    }
    out[lane * 32 + i] = static_cast<u8>(word >> (i % 4 * 8));
    out[lane * 32 + 16 + i] = ds_read<u8>(base + lane * kPitch<V> + i, kOffset);
  }
}

#if defined(__gfx950__)
// The wave's 1 KB of `in` lies in LDS as it is; each lane addresses its place there.
template <class T>
WT_DEVICE void lds_transposed(const u32x4 *in, u32 *out) {
  WT_SHARED static unsigned char memory[4096];
  constexpr int kPlace = kBits<T> == 6 ? 16 : 8;
  const int lane = lane_id();
  const u32 base = lds_address(memory);
  ds_write(base + lane * kLane, in[lane], 512);
  wait_lds<0>();
  raw_barrier();
  const auto column = ds_read_tr<T>(base + lane * kPlace, 512);
  constexpr int kWords = kValueBytes<decltype(column)> / 4;
  using vector = unsigned int __attribute__((ext_vector_type(kWords)));
  const vector words = __builtin_bit_cast(vector, column);
  for (int i = 0; i < kWords; ++i) out[lane * 4 + i] = words[i];
}
#endif

// Lane l reads the buffer at soffset + 16 + l * 32 and writes the same place of another, both of `bytes`;
// odd lanes of the upper half are sent out of range.
template <class V>
WT_DEVICE void buffer_width(const void *in, void *out, int bytes, int soffset) {
  const int lane = lane_id();
  const int place = lane >= 32 && lane % 2 != 0 ? kOutOfRange : lane * 32;
  const V value = buffer_load<V, kNonTemporal>(make_buffer(in, bytes), place + 16, soffset);
  buffer_store(make_buffer(out, bytes), place + 16, value, soffset);
}

// Makes a copy to LDS, with everything in its address; out: the LDS that it may have touched.
template <int Bytes>
WT_DEVICE void copy(const void *in, u32x4 *out, int bytes, int soffset) {
  WT_SHARED static unsigned char memory[4096];
  constexpr int kPlace = Bytes == 12 ? 16 : Bytes, kInstruction = 64;
  const int lane = lane_id();
  const u32 base = lds_address(memory);
  for (int i = 0; i < 4; ++i) ds_write(base + lane * kLane + i * kWave, u32x4{} + 0xabababab);
  wait_lds<0>();
  buffer_load_to_lds<Bytes, kInstruction>(make_buffer(in, bytes), lane * kPlace, soffset, base + 256);
  wait_vmem<0>();
  raw_barrier();
  for (int i = 0; i < 2; ++i) out[lane + 64 * i] = ds_read<u32x4>(base + lane * kLane + i * kWave);
}

// Four lanes add to each of 16 cells; lanes from 60 on aim beyond the buffer, which has 15.
template <class V>
WT_DEVICE void buffer_add(V *cells, V value) {
  buffer_atomic_add(make_buffer(cells, 15 * sizeof(V)), lane_id() / 4 * static_cast<int>(sizeof(V)), value);
}
template <class V>
WT_DEVICE void global_add(V *cells, V value) {
  global_atomic_add(cells + lane_id() / 4, value);
}

}  // namespace

using namespace wt;

#define LDS(NAME, V) \
  WT_KERNEL(64) lds_##NAME(const u32x4 *in, u8 *out) { lds_width<V>(in, out); }
LDS(1, u8)
LDS(2, u16)
LDS(4, u32)
LDS(8, u32x2)
LDS(12, u32x3)
LDS(16, u32x4)

#define BUFFER(NAME, V)                                                            \
  WT_KERNEL(64) buffer_##NAME(const void *in, void *out, int bytes, int soffset) { \
    buffer_width<V>(in, out, bytes, soffset);                                      \
  }
BUFFER(1, u8)
BUFFER(2, u16)
BUFFER(4, u32)
BUFFER(8, u32x2)
BUFFER(12, u32x3)
BUFFER(16, u32x4)

#define COPY(BYTES)                                                                \
  WT_KERNEL(64) copy_##BYTES(const void *in, u32x4 *out, int bytes, int soffset) { \
    copy<BYTES>(in, out, bytes, soffset);                                          \
  }
COPY(4)
#if defined(__gfx950__)
COPY(12)
COPY(16)
#endif

WT_KERNEL(64) buffer_add_f32(f32 *cells) { buffer_add(cells, static_cast<f32>(lane_id())); }
WT_KERNEL(64) buffer_add_f16(f16x2 *cells) { buffer_add(cells, f16x2{1, static_cast<f16>(lane_id())}); }
WT_KERNEL(64) global_add_f32(f32 *cells) { global_add(cells, static_cast<f32>(lane_id())); }
WT_KERNEL(64) global_add_f16(f16x2 *cells) { global_add(cells, f16x2{1, static_cast<f16>(lane_id())}); }
WT_KERNEL(64) global_add_bf16(bf16x2 *cells) {
  global_add(cells, bf16x2{1, static_cast<bf16>(lane_id() % 8)});
}

#if defined(__gfx950__)
WT_KERNEL(64) buffer_add_bf16(bf16x2 *cells) {
  buffer_add(cells, bf16x2{1, static_cast<bf16>(lane_id() % 8)});
}
WT_KERNEL(64) transposed_16(const u32x4 *in, u32 *out) { lds_transposed<bf16>(in, out); }
WT_KERNEL(64) transposed_8(const u32x4 *in, u32 *out) { lds_transposed<fp8e4m3>(in, out); }
WT_KERNEL(64) transposed_6(const u32x4 *in, u32 *out) { lds_transposed<fp6e2m3>(in, out); }
WT_KERNEL(64) transposed_4(const u32x4 *in, u32 *out) { lds_transposed<fp4e2m1>(in, out); }
#endif
