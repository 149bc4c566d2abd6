#include "kernels/auto/candidates_here.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "kernels/refusal.hpp"
#include "kernels/registry.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv {

bool is_candidate(std::string_view specification, bool on_gpu, std::size_t value_bytes) {
    const auto name = specification.substr(0, specification.find(':'));
    const Backend backend = on_gpu ? Backend::cuda : Backend::cpu;
    if (name == "auto") return false;
    if (value_bytes == sizeof(double)) return is_operator_name<double>(backend, name);
    if (value_bytes == sizeof(float)) return is_operator_name<float>(backend, name);
    return is_operator_name<Half>(backend, name);
}

std::vector<std::string> remove_unknown(std::vector<RankedOperator>& ranked, const OperatorQuestion& question) {
    std::vector<std::string> removed;
    std::erase_if(ranked, [&](const RankedOperator& one) {
        if (is_candidate(one.specification, question.gpu.has_value(), question.features.value_bytes)) return false;
        removed.push_back(one.specification);
        return true;
    });
    return removed;
}

void warn_passed_over(std::string_view specification, std::string_view why) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> warned;
    const std::scoped_lock lock(mutex);
    if (!warned.emplace(specification).second) return;
    fmt::print(stderr, "tilespmv: warning: auto passes over '{}' of its profile: {}\n", printable(specification),
               printable(why));
}

void pass_over(std::string_view specification, const Error& error) {
    if (dynamic_cast<const Refusal*>(&error) != nullptr) return;
    if (error.code() != ExitCode::usage) throw;
    warn_passed_over(specification, error.what());
}

}  // namespace tilespmv
