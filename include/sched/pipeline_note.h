// SPDX-License-Identifier: MIT
// This header tells tools which pipeline a kernel runs: the schedule and the plan that was derived from it,
// the very one that the kernel's waits and barriers are taken from.
#ifndef WT_SCHED_PIPELINE_NOTE_H
#define WT_SCHED_PIPELINE_NOTE_H

#include "../ops/isa/note.h"
#include "pipeline_check.h"
#include "pipeline_note_format.h"

namespace wt::sched {
namespace detail {

static_assert(static_cast<int>(does::copy) == WT_NOTE_COPY &&
              static_cast<int>(does::fetch) == WT_NOTE_FETCH && static_cast<int>(does::put) == WT_NOTE_PUT &&
              static_cast<int>(does::read) == WT_NOTE_READ &&
              static_cast<int>(does::multiply) == WT_NOTE_MULTIPLY &&
              static_cast<int>(does::vector) == WT_NOTE_VECTOR &&
              static_cast<int>(does::advance) == WT_NOTE_ADVANCE &&
              static_cast<int>(does::store) == WT_NOTE_STORE &&
              static_cast<int>(does::apply) == WT_NOTE_APPLY);
static_assert(kAnyVmem == WT_NOTE_ANY_VMEM && kAnyLds == WT_NOTE_ANY_LDS);

// This is the contents of a note behind the address, as bytes.
template <int Size>
struct note_bytes {
  unsigned char at[Size] = {};
  int count = 0;
  bool fits = true;  // every number into its byte

  constexpr void add(int number) {
    fits = fits && number >= 0 && number <= 255;
    at[count++] = static_cast<unsigned char>(number);
  }
  constexpr void add(short_name name) {
    for (char c : name.text) add(static_cast<unsigned char>(c));
  }
  constexpr void add(numbers some) {
    for (int byte = 0; byte < 4; ++byte) add(static_cast<int>(some.bits >> 8 * byte & 255));
  }
  constexpr void add(operand of) {
    const bool is_none = of.fragment < 0, is_read = !is_none && of.from == comes::by_read;
    fits = fits && (is_none || (of.fragment != WT_NOTE_NONE && of.buffer != WT_NOTE_NONE));
    add(is_none ? WT_NOTE_NONE : of.fragment), add(is_read ? of.buffer : WT_NOTE_NONE);
  }
  constexpr void add(waits w) { add(w.vmem), add(w.lds); }
};

template <auto S>
consteval auto note_of_pipeline() {
  constexpr const auto &kPlan = derived<S>;
  constexpr int kRows = kPlan.kRows;
  note_bytes<sizeof(wt_note_pipeline) + S.kBuffers * sizeof(wt_note_buffer) + S.kOps * sizeof(wt_note_op) +
             kRows * S.clusters * sizeof(wt_note_boundary)>
      note;
  note.add(S.kBuffers), note.add(S.kOps), note.add(S.clusters);
  note.add(S.lag_from), note.add(S.leaders), note.add(S.operands == operand_waits::by_register);
  note.add(S.begins == prologue::copies_first), note.add(S.stores_between);
  note.add(kPlan.kDepth), note.add(S.storing()), note.add(kPlan.kPhases), note.add(kPlan.kDrains),
      note.add(least_steps<S>);
  note.add(kPlan.settled);
  for (int i = 0; i < S.kBuffers; ++i) {
    note.add(S.names[i]), note.add(S.stages[i]);
  }
  for (const op &o : S.ops) {
    note.add(static_cast<int>(o.what)), note.add(o.cluster), note.add(o.events);
    note.add(o.buffer), note.add(o.part), note.add(o.fragment), note.add(o.ahead);
    note.add(o.pointer == kNoPointer ? WT_NOTE_NONE : o.pointer);
    note.add(o.through_registers);
    note.add(o.a), note.add(o.b), note.add(o.sum);
    note.add(o.scale_a), note.add(o.scale_b), note.add(o.start);
    note.add(o.steps), note.add(o.iterations);
    note.add(o.number), note.add(o.name), note.add(o.takes), note.add(o.makes), note.add(o.updates);
  }
  for (int row = 0; row < kRows; ++row) {
    for (const boundary &edge : kPlan.rows[row])
      note.add(edge.before), note.add(edge.barrier), note.add(edge.after);
  }
  return note;
}

template <auto Schedule>
constexpr auto pipeline_note = evaluated<note_of_pipeline<Schedule>()>;

// Notes that the kernel runs the schedule, and does what forget_uniform does.
template <auto Schedule>
WT_DEVICE void note_and_forget(int &end) {
  static_assert(pipeline_note<Schedule>.fits,
                "a number of the schedule does not fit into a byte of the note for tools: number buffers, "
                "fragments and sums from 0 on, below 256");
  note_and_forget_uniform<WT_NOTE_PIPELINE_1, pipeline_note<Schedule>>(end);
}

}  // namespace detail
}  // namespace wt::sched

#endif
