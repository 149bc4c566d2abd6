#include "kernels/cpu/vectors.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include "kernels/cpu/simd.hpp"
#include "tile/error.hpp"

namespace tilespmv::cpu {
namespace {

/// What users call it: Highway says AVX3.
std::string set_name(std::int64_t target) {
    std::string name = hwy::TargetName(target);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.starts_with("avx3") ? "avx512" + name.substr(4) : name;
}

/// Highway's bits of all sets, whichever is in use. A lower bit has wider vectors.
std::int64_t all_targets() {
    static const std::int64_t all = hwy::SupportedTargets();
    return all;
}

std::vector<std::int64_t> compiled_targets() {
    std::vector<std::int64_t> targets;
    for (std::int64_t left = all_targets() & HWY_TARGETS; left != 0; left &= left - 1) targets.push_back(left & -left);
    return targets;
}

}  // namespace

std::vector<std::string> vector_sets() {
    std::vector<std::string> names;
    for (const std::int64_t target : compiled_targets()) names.push_back(set_name(target));
    return names;
}

std::string vectors_in_use() { return set_name(simd_kernels<double>().target); }
int vector_lanes() { return simd_kernels<double>().lanes; }

void hold_vectors(std::string_view name) {
    for (const std::int64_t target : compiled_targets()) {
        if (set_name(target) != name) continue;
        const std::int64_t wider = target - 1;
        hwy::SetSupportedTargetsForTest(all_targets() & ~wider);
        hwy::GetChosenTarget().DeInit();  // what was chosen before
        return;
    }
    throw Error(fmt::format("no vectors '{}' in this build and processor, which have: {}", name,
                            fmt::join(vector_sets(), ", ")),
                ExitCode::usage);
}

}  // namespace tilespmv::cpu
