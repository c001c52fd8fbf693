// SPDX-License-Identifier: MIT
// A C11 program that uses the installed package.
#include "consumer.h"

int main(void) { return multiply_ones(); }
