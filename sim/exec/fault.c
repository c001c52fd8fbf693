// SPDX-License-Identifier: MIT
// Fault reports: one place, one format.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/exec/aperture.h"
#include "sim/exec/wave.h"
#include "sim/object/demangle.h"
#include "sim/object/source_frames.h"

static const char *headline(sim_fault_kind kind) {
  switch (kind) {
    case SIM_FAULT_NONE: return "no fault";
    case SIM_FAULT_ADDRESS: return "access outside every allocation";
    case SIM_FAULT_LDS_RANGE: return "LDS access outside the work-group's allocation";
    case SIM_FAULT_ALIGNMENT: return "misaligned access";
    case SIM_FAULT_BUDGET: return "instruction budget used up";
    case SIM_FAULT_DEADLOCK: return "deadlock";
    case SIM_FAULT_UNSUPPORTED: return "not supported by the simulated device";
    case SIM_FAULT_TRAP: return "trap";
    case SIM_FAULT_PROGRAM: return "invalid program";
  }
  return "fault";
}

const char *sim_function_at(const sim_launch *l, uint64_t offset, uint64_t *begin) {
  for (size_t i = l->object->function_count; i-- > 0;) {
    const sim_function *f = &l->object->functions[i];
    if (offset < f->begin || offset >= f->end) continue;
    *begin = f->begin;
    return f->name;
  }
  *begin = offset >= l->kernel->entry ? l->kernel->entry : 0;
  return *begin ? l->kernel->name : "code object";
}

// Returns the name of the service whose hidden argument leads to this address.
static const char *service_at(uint64_t address) {
  switch (address >> 32) {
    case SIM_PRINTF_SERVICE: return "the printf buffer (device printf, compiled with -mprintf-kind=buffered)";
    case SIM_HOSTCALL_SERVICE: return "host calls (device printf, assert or malloc)";
    case SIM_HEAP_SERVICE: return "the device heap (device malloc, free, new or delete)";
    default: return NULL;
  }
}

// Writes the source lines of an op, a line of the report for each, or nothing where they are not known.
static void write_source(char *out, size_t size, const sim_launch *l, uint64_t offset) {
  enum { MOST = 8 };
  sim_source_place place[MOST];
  sim_source_frames *frames = sim_source_frames_read(l->object);
  const size_t count = sim_source_frames_at(frames, offset, place, MOST);
  size_t used = 0;
  *out = 0;
  for (size_t i = 0; i < count && used < size; ++i) {
    char text[512];
    sim_source_place_text(&place[i], text, sizeof text);
    used += (size_t)snprintf(out + used, size - used, "          %s%s\n", i ? "inlined at " : "", text);
  }
  sim_source_frames_free(frames);
}

void sim_fault(sim_wave *w, sim_fault_kind kind, const sim_op *op, int lane, const char *format, ...) {
  sim_group *g = w->group;
  if (g->fault) return;
  g->fault = kind;
  const sim_launch *l = g->launch;
  char where[32] = "";
  if (lane >= 0) snprintf(where, sizeof where, ", lane %d", lane);
  char detail[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(detail, sizeof detail, format, args);
  va_end(args);
  uint64_t begin;
  const char *function = sim_function_at(l, op->offset, &begin);
  char *kernel = sim_demangle(l->kernel->name), source[1024];
  write_source(source, sizeof source, l, op->offset);
  snprintf(g->report, sizeof g->report,
           "wavetile sim: %s\n"
           "  kernel  %s (%s), work-group (%u,%u,%u), wave %u%s\n"
           "  at      %s+0x%llx: %s\n"
           "%s"
           "  why     %s\n",
           headline(kind), kernel ? kernel : l->kernel->name, l->object->target, g->id[0], g->id[1], g->id[2],
           w->id, where, function, (unsigned long long)(op->offset - begin), sim_op_text(g->program, op),
           source, detail);
  free(kernel);
}

// Says which setting decided that the access faults, and whether the other one would let it pass.
static const char *where_accesses_fault(const sim_group *g, uint64_t address, uint32_t bytes) {
  sim_allocation pages;
  if (g->fault_by_page) return "; accesses fault by page (WT_SIM_FAULT=page)";
  if (!sim_memory_find_pages(address, &pages) || pages.size - (address - pages.base) < bytes)
    return "; accesses fault by byte (WT_SIM_FAULT=exact)";
  return "; accesses fault by byte (WT_SIM_FAULT=exact): hardware, which faults by page, lets this one pass, "
         "and so "
         "does WT_SIM_FAULT=page";
}

void sim_fault_address(sim_wave *w, const sim_op *op, int lane, uint64_t address, uint32_t bytes) {
  const char *service = service_at(address);
  if (service) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, lane,
              "the kernel uses %s, which the simulated device does not have; leave it out", service);
    return;
  }
  sim_allocation near;
  const sim_launch *l = w->group->launch;
  if (sim_memory_find(address, &near) && !sim_memory_allows(&near, l->device, l->peers)) {
    sim_fault(w, SIM_FAULT_ADDRESS, op, lane,
              "%u bytes at 0x%llx, memory of device %d; device %d may use it after "
              "hipDeviceEnablePeerAccess(%d, 0)",
              bytes, (unsigned long long)address, near.device, l->device, near.device);
    return;
  }
  if (!sim_memory_nearest(address, &near)) {
    sim_fault(w, SIM_FAULT_ADDRESS, op, lane, "%u bytes at 0x%llx; there are no allocations at all", bytes,
              (unsigned long long)address);
    return;
  }
  uint64_t end = near.base + near.size;
  const char *side = address >= near.base ? "past the end" : "before the start";
  sim_fault(
      w, SIM_FAULT_ADDRESS, op, lane,
      "%u bytes at 0x%llx; the nearest allocation is [0x%llx, 0x%llx), %llu bytes long, %llu bytes %s%s",
      bytes, (unsigned long long)address, (unsigned long long)near.base, (unsigned long long)end,
      (unsigned long long)near.size, (unsigned long long)sim_memory_distance(&near, address), side,
      where_accesses_fault(w->group, address, bytes));
}
