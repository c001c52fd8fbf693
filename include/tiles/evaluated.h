// SPDX-License-Identifier: MIT
// Defines a constant that takes the compiler long to work out.
#ifndef WT_TILES_EVALUATED_H
#define WT_TILES_EVALUATED_H

namespace wt {

// This is the value of its argument, for the initialiser of a variable outside functions: in device code
// clang evaluates such an initialiser three times (twice to see whether the variable may be a constant of the
// device), but a template argument once.
template <auto Value>
constexpr const auto &evaluated = Value;

}  // namespace wt

#endif
