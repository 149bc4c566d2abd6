#include "tools/text/executed_text.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilespmv::tools {
namespace {

/// Whole percents; what is there never reads as nothing, and what is not all never as all.
std::string short_percent(double share) {
    if (share <= 0.005) return "<1%";
    if (share >= 0.995 && share < 1) return ">99%";
    return fmt::format("{:.0f}%", 100 * share);
}

}  // namespace

std::string part_name(const ExecutedPart& part) {
    if (part.format.empty()) return part.representation;
    if (part.representation == "slots") return part.format + " in slots";
    if (part.representation == "walked") return part.format + " one by one";
    return part.representation == "csr" && part.format != "deferred" ? part.format + " in rows" : part.format;
}

std::string executed_text(std::span<const ExecutedPart> parts, std::size_t most) {
    std::vector<ExecutedPart> sorted(parts.begin(), parts.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &ExecutedPart::nnz);
    offset_t nnz = 0;
    for (const auto& part : sorted) nnz += part.nnz;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) {
        texts.push_back(fmt::format("{} {}", part_name(sorted[i]),
                                    short_percent(static_cast<double>(sorted[i].nnz) / static_cast<double>(nnz))));
    }
    if (sorted.size() > most) texts.push_back(fmt::format("{} more", sorted.size() - most));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string operator_text(std::string_view specification, std::string_view runs) {
    return runs.empty() ? std::string(specification) : fmt::format("{} ({})", specification, runs);
}

}  // namespace tilespmv::tools
