// SPDX-License-Identifier: MIT
// flags: -std=c++17
// expect: device headers are written in C\+\+20: compile with -std=c\+\+20
#include "wavetile_device.h"
