// SPDX-License-Identifier: MIT
// Tells the user of a program what the simulated device has to say.
#ifndef SIM_SETTINGS_SAY_H
#define SIM_SETTINGS_SAY_H

#include <stdarg.h>

// Writes one sentence and a line end to standard error, unless WT_SIM_QUIET is set. The sentence names the
// HIP call or the setting first.
__attribute__((format(printf, 1, 2))) void sim_say(const char *format, ...);
__attribute__((format(printf, 1, 0))) void sim_vsay(const char *format, va_list args);

#endif
