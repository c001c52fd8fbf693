// SPDX-License-Identifier: MIT
// Predicts short sequences of instructions (micro.hip), which the build assembles and embeds.
#ifndef WT_TOOLS_MICRO_H
#define WT_TOOLS_MICRO_H

#include "predict/predict.h"

enum { MICRO_TIMES = 256 };  // of a rate: by so many times do _less and _more differ

// `kernel` is micro_NAME. The shape is the number of waves of the one work-group, and
// stride, bytes between the addresses of neighbouring lanes (default 0). Reports, and returns an exit code.
// `span` is the cycles that _more takes longer than _less. Of micro_NAME_crowd the shape begins with the
// number of work-groups of a wave, and `span` is what a wave's clock shows, in the mean.
int micro_predict(const predict_call *call, double *span);

#endif
