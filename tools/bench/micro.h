// SPDX-License-Identifier: MIT
// Predicts short sequences of instructions (micro.hip), which the build assembles and embeds.
#ifndef WT_TOOLS_MICRO_H
#define WT_TOOLS_MICRO_H

#include "predict/predict.h"

enum { MICRO_TIMES = 256 };  // repetitions by which _less and _more differ where a rate is measured

// `kernel` is micro_NAME. The shape is the number of waves of the one work-group, and
// stride, bytes between the addresses of neighbouring lanes (default 0). Reports, and returns an exit code.
// `span` is the cycles that _more takes longer than _less. The shape of a
// micro_NAME_crowd begins with the number of work-groups of one wave, and `span` is the mean of what the
// waves' clocks show.
int micro_predict(const predict_call *call, double *span);

#endif
