// SPDX-License-Identifier: MIT
// Launches: argument packing, checks, execution, and the configuration stack of <<<>>>.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/wavetile_sim.h"
#include "sim/check/check.h"
#include "sim/check/written.h"
#include "sim/hip/hip.h"
#include "sim/hip/services/hostcall.h"
#include "sim/hip/streams/order.h"
#include "sim/report/check_report.h"
#include "sim/report/finish.h"
#include "sim/report/lds_report.h"
#include "sim/report/process_tally.h"
#include "sim/report/timing_report.h"
#include "sim/settings/config.h"

static _Atomic unsigned long long total_instructions, total_workgroups;

static const hipError_t fault_error[] = {
    [SIM_FAULT_NONE] = hipSuccess,
    [SIM_FAULT_ADDRESS] = hipErrorIllegalAddress,
    [SIM_FAULT_LDS_RANGE] = hipErrorLaunchFailure,
    [SIM_FAULT_ALIGNMENT] = hipErrorMisalignedAddress,
    [SIM_FAULT_BUDGET] = hipErrorLaunchTimeOut,
    [SIM_FAULT_DEADLOCK] = hipErrorLaunchTimeOut,
    [SIM_FAULT_UNSUPPORTED] = hipErrorNotSupported,
    [SIM_FAULT_TRAP] = hipErrorLaunchFailure,
    [SIM_FAULT_PROGRAM] = hipErrorLaunchFailure,
};

// Packs kernelParams, which has one pointer per explicit argument.
static hipError_t pack_params(const char *call, const sim_kernel *kernel, void **params, uint8_t *out) {
  for (uint32_t i = 0; i < kernel->explicit_arg_count; ++i) {
    if (!params || !params[i])
      return sim_hip_refuse(hipErrorInvalidValue, "%s: argument %u of kernel %s is missing, it takes %u",
                            call, i, kernel->name, kernel->explicit_arg_count);
    memcpy(out + kernel->args[i].offset, params[i], kernel->args[i].size);
  }
  return hipSuccess;
}

// Reads `extra`: {BUFFER_POINTER, p, BUFFER_SIZE, &n, END}, the pairs in any order.
static hipError_t read_extra(const char *call, void **extra, const void **buffer, size_t *size) {
  for (int i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (i != 4 && extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      *buffer = extra[i + 1];
    else if (i != 4 && extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
      *size = *(size_t *)extra[i + 1];
    else
      return sim_hip_refuse(hipErrorInvalidValue,
                            "%s: extra[%d] is %p; want HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE or _END", call,
                            i, extra[i]);
  }
  if (*size && !*buffer)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: extra announces %zu bytes of arguments but no buffer",
                          call, *size);
  return hipSuccess;
}

// Arguments that `extra` leaves out hold what uninitialised registers hold. Runtimes take such launches, and
// what the arguments then are is up to what lies behind the caller's buffer: kernels that are launched so do
// not read them.
static void fill_missing(uint8_t *out, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) out[i] = (uint8_t)(SIM_UNWRITTEN >> i % 4 * 8);
}

// Fills the explicit arguments; *size is how many bytes of the segment they cover. The caller frees *out.
static hipError_t pack(const char *call, const sim_hip_launch_args *args, uint8_t **out, size_t *size) {
  const sim_kernel *kernel = args->function->kernel;
  const void *buffer = NULL;
  size_t given = 0, need = sim_kernel_explicit_bytes(kernel);
  hipError_t error = hipSuccess;
  *out = NULL;
  if (args->params && args->extra)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: both kernelParams and extra are given, pass one of them",
                          call);
  if (args->extra) error = read_extra(call, args->extra, &buffer, &given);
  if (error != hipSuccess) return error;
  if (!kernel->has_metadata && !args->extra && kernel->kernarg_bytes)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "%s: the code object has no metadata that describes the arguments of kernel %s, pass them by extra",
        call, kernel->name);
  if (given > kernel->kernarg_bytes) given = kernel->kernarg_bytes;
  *size = given > need ? given : need;
  *out = calloc(1, *size + 1);
  if (!*out) return sim_hip_result(hipErrorOutOfMemory);
  if (!args->extra) return pack_params(call, kernel, args->params, *out);
  if (given) memcpy(*out, buffer, given);
  fill_missing(*out, given, need);
  return hipSuccess;
}

static bool block_fits(const uint32_t block[3], uint32_t limit) {
  return block[0] <= limit && block[1] <= limit && block[2] <= limit &&
         (uint64_t)block[0] * block[1] * block[2] <= limit;
}

// Makes the checks of the API; the executing device checks again.
static hipError_t check(const char *call, const sim_hip_launch_args *a) {
  const sim_kernel *k = a->function->kernel;
  const sim_machine *m = a->function->module->device->machine;
  uint64_t items = (uint64_t)a->block[0] * a->block[1] * a->block[2];
  uint64_t lds = (uint64_t)k->lds_bytes + a->dynamic_lds;
  for (int i = 0; i < 3; ++i) {
    if (!a->grid[i] || !a->block[i])
      return sim_hip_refuse(a->cooperative ? hipErrorInvalidConfiguration : hipErrorInvalidValue,
                            "%s: kernel %s: the %s has size 0 in dimension %c", call, k->name,
                            a->grid[i] ? "block" : "grid", "xyz"[i]);
    // Dispatch packets carry the grid in work-items, 32 bits each (HSA,
    // hsa_kernel_dispatch_packet_t.grid_size).
    if ((uint64_t)a->grid[i] * a->block[i] > UINT32_MAX)
      return sim_hip_refuse(hipErrorInvalidConfiguration,
                            "%s: kernel %s: %u blocks of %u in dimension %c exceed 2^32 - 1 work-items", call,
                            k->name, a->grid[i], a->block[i], "xyz"[i]);
    if (k->required_workgroup_size[i] && k->required_workgroup_size[i] != a->block[i])
      return sim_hip_refuse(hipErrorInvalidConfiguration,
                            "%s: kernel %s requires blocks of %u in dimension %c, not %u", call, k->name,
                            k->required_workgroup_size[i], "xyz"[i], a->block[i]);
  }
  // What follows has codes of its own in ROCm where a launch names the kernel by its host address.
  if (!block_fits(a->block, m->max_workgroup_size))
    return sim_hip_refuse(a->named ? hipErrorInvalidConfiguration : hipErrorInvalidValue,
                          "%s: kernel %s: a block of %ux%ux%u has more than %u work-items", call, k->name,
                          a->block[0], a->block[1], a->block[2], m->max_workgroup_size);
  if (k->max_workgroup_size && items > k->max_workgroup_size)
    return sim_hip_refuse(
        hipErrorLaunchFailure,
        "%s: kernel %s: a block of %ux%ux%u has more than the %u work-items that the kernel "
        "was compiled for (__launch_bounds__)",
        call, k->name, a->block[0], a->block[1], a->block[2], k->max_workgroup_size);
  if (lds > m->lds_bytes)
    return sim_hip_refuse(
        a->cooperative                  ? hipErrorCooperativeLaunchTooLarge
        : a->named                      ? hipErrorOutOfMemory
        : a->dynamic_lds > m->lds_bytes ? hipErrorInvalidValue
                                        : hipErrorLaunchOutOfResources,
        "%s: kernel %s: %u bytes of static and %zu of dynamic LDS exceed the %u bytes of %s", call, k->name,
        k->lds_bytes, a->dynamic_lds, m->lds_bytes, m->product);
  uint64_t blocks = (uint64_t)a->grid[0] * a->grid[1] * a->grid[2];
  uint64_t held = (uint64_t)sim_occupancy(m, k, (uint32_t)items, (uint32_t)a->dynamic_lds) * m->cus;
  if (a->cooperative && blocks > held)
    return sim_hip_refuse(hipErrorCooperativeLaunchTooLarge,
                          "%s: kernel %s: %llu blocks, but %s holds %llu of this size at a time", call,
                          k->name, (unsigned long long)blocks, m->product, (unsigned long long)held);
  return hipSuccess;
}

static void run(sim_launch *launch, sim_hip_device *device) {
  sim_result result;
  sim_timing_plan plan;
  wt_sim_timing_mode timing = sim_report_timing();
  sim_profile_choice profile = {.timed = true};
  const bool profiling = timing && sim_profiling();
  if (profiling) profile = sim_profile_begin(launch);
  if (!profile.timed) {
    sim_report_timing_take(&profile.equal, device->ordinal);
    // Nobody looks at the results of what is executed for its time only, unless it computes all.
    if (timing != WT_SIM_TIMING_ALL && !profile.executed) {
      sim_tally_launch(device->machine, false, 0, 0);
      return;
    }
    timing = WT_SIM_TIMING_OFF;
  }
  if (timing) {
    if (sim_timing_plan_make(&plan, launch, timing, sim_report_timing_repeats()))
      sim_timing_attach(&plan, launch);
    else
      sim_say("no prediction for kernel %s: host memory ran out", launch->kernel->name);
  }
  const bool checking = sim_report_checking();
  sim_check *check = checking ? sim_check_create(launch) : NULL;
  if (check) launch->watch[SIM_SEAT_CHECK] = (sim_watch){&sim_check_observer, check};
  sim_hip_hostcall_begin(launch, device);
  sim_fault_kind fault = sim_launch_run(launch, &result);
  bool said = sim_hip_hostcall_end(launch);
  if (timing && plan.others == SIM_OTHERS_WAITED_FOR && fault == SIM_FAULT_NONE)
    sim_say("work-groups of kernel %s wait for each other, so all of them were executed for its prediction",
            launch->kernel->name);
  if (launch->selection && fault == SIM_FAULT_NONE)
    sim_report_timing_add(launch, &plan, profiling ? &profile : NULL, device->ordinal);
  if (timing) sim_timing_plan_free(&plan);
  atomic_fetch_add(&total_instructions, result.instructions);
  atomic_fetch_add(&total_workgroups, result.workgroups);
  sim_tally_launch(device->machine, fault != SIM_FAULT_NONE, result.instructions, result.workgroups);
  if (result.lds_counts) sim_report_lds(launch, result.lds_counts);
  free(result.lds_counts);
  if (checking)
    sim_report_findings(launch, check);
  else
    sim_written_forget();
  if (fault == SIM_FAULT_NONE) return;
  size_t length = strlen(result.report);
  if (!sim_configuration()->quiet)
    fprintf(stderr, "%s%s", result.report, length && result.report[length - 1] == '\n' ? "" : "\n");
  sim_hip_fault(device, said && fault == SIM_FAULT_TRAP ? hipErrorAssert : fault_error[fault]);
}

hipError_t sim_hip_kernel_prepare(const char *call, const sim_hip_launch_args *args, sim_hip_device *device,
                                  sim_hip_work *work) {
  if (!sim_hip_handle_is(args->function, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the function is not a function of this runtime", call);
  if (args->function->module->device != device)
    return sim_hip_refuse(
        hipErrorInvalidHandle, "%s: kernel %s was loaded for device %d, the stream belongs to device %d",
        call, args->function->kernel->name, args->function->module->device->ordinal, device->ordinal);
  hipError_t error = check(call, args);
  if (error != hipSuccess) return error;
  *work = (sim_hip_work){hipGraphNodeTypeKernel,
                         .kernel = {.function = args->function,
                                    .named = args->named ? args->named : args->function,
                                    .grid = {args->grid[0], args->grid[1], args->grid[2]},
                                    .block = {args->block[0], args->block[1], args->block[2]},
                                    .dynamic_lds = args->dynamic_lds,
                                    .cooperative = args->cooperative,
                                    .stack_bytes = sim_hip_stack_bytes()}};
  error = pack(call, args, &work->kernel.kernarg, &work->kernel.kernarg_size);
  if (error != hipSuccess) free(work->kernel.kernarg);
  return error;
}

hipError_t sim_hip_kernel_run(const char *call, const sim_hip_kernel_work *k) {
  if (!sim_hip_handle_is(k->function, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the function is not a function of this runtime", call);
  hipModule_t module = k->function->module;
  sim_hip_device *device =
      module->device;  // of a graph's kernel too, whatever stream the graph is launched in
  const sim_program *program = sim_hip_module_program(call, module);
  if (!program) return sim_hip_result(hipErrorInvalidImage);
  run(&(sim_launch){.machine = device->machine,
                    .object = module->object,
                    .program = program,
                    .kernel = k->function->kernel,
                    .grid = {k->grid[0], k->grid[1], k->grid[2]},
                    .block = {k->block[0], k->block[1], k->block[2]},
                    .dynamic_lds = (uint32_t)k->dynamic_lds,
                    .stack_bytes = k->stack_bytes,
                    .kernarg = k->kernarg,
                    .kernarg_size = k->kernarg_size,
                    .device = device->ordinal,
                    .peers = sim_hip_peers(device),
                    .cooperative = k->cooperative,
                    .give_way = sim_hip_give_way,
                    .count_lds = sim_report_counts_lds()},
      device);
  return hipSuccess;
}

// ROCm's launches have another code than its other calls for a stream that is not there.
static hipError_t need_launch_stream(const char *call, hipStream_t stream, sim_hip_device **device) {
  if (sim_hip_stream_device(stream, device)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the stream is not a stream of this runtime", call);
}

hipError_t sim_hip_launch(const char *call, const sim_hip_launch_args *args) {
  sim_hip_device *device;
  sim_hip_work work;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (need_launch_stream(call, args->stream, &device)) return hipErrorInvalidValue;
  hipError_t error = sim_hip_kernel_prepare(call, args, device, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_submit(call, args->stream, &work, SIM_HIP_ASYNC);
  free(work.kernel.kernarg);
  return error;
}

int wtSimTotals(unsigned long long *instructions, unsigned long long *workgroups) {
  sim_report_finish();
  if (instructions) *instructions = atomic_load(&total_instructions);
  if (workgroups) *workgroups = atomic_load(&total_workgroups);
  return 0;
}

// ---- launches by function handle

// ROCm checks the limits of hipDeviceProp_t.maxGridSize in this call only.
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                 hipStream_t stream, void **params, void **extra) {
  if (grid_x > INT_MAX || grid_y > SIM_HIP_MOST_BLOCKS_YZ || grid_z > SIM_HIP_MOST_BLOCKS_YZ)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipModuleLaunchKernel: a grid of %ux%ux%u blocks exceeds the largest, %dx%dx%d",
                          grid_x, grid_y, grid_z, INT_MAX, SIM_HIP_MOST_BLOCKS_YZ, SIM_HIP_MOST_BLOCKS_YZ);
  return sim_hip_launch("hipModuleLaunchKernel", &(sim_hip_launch_args){f,
                                                                        {grid_x, grid_y, grid_z},
                                                                        {block_x, block_y, block_z},
                                                                        dynamic_lds,
                                                                        stream,
                                                                        params,
                                                                        extra,
                                                                        false,
                                                                        NULL});
}

// The extended launch gives the grid in work-items and may record events around the kernel. The C++ names are
// what programs compiled against the HIP 5 headers import.
#define EXT_ARGS                                                                                 \
  hipFunction_t f, uint32_t global_x, uint32_t global_y, uint32_t global_z, uint32_t local_x,    \
      uint32_t local_y, uint32_t local_z, size_t dynamic_lds, hipStream_t stream, void **params, \
      void **extra, hipEvent_t start, hipEvent_t stop
#define EXT_PASS \
  f, global_x, global_y, global_z, local_x, local_y, local_z, dynamic_lds, stream, params, extra, start, stop

#pragma GCC visibility push(default)
hipError_t hipExtModuleLaunchKernel(EXT_ARGS, uint32_t flags);
hipError_t hipHccModuleLaunchKernel(EXT_ARGS);
hipError_t _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
    EXT_ARGS, uint32_t flags);
hipError_t _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
    EXT_ARGS);
void _ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv(uintptr_t host, const dim3 *grid,
                                                                         const dim3 *block,
                                                                         uint32_t dynamic_lds,
                                                                         hipStream_t stream, void **extra);
#pragma GCC visibility pop

static hipError_t record(const char *call, hipEvent_t event, hipStream_t stream) {
  if (!event) return hipSuccess;
  if (sim_hip_handle_is(event, SIM_HIP_EVENT)) return hipEventRecord(event, stream);
  return sim_hip_refuse(hipErrorInvalidValue, "%s: an event is not an event of this runtime", call);
}

static hipError_t launch_recorded(const char *call, const sim_hip_launch_args *args, hipEvent_t start,
                                  hipEvent_t stop) {
  hipError_t error = record(call, start, args->stream);
  if (error == hipSuccess) error = sim_hip_launch(call, args);
  return error == hipSuccess ? record(call, stop, args->stream) : error;
}

static hipError_t launch_items(const char *call, EXT_ARGS) {
  uint32_t global[3] = {global_x, global_y, global_z}, local[3] = {local_x, local_y, local_z};
  uint32_t grid[3] = {1, 1, 1};
  // Where the function is none or the block too large, the launch says so.
  const bool fits = sim_hip_handle_is(f, SIM_HIP_FUNCTION) &&
                    block_fits(local, f->module->device->machine->max_workgroup_size);
  for (int i = 0; i < 3 && fits; ++i) {
    if (global[i] && global[i] < local[i]) local[i] = global[i];  // as ROCm does
    if (local[i] && global[i] % local[i])
      return sim_hip_refuse(
          hipErrorInvalidValue,
          "%s: %u work-items in dimension %c are no multiple of the block's %u; partial blocks are not "
          "available on the simulated device",
          call, global[i], "xyz"[i], local[i]);
    if (local[i]) grid[i] = global[i] / local[i];
  }
  sim_hip_launch_args args = {f,
                              {grid[0], grid[1], grid[2]},
                              {local[0], local[1], local[2]},
                              dynamic_lds,
                              stream,
                              params,
                              extra,
                              false,
                              NULL};
  return launch_recorded(call, &args, start, stop);
}

hipError_t hipExtModuleLaunchKernel(EXT_ARGS, uint32_t flags) {
  (void)flags;  // hipExtAnyOrderLaunch allows reordering, it does not ask for it
  return launch_items("hipExtModuleLaunchKernel", EXT_PASS);
}
hipError_t _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
    EXT_ARGS, uint32_t flags) {
  return hipExtModuleLaunchKernel(EXT_PASS, flags);
}
hipError_t hipHccModuleLaunchKernel(EXT_ARGS) { return launch_items("hipHccModuleLaunchKernel", EXT_PASS); }
hipError_t _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
    EXT_ARGS) {
  return hipHccModuleLaunchKernel(EXT_PASS);
}

// ---- launches by host address

static hipError_t find_host(const char *call, const void *host, sim_hip_launch_args *args) {
  sim_hip_device *device;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (args->cooperative) {  // and cooperative ones again
    if (sim_hip_need_stream(call, args->stream, &device)) return hipErrorContextIsDestroyed;
  } else if (need_launch_stream(call, args->stream, &device)) {
    return hipErrorInvalidValue;
  }
  args->named = host;
  return sim_hip_host_function(call, host, device, &args->function);
}

hipError_t sim_hip_launch_host(const char *call, const void *host, const sim_hip_launch_args *args) {
  sim_hip_launch_args found = *args;
  hipError_t error = find_host(call, host, &found);
  return error == hipSuccess ? sim_hip_launch(call, &found) : error;
}

static hipError_t launch_host(const char *call, const void *host, dim3 grid, dim3 block, size_t dynamic_lds,
                              hipStream_t stream, void **params, void **extra, hipEvent_t start,
                              hipEvent_t stop) {
  sim_hip_launch_args args = {.grid = {grid.x, grid.y, grid.z},
                              .block = {block.x, block.y, block.z},
                              .dynamic_lds = dynamic_lds,
                              .stream = stream,
                              .params = params,
                              .extra = extra};
  hipError_t error = find_host(call, host, &args);
  return error == hipSuccess ? launch_recorded(call, &args, start, stop) : error;
}

hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t dynamic_lds,
                           hipStream_t stream) {
  return launch_host("hipLaunchKernel", host, grid, block, dynamic_lds, stream, args, NULL, NULL, NULL);
}

hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t dynamic_lds,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags) {
  (void)flags;
  return launch_host("hipExtLaunchKernel", host, grid, block, dynamic_lds, stream, args, NULL, start, stop);
}

void _ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv(uintptr_t host, const dim3 *grid,
                                                                         const dim3 *block,
                                                                         uint32_t dynamic_lds,
                                                                         hipStream_t stream, void **extra) {
  launch_host("hipLaunchKernelGGL", (const void *)host, *grid, *block, dynamic_lds, stream, NULL, extra, NULL,
              NULL);
}

// ---- <<<>>>: the call pushes its configuration, the stub it calls pops it (clang CodeGen, CGCUDANV.cpp)

enum { CONFIGURATIONS = 16, ARGUMENT_BYTES = 4096 };
static __thread struct {
  struct {
    dim3 grid, block;
    size_t dynamic_lds;
    hipStream_t stream;
  } entry[CONFIGURATIONS];
  int depth;
  uint8_t arguments[ARGUMENT_BYTES];  // of hipSetupArgument
  size_t argument_bytes;
} configurations;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds, hipStream_t stream) {
  if (configurations.depth == CONFIGURATIONS)
    return sim_hip_refuse(hipErrorInvalidConfiguration,
                          "__hipPushCallConfiguration: more than %d launches are nested",
                          (int)CONFIGURATIONS);
  configurations.entry[configurations.depth].grid = grid;
  configurations.entry[configurations.depth].block = block;
  configurations.entry[configurations.depth].dynamic_lds = dynamic_lds;
  configurations.entry[configurations.depth].stream = stream;
  ++configurations.depth;
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_lds, hipStream_t *stream) {
  if (configurations.depth == 0)
    return sim_hip_refuse(hipErrorMissingConfiguration,
                          "__hipPopCallConfiguration: no launch has been configured");
  --configurations.depth;
  *grid = configurations.entry[configurations.depth].grid;
  *block = configurations.entry[configurations.depth].block;
  *dynamic_lds = configurations.entry[configurations.depth].dynamic_lds;
  *stream = configurations.entry[configurations.depth].stream;
  return hipSuccess;
}

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t dynamic_lds, hipStream_t stream) {
  configurations.argument_bytes = 0;
  return __hipPushCallConfiguration(grid, block, dynamic_lds, stream);
}

hipError_t hipSetupArgument(const void *argument, size_t size, size_t offset) {
  if (!argument || offset > ARGUMENT_BYTES || size > ARGUMENT_BYTES - offset)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipSetupArgument: %zu bytes at offset %zu; arguments end at %d", size, offset,
                          (int)ARGUMENT_BYTES);
  memcpy(configurations.arguments + offset, argument, size);
  if (offset + size > configurations.argument_bytes) configurations.argument_bytes = offset + size;
  return hipSuccess;
}

hipError_t hipLaunchByPtr(const void *host) {
  dim3 grid, block;
  size_t dynamic_lds;
  hipStream_t stream;
  hipError_t error = __hipPopCallConfiguration(&grid, &block, &dynamic_lds, &stream);
  if (error != hipSuccess) return error;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, configurations.arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &configurations.argument_bytes, HIP_LAUNCH_PARAM_END};
  return launch_host("hipLaunchByPtr", host, grid, block, dynamic_lds, stream, NULL, extra, NULL, NULL);
}
