// SPDX-License-Identifier: MIT
// Proves laws of derived pipelines while compiling: waits and barriers are those worked out by hand, none of
// them can be weakened or left out, and schedules with a mistake are refused for what is wrong with them.
#include "kernels/gemm/gemm_4wave.h"
#include "kernels/gemm/gemm_8wave.h"
#include "tests/kernels/sched/pipeline_schedules.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

constexpr int kAny = wt::kAnyVmem, kAnyLds = wt::kAnyLds;
constexpr boundary kNone = {};
constexpr boundary kMeet = {.barrier = true};
constexpr boundary before(int vmem, int lds = kAnyLds) { return {.before = {vmem, lds}, .barrier = true}; }
constexpr boundary lds_after(boundary b, int lds) {
  b.after.lds = lds;
  return b;
}
constexpr boundary lds_only(int lds) { return {.after = {kAny, lds}}; }

template <auto S, int N>
constexpr bool row_is(int row, const boundary (&expected)[N]) {
  static_assert(N == S.clusters);
  for (int c = 0; c < N; ++c) {
    if (derived<S>.rows[row][c] != expected[c]) return false;
  }
  return true;
}

// ---- by hand: the small ones

// There is a barrier before copies (the last reads were waited for by the multiply), and another before
// reads.
static_assert(least_steps<kPlain> == 1 && derived<kPlain>.kRows == 1);
static_assert(row_is<kPlain>(0, {kMeet, before(0), lds_only(0)}));

// There is one barrier an iteration: the stage that is read next has landed, as the copies of one later step
// may still be in flight, and the stage copied to was read an iteration ago.
static_assert(least_steps<kDeep> == 2 && derived<kDeep>.kRows == 5);
static_assert(row_is<kDeep>(0, {kNone, kNone}) && row_is<kDeep>(1, {kNone, kNone}));
static_assert(row_is<kDeep>(2, {before(3), lds_only(0)}));
static_assert(row_is<kDeep>(3, {before(3), lds_only(0)}) && row_is<kDeep>(4, {before(0), lds_only(0)}));

// Y of this step was copied last, in the iteration before: the one barrier lets nothing stay in flight. In
// the prologue, X of step 1 (2 events) may, when the first fragment of X is read.
static_assert(least_steps<kRotated> == 3);
static_assert(row_is<kRotated>(0, {kNone, kNone}) && row_is<kRotated>(1, {kNone, kNone}));
static_assert(row_is<kRotated>(2, {before(2), kNone}));
static_assert(row_is<kRotated>(3, {lds_after(before(0), 0), lds_only(0)}));
static_assert(row_is<kRotated>(6, {lds_after(before(0), 0), lds_only(0)}));

// A wait must stand two barriers before the read. X of step k is the last copy of iteration k - 2: in front
// of the last cluster of iteration k - 1 the copies of Y and X of the latter may be in flight. Y of step k is
// the first copy of iteration k - 2: in front of the second cluster of iteration k, all but one of X and one
// of Y of the next step, and of Y of the step after it. But X's wait has covered it. Y is copied over one
// cluster after the next: its read has landed two barriers before.
static_assert(derived<kLagging>.settled == waits{3, kAnyLds});
static_assert(row_is<kLagging>(0, {kNone, kNone, kNone, kNone}) &&
              row_is<kLagging>(1, {kNone, kNone, kNone, kNone}));
static_assert(row_is<kLagging>(2, {kMeet, before(kAny, 0), kMeet, before(3, 0)}));
static_assert(row_is<kLagging>(3, {kMeet, before(kAny, 0), kMeet, before(0, 0)}));
static_assert(row_is<kLagging>(4, {kMeet, before(kAny, 0), kMeet, before(kAny, 0)}));

// This is the example of pipeline.h.
constexpr auto kExample = pipeline_in_step(buffers{3}, cluster(read(0, 0, 0, 8), copy(0, 2, 4)),
                                           cluster(multiply(0, {0, 0}, {0, 0})));
static_assert(check_schedule<kExample>());
static_assert(row_is<kExample>(0, {kNone, kNone}) && row_is<kExample>(1, {kNone, kNone}));
static_assert(row_is<kExample>(2, {before(4), lds_only(0)}));
static_assert(row_is<kExample>(3, {before(4), lds_only(0)}) && row_is<kExample>(4, {before(0), lds_only(0)}));

// X of steps k + 2 and k + 3 is fetched (4 events) in even iterations k, behind the put of step k + 1; the
// compiler waits for it. When Y of step k is read, that of step k + 1 may be in flight, and after even
// iterations the fetch. Reads and puts of a cluster go between the same MFMAs: no LDS operation may stay in
// flight.
static_assert(least_steps<kFetched> == 2 && derived<kFetched>.kRows == 6);
static_assert(row_is<kFetched>(0, {kNone, kNone}) && row_is<kFetched>(1, {kNone, before(kAny, 0)}));
static_assert(row_is<kFetched>(2, {before(1, 0), before(kAny, 0)}));
static_assert(row_is<kFetched>(3, {before(1 + 4, 0), before(kAny, 0)}));
static_assert(row_is<kFetched>(4, {before(1, 0), before(kAny, 0)}));
static_assert(row_is<kFetched>(5, {lds_after(before(0), 0), lds_only(0)}));

// The stores of the caller (1) and of the first three iterations (1 each) are in flight as well.
static_assert(least_steps<kStoring> == 5 && derived<kStoring>.kRows == 2 + 3 + 1 + 2);
static_assert(row_is<kStoring>(0, {kNone, kNone}) && row_is<kStoring>(1, {kNone, kNone}));
static_assert(row_is<kStoring>(2, {before(3 + 1), lds_only(0)}));
static_assert(row_is<kStoring>(3, {before(1 + 3 + 1), lds_only(0)}));
static_assert(row_is<kStoring>(4, {before(1 + 3 + 1), lds_only(0)}));
static_assert(row_is<kStoring>(5, {before(3), lds_only(0)}));

// ---- by hand: the GEMMs, by copies and through registers, and one that stores

// Their halves of tiles have the same number of copies.
constexpr int kSide = wt::target::kGfx950 ? 256 : 128;
template <int WavesN, wt::placement Placement>
using frame = gemm_frame<wt::bf16, wt::bf16, kSide, kSide, 2, WavesN, Placement>;
template <int WavesN, wt::placement Placement>
using fetched_frame = gemm_frame<wt::bf16, wt::bf16, kSide, kSide, 2, WavesN, Placement, 64, 1>;
using frame4 = frame<2, wt::placement::pinned>;
using frame8 = frame<4, wt::placement::compiler>;
constexpr int kBetween = 16;
constexpr auto kFourWaves = gemm_4wave_schedule<frame4>;
constexpr auto kFourFetched = gemm_4wave_schedule<fetched_frame<2, wt::placement::pinned>>;
constexpr auto kEightWaves = gemm_8wave_schedule<frame8>;
constexpr auto kEightFetched = gemm_8wave_schedule<fetched_frame<4, wt::placement::compiler>>;
constexpr auto kPersistent = gemm_4wave_schedule<frame4, kBetween>;
constexpr int kA4 = frame4::a_copier::kCopies, kB4 = frame4::b_copier::kCopies, kStep4 = 2 * (kA4 + kB4);
constexpr int kA8 = frame8::a_copier::kCopies, kB8 = frame8::b_copier::kCopies;

// When the first operands are read, all copies of both steps but theirs may be in flight.
static_assert(row_is<kFourWaves>(0, {kNone, kNone, kNone, kNone}));
static_assert(row_is<kFourWaves>(1, {kNone, kNone, before(2 * kStep4 - kA4 - kB4), kNone}));
static_assert(row_is<kFourWaves>(2, {before(kStep4, 0), lds_only(0), before(kStep4, 0), kNone}));
static_assert(row_is<kFourWaves>(3, {lds_after(before(kStep4), 0), lds_only(0),
                                     lds_after(before(kA4 + kB4), 0), kNone}));
static_assert(row_is<kFourWaves>(4, {lds_after(before(0), 0), lds_only(0), lds_only(0), kNone}));

// Each cluster that multiplies waits for what the next one reads, five copies of halves before; b0 and a0 are
// read in the step before.
constexpr int kHalvesA = 3 * kA8 + 2 * kB8,
              kHalvesB = 2 * kA8 + 3 * kB8;  // the last of the five is of A, of B
constexpr boundary kUse = before(kAny, 0);
static_assert(derived<kEightWaves>.settled == waits{});
static_assert(row_is<kEightWaves>(0, {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone}));
static_assert(row_is<kEightWaves>(1, {kNone, kNone, kNone, kNone, kNone, before(4 * kA8 + 3 * kB8), kNone,
                                      before(3 * (kA8 + kB8))}));
static_assert(row_is<kEightWaves>(2, {before(kHalvesA, 0), kMeet, before(kHalvesB, 0), kMeet,
                                      before(kHalvesA, 0), kMeet, before(kHalvesB), kMeet}));
static_assert(row_is<kEightWaves>(3, {before(kHalvesA, 0), kMeet, before(2 * kA8 + 2 * kB8, 0), kMeet,
                                      before(2 * kA8 + kB8, 0), kMeet, before(kA8 + kB8), kMeet}));
static_assert(row_is<kEightWaves>(4,
                                  {before(kA8, 0), kMeet, before(0, 0), kMeet, kUse, kMeet, kMeet, kMeet}));

// A store in each cluster of the first four steps is in flight beside the copies of a step; before the first
// of them are the stores of the caller.
static_assert(least_steps<kPersistent> == 6);
static_assert(row_is<kPersistent>(1, {kNone, kNone, before(2 * kStep4 - kA4 - kB4 + kBetween), kNone}));
static_assert(row_is<kPersistent>(2, {before(kStep4 + kBetween, 0), lds_only(0),
                                      before(kStep4 + kBetween + 2, 0), kNone}));
static_assert(row_is<kPersistent>(3, {before(kStep4 + kBetween + 4, 0), lds_only(0), before(kStep4 + 5, 0),
                                      kNone}));
static_assert(row_is<kPersistent>(4, {before(kStep4 + 5, 0), lds_only(0), before(kStep4 + 5, 0), kNone}));
static_assert(row_is<kPersistent>(6, {before(kStep4, 0), lds_only(0), before(kStep4, 0), kNone}));
// Through registers, nothing is left to wait for but LDS, by all before they meet.
constexpr boundary kLds = before(kAny, 0);
static_assert(least_steps<kFourFetched> == 2 && derived<kFourFetched>.kRows == 6);
static_assert(row_is<kFourFetched>(2, {kLds, lds_only(0), kLds, kNone}));
static_assert(row_is<kFourFetched>(3, {kLds, lds_only(0), kLds, kNone}));

// ---- nothing to spare

static_assert(check_schedule<kPlain>() && is_tight<kPlain>());
static_assert(check_schedule<kDeep>() && is_tight<kDeep>());
static_assert(check_schedule<kRotated>() && is_tight<kRotated>());
static_assert(check_schedule<kLagging>() && is_tight<kLagging>());
static_assert(check_schedule<kFetched>() && is_tight<kFetched>());
static_assert(check_schedule<kFetchedLagging>() && is_tight<kFetchedLagging>());
static_assert(check_schedule<kStoring>() && is_tight<kStoring>());
static_assert(check_schedule<kPersistent>() && is_tight<kPersistent>());
static_assert(check_schedule<kFourFetched>() && is_tight<kFourFetched>());
static_assert(check_schedule<kEightFetched>() && is_tight<kEightFetched>());
static_assert(check_schedule<kFourWaves>() && is_tight<kFourWaves>());
static_assert(check_schedule<kEightWaves>() && is_tight<kEightWaves>());

// ---- refused

constexpr op with_ahead(op o, int ahead) {
  o.ahead = ahead;
  return o;
}
template <auto S>
constexpr auto with_op(int i, op changed) {
  auto s = S;
  changed.cluster = s.ops[i].cluster;
  s.ops[i] = changed;
  return s;
}
template <auto S>
constexpr auto with_stages(int buffer, int stages) {
  auto s = S;
  s.stages[buffer] = stages;
  return s;
}
template <auto S>
constexpr finding kFound = check_plan<S>(derived<S>);

// Op 5 of the 4-wave loop copies B's half 0 two steps ahead. One step ahead is still in time; in the same
// iteration it comes before the barrier that its reads need.
constexpr op kCopyB0 = kFourWaves.ops[5];
static_assert(kCopyB0.what == does::copy && kCopyB0.buffer == kB0);
static_assert(!kFound<with_op<kFourWaves>(5, with_ahead(kCopyB0, 1))>.is_problem());
static_assert(kFound<with_op<kFourWaves>(5, with_ahead(kCopyB0, 0))>.what == problem::read_too_early);
static_assert(kFound<with_op<kFourWaves>(5, with_ahead(kCopyB0, 3))>.what == problem::overwritten_too_early);
static_assert(kFound<with_stages<kFourWaves>(kB0, 1)>.what == problem::overwritten_too_early);
static_assert(!kFound<with_stages<kFourWaves>(kB0, 3)>.is_problem());
static_assert(kFound<with_op<kFourWaves>(5, with_ahead(kCopyB0, -1))>.what == problem::negative_ahead);
static_assert(kFound<with_op<kFourWaves>(5, copy(kB0, 2, 0))>.what == problem::no_events);
static_assert(kFound<with_op<kFourWaves>(5, copy(kB1 + 1, 2, 1))>.what == problem::unknown_buffer);
static_assert(kFound<with_stages<kFourWaves>(kB0, 0)>.what == problem::unknown_buffer);
static_assert(kFound<with_op<kFourWaves>(5, copy(kA0, 2, 1))>.what == problem::never_copied);
static_assert(kFound<with_op<kFourWaves>(5, copy(kB0, 2, 60))>.what == problem::too_many_in_flight);

// Op 1 reads B's half 1 into b1 for this step, op 4 A's half 1 into a1, op 7 A's half 0 for the next.
static_assert(kFound<with_op<kFourWaves>(1, read(kB1, kB1, 1, 8))>.what == problem::fragment_stale);
static_assert(kFound<with_op<kFourWaves>(1, read(kB1, kB0, 0, 8))>.what == problem::never_loaded);
static_assert(kFound<with_op<kFourWaves>(7, read(kA0, kA0, 0, 8))>.what == problem::fragment_stale);
static_assert(kFound<with_op<kFourWaves>(7, read(kA0, kA0, 2, 8))>.what == problem::fragment_stale);
static_assert(kFound<with_op<kFourWaves>(7, read(kA0, 9, 1, 8))>.what == problem::never_loaded);
// Ops 6 and 9 are multiplied while a0 and b0 are read.
static_assert(kFound<with_op<kFourWaves>(6, multiply(2, {kA0, kA0}, {kB0, kB0}))>.what ==
              problem::fragment_overwritten);
static_assert(kFound<with_op<kFourWaves>(9, multiply(3, {kA1, kA1}, {kB0, kB0}))>.what ==
              problem::fragment_overwritten);

// What is multiplied names its buffer, so a fragment that serves two cannot be mistaken.
constexpr int kC01 = 3;
static_assert(kEightWaves.ops[kC01].sum == 1);
static_assert(kFound<with_op<kEightWaves>(kC01, multiply(1, {kA0, kA1}, {kB1, kB1}))>.what ==
              problem::fragment_stale);
// In ping-pong, one barrier between a wave's wait and what others do is not enough.
constexpr auto kRead = cluster(read(kX, kX, 0, 1)), kCopied = cluster(copy(kX, 1, 1));
constexpr auto kUsed = cluster(multiply(0, x, x));
static_assert(!kFound<pipeline_in_step(buffers{1}, kRead, kCopied, kUsed)>.is_problem());
static_assert(kFound<pipeline_ping_pong(2, buffers{1}, kRead, kCopied, kUsed)>.what ==
              problem::overwritten_too_early);
static_assert(!kFound<pipeline_ping_pong(2, buffers{1}, kRead, kUsed, kCopied, kUsed)>.is_problem());
constexpr auto kMixed = pipeline_ping_pong(2, buffers{2}, cluster(read(kX, kX, 0, 1), multiply(0, x, x)),
                                           cluster(copy(kX, 1, 1)));
static_assert(kFound<kMixed>.what == problem::mixed_cluster);
constexpr auto kIdle =
    pipeline_in_step(buffers{1}, kCopied, cluster(read(kX, kX, 0, 1), read(kX, kY, 0, 1)), kUsed);
static_assert(kFound<kIdle>.what == problem::never_multiplied && kFound<kIdle>.op == 2);
constexpr auto kTorn =
    pipeline_in_step(buffers{2}, cluster(multiply(0, x, x), read(kX, kX, 1, 1)), cluster(copy(kX, 2, 1)));
static_assert(kFound<kTorn>.what == problem::fragment_overwritten);
constexpr auto kUnread = pipeline_in_step(buffers{1, 1}, cluster(copy(kX, 0, 1), copy(kY, 0, 1)),
                                          cluster(read(kX, kX, 0, 1)), cluster(multiply(0, x, x)));
static_assert(kFound<kUnread>.what == problem::never_read && kFound<kUnread>.op == 1);

// Ops of kFetched: 2 is the put of X, 3 its fetch.
static_assert(kFetched.ops[2].what == does::put && kFetched.ops[3].what == does::fetch);
static_assert(kFound<with_op<kFetched>(3, fetch(kX, 4, 2, 4))>.what == problem::refilled_too_early);
static_assert(kFound<with_op<kFetched>(3, fetch(kX, 1, 2, 4))>.what == problem::put_too_early);
static_assert(kFound<with_op<kFetched>(2, put(kX, 2, 2))>.what == problem::put_too_early);
static_assert(kFound<with_op<kFetched>(2, put(kX, 0, 2))>.what == problem::refilled_too_early);
static_assert(kFound<with_op<kFetched>(2, put(kY, 1, 2))>.what == problem::never_fetched);
static_assert(kFound<with_op<kFetched>(2, copy(kX, 1, 2))>.what == problem::never_put);
static_assert(kFound<with_op<kFetched>(3, fetch(kX, 2, 0, 4))>.what == problem::uneven_fetches);
constexpr auto kApart = pipeline_in_step(
    buffers{1}, cluster(multiply(0, x, x), fetch(kX, 2, 1, 2), put(kX, 1, 2)), cluster(read(kX, kX, 1, 2)));
static_assert(kFound<kApart>.what == problem::apart_from_put && kFound<kApart>.op == 2);
// Two steps and three at once have no common pace, two and one do.
constexpr auto kUneven = pipeline_in_step(
    buffers{1, 1},
    cluster(multiply(0, x, y), put(kX, 1, 2), fetch(kX, 2, 2, 4), put(kY, 1, 1), fetch(kY, 2, 3, 3)),
    cluster(read(kX, kX, 1, 2), read(kY, kY, 1, 1)));
static_assert(kFound<kUneven>.what == problem::uneven_fetches && kFound<kUneven>.op == 2);
constexpr auto kUnlike = with_op<kUneven>(4, fetch(kY, 2, 1, 1));
static_assert(check_schedule<kUnlike>() && is_tight<kUnlike>() && least_steps<kUnlike> == 2);
static_assert(kUnlike.together() == 2 && kUnlike.together(kX) == 2 && kUnlike.together(kY) == 1);
static_assert(kFound<with_op<kUnlike>(2, fetch(kX, 4, 2, 4))>.what == problem::refilled_too_early);
static_assert(kFound<with_op<kUnlike>(4, fetch(kY, 3, 1, 1))>.what == problem::refilled_too_early);
static_assert(kFound<with_op<kUnlike>(4, fetch(kY, 1, 1, 1))>.what == problem::put_too_early);

// What applies scales to the product of the cluster before waits for them as a multiply would: here Y belongs
// to the last step, whose product it is applied to.
constexpr auto kApplied =
    pipeline_in_step(buffers{2, 2}, cluster(multiply(0, x, x, 1), apply(1, y, y), copy(kX, 2, 1)),
                     cluster(read(kX, kX, 2, 1), read(kY, kY, 1, 1), copy(kY, 2, 1)));
static_assert(check_schedule<kApplied>() && is_tight<kApplied>());
static_assert(kFound<with_op<kApplied>(1, apply(1, y, y, 1))>.what == problem::fragment_stale);
static_assert(kFound<with_op<kApplied>(1, apply(1, {kX, kY}, y))>.what == problem::never_loaded);

// Block scales are operands, too. The scales of two steps lie together and are fetched together.
constexpr int kScale = 2;
constexpr operand kScaleOfX{kScale, kScale};
constexpr auto kScaled = pipeline_in_step(
    buffers{2, 1, 2},
    cluster(multiply_scaled(0, x, kScaleOfX, x, kScaleOfX), put(kScale, 1, 1), fetch_joined(kScale, 2, 2, 1)),
    cluster(multiply(1, y, y), read(kX, kX, 1, 2), read(kScale, kScale, 1, 1), copy(kX, 2, 2)),
    cluster(copy(kY, 1, 1)), cluster(read(kY, kY, 1, 1)));
static_assert(check_schedule<kScaled>() && is_tight<kScaled>() && least_steps<kScaled> == 2);

// ---- two lists as one

template <int M, int N>
constexpr bool weaves(const char *expected) {  // '1' for micro-ops of the first list, '2' for the others
  for (int at = 0; at < M + N; ++at) {
    const int before = wt::detail::woven_before<M, N>(at), after = wt::detail::woven_before<M, N>(at + 1);
    if (after - before != (expected[at] == '1')) return false;
  }
  return wt::detail::woven_before<M, N>(M + N) == M;
}
static_assert(weaves<2, 4>("122122") && weaves<4, 2>("112112") && weaves<3, 0>("111"));
static_assert(weaves<2, 3>("12122") && weaves<4, 4>("12121212") && weaves<1, 3>("1222"));

}  // namespace

WT_KERNEL(64) pipeline_laws() {}
