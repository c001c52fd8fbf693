// SPDX-License-Identifier: MIT
// Lists of copies and prefetches in one call, and pitched copies between devices, which take HIP 7's
// descriptions. The entries of a list are given to the stream one after the other.
#include "sim/hip/streams/work.h"

// These are layouts of HIP 7 (include/hip/hip_runtime_api.h and driver_types.h of ROCm/rocm-systems): an ABI.
enum { OPERAND_POINTER = 1, OPERAND_ARRAY = 2 };
enum { ORDER_STREAM = 1, ORDER_ANY = 3 };  // hipMemcpySrcAccessOrder

typedef struct copy_attributes {
  int order;
  hipMemLocation src_hint, dst_hint;
  unsigned flags;
} copy_attributes;

typedef struct operand {
  int type;
  union {
    struct {
      void *ptr;
      size_t row_length, layer_height;  // bytes, rows; 0: as many as the extent has
      hipMemLocation hint;
    } pointer;
    struct {
      hipArray *array;
      size_t x, y, z;
    } array;
  };
} operand;

typedef struct box_copy {
  operand src, dst;
  hipExtent extent;
  int order;
  unsigned flags;
} box_copy;

typedef struct peer_copy {
  hipArray *src_array;
  hipPos src_pos;
  hipPitchedPtr src;
  int src_device;
  hipArray *dst_array;
  hipPos dst_pos;
  hipPitchedPtr dst;
  int dst_device;
  hipExtent extent;
} peer_copy;

#pragma GCC visibility push(default)
hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                               copy_attributes *attributes, size_t *starts, size_t attribute_count,
                               size_t *failed, hipStream_t stream);
hipError_t hipMemcpy3DBatchAsync(size_t count, box_copy *list, size_t *failed, unsigned long long flags,
                                 hipStream_t stream);
hipError_t hipMemcpy3DPeer(peer_copy *p);
hipError_t hipMemcpy3DPeerAsync(peer_copy *p, hipStream_t stream);
#pragma GCC visibility pop

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

// The attributes say when sources may be read and where operands probably are; stream order satisfies all.
static hipError_t check_attributes(const char *call, const copy_attributes *attributes, const size_t *starts,
                                   size_t attribute_count, size_t count) {
  if (!attributes || !starts || !attribute_count || attribute_count > count)
    return bad(call, "the list of attributes is null, empty or longer than the list of copies");
  if (starts[0]) return bad(call, "the first attributes must begin at the first copy");
  for (size_t i = 0; i < attribute_count; ++i) {
    if (attributes[i].order < ORDER_STREAM || attributes[i].order > ORDER_ANY)
      return bad(call, "an order of access to the source is not known");
    if (starts[i] >= count || (i && starts[i] <= starts[i - 1]))
      return bad(call, "attributes must begin at copies of the list, in rising order");
  }
  return hipSuccess;
}

hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                               copy_attributes *attributes, size_t *starts, size_t attribute_count,
                               size_t *failed, hipStream_t stream) {
  const char *call = "hipMemcpyBatchAsync";
  if (failed) *failed = SIZE_MAX;  // the error is of no single copy
  if (!dsts || !srcs || !sizes || !count) return bad(call, "a list is null or empty");
  hipError_t error = check_attributes(call, attributes, starts, attribute_count, count);
  for (size_t i = 0; error == hipSuccess && i < count; ++i) {
    if (dsts[i] && srcs[i] && sizes[i])
      error = sim_hip_copy(call, dsts[i], srcs[i], sizes[i], hipMemcpyDefault, stream, SIM_HIP_ASYNC);
    else
      error = sim_hip_refuse(hipErrorInvalidValue, "%s: copy %zu of the list has no address or no bytes",
                             call, i);
    if (error != hipSuccess && failed) *failed = i;
  }
  return error;
}

static hipPitchedPtr pitched(const operand *o, hipExtent e) {
  return (hipPitchedPtr){o->pointer.ptr, o->pointer.row_length ? o->pointer.row_length : e.width, e.width,
                         o->pointer.layer_height ? o->pointer.layer_height : e.height};
}

static hipError_t copy_of_boxes(const char *call, const hipMemcpy3DParms *params, hipStream_t stream,
                                sim_hip_pace pace) {
  sim_hip_work work;
  hipError_t error = sim_hip_box_work(call, params, &work);
  return error == hipSuccess ? sim_hip_submit(call, stream, &work, pace) : error;
}

hipError_t hipMemcpy3DBatchAsync(size_t count, box_copy *list, size_t *failed, unsigned long long flags,
                                 hipStream_t stream) {
  const char *call = "hipMemcpy3DBatchAsync";
  if (failed) *failed = SIZE_MAX;
  if (!list || !count || flags) return bad(call, flags ? "flags must be 0" : "the list is null or empty");
  hipError_t error = hipSuccess;
  for (size_t i = 0; error == hipSuccess && i < count; ++i) {
    const box_copy *c = &list[i];
    if (c->src.type == OPERAND_ARRAY || c->dst.type == OPERAND_ARRAY)
      error = sim_hip_refuse(hipErrorNotSupported,
                             "%s: copy %zu has an array, which are not available on the simulated device",
                             call, i);
    else if (c->src.type != OPERAND_POINTER || c->dst.type != OPERAND_POINTER)
      error = sim_hip_refuse(hipErrorInvalidValue, "%s: copy %zu has an operand of unknown type", call, i);
    else
      error = copy_of_boxes(call,
                            &(hipMemcpy3DParms){.srcPtr = pitched(&c->src, c->extent),
                                                .dstPtr = pitched(&c->dst, c->extent),
                                                .extent = c->extent,
                                                .kind = hipMemcpyDefault},
                            stream, SIM_HIP_ASYNC);
    if (error != hipSuccess && failed) *failed = i;
  }
  return error;
}

static hipError_t copy_peer(const char *call, const peer_copy *p, hipStream_t stream, sim_hip_pace pace) {
  if (!p) return bad(call, "the description is null");
  if (!sim_hip_device_at(p->src_device) || !sim_hip_device_at(p->dst_device))
    return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d or %d does not exist", call, p->src_device,
                          p->dst_device);
  return copy_of_boxes(call,
                       &(hipMemcpy3DParms){.srcArray = p->src_array,
                                           .srcPos = p->src_pos,
                                           .srcPtr = p->src,
                                           .dstArray = p->dst_array,
                                           .dstPos = p->dst_pos,
                                           .dstPtr = p->dst,
                                           .extent = p->extent,
                                           .kind = hipMemcpyDeviceToDevice},
                       stream, pace);
}

hipError_t hipMemcpy3DPeer(peer_copy *p) { return copy_peer("hipMemcpy3DPeer", p, NULL, SIM_HIP_SYNC); }
hipError_t hipMemcpy3DPeerAsync(peer_copy *p, hipStream_t stream) {
  return copy_peer("hipMemcpy3DPeerAsync", p, stream, SIM_HIP_ASYNC);
}
