// SPDX-License-Identifier: MIT
// A C++ program that uses the installed package.
#include "consumer.h"

int main() { return multiply_ones(); }
