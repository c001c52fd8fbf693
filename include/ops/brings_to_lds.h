// SPDX-License-Identifier: MIT
// This header says what a loader is: a type that brings tiles from global memory to LDS. There are two paths,
// each with its verbs. They return lists of micro-ops (list.h), which a schedule places.
//
//   directly             copies(from..., to)   memory -> LDS; leaves vmcnt, for which the caller waits
//   through registers    fetches(from...)      memory -> registers; leaves vmcnt, for which clang waits
//                        puts<Nth>(to)         registers -> LDS; leaves lgkmcnt, for which the caller waits
//
// `to` is the place of a tile in LDS, to which a tile converts (lds_place.h). Where several tiles are fetched
// together, Nth is the number of the one that is put. from... says which tile of memory comes:
//
//   buffer from, int step   tile number `step` along K of a matrix that the caller describes
//   int step                the same where the loader knows the matrix
//   long long advance       the next tile, and that the one after it lies so many bytes further on
//   nothing                 the next tile
//
// A loader has the type `tile` of what it fills and the number kCopies of the micro-ops of copies or puts.
// One that masks what lies past the end of K has copies_tail, or fetches_tail and puts_tail, besides; one
// whose tiles come in pieces takes the number of a piece as a template argument, which is 0 if it is left
// out.
//
// Which loader for what:
//
//   lds_copier, register_copier             rows of a matrix at multiples of 16 bytes
//   transposing_copier                      its columns, which are transposed on the way
//   row_stager, transposing_stager          the same two at any alignment and distance
//   scale_copier, shuffled_scale_copier     block scales
#ifndef WT_OPS_BRINGS_TO_LDS_H
#define WT_OPS_BRINGS_TO_LDS_H

#include "lds_place.h"
#include "list.h"

namespace wt {

// Holds for loaders that copy directly.
template <class Loader, class... From>
concept copies_to_lds = requires(Loader &loader, lds_place<typename Loader::tile> to, From... from) {
  requires decltype(loader.copies(from..., to))::kSize == Loader::kCopies;
};

// Holds for loaders that go through registers.
template <class Loader, class... From>
concept puts_to_lds = requires(Loader &loader, lds_place<typename Loader::tile> to, From... from) {
  requires decltype(loader.fetches(from...))::kSize > 0;
  requires decltype(loader.template puts<0>(to))::kSize == Loader::kCopies;
};

// Holds for all loaders. What uses one asserts it, so that a type without the verbs is refused in a sentence.
template <class Loader, class... From>
concept brings_to_lds = copies_to_lds<Loader, From...> || puts_to_lds<Loader, From...>;

}  // namespace wt

#endif
