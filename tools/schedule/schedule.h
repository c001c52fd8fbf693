// SPDX-License-Identifier: MIT
// Declares the parts of `wavetile schedule`: pipelines as kernels note them (sched/pipeline_note_format.h),
// their steady state, and three ways to show both.
#ifndef WT_TOOLS_SCHEDULE_H
#define WT_TOOLS_SCHEDULE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "sched/pipeline_note_format.h"
#include "sim/object/object.h"

// Describes a pipeline, and the kernels of one target that run it.
typedef struct schedule {
  const char *target;
  char **kernels;
  size_t kernel_count;
  unsigned char *bytes;  // what the note says, into which the pointers below lead
  size_t size;
  const wt_note_pipeline *head;
  const wt_note_buffer *buffers;
  const wt_note_op *ops;
  const wt_note_boundary *edges;  // row by row
  int rows, body, epilogue;       // their number, and the first row of the body and of the epilogue
} schedule;

typedef struct schedule_list {
  schedule *at;
  size_t count;
} schedule_list;

// ---- schedule_read.c

// Adds the pipelines that the object's kernel `kernel` runs, or all its kernels when that is NULL; equal ones
// become one. Returns TOOL_OK, or an exit code after a report.
int schedule_collect(schedule_list *list, const sim_object *object, const char *target, const char *kernel);
void schedule_list_free(schedule_list *list);

const wt_note_boundary *schedule_edge(const schedule *s, int row, int cluster);
// Says what issues an op: a column of the table, and a row of the picture.
typedef enum schedule_unit {
  SCHEDULE_MFMA,
  SCHEDULE_VECTOR,
  SCHEDULE_READ,
  SCHEDULE_MOVE,
  SCHEDULE_UNITS
} schedule_unit;
extern const char *const schedule_unit_names[SCHEDULE_UNITS];
schedule_unit schedule_unit_of(const wt_note_op *op);
// Returns whether the unit is shown: few schedules have vector instructions of their own.
bool schedule_shows(const schedule *s, schedule_unit unit);
// Returns whether an op of this kind (WT_NOTE_COPY and so on) is among the schedule's.
bool schedule_has(const schedule *s, int what);
// Returns whether the op multiplies fragments into a sum, by MFMAs or by vector instructions.
bool schedule_adds(const wt_note_op *op);
// Returns how many steps the op is ahead of its iteration; negative: late.
int schedule_ahead(const wt_note_op *op);
// Returns whether the wave's counters count the op: those that compute, or advance addresses, are not.
bool schedule_is_counted(const wt_note_op *op);
// Returns fragment and buffer of operand `n` of an op that adds: of a, b, the scales of both and the start,
// the last three of which may be WT_NOTE_NONE. A vector may have an operand as well, and a share has one.
typedef struct schedule_operand {
  unsigned char fragment, buffer;
} schedule_operand;
enum { SCHEDULE_OPERANDS = 5 };
schedule_operand schedule_operand_of(const wt_note_op *op, int n);
// Returns whether the number is among those of a vector (wt_note_op.takes and so on).
bool schedule_among(const unsigned char bits[4], int number);
// Returns whether lgkmcnt counts the op's events; for others it is vmcnt.
bool schedule_counts_lds(const wt_note_op *op);
// Returns whether the op takes place in an iteration of the body for step `iteration`.
bool schedule_takes_place(const wt_note_op *op, int iteration);

// ---- schedule_flow.c: some iterations of the body, in the middle of a long run

// Describes an op that moves data, in one iteration. A place is a cluster counted from the first one of
// iteration 0.
typedef struct schedule_event {
  const wt_note_op *op;
  int iteration, step;  // the (first) K step that it works for, where iteration i multiplies step i
  int issued;           // the place
  int landed;           // the place in front of which the wave has waited for it, or SCHEDULE_NEVER
} schedule_event;
enum { SCHEDULE_NEVER = INT_MAX };

typedef struct schedule_flow {
  schedule_event *events;  // in the order of issue; from before iteration 0 until all of its data are read
  size_t count;
  int places;  // in the window: iterations 0 .. phases - 1, after which all is repeated
} schedule_flow;

// Follows the counters of a wave. In ping-pong it is one that does not lag. Returns false when host memory
// runs out.
bool schedule_flow_make(const schedule *s, schedule_flow *flow);
void schedule_flow_free(schedule_flow *flow);

// ---- schedule_names.c: parts of a pipeline in words; all write to `text` and return it

enum { SCHEDULE_TEXT = 160 };
const char *schedule_buffer_text(const schedule *s, int buffer, char text[SCHEDULE_TEXT]);
// "A0", the buffer that an operand is read from, or "fragment 3" where it is not read in the run.
const char *schedule_operand_text(const schedule *s, schedule_operand from, char text[SCHEDULE_TEXT]);
// "i", "i+2" or "i-1".
const char *schedule_step_text(int step, char text[SCHEDULE_TEXT]);
// "copy A0 i+2 (4)", where `step` is that of schedule_event.
const char *schedule_op_text(const schedule *s, const wt_note_op *op, int step, char text[SCHEDULE_TEXT]);
// "vmcnt(16) lgkmcnt(0) barrier"; `brief`: "v16 l0 B". It is empty where nothing stands.
const char *schedule_edge_text(const wt_note_boundary *edge, bool brief, char text[SCHEDULE_TEXT]);
// "A1, B1 of i", what the waits in front of a place of the window are for.
const char *schedule_landing_text(const schedule *s, const schedule_flow *flow, int place,
                                  char text[SCHEDULE_TEXT]);
// "prologue -2", "iteration 0", "loop", "loop, step i+1", "epilogue 1".
const char *schedule_row_text(const schedule *s, int row, char text[SCHEDULE_TEXT]);

// ---- schedule_text.c, schedule_json.c, schedule_picture.c

void schedule_print(const schedule *s, const schedule_flow *flow);
// Prints all of them as JSON. Returns TOOL_OK, or reports that host memory ran out.
int schedule_print_json(const schedule_list *list);
// Draws the window to a file. Returns false, with a sentence that begins with the path, when it could not be
// written.
bool schedule_draw(const schedule *s, const schedule_flow *flow, const char *path, const char *title,
                   char *message, size_t message_size);

#endif
