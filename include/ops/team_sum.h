// SPDX-License-Identifier: MIT
// This header adds up what the teams of a work-group hold for one row. Gradients of weights, to which every
// row contributes, leave the work-group as one sum.
#ifndef WT_OPS_TEAM_SUM_H
#define WT_OPS_TEAM_SUM_H

#include "isa/lds.h"
#include "isa/sync.h"
#include "team.h"
#include "team_row.h"
#include "vector_part.h"

namespace wt {

// Adds the rows of the teams of a work-group. Values lie in LDS four by four, thread after thread, so no
// access meets a bank twice. The memory is hardly anything when the work-group is one team.
//
// scope: work-group; operands: a team_row of each team; leaves: none; waits: nobody; LDS: team_sum::memory;
// registers: none; chips: both
template <class Team, class Row>
struct team_sum {
  static constexpr int kThreads = Team::kThreads * Team::kTeams, kQuads = Row::kChunks * Row::kEach / 4;
  static_assert(Row::kEach % 4 == 0, "sums of teams pass LDS by fours: use chunks of a multiple of 4");
  struct memory {
    f32x4 values[Team::kTeams > 1 ? kQuads : 1][kThreads];
    f32 rest[kThreads];
  };

  // Sets, in team 0, `row` to the sum of the teams' rows, in their order; what other teams hold is undefined.
  // Every thread of the work-group must take part.
  WT_DEVICE static void to_first(Row &row, const Team &team, memory &shared) {
    if constexpr (Team::kTeams > 1) {
      const u32 values = lds_address(&shared.values), rest = lds_address(&shared.rest);
      const u32 thread = static_cast<u32>(thread_id());
      barrier();  // before what was passed last is overwritten
      each_quad(row, [&](auto q, f32x4 &quad) WT_INLINE {
        ds_write(values + thread * sizeof(f32x4), quad, q * kThreads * static_cast<int>(sizeof(f32x4)));
      });
      ds_write(rest + thread * sizeof(f32), row.rest);
      barrier();
      if (team.number != 0) return;
#pragma unroll 1
      for (u32 other = thread + Team::kThreads; other < kThreads; other += Team::kThreads) {
        each_quad(row, [&](auto q, f32x4 &quad) WT_INLINE {
          quad +=
              ds_read<f32x4>(values + other * sizeof(f32x4), q * kThreads * static_cast<int>(sizeof(f32x4)));
        });
        row.rest += ds_read<f32>(rest + other * sizeof(f32));
      }
    }
  }

 private:
  // Calls f(index<Q>{}, quad) for the groups of four of a row; f may change them.
  template <class F>
  WT_DEVICE static void each_quad(Row &row, const F &f) {
    unrolled<kQuads>([&](auto q) WT_INLINE {
      static constexpr int kPerChunk = Row::kEach / 4, kFrom = q % kPerChunk * 4;
      auto &chunk = row.chunk[q / kPerChunk];
      f32x4 quad = vector_part<f32x4, kFrom>(chunk);
      f(q, quad);
      put_part<kFrom>(chunk, quad);
    });
  }
};

}  // namespace wt

#endif
