#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/auto/rank_operators.hpp"
#include "tile/error.hpp"

/// What `auto` does with candidates that a profile names and this build cannot make: profiles are of other builds, too.
namespace tilespmv {

/// Whether `auto` may take the operator of this name, with any options, for such values on that device: there is one,
/// in any build for a GPU, and it is not `auto` itself.
bool is_candidate(std::string_view specification, bool on_gpu, std::size_t value_bytes);

/// Removes those that are no candidates, and returns their specifications.
std::vector<std::string> remove_unknown(std::vector<RankedOperator>& ranked, const OperatorQuestion& question);

/// Says on stderr, once a process for each specification, that `auto` passes over it, and why.
void warn_passed_over(std::string_view specification, std::string_view why);

/// Passes over a candidate that cannot be made: it refuses the matrix, or, about which it warns, its options are wrong.
/// To be called in a `catch`; throws any other error again.
void pass_over(std::string_view specification, const Error& error);

/// Makes `chosen`, or where that is passed over the first of `rank()` that is not.
template <class Make, class Rank>
auto make_or_next(const std::string& chosen, Make&& make, Rank&& rank) {
    try {
        return make(chosen);
    } catch (const Error& error) {
        pass_over(chosen, error);
    }
    std::vector<RankedOperator> ranked = rank();
    std::erase_if(ranked, [&](const auto& one) { return one.specification == chosen; });
    for (std::size_t i = 0; i + 1 < ranked.size(); ++i) {
        try {
            return make(ranked[i].specification);
        } catch (const Error& error) {
            pass_over(ranked[i].specification, error);
        }
    }
    return make(ranked.empty() ? chosen : ranked.back().specification);
}

}  // namespace tilespmv
