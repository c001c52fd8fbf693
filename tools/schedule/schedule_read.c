// SPDX-License-Identifier: MIT
// Reads the notes of a code object, and says which kernel each is of.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "schedule.h"

const wt_note_boundary *schedule_edge(const schedule *s, int row, int cluster) {
  return &s->edges[row * s->head->clusters + cluster];
}

bool schedule_has(const schedule *s, int what) {
  for (int i = 0; i < s->head->ops; ++i)
    if (s->ops[i].what == what) return true;
  return false;
}

const char *const schedule_unit_names[SCHEDULE_UNITS] = {"MFMAs", "vector ops", "LDS reads", "to LDS"};

schedule_unit schedule_unit_of(const wt_note_op *op) {
  switch (op->what) {
    case WT_NOTE_MULTIPLY: return SCHEDULE_MFMA;
    case WT_NOTE_APPLY:
    case WT_NOTE_VECTOR: return SCHEDULE_VECTOR;
    case WT_NOTE_READ: return SCHEDULE_READ;
    default: return SCHEDULE_MOVE;
  }
}

bool schedule_shows(const schedule *s, schedule_unit unit) {
  return unit != SCHEDULE_VECTOR || schedule_has(s, WT_NOTE_APPLY) || schedule_has(s, WT_NOTE_VECTOR);
}

bool schedule_adds(const wt_note_op *op) { return op->what == WT_NOTE_MULTIPLY || op->what == WT_NOTE_APPLY; }

int schedule_ahead(const wt_note_op *op) { return op->ahead - op->late; }

bool schedule_is_counted(const wt_note_op *op) {
  return !schedule_adds(op) && op->what != WT_NOTE_VECTOR && op->what != WT_NOTE_ADVANCE;
}

schedule_operand schedule_operand_of(const wt_note_op *op, int n) {
  const schedule_operand all[SCHEDULE_OPERANDS] = {{op->a_fragment, op->a_buffer},
                                                   {op->b_fragment, op->b_buffer},
                                                   {op->scale_a_fragment, op->scale_a_buffer},
                                                   {op->scale_b_fragment, op->scale_b_buffer},
                                                   {op->start_fragment, op->start_buffer}};
  return all[n];
}

bool schedule_among(const unsigned char bits[4], int number) {
  return number < 32 && (bits[number / 8] >> number % 8 & 1) != 0;
}

bool schedule_counts_lds(const wt_note_op *op) {
  return op->what == WT_NOTE_READ || op->what == WT_NOTE_PUT || op->what == WT_NOTE_SHARE ||
         op->through_registers;
}

bool schedule_takes_place(const wt_note_op *op, int iteration) {
  return op->what != WT_NOTE_STORE && (iteration + schedule_ahead(op)) % op->steps == 0;
}

static bool is_name(const char *text, size_t size) {
  size_t length = 0;
  while (length < size && text[length] >= ' ' && text[length] < 0x7f) ++length;
  for (size_t i = length; i < size; ++i)
    if (text[i]) return false;
  return true;
}

static bool is_op(const schedule *s, const wt_note_op *op) {
  const int buffers = s->head->buffers, lead = op->what == WT_NOTE_ADVANCE;
  for (int n = 0; n < SCHEDULE_OPERANDS; ++n) {
    const schedule_operand from = schedule_operand_of(op, n);
    const bool may_lack = n >= 2 || !schedule_adds(op);  // an op need not have scales or a start
    if (from.buffer != WT_NOTE_NONE && from.buffer >= buffers) return false;
    if (from.fragment == WT_NOTE_NONE && (!may_lack || from.buffer != WT_NOTE_NONE)) return false;
  }
  return op->what < WT_NOTE_DOES && op->cluster < s->head->clusters && op->buffer < buffers &&
         op->steps > 0 && op->ahead <= s->head->depth + lead &&
         (op->late == 0 || (op->ahead == 0 && s->head->open && op->late <= s->head->drains)) &&
         op->through_registers <= 1 &&
         is_name(op->name, sizeof op->name);
}

static bool are_waits(wt_note_waits w) { return w.vmem <= WT_NOTE_ANY_VMEM && w.lds <= WT_NOTE_ANY_LDS; }

// Sets the pointers into the bytes. Returns false when these are no pipeline.
static bool read_parts(schedule *s) {
  const wt_note_pipeline *head = s->head = (const wt_note_pipeline *)s->bytes;
  if (s->size < sizeof *head) return false;
  s->body = head->depth + head->storing;
  s->epilogue = s->body + head->phases;
  s->rows = s->epilogue + head->drains;
  s->buffers = (const wt_note_buffer *)(head + 1);
  s->ops = (const wt_note_op *)(s->buffers + head->buffers);
  s->edges = (const wt_note_boundary *)(s->ops + head->ops);
  const size_t edges = (size_t)s->rows * head->clusters;
  if (s->size != sizeof *head + head->buffers * sizeof *s->buffers + head->ops * sizeof *s->ops +
                     edges * sizeof *s->edges)
    return false;
  bool good = head->buffers && head->clusters && head->phases && head->copies_first <= 1 &&
              head->by_register <= 1 && head->open <= 1 && head->by_periods <= 1 &&
              (head->open || head->drains == head->depth) &&
              are_waits(head->settled);
  for (int i = 0; i < head->buffers; ++i)
    good = good && s->buffers[i].stages && is_name(s->buffers[i].name, sizeof s->buffers[i].name);
  for (int i = 0; i < head->ops; ++i) good = good && is_op(s, &s->ops[i]);
  for (size_t i = 0; i < edges; ++i)
    good = good && are_waits(s->edges[i].before) && are_waits(s->edges[i].after) && s->edges[i].barrier <= 1;
  return good;
}

// Returns the name of the kernel, or of another function, in whose code the address lies; NULL: none.
static const char *function_at(const sim_object *object, uint64_t address) {
  for (size_t i = 0; i < object->function_count; ++i) {
    const sim_function *f = &object->functions[i];
    if (address >= f->begin && address <= f->end) return f->name;
  }
  return NULL;
}

static void schedule_free(schedule *s) {
  for (size_t i = 0; i < s->kernel_count; ++i) free(s->kernels[i]);
  free(s->kernels);
  free(s->bytes);
}

void schedule_list_free(schedule_list *list) {
  for (size_t i = 0; i < list->count; ++i) schedule_free(&list->at[i]);
  free(list->at);
  *list = (schedule_list){0};
}

// Returns the pipeline of the list with these bytes, or one that is added; NULL when host memory runs out.
static schedule *find_or_add(schedule_list *list, const char *target, const unsigned char *bytes,
                             size_t size) {
  for (size_t i = 0; i < list->count; ++i) {
    schedule *s = &list->at[i];
    if (s->size == size && strcmp(s->target, target) == 0 && memcmp(s->bytes, bytes, size) == 0) return s;
  }
  schedule *grown = realloc(list->at, (list->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  list->at = grown;
  schedule *s = &grown[list->count];
  *s = (schedule){.target = target, .bytes = malloc(size ? size : 1), .size = size};
  if (!s->bytes) return NULL;
  memcpy(s->bytes, bytes, size);
  ++list->count;
  return s;
}

static bool add_kernel(schedule *s, const char *name) {
  for (size_t i = 0; i < s->kernel_count; ++i)
    if (strcmp(s->kernels[i], name) == 0) return true;
  char **grown = realloc(s->kernels, (s->kernel_count + 1) * sizeof *grown), *copy = strdup(name);
  if (grown) s->kernels = grown;
  if (!grown || !copy) {
    free(copy);
    return false;
  }
  s->kernels[s->kernel_count++] = copy;
  return true;
}

static int add_note(schedule_list *list, const sim_object *object, const char *target, const char *kernel,
                    const sim_note *note) {
  uint64_t address;
  if (note->type != WT_NOTE_PIPELINE_1)
    return tool_error(
        TOOL_USAGE,
        "a note of the code object has type %u, which this version of wavetile does not know; use "
        "the version that compiled it",
        (unsigned)note->type);
  if (note->size < sizeof address)
    return tool_error(TOOL_USAGE, "a note of the code object is cut short; compile it again");
  memcpy(&address, note->data, sizeof address);
  const char *function = function_at(object, address);
  if (!function)
    return tool_error(TOOL_USAGE, "a note of the code object is of no function; compile it again");
  if (kernel && strcmp(function, kernel) != 0) return TOOL_OK;
  schedule *s = find_or_add(list, target, note->data + sizeof address, note->size - sizeof address);
  if (!s || !add_kernel(s, function))
    return tool_error(TOOL_FAILED, "out of memory for the schedules of a code object");
  if (!read_parts(s))
    return tool_error(TOOL_USAGE, "the note of %s describes no pipeline; compile it again", function);
  return TOOL_OK;
}

int schedule_collect(schedule_list *list, const sim_object *object, const char *target, const char *kernel) {
  size_t at = 0;
  sim_note note;
  int code = TOOL_OK;
  while (!code && sim_object_note(object, &at, &note))
    if (strcmp(note.owner, "wavetile") == 0) code = add_note(list, object, target, kernel, &note);
  return code;
}
