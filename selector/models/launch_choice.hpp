#pragma once

#include <string_view>

#include "selector/auto/matrix_features.hpp"

/// What operators choose for their launches, as far as it follows from features of a matrix, and how many threads these
/// have: times have a step wherever operators choose otherwise, and wherever blocks are one wave more.
namespace tilespmv {

/// Warps of a product over those that the GPU holds at a time; 0 where operators of this name and options let as many
/// as fit take turns, or nothing is known.
double launch_waves(std::string_view name, std::string_view options, const MatrixFeatures& f);

/// A number that differs by 1 where an operator of this name and options doubles the threads or the work of a thread,
/// by more where it takes another kernel; 0 of any other operator.
double launch_choice(std::string_view name, std::string_view options, const MatrixFeatures& f);

/// Threads that add up a row in csr-multiround.
int multiround_group(const MatrixFeatures& f);

/// What strip makes of most tile rows.
enum class StripForm { windows, ranks, csr16 };
StripForm strip_form(const MatrixFeatures& f);

/// Bytes of all tile rows as strips filled by rank.
double rank_strip_bytes(const MatrixFeatures& f);

}  // namespace tilespmv
