#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/harness/result_file.hpp"
#include "selector/models/profile.hpp"

/// What the command shows of profiles and results; nothing in a build without it.
namespace tilespmv::test {

inline void require(bool condition, const std::string& what) {
    if (condition) return;
    fmt::print(stderr, "{}\n", what);
    std::abort();
}

void show_choice(const OperatorQuestion& question, const std::vector<RankedOperator>& by_models,
                 const std::vector<RankedOperator>& by_rules);
void show(const Profile& profile);
/// Aborts if a picture has coordinates that are no numbers.
void show(const bench::ResultSet& set);

}  // namespace tilespmv::test
