// SPDX-License-Identifier: MIT
// Defines small pipelines for the tests: one deep in stages, one whose fragments rotate, one in which half of
// the waves lag, one without any overlap, two with data that go through registers, one that stores, and four
// of any length in which vectors make a fragment of one product for the next.
#ifndef WT_TESTS_KERNELS_PIPELINE_SCHEDULES_H
#define WT_TESTS_KERNELS_PIPELINE_SCHEDULES_H

#include "sched/pipeline.h"

namespace pipelines {

using namespace wt::sched;

enum { kX, kY };
constexpr operand x{kX, kX}, y{kY, kY};

// All is in one iteration, and one stage.
constexpr auto kPlain =
    pipeline_in_step(buffers{1, 1}, cluster(copy(kX, 0, 2), copy(kY, 0, 1)),
                     cluster(read(kX, kX, 0, 2), read(kY, kY, 0, 1)), cluster(multiply(0, x, y)));

// This has three stages, copied two steps ahead; fragments are read one cluster before they are multiplied.
constexpr auto kDeep = pipeline_in_step(
    buffers{3, 3}, cluster(read(kX, kX, 0, 2), read(kY, kY, 0, 1), copy(kX, 2, 2), copy(kY, 2, 1)),
    cluster(multiply(0, x, y)));

// X is three steps ahead in four stages, Y one in two. Each fragment is read while the other sum grows: X's
// for the next step.
constexpr auto kRotated =
    pipeline_in_step(buffers{4, 2}, cluster(multiply(0, x, x), read(kY, kY, 0, 1), copy(kX, 3, 2)),
                     cluster(multiply(1, y, y), read(kX, kX, 1, 2), copy(kY, 1, 1)));

// Two waves lead two others past the barrier.
constexpr auto kLed = led_by(
    2, pipeline_in_step(buffers{2, 2}, cluster(multiply(0, x, y)),
                        cluster(read(kX, kX, 1, 2), read(kY, kY, 1, 1), copy(kX, 2, 2), copy(kY, 2, 1))));

// This is a ping-pong of two waves and two.
constexpr auto kLagging = pipeline_ping_pong(
    2, buffers{3, 3}, cluster(read(kX, kX, 0, 2), copy(kY, 2, 1)), cluster(multiply(0, x, x)),
    cluster(read(kY, kY, 0, 1), copy(kX, 2, 2)), cluster(multiply(1, x, y)));

// X goes through registers into its one stage, two steps at once; Y is copied two steps ahead.
constexpr auto kFetched = pipeline_in_step(
    buffers{1, 3}, cluster(multiply(0, x, x), read(kY, kY, 0, 1), put(kX, 1, 2), fetch(kX, 2, 2, 4)),
    cluster(multiply(1, y, y), read(kX, kX, 1, 2), copy(kY, 2, 1)));

// This is the same in ping-pong; the fetch stands in a cluster before that of its put.
constexpr auto kFetchedLagging = pipeline_ping_pong(
    2, buffers{1, 3}, cluster(read(kX, kX, 0, 2), copy(kY, 2, 1), fetch(kX, 1, 2, 4)),
    cluster(multiply(0, x, x)), cluster(read(kY, kY, 0, 1), put(kX, 1, 2)), cluster(multiply(1, x, y)));

// A run that begins with a store of the caller's and stores in its first three iterations.
constexpr auto kStoring = copies_first(
    pipeline_in_step(buffers{3, 3},
                     cluster(read(kX, kX, 0, 2), read(kY, kY, 0, 1), copy(kX, 2, 2), copy(kY, 2, 1)),
                     cluster(multiply(0, x, y), store(3, 1))),
    1);

// Sum 0 of X, read in two parts, becomes fragment kMade, by which Y is multiplied; both are copied as far
// ahead as their four stages allow, at addresses that are advanced elsewhere. An iteration begins and ends
// within the interval that multiplies.
enum { kX1 = 2, kMade = 3, kLoaded = 4, kBegin = 5 };
template <op CopyX, op CopyY>
consteval auto attentive() {
  constexpr operand x0{kX, kX, 0}, x1{kX1, kX, 1};
  return copies_first(open_ended(waits_by_register(pipeline_ping_pong(
      2, buffers{4, 4},  //
      interval_continued(cluster(multiply(0, kept(kLoaded), x0), read(kX, kX1, 0, 1, 1), advance(kY, 2)),
                         cluster(multiply(0, kept(kLoaded), x1), read(kY, kY, 0, 1), advance(kX, 3))),
      interval(cluster(vector(0, {0}, {kMade}, {1}), CopyY, CopyX), cluster(vector(1, {0}, {kMade}, {1}))),
      interval(cluster(multiply(1, made(kMade), y), read(kX, kX, 1, 1)))))));
}
constexpr auto kAttentive = attentive<copy(kX, 3, 2), copy(kY, 2, 1)>();
// This is the same with fewer stages, in which sum 0 begins with what a read brings.
constexpr auto kStarted = copies_first(open_ended(waits_by_register(pipeline_ping_pong(
    2, buffers{3, 3},  //
    interval_continued(cluster(multiply(0, kept(kLoaded), {kX1, kX, 1}).starting_from({kBegin, kX, 0}),
                               read(kY, kY, 0, 1), copy(kX, 2, 2))),
    interval(cluster(vector(0, {0}, {kMade}, {1}), copy(kY, 2, 1)), cluster(vector(1, {0}, {kMade}, {1}))),
    interval(cluster(multiply(1, made(kMade), y), read(kX, kBegin, 1, 1), read(kX, kX1, 1, 1, 1)))))));
// In step: a vector in two parts makes the fragment beside MFMAs of another sum. Reads go by pointers: that
// of X is advanced to the step that is read next, that of Y to the iteration's own.
enum { kAtX, kAtY };
constexpr auto kBeside = copies_first(open_ended(waits_by_register(pipeline_in_step(
    buffers{4, 4},
    cluster(multiply(0, kept(kLoaded), {kX, kX, 0}), read(kX, kX1, 0, 1, 1).by_pointer(kAtX), advance(kY, 2),
            advance_pointer(kAtY, kY, 0)),
    cluster(multiply(0, kept(kLoaded), {kX1, kX, 1}), read(kY, kY, 0, 1).by_pointer(kAtY), advance(kX, 3)),
    cluster(vector(2, {0}, {}), multiply(1, kept(kLoaded), {kX1, kX, 1}), advance_pointer(kAtX, kX, 1)),
    cluster(vector(3, {0}, {kMade}), multiply(1, kept(kLoaded), y), copy(kY, 2, 1)),
    cluster(multiply(1, made(kMade), y), read(kX, kX, 1, 1).by_pointer(kAtX), copy(kX, 3, 2))))));
constexpr auto kAttentiveThrough = attentive<copy_through(kX, 3, 2), copy_through(kY, 2, 1)>();

}  // namespace pipelines

#endif
