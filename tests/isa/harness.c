// SPDX-License-Identifier: MIT
// This is the snippet runner behind harness.h: it assembles through files in a temporary directory, and runs
// through sim_group_run.
#include "tests/isa/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct isa_buffer {
  struct isa_buffer *next;
  void *data;
} isa_buffer;

struct isa_program {
  const char *const *snippets;
  size_t count, current;
  uint64_t *offsets;
  sim_op_cost *costs;
  sim_object *object;
  sim_program *program;
  sim_kernel kernel;
  sim_launch launch;
  sim_group group;
  sim_wave *waves;
  uint8_t *lds;
  isa_buffer *buffers;
};

static char why[512];

static void stop(const char *what, const char *detail) {
  fprintf(stderr, "isa harness: %s: %s\n", what, detail);
  exit(EXIT_FAILURE);
}

static void *need(void *pointer) {
  if (!pointer) stop("out of memory", "allocation failed");
  return pointer;
}

// ---- assembling

typedef struct work_dir {
  char path[256], source[288], object[288], image[288], errors[288];
} work_dir;

static work_dir make_work_dir(void) {
  work_dir d;
  const char *base = getenv("TMPDIR");
  snprintf(d.path, sizeof d.path, "%.200s/wt-isa-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(d.path)) stop("cannot make a temporary directory", d.path);
  snprintf(d.source, sizeof d.source, "%s/s.s", d.path);
  snprintf(d.object, sizeof d.object, "%s/s.o", d.path);
  snprintf(d.image, sizeof d.image, "%s/s.co", d.path);
  snprintf(d.errors, sizeof d.errors, "%s/errors", d.path);
  return d;
}

static void remove_work_dir(const work_dir *d) {
  unlink(d->source);
  unlink(d->object);
  unlink(d->image);
  unlink(d->errors);
  rmdir(d->path);
}

static char *read_all(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  long length = ftell(f);
  rewind(f);
  char *data = need(malloc((size_t)length + 1));
  *size = fread(data, 1, (size_t)length, f);
  data[*size] = 0;
  fclose(f);
  return data;
}

static bool run_tool(const work_dir *d, const char *command) {
  char line[2048];
  snprintf(line, sizeof line, "%s 2>'%s'", command, d->errors);
  return system(line) == 0;
}

static bool run_assembler(const work_dir *d, const char *target) {
  char command[1600];
  snprintf(command, sizeof command, "'%s' -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj '%s' -o '%s'",
           WT_LLVM_MC, target, d->source, d->object);
  return run_tool(d, command);
}

static void run_or_stop(const work_dir *d, bool ok, const char *what) {
  if (ok) return;
  size_t size;
  char *errors = read_all(d->errors, &size);
  remove_work_dir(d);
  stop(what, errors ? errors : "no message");
}

static char *build(const char *target, const char *const *snippets, size_t count, size_t *size) {
  work_dir d = make_work_dir();
  FILE *f = fopen(d.source, "w");
  if (!f) stop("cannot write", d.source);
  fprintf(f, ".text\n");
  for (size_t i = 0; i < count; ++i)
    fprintf(f,
            ".p2align 8\n.globl snippet_%zu\n.type snippet_%zu,@function\nsnippet_%zu:\n%s\ns_endpgm\n"
            ".size snippet_%zu, .-snippet_%zu\n",
            i, i, i, snippets[i], i, i);
  fclose(f);
  run_or_stop(&d, run_assembler(&d, target), "assembling failed");
  char command[1600];
  snprintf(command, sizeof command, "'%s' -shared '%s' -o '%s'", WT_LLD, d.object, d.image);
  run_or_stop(&d, run_tool(&d, command), "linking failed");
  char *image = read_all(d.image, size);
  remove_work_dir(&d);
  return need(image);
}

void isa_accepted(const char *target, const char *const *lines, size_t count, bool *accepted) {
  work_dir d = make_work_dir();
  FILE *f = fopen(d.source, "w");
  if (!f) stop("cannot write", d.source);
  for (size_t i = 0; i < count; ++i) {
    fprintf(f, "%s\n", lines[i]);
    accepted[i] = true;
  }
  fclose(f);
  bool all = run_assembler(&d, target);
  size_t size, refused = 0;
  char *errors = need(read_all(d.errors, &size));
  // Messages begin with "<source>:<line>:<column>: error:".
  for (char *at = errors; (at = strstr(at, ": error:")) != NULL; at += 8) {
    char *start = at;
    while (start > errors && start[-1] != '\n') --start;
    if (strncmp(start, d.source, strlen(d.source)) != 0) continue;
    size_t line = strtoul(start + strlen(d.source) + 1, NULL, 10);
    if (line < 1 || line > count) continue;
    refused += accepted[line - 1];
    accepted[line - 1] = false;
  }
  if (!all && !refused) stop("the assembler failed without naming a line", errors);
  free(errors);
  remove_work_dir(&d);
}

static const sim_machine *machine_for(const char *target) {
  const sim_machine *m;
  for (size_t i = 0; (m = sim_machine_at(i)) != NULL; ++i)
    if (strcmp(m->target, target) == 0) return m;
  stop("no simulated machine has this target", target);
  return NULL;
}

isa_program *isa_assemble(const char *target, const char *const *snippets, size_t count) {
  isa_record_open();
  isa_program *p = need(calloc(1, sizeof *p));
  p->snippets = snippets;
  p->count = count;
  p->launch.machine = machine_for(target);
  size_t size;
  char *image = build(target, snippets, count, &size), message[512] = "";
  if (sim_object_load(image, size, target, &p->object, message, sizeof message) != SIM_OBJECT_OK)
    stop("loading the code object failed", message);
  free(image);
  if (!sim_program_create(p->object, p->launch.machine->chip, &p->program, message, sizeof message))
    stop("decoding failed", message);
  sim_allocation code = {
      .base = (uint64_t)(uintptr_t)p->object->image, .size = p->object->image_size, .kind = SIM_MEMORY_CODE};
  if (!sim_memory_add(code)) stop("the allocation table refused the code object", target);
  p->offsets = need(calloc(count, sizeof *p->offsets));
  for (size_t i = 0; i < p->object->function_count; ++i) {
    const sim_function *function = &p->object->functions[i];
    size_t number;
    if (sscanf(function->name, "snippet_%zu", &number) == 1 && number < count)
      p->offsets[number] = function->begin;
  }
  for (size_t i = 0; i < count; ++i)
    if (!p->offsets[i]) stop("the code object has no symbol for the snippet", snippets[i]);
  p->costs = need(sim_op_costs(p->program, p->launch.machine));
  p->waves = need(aligned_alloc(64, ISA_MAX_WAVES * sizeof *p->waves));
  p->lds = need(malloc(ISA_LDS_BYTES));
  return p;
}

void isa_free(isa_program *p) {
  if (!p) return;
  while (p->buffers) {
    isa_buffer *buffer = p->buffers;
    p->buffers = buffer->next;
    sim_memory_remove((uint64_t)(uintptr_t)buffer->data);
    free(buffer->data);
    free(buffer);
  }
  sim_memory_remove((uint64_t)(uintptr_t)p->object->image);
  sim_program_free(p->program);
  sim_object_free(p->object);
  free(p->offsets);
  free(p->costs);
  free(p->waves);
  free(p->lds);
  free(p);
}

// ---- running

sim_wave *isa_begin_waves(isa_program *p, size_t snippet, uint32_t waves) {
  if (snippet >= p->count || waves < 1 || waves > ISA_MAX_WAVES)
    stop("isa_begin", "snippet or wave count out of range");
  p->current = snippet;
  p->kernel = (sim_kernel){.name = (char *)(uintptr_t)"snippet"};
  p->kernel.entry = p->offsets[snippet];
  p->kernel.lds_bytes = ISA_LDS_BYTES;
  p->launch.object = p->object;
  p->launch.program = p->program;
  p->launch.kernel = &p->kernel;
  for (int i = 0; i < 3; ++i) p->launch.grid[i] = p->launch.block[i] = 1;
  p->launch.block[0] = SIM_LANES * waves;
  sim_group *g = &p->group;
  memset(g, 0, sizeof *g);
  g->launch = &p->launch;
  g->program = p->program;
  g->lds = p->lds;
  g->lds_bytes = ISA_LDS_BYTES;
  g->waves = p->waves;
  g->wave_count = waves;
  g->schedule = SIM_LATE;
  g->soffset_in_range = true;
  g->timed.costs = p->costs;
  g->budget = 1u << 20;
  memset(p->lds, 0, ISA_LDS_BYTES);
  memset(p->waves, 0, waves * sizeof *p->waves);
  const sim_op *first = sim_program_at(p->program, p->kernel.entry);
  for (uint32_t i = 0; i < waves; ++i) {
    sim_wave *w = &p->waves[i];
    w->group = g;
    w->id = i;
    w->pc = (uint32_t)(first - p->program->ops);
    w->mode = 0xf0 | 1u << 8 | 1u << 9;  // CDNA3 ISA 3.5: denormals kept, dx10_clamp, ieee
    sim_set_s64(w, SIM_EXEC, ~0ull);
  }
  return p->waves;
}

sim_wave *isa_begin(isa_program *p, size_t snippet) { return isa_begin_waves(p, snippet, 1); }
sim_group *isa_group(isa_program *p) { return &p->group; }
sim_kernel *isa_kernel(isa_program *p) { return &p->kernel; }

sim_fault_kind isa_run(isa_program *p) {
  isa_record_begin(p->program);
  while (!sim_group_run(&p->group)) continue;  // one that only polls is run on
  isa_record_end();
  return p->group.fault;
}

const char *isa_report(const isa_program *p) {
  return p->group.fault ? p->group.report : "the run ended without a fault";
}

uint64_t isa_offset(const isa_program *p, size_t snippet) { return p->offsets[snippet]; }

uint64_t isa_address(const isa_program *p, size_t snippet) {
  return (uint64_t)(uintptr_t)p->object->image + p->offsets[snippet];
}

void *isa_memory(isa_program *p, size_t bytes) {
  isa_buffer *buffer = need(calloc(1, sizeof *buffer));
  buffer->data = need(aligned_alloc(256, (bytes + 255) / 256 * 256));
  memset(buffer->data, 0, bytes);
  buffer->next = p->buffers;
  p->buffers = buffer;
  sim_allocation allocation = {
      .base = (uint64_t)(uintptr_t)buffer->data, .size = bytes, .kind = SIM_MEMORY_DEVICE};
  if (!sim_memory_add(allocation)) stop("isa_memory", "the allocation table refused the range");
  return buffer->data;
}

// ---- comparing

const char *isa_why(void) { return why; }

static bool same(isa_program *p, const char *place, unsigned number, int lane, uint64_t got,
                 uint64_t expected) {
  if (got == expected) return true;
  char where[24] = "";
  if (lane >= 0) snprintf(where, sizeof where, " lane %d", lane);
  snprintf(why, sizeof why, "%s '%.200s': %s%u%s is 0x%" PRIx64 ", expected 0x%" PRIx64,
           p->launch.machine->target, p->snippets[p->current], place, number, where, got, expected);
  return false;
}

static const char *row_name(unsigned row) { return row < SIM_ACC ? "v" : "a"; }

bool isa_same_s32(isa_program *p, unsigned reg, uint32_t expected) {
  return same(p, "s", reg, -1, p->waves->s[reg], expected);
}

bool isa_same_s64(isa_program *p, unsigned reg, uint64_t expected) {
  return same(p, "s", reg, -1, sim_s64(p->waves, reg), expected);
}

bool isa_same_scc(isa_program *p, unsigned expected) {
  return same(p, "scc of wave ", 0, -1, p->waves->scc, expected);
}

bool isa_same_v32(isa_program *p, unsigned row, unsigned lane, uint32_t expected) {
  return same(p, row_name(row), row % SIM_ACC, (int)lane, p->waves->v[row][lane], expected);
}

bool isa_same_v64(isa_program *p, unsigned row, unsigned lane, uint64_t expected) {
  uint64_t got = p->waves->v[row][lane] | (uint64_t)p->waves->v[row + 1][lane] << 32;
  return same(p, row_name(row), row % SIM_ACC, (int)lane, got, expected);
}

bool isa_same_row(isa_program *p, unsigned row, const uint32_t expected[SIM_LANES]) {
  for (unsigned lane = 0; lane < SIM_LANES; ++lane)
    if (!isa_same_v32(p, row, lane, expected[lane])) return false;
  return true;
}
