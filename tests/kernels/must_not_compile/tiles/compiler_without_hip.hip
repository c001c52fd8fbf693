// SPDX-License-Identifier: MIT
// command: clang++ -x c++ -std=c++20
// expect: wavetile_device.h is for device code: compile in HIP mode
#include "wavetile_device.h"
