#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilespmv::bench {

/// Systems that `solver_benchmark` solves under one name, so that anyone can repeat it.
struct SolverSuite {
    std::string_view name;
    std::string_view summary;
    std::vector<std::string_view> generated = {};  ///< specifications
    std::vector<std::string_view> matrices = {};   ///< names of files in a folder, without their endings
    int gpus = 1;                                  ///< beside one, if more
};

/// Every suite there is; the first is the default.
std::span<const SolverSuite> solver_suites();

/// The suite called `name`; throws a usage `Error` that lists the names there are.
const SolverSuite& find_solver_suite(std::string_view name);

/// What is solved: specifications, and `NAME.mtx`, `.mtx.gz` or `.mtx.xz` in `folder`. Throws `Error` if one of these
/// is not there.
std::vector<std::string> systems_of(const SolverSuite& suite, const std::filesystem::path& folder);

}  // namespace tilespmv::bench
