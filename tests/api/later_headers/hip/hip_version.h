// SPDX-License-Identifier: MIT
// Stands in for the header of a later HIP: the test says of which.
#define HIP_VERSION_MAJOR WT_TEST_HIP_MAJOR
