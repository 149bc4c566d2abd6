#include <algorithm>

#include <fmt/format.h>

#include "formats/list.hpp"
#include "tools/plot/draw.hpp"
#include "tools/plot/style.hpp"

namespace tilespmv::tools {
namespace {

constexpr double kWidth = 960;
constexpr double kNames = 240;  // the names of the matrices end here
constexpr double kLeft = kNames + 10;
constexpr double kRight = kWidth - kMargin - 16;
constexpr double kTop = 92;
constexpr double kBar = 14;
constexpr double kStep = 20;
constexpr double kBelow = 44;

/// A format keeps its colour whatever else is drawn. The colour after those of the published formats is that of csr16
/// and what else is no format.
std::string_view color_of(std::string_view name) {
    if (name == "deferred") return "#b1bac4";
    const std::size_t published = formats::published_formats().size();
    const auto& table = formats::format_table();
    const auto at = static_cast<std::size_t>(std::ranges::find(table, name, &FormatInfo::name) - table.begin());
    if (at == table.size()) return kColors[published];
    return kColors[(at < published ? at : at + 1) % kColors.size()];
}

std::vector<std::string> names_of(const std::vector<ExecutedMix>& mixes) {
    std::vector<std::string> names;
    for (const auto& info : formats::format_table()) names.emplace_back(info.name);
    for (const auto& mix : mixes) {
        for (const auto& part : mix.parts) {
            if (std::ranges::count(names, part.name) == 0) names.push_back(part.name);
        }
    }
    const auto is_unused = [&](const std::string& name) {
        return std::ranges::none_of(mixes, [&](const ExecutedMix& mix) {
            return std::ranges::count(mix.parts, name, &ExecutedMix::Part::name) > 0;
        });
    };
    std::erase_if(names, is_unused);
    return names;
}

void draw_legend(Picture& picture, const std::vector<std::string>& names, const std::string& title) {
    picture.text(kNames, 76, title, {.anchor = Anchor::end});
    double x = kLeft;
    for (const auto& name : names) {
        picture.rectangle(x, 66, 11, 11, color_of(name));
        picture.text(x + 16, 76, name, {.color = kInk});
        x += 36 + small_width(name);
    }
}

void draw_grid(Picture& picture, double bottom, const std::string& x_label) {
    for (int percent = 0; percent <= 100; percent += 25) {
        const double x = kLeft + (kRight - kLeft) * percent / 100;
        picture.line(x, kTop - 4, x, bottom + 4, kGrid);
        picture.text(x, bottom + 20, fmt::format("{}%", percent), {.anchor = Anchor::middle});
    }
    picture.text((kLeft + kRight) / 2, bottom + 38, x_label, {.size = 12, .anchor = Anchor::middle});
}

void draw_bar(Picture& picture, const ExecutedMix& mix, double y) {
    picture.text(kNames, y + kBar - 3, shortened(mix.matrix, kNames - kMargin), {.color = kInk, .anchor = Anchor::end});
    double x = kLeft;
    for (const auto& part : mix.parts) {
        const double width = part.share * (kRight - kLeft);
        picture.rectangle(x, y, width, kBar, color_of(part.name),
                          fmt::format("{}, {}: {:.1f}%", mix.matrix, part.name, 100 * part.share));
        x += width;
    }
}

}  // namespace

Picture draw_mixes(const std::vector<ExecutedMix>& mixes, const MixText& text) {
    const double bottom = kTop + kStep * static_cast<double>(mixes.size()) - (kStep - kBar);
    Picture picture(kWidth, bottom + kBelow + 8, text.title);
    draw_head(picture, text.title, text.subtitle);
    draw_legend(picture, names_of(mixes), text.legend);
    draw_grid(picture, bottom, text.x_label);
    double y = kTop;
    for (const auto& mix : mixes) {
        draw_bar(picture, mix, y);
        y += kStep;
    }
    return picture;
}

}  // namespace tilespmv::tools
