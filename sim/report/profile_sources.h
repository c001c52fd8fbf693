// SPDX-License-Identifier: MIT
// The source lines of a recorded launch.
#ifndef SIM_REPORT_PROFILE_SOURCES_H
#define SIM_REPORT_PROFILE_SOURCES_H

#include "sim/report/profile.h"

// Fills the frames of a record whose ops and text are listed, and adds the names of files to the text.
// Without line tables there are none. Returns false when host memory runs out.
bool sim_profile_sources(sim_profile_launch *out, const sim_launch *launch);

#endif
