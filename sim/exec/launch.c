// SPDX-License-Identifier: MIT
// Checks a launch, builds its argument segment with the hidden arguments, and hands it to the dispatcher.
#include "sim/exec/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/exec/aperture.h"
#include "sim/exec/dispatch.h"
#include "sim/exec/monitor.h"
#include "sim/exec/resident.h"
#include "sim/settings/environment.h"

// Wave-instructions one work-group may execute before it counts as never ending; WT_SIM_BUDGET overrides.
enum { BUDGET_BITS = 33 };

__attribute__((format(printf, 3, 4))) static sim_fault_kind refuse(sim_result *result, sim_fault_kind kind,
                                                                   const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = snprintf(result->report, sizeof result->report, "wavetile sim: ");
  n += vsnprintf(result->report + n, sizeof result->report - (size_t)n, format, args);
  va_end(args);
  if ((size_t)n < sizeof result->report - 1) strcat(result->report, "\n");
  return result->fault = kind;
}

// hsa_kernel_dispatch_packet_t (HSA Runtime Programmer's Reference), the fields compiled code reads.
typedef struct dispatch_packet {
  uint16_t header, setup, workgroup_size[3], reserved0;
  uint32_t grid_size[3], private_segment_size, group_segment_size;
  uint64_t kernel_object, kernarg_address, reserved2, completion_signal;
} dispatch_packet;
_Static_assert(sizeof(dispatch_packet) == 64, "the dispatch packet is 64 bytes");

// amd_queue_t: compiled code reads the two aperture words (LLVM AMDGPUUsage, code object V4).
typedef struct queue_block {
  uint32_t reserved0[16], group_segment_aperture_base_hi, private_segment_aperture_base_hi, reserved1[46];
} queue_block;
_Static_assert(sizeof(queue_block) == 256, "the queue block is 256 bytes");

typedef struct segment {  // everything the kernel can address besides the user's memory
  dispatch_packet packet;
  queue_block queue;
  uint8_t kernarg[];
} segment;

// Finds the value of a hidden argument; returns false for kinds that are not hidden ones.
static bool hidden_value(const sim_launch *l, sim_arg_kind kind, uint64_t *value) {
  unsigned axis = 0;
  for (unsigned i = 1; i < 3; ++i) {
    if (kind == (sim_arg_kind)(SIM_ARG_HIDDEN_BLOCK_COUNT_X + i) ||
        kind == (sim_arg_kind)(SIM_ARG_HIDDEN_GROUP_SIZE_X + i) ||
        kind == (sim_arg_kind)(SIM_ARG_HIDDEN_REMAINDER_X + i))
      axis = i;
  }
  switch (kind) {
    case SIM_ARG_BY_VALUE:
    case SIM_ARG_GLOBAL_BUFFER:
    case SIM_ARG_DYNAMIC_SHARED_POINTER: return false;
    case SIM_ARG_HIDDEN_BLOCK_COUNT_X:
    case SIM_ARG_HIDDEN_BLOCK_COUNT_Y:
    case SIM_ARG_HIDDEN_BLOCK_COUNT_Z: *value = l->grid[axis]; return true;
    case SIM_ARG_HIDDEN_GROUP_SIZE_X:
    case SIM_ARG_HIDDEN_GROUP_SIZE_Y:
    case SIM_ARG_HIDDEN_GROUP_SIZE_Z: *value = l->block[axis]; return true;
    case SIM_ARG_HIDDEN_GRID_DIMS:
      *value = l->grid[2] * l->block[2] > 1 ? 3 : l->grid[1] * l->block[1] > 1 ? 2 : 1;
      return true;
    case SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE: *value = l->dynamic_lds; return true;
    case SIM_ARG_HIDDEN_PRIVATE_BASE: *value = SIM_PRIVATE_APERTURE; return true;
    case SIM_ARG_HIDDEN_SHARED_BASE: *value = SIM_SHARED_APERTURE; return true;
    case SIM_ARG_HIDDEN_PRINTF_BUFFER: *value = sim_aperture_base(SIM_PRINTF_SERVICE); return true;
    case SIM_ARG_HIDDEN_HOSTCALL_BUFFER:
      *value = l->hostcall_buffer ? l->hostcall_buffer : sim_aperture_base(SIM_HOSTCALL_SERVICE);
      return true;
    // The device library takes anything but 0 for a valid grid, and more than 1 for the address of a grid of
    // several devices.
    case SIM_ARG_HIDDEN_MULTIGRID_SYNC: *value = l->cooperative; return true;
    case SIM_ARG_HIDDEN_HEAP_V1:
      *value = l->heap ? l->heap : sim_aperture_base(SIM_HEAP_SERVICE);
      return true;
    default: *value = 0; return true;  // remainders and offsets are zero: HIP grids are whole work-groups
  }
}

static void fill_kernarg(const sim_launch *l, uint8_t *kernarg, size_t size) {
  if (l->kernarg_size) memcpy(kernarg, l->kernarg, l->kernarg_size < size ? l->kernarg_size : size);
  for (uint32_t i = 0; i < l->kernel->arg_count; ++i) {
    const sim_arg *arg = &l->kernel->args[i];
    uint64_t value;
    if (!hidden_value(l, arg->kind, &value)) continue;
    size_t bytes = arg->size < sizeof value ? arg->size : sizeof value;
    if (arg->offset + bytes <= size) memcpy(kernarg + arg->offset, &value, bytes);
  }
}

static sim_fault_kind check(const sim_launch *l, sim_result *result) {
  const sim_kernel *k = l->kernel;
  const sim_machine *m = l->machine;
  uint64_t items = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  uint64_t lds = (uint64_t)k->lds_bytes + l->dynamic_lds;
  uint32_t limit = k->max_workgroup_size && k->max_workgroup_size < m->max_workgroup_size
                       ? k->max_workgroup_size
                       : m->max_workgroup_size;
  if (!l->grid[0] || !l->grid[1] || !l->grid[2] || !items)
    return refuse(
        result, SIM_FAULT_PROGRAM,
        "kernel %s: grid (%u,%u,%u) of blocks (%u,%u,%u) is empty; every dimension must be at least 1",
        k->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
  if (items > limit)
    return refuse(result, SIM_FAULT_PROGRAM, "kernel %s: a block of %llu work-items exceeds its limit of %u",
                  k->name, (unsigned long long)items, limit);
  for (int axis = 0; axis < 3; ++axis)
    if (k->required_workgroup_size[axis] && k->required_workgroup_size[axis] != l->block[axis])
      return refuse(result, SIM_FAULT_PROGRAM, "kernel %s requires blocks of (%u,%u,%u), not (%u,%u,%u)",
                    k->name, k->required_workgroup_size[0], k->required_workgroup_size[1],
                    k->required_workgroup_size[2], l->block[0], l->block[1], l->block[2]);
  if (lds > m->lds_bytes)
    return refuse(result, SIM_FAULT_PROGRAM,
                  "kernel %s: %llu bytes of LDS (%u static, %u dynamic) exceed the %u of %s", k->name,
                  (unsigned long long)lds, k->lds_bytes, l->dynamic_lds, m->lds_bytes, m->name);
  char message[512];
  if (!sim_wave_init_check(l, message, sizeof message))
    return refuse(result, SIM_FAULT_UNSUPPORTED, "%s", message);
  return SIM_FAULT_NONE;
}

static sim_fault_kind read_settings(sim_dispatch *d, sim_result *result) {
  static const sim_env used[] = {SIM_ENV_SCHEDULE, SIM_ENV_SOFFSET, SIM_ENV_MFMA, SIM_ENV_RESIDENT,
                                 SIM_ENV_BUDGET,   SIM_ENV_THREADS, SIM_ENV_FAULT};
  char message[1024];
  for (size_t i = 0; i < sizeof used / sizeof *used; ++i)
    if (!sim_env_valid(used[i], message, sizeof message))
      return refuse(result, SIM_FAULT_PROGRAM, "%s", message);
  d->schedule = (sim_schedule)sim_env_choice(SIM_ENV_SCHEDULE, SIM_LATE);
  d->seed = sim_env_number(SIM_ENV_SCHEDULE, 0);
  // The time of a matrix instruction does not depend on its numbers.
  const bool unread = d->launch->selection && d->launch->selection->unread;
  d->mfma = (sim_mfma_mode)sim_env_choice(SIM_ENV_MFMA, unread ? SIM_MFMA_FAST : SIM_MFMA_EXACT);
  d->soffset_in_range = sim_env_choice(SIM_ENV_SOFFSET, 0) == 0;
  d->fault_by_page = sim_env_choice(SIM_ENV_FAULT, 0) == 1;
  // Schedules that imitate hardware's pace let work-groups run at the same time, as it does.
  d->resident = sim_env_choice(SIM_ENV_RESIDENT, d->schedule == SIM_LOCKSTEP || d->schedule == SIM_TIMED);
  d->budget = sim_env_number(SIM_ENV_BUDGET, 1ull << BUDGET_BITS);
  d->threads = sim_env_number(SIM_ENV_THREADS, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
  return SIM_FAULT_NONE;
}

// Makes the memory that the kernel can address besides the user's. Returns NULL when host memory runs out.
static segment *make_segment(const sim_dispatch *d, size_t *size) {
  const sim_launch *launch = d->launch;
  const sim_kernel *k = launch->kernel;
  // Scalar loads may read whole cache lines' worth beyond the last argument: round the segment up to 64
  // bytes. What a descriptor preloads need not be arguments.
  size_t kernarg_size = k->kernarg_bytes > launch->kernarg_size ? k->kernarg_bytes : launch->kernarg_size;
  const size_t preloaded = ((size_t)k->preload_offset + k->preload_length) * sizeof(uint32_t);
  if (preloaded > kernarg_size) kernarg_size = preloaded;
  kernarg_size = (kernarg_size + 63) / 64 * 64 + 64;
  *size = (sizeof(segment) + kernarg_size + 255) / 256 * 256;
  segment *s = aligned_alloc(256, *size);
  if (!s) return NULL;
  memset(s, 0, *size);
  for (int axis = 0; axis < 3; ++axis) {
    s->packet.workgroup_size[axis] = (uint16_t)launch->block[axis];
    s->packet.grid_size[axis] = launch->grid[axis] * launch->block[axis];
  }
  s->packet.setup = 3;
  s->packet.private_segment_size = d->scratch_bytes;
  s->packet.group_segment_size = d->lds_bytes;
  s->packet.kernarg_address = (uint64_t)(uintptr_t)s->kernarg;
  s->queue.group_segment_aperture_base_hi = SIM_SHARED_APERTURE;
  s->queue.private_segment_aperture_base_hi = SIM_PRIVATE_APERTURE;
  fill_kernarg(launch, s->kernarg, kernarg_size);
  return s;
}

sim_fault_kind sim_launch_run(const sim_launch *launch, sim_result *result) {
  memset(result, 0, sizeof *result);
  const sim_kernel *k = launch->kernel;
  sim_dispatch d = {.launch = launch, .lds_bytes = sim_launch_lds(launch)};
  if (check(launch, result) || read_settings(&d, result)) return result->fault;
  d.waves = sim_launch_waves(launch);
  d.groups = sim_launch_groups(launch);
  d.resident |= launch->cooperative;
  // Recursion and indirect calls leave the compiler no bound.
  const uint32_t stack_bytes = launch->stack_bytes ? launch->stack_bytes : SIM_STACK_BYTES;
  d.scratch_bytes = k->scratch_bytes + (k->uses_dynamic_stack ? stack_bytes : 0);

  if (launch->cooperative && d.groups > sim_resident_limit(&d))
    return refuse(result, SIM_FAULT_PROGRAM,
                  "kernel %s: %llu cooperating work-groups, but %s holds %llu at a time", k->name,
                  (unsigned long long)d.groups, launch->machine->name,
                  (unsigned long long)sim_resident_limit(&d));

  size_t size;
  segment *s = make_segment(&d, &size);
  sim_op_cost *costs = d.schedule == SIM_TIMED ? sim_op_costs(launch->program, launch->machine) : NULL;
  if (!s || (d.schedule == SIM_TIMED && !costs)) {
    refuse(result, SIM_FAULT_PROGRAM, "out of host memory for the launch of kernel %s", k->name);
  } else {
    d.costs = costs;
    d.packet = (uint64_t)(uintptr_t)&s->packet;
    d.queue = (uint64_t)(uintptr_t)&s->queue;
    d.kernarg = (uint64_t)(uintptr_t)s->kernarg;
    sim_memory_add((sim_allocation){.base = d.packet, .size = size, .kind = SIM_MEMORY_CODE});
    sim_monitor monitor;
    sim_monitor_begin(&monitor, launch);
    d.monitor = &monitor;
    sim_dispatch_run(&d, result);
    sim_monitor_end(&monitor);
    sim_memory_remove(d.packet);
  }
  free(s);
  free(costs);
  return result->fault;
}
