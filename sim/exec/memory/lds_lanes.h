// SPDX-License-Identifier: MIT
// Declares LDS instructions that move data between lanes: handlers for the rows of lds.c.
#ifndef SIM_EXEC_MEMORY_LDS_LANES_H
#define SIM_EXEC_MEMORY_LDS_LANES_H

#include "sim/exec/memory/memory_ops.h"

// sim_opinfo.arg of transpose reads: elements per lane, above SIM_M_BYTES.
enum { SIM_M_ELEMENTS = 16 };

void sim_run_ds_swizzle(sim_wave *w, const sim_op *op);
void sim_run_ds_permute(sim_wave *w, const sim_op *op);
void sim_run_ds_bpermute(sim_wave *w, const sim_op *op);
void sim_run_ds_transpose(sim_wave *w, const sim_op *op);

#endif
