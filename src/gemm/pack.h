// SPDX-License-Identifier: MIT
// Operands whose rows do not begin with lines of memory are brought to the workspace first, where that takes
// less time than to load them as they are: to rows at multiples of 128 bytes, with zeros up to a whole K
// step.
#ifndef WT_SRC_PACK_H
#define WT_SRC_PACK_H

#include "choice.h"
#include "kernels/gemm/gemm_pack_args.h"

// Names the file of the kernel that packs, and its symbol.
#define WT_PACK_STEM "gemm_pack"

// Returns whether the plan packs an operand.
bool wt_packs(const wt_gemm_plan *plan);

// Returns the product of the packed operands, with the plan's choice and cut; the plan itself where it packs
// none. Its workspace is what packing leaves.
wt_gemm_plan wt_packed_plan(const wt_context *context, const wt_gemm_plan *plan);

// Returns the bytes of an operand that is packed, all members of the batch; 0 of another.
uint64_t wt_packed_bytes(const wt_context *context, const wt_gemm_plan *plan, const wt_gemm_matrix *matrix);

// Returns what the kernel is told of an operand that it packs.
wt_gemm_pack_operand wt_pack_operand(const wt_context *context, const wt_gemm_plan *plan,
                                     const wt_gemm_matrix *matrix, const void *from, void *to);

// Returns the predicted cycles of packing.
double wt_pack_cost(const wt_context *context, const wt_gemm_plan *plan);

// Has operands packed, and sets the plan's choice and cut for them, where all of that is predicted to take
// less time than the plan's choice for the operands as they are, which takes so many cycles.
void wt_pack_choose(const wt_context *context, wt_gemm_plan *plan, double cycles);

#endif
