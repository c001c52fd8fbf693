// SPDX-License-Identifier: MIT
// command: g++ -x c++ -std=c++20
// expect: need clang in HIP mode .*, not this compiler
#include "wavetile_device.h"
