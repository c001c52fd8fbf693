// SPDX-License-Identifier: MIT
// This is the C API of wavetile: kernels for AMD CDNA GPUs (gfx942, gfx950), or for the simulated ones. It
// serves C11 and C++; no HIP header is needed to include it. Each family of kernels has a header of its own,
// which may be included alone.
//
// Every fallible call returns a wt_status and, on failure, leaves one sentence in wt_last_error() that names
// the argument, its value and the remedy. A refused call launches nothing and writes nothing. No call prints,
// aborts or exits. All calls may be made from any thread, also on one shared context.
#ifndef WAVETILE_H
#define WAVETILE_H

#include "wavetile/activation.h"
#include "wavetile/attention.h"
#include "wavetile/base.h"
#include "wavetile/block_output.h"
#include "wavetile/block_scale.h"
#include "wavetile/conv.h"
#include "wavetile/experts.h"
#include "wavetile/gemm.h"
#include "wavetile/gemm_block.h"
#include "wavetile/gemm_mx.h"
#include "wavetile/grouped.h"
#include "wavetile/norm.h"
#include "wavetile/quantize.h"
#include "wavetile/rotary.h"
#include "wavetile/shuffle.h"
#include "wavetile/softmax.h"

#endif
