// SPDX-License-Identifier: MIT
// This is a C11 program that uses the installed package.
#include "consumer.h"

int main(void) { return multiply_ones(); }
