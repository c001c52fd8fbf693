// SPDX-License-Identifier: MIT
// The lanes of a wave send a request to the host's runtime. The protocol is that of ROCm's device library
// (ockl, hostcall_impl.cl), which the HIP runtime serves: a wave takes a packet from a stack of free ones,
// fills it, puts it onto the stack of ready ones, rings the host's doorbell, and waits until the host has
// cleared the packet's control bit.
//
// scope: wave; operands: eight quadwords per lane; leaves: none; waits: nobody; LDS: none; registers: about
// 20; chips: both
#ifndef WT_OPS_ISA_HOST_CALL_H
#define WT_OPS_ISA_HOST_CALL_H

#include "../../tiles/types.h"
#include "forget.h"
#include "global.h"
#include "launch.h"
#include "sync.h"

namespace wt {

namespace detail {

// Describes what the runtime prepares in memory that device and host share. Pointers are kept as numbers,
// because they all lead to global memory.
struct host_packet {
  u64 next, lanes;  // the packet below it on a stack; a bit for each lane that takes part
  u32 service, control;
};
struct host_buffer {
  u64 packets, payloads, doorbell;
  u64 free_stack, ready_stack;  // the packet on top: its number, plus any multiple of the number of packets
  u64 packet_mask;              // the number of packets, a power of two, less one
};
struct host_signal {  // amd_signal_t of the HSA runtime
  u64 kind, value, mailbox;
  u32 event;
};
constexpr int kPayloadSlots = 8;
constexpr u32 kPacketReady = 1;

template <class T>
WT_DEVICE T load_shared(const T *from, int order) {
  return __hip_atomic_load(from, order, __HIP_MEMORY_SCOPE_SYSTEM);
}
// Puts `to` on top where `seen` is, and says whether it was; if not, `seen` becomes what is there.
WT_DEVICE bool swap_top(u64 *top, u64 &seen, u64 to, int order) {
  unsigned long long expected = seen;
  const bool swapped = __hip_atomic_compare_exchange_strong(top, &expected, to, order, __ATOMIC_RELAXED,
                                                            __HIP_MEMORY_SCOPE_SYSTEM);
  seen = expected;
  return swapped;
}

WT_DEVICE u64 pop_free_packet(host_buffer *buffer, host_packet *packets, u64 mask) {
  u64 top = load_shared(&buffer->free_stack, __ATOMIC_ACQUIRE);
  for (;;) {
    const u64 next = load_shared(&packets[top & mask].next, __ATOMIC_RELAXED);
    if (swap_top(&buffer->free_stack, top, next, __ATOMIC_ACQUIRE)) return top;
    s_sleep<1>();
  }
}
// `name` is the packet's number with its multiple, which makes it a name that stack has not seen of late.
WT_DEVICE void push_packet(u64 *stack, host_packet *packet, u64 name) {
  u64 top = load_shared(stack, __ATOMIC_RELAXED);
  for (;;) {
    __hip_atomic_store(&packet->next, top, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    if (swap_top(stack, top, name, __ATOMIC_RELEASE)) return;
    s_sleep<1>();
  }
}

WT_DEVICE void ring(host_signal *doorbell) {
  static constexpr int kMessageInterrupt = 1;
  static constexpr u32 kEventMask = 0xff;
  __hip_atomic_fetch_add(&doorbell->value, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  if (doorbell->mailbox == 0) return;
  const u32 event = doorbell->event;
  __hip_atomic_store(as_global<u64>(doorbell->mailbox), static_cast<u64>(event), __ATOMIC_RELEASE,
                     __HIP_MEMORY_SCOPE_SYSTEM);
  __builtin_amdgcn_s_sendmsg(
      kMessageInterrupt,
      static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(event))) & kEventMask);
}

}  // namespace detail

// This is what the host is asked for.
enum class host_service : u32 { printf = 2 };

// Sends seven quadwords and their descriptor for each active lane, waits for the host, and returns the first
// quadword of its answer. The launch gives the kernel the buffer for this because the kernel names it: the
// compiler sees the use of the implicit argument and writes hidden_hostcall_buffer into the metadata.
WT_DEVICE u64 host_call(host_service service, const u64 (&request)[detail::kPayloadSlots]) {
  using namespace detail;
  auto *buffer = as_global<host_buffer>(read_implicit<u64>(implicit_argument::hostcall_buffer));
  auto *packets = as_global<host_packet>(buffer->packets);
  const u64 mask = buffer->packet_mask;
  // This is the lane's number in any shape of work-group. Without `forget` the compiler may ask for the first
  // active lane where other lanes are active, too.
  int lane = static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)));
  forget(lane);
  const bool leads = lane == __builtin_amdgcn_readfirstlane(lane);

  u64 name = 0;
  if (leads) name = pop_free_packet(buffer, packets, mask);
  const u32 low = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(name)));
  const u32 high = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(name >> 32)));
  name = static_cast<u64>(high) << 32 | low;

  host_packet *packet = packets + (name & mask);
  u64 *payload = as_global<u64>(buffer->payloads) +
                 ((name & mask) * target::kWaveLanes + static_cast<u64>(lane)) * kPayloadSlots;
  const u64 lanes = __builtin_amdgcn_ballot_w64(true);
#pragma unroll
  for (int i = 0; i < kPayloadSlots; ++i) payload[i] = request[i];
  if (leads) {
    packet->lanes = lanes;
    packet->service = static_cast<u32>(service);
    packet->control = kPacketReady;
    push_packet(&buffer->ready_stack, packet, name);
    ring(as_global<host_signal>(buffer->doorbell));
    while (load_shared(&packet->control, __ATOMIC_ACQUIRE) & kPacketReady) s_sleep<1>();
  }
  // The lanes meet again here; the fence keeps the reads of the answer behind the wait.
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
  const u64 answer = payload[0];
  if (leads) {
    const u64 count = mask + 1;
    const u64 renamed = name + count != 0 ? name + count : count;  // 0 would end the stack
    push_packet(&buffer->free_stack, packet, renamed);
  }
  return answer;
}

}  // namespace wt

#endif
