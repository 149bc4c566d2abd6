#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv::bench {

/// How matrices are grouped by their nonzeros: those of fewer than `middle`, of up to `most`, and of more.
struct SizeGroups {
    offset_t middle = 1'000'000;
    offset_t most = 10'000'000;
};

/// A named experiment that anyone can repeat: the matrices, and what is measured on them.
struct Suite {
    std::string_view name;
    std::string_view summary;
    std::vector<std::string_view> sources = {};  ///< none: those that are given
    /// Whether it is for the operators of a GPU; on a CPU those there are measured on its matrices.
    bool is_for_gpu = true;
    /// If empty, those that are measured by default.
    std::vector<std::string_view> operators = {};
    /// Besides these: operators that are `only_if_named`. Those that refuse a matrix are skipped.
    std::vector<std::string_view> more_operators = {};
    std::vector<std::string_view> selectors = {};  ///< empty: the default selector
    std::vector<std::string_view> baselines = {};  ///< empty: the default ones
    SizeGroups groups = {};                        ///< of the summary
};

/// Every suite there is.
std::span<const Suite> suites();

/// The suite called `name`; throws a usage `Error` that lists the names there are.
const Suite& find_suite(std::string_view name);

}  // namespace tilespmv::bench
