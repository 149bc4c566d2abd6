#include "selector/models/anchor_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "selector/models/number_text.hpp"

namespace tilespmv {
namespace {

bool read_anchor(NumberReader& reader, Anchor& anchor) {
    if (!reader.next(anchor.weight) || !std::isfinite(anchor.weight)) return false;
    for (double& coordinate : anchor.place) {
        std::int64_t units = 0;
        constexpr std::int64_t most = 1'000'000'000'000'000'000;  // written and read again it is the same
        if (!reader.next(units) || units < -most || units > most) return false;
        coordinate = static_cast<double>(units) / Anchors::kUnits;
    }
    return true;
}

}  // namespace

std::string anchors_text(const Anchors& anchors) {
    std::string text;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        const Anchor anchor = anchors[i];
        if (!text.empty()) text += ' ';
        fmt::format_to(std::back_inserter(text), "{}", anchor.weight);
        for (const double coordinate : anchor.place)
            fmt::format_to(std::back_inserter(text), " {}", std::llround(coordinate * Anchors::kUnits));
    }
    return text;
}

std::optional<Anchors> parse_anchors(std::string_view text) {
    constexpr std::size_t kNumbers = 1 + std::tuple_size_v<Place>;  // of an anchor
    std::vector<Anchor> anchors;
    anchors.reserve(static_cast<std::size_t>(std::ranges::count(text, ' ')) / kNumbers + 1);
    NumberReader reader(text);
    while (!reader.is_at_end()) {
        if (!read_anchor(reader, anchors.emplace_back())) return {};
    }
    return Anchors(anchors);
}

}  // namespace tilespmv
