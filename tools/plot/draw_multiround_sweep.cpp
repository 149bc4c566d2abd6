#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "selector/csr_shapes.hpp"
#include "tools/plot/style.hpp"
#include "tools/plot/sweeps.hpp"

namespace tilespmv::tools {
namespace {

constexpr double kCellWidth = 38;
constexpr double kCellHeight = 18;
constexpr double kLeft = 132;    // the numbers of threads and products stand to the left of it
constexpr double kThreads = 66;  // from the numbers of threads to the cells
constexpr double kTop = 116;
constexpr double kBorder = 1;  // between cells
constexpr double kGap = 18;    // between panels
constexpr double kLegend = 14 * kCellWidth;
constexpr double kScaleNames = 92;  // left of the colour scale
constexpr double kScale = 98;       // the scale and its numbers
constexpr double kScaleBar = 14;    // width of its bar
constexpr double kBelow = 52;
constexpr double kLeastScale = 200;  // height
constexpr double kLeastWidth = 760;  // for the best options
constexpr double kMicro = 1e6;
constexpr double kLargestRatio = 8;  // what is slower has the colour of this
constexpr std::string_view kMissing = "#e6e8eb";
constexpr std::string_view kEmpty = "#f6f8fa";
constexpr std::string_view kHatch = "#b1bac4";
constexpr auto kMark = kColors[1];

/// From the best to the slowest.
constexpr std::array<std::array<double, 3>, 4> kHeat{{{8, 64, 129}, {43, 140, 190}, {168, 221, 181}, {255, 255, 217}}};

Rgb color_of(double ratio) {
    const double place = std::clamp(std::log(ratio) / std::log(kLargestRatio), 0.0, 1.0) * (kHeat.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), kHeat.size() - 2);
    const auto part = [&](std::size_t i) {
        const double value = std::lerp(kHeat[below][i], kHeat[below + 1][i], place - static_cast<double>(below));
        return static_cast<std::uint8_t>(std::lround(value));
    };
    return {part(0), part(1), part(2)};
}

void draw_frame(Picture& picture, double x, double y, double width, double height) {
    for (const double inset : {0.0, 1.0, 2.0}) {
        const double right = x + width - inset, bottom = y + height - inset;
        picture.line(x + inset, y + inset, right, y + inset, kMark);
        picture.line(x + inset, bottom, right, bottom, kMark);
        picture.line(x + inset, y + inset, x + inset, bottom, kMark);
        picture.line(right, y + inset, right, bottom, kMark);
    }
}

template <class T>
void add_new(std::vector<T>& all, const T& value) {
    const auto place = std::ranges::lower_bound(all, value);
    if (place == all.end() || *place != value) all.insert(place, value);
}

/// Where everything stands.
struct Layout {
    struct Panel {
        int rows = 0;
        std::vector<int> groups;
        double x = 0;

        [[nodiscard]] double width() const { return kCellWidth * static_cast<double>(groups.size()); }
    };
    std::vector<Panel> panels;
    std::vector<std::pair<int, int>> lines;  ///< threads and products
    double right = kLeft;                    ///< where the panels end

    explicit Layout(const MultiroundSweep& sweep) {
        for (const auto& [options, seconds] : sweep.seconds) {  // rows ascend
            if (panels.empty() || panels.back().rows != options.rows)
                panels.push_back({.rows = options.rows, .groups = {}});
            add_new(panels.back().groups, options.group);
            add_new(lines, std::pair(options.threads, options.products));
        }
        for (auto& panel : panels) {
            panel.x = right;
            right += panel.width() + kGap;
        }
        right -= kGap;
    }

    [[nodiscard]] double bottom() const { return kTop + kCellHeight * static_cast<double>(lines.size()); }
    [[nodiscard]] double scale_bottom() const { return std::max(bottom(), kTop + kLeastScale); }
    /// Right of the panels and of the legend below them.
    [[nodiscard]] double scale_left() const { return std::max(right, kLeft + kLegend) + kScaleNames; }
    [[nodiscard]] double width() const { return std::max(kLeastWidth, scale_left() + kScale); }
};

/// Why a combination has no time.
struct Missing {
    std::string_view text;
    std::string_view color;
    bool is_hatched = false;
};
constexpr Missing kNotRight{"no right result", kMissing, true};
constexpr Missing kNotMeasured{"not measured", kMissing};
constexpr Missing kNotPossible{"not possible", kEmpty};  // a block has too few threads

class HeatMap {
public:
    HeatMap(const MultiroundSweep& sweep, const std::string& subtitle)
        : sweep_(sweep),
          subtitle_(subtitle),
          layout_(sweep),
          title_(fmt::format("csr-multiround on {}, {}", sweep.matrix, nonzeros_a_row(sweep))),
          picture_(std::max(layout_.width(), text_width(title_, kTitle) + 2 * kMargin), layout_.scale_bottom() + kBelow,
                   title_),
          best_(std::ranges::min_element(sweep.seconds, {}, [](const auto& entry) { return entry.second; })) {}

    Picture draw() {
        draw_head(picture_, title_, subtitle_);
        picture_.text(kMargin, 64, best_text(), {.size = 12});
        draw_line_names();
        for (const auto& panel : layout_.panels) draw_panel(panel);
        draw_legend();
        draw_scale();
        return picture_;
    }

private:
    [[nodiscard]] double ratio(double seconds) const { return seconds / best_->second; }

    [[nodiscard]] std::string best_text() const {
        const auto& o = best_->first;
        std::string text = fmt::format("best: rows={},threads={},products={},group={}, {:.4g} \u00b5s", o.rows,
                                       o.threads, o.products, o.group, best_->second * kMicro);
        if (sweep_.own_choice > 0) text += fmt::format("; without options {:.4g} \u00b5s", sweep_.own_choice * kMicro);
        return text;
    }

    void draw_line_names() {
        picture_.text(kLeft - 8, kTop - 24, "rows a block", {.anchor = Anchor::end});
        picture_.text(kLeft - kThreads, kTop - 8, "threads", {.anchor = Anchor::end});
        picture_.text(kLeft - 8, kTop - 8, "products", {.anchor = Anchor::end});
        for (std::size_t i = 0; i < layout_.lines.size(); ++i) {
            const auto [threads, products] = layout_.lines[i];
            const double y = kTop + kCellHeight * static_cast<double>(i);
            picture_.text(kLeft - 8, y + 13, fmt::format("{}", products), {.color = kInk, .anchor = Anchor::end});
            if (i > 0 && layout_.lines[i - 1].first == threads) continue;
            picture_.text(kLeft - kThreads, y + 13, fmt::format("{}", threads), {.color = kInk, .anchor = Anchor::end});
            if (i > 0) picture_.line(kMargin, y, kLeft, y, kHatch);
        }
    }

    void draw_panel(const Layout::Panel& panel) {
        picture_.text(panel.x + panel.width() / 2, kTop - 24, fmt::format("{}", panel.rows),
                      {.color = kInk, .anchor = Anchor::middle, .bold = true});
        for (std::size_t column = 0; column < panel.groups.size(); ++column) {
            const double x = panel.x + kCellWidth * static_cast<double>(column);
            for (std::size_t line = 0; line < layout_.lines.size(); ++line) {
                const auto [threads, products] = layout_.lines[line];
                draw_cell({panel.rows, threads, products, panel.groups[column]}, x,
                          kTop + kCellHeight * static_cast<double>(line));
            }
            picture_.text(x + kCellWidth / 2, layout_.bottom() + 15, fmt::format("{}", panel.groups[column]),
                          {.color = kInk, .anchor = Anchor::middle});
        }
        if (&panel == &layout_.panels.front()) {
            picture_.text(kLeft - 8, layout_.bottom() + 15, "threads a row", {.anchor = Anchor::end});
        }
    }

    void draw_cell(const MultiroundOptions& options, double x, double y) {
        const auto found = sweep_.seconds.find(options);
        const std::string name = fmt::format("rows={},threads={},products={},group={}", options.rows, options.threads,
                                             options.products, options.group);
        if (found == sweep_.seconds.end()) {
            const auto& why = why_missing(options);
            return draw_missing(why, x, y, kCellHeight - kBorder, fmt::format("{}: {}", name, why.text));
        }
        const double over_best = ratio(found->second);
        picture_.rectangle(
            x, y, kCellWidth - kBorder, kCellHeight - kBorder, color_of(over_best),
            fmt::format("{}: {:.4g} \u00b5s, {:.2f}\u00d7 the best", name, found->second * kMicro, over_best));
        constexpr double dark = 2;  // up to this ratio
        picture_.text(x + kCellWidth / 2, y + 13, fmt::format("{:.{}f}", over_best, over_best < 9.95 ? 2 : 0),
                      {.size = 10, .color = over_best < dark ? "#ffffff" : kInk, .anchor = Anchor::middle});
        if (found == best_) draw_frame(picture_, x, y, kCellWidth - kBorder, kCellHeight - kBorder);
    }

    [[nodiscard]] const Missing& why_missing(const MultiroundOptions& o) const {
        const cuda::MultiroundShape shape{o.rows, o.threads, o.products, o.group};
        if (sweep_.not_right.contains(o)) return kNotRight;
        return shape.is_possible() ? kNotMeasured : kNotPossible;
    }

    void draw_legend() {
        const double y = layout_.bottom() + 26;
        double x = kLeft;
        const auto name = [&](std::string_view text) {
            picture_.text(x + kCellWidth + 6, y + 11, text, {.color = kInk});
            x += kCellWidth + 12 + small_width(text);
        };
        draw_frame(picture_, x, y, kCellWidth, kCellHeight - 4);
        name("best");
        for (const Missing& why : {kNotRight, kNotMeasured, kNotPossible}) {
            draw_missing(why, x, y, kCellHeight - 4, "");
            name(why.text);
        }
    }

    void draw_missing(const Missing& why, double x, double y, double height, std::string_view hint) {
        picture_.rectangle(x, y, kCellWidth - kBorder, height, why.color, hint);
        if (why.is_hatched) picture_.line(x, y + height, x + kCellWidth - kBorder, y, kHatch);
    }

    void draw_scale() {
        const double x = layout_.scale_left();
        const double height = layout_.scale_bottom() - kTop;
        const auto y_of = [&](double over_best) {
            return kTop + height * std::clamp(std::log(over_best) / std::log(kLargestRatio), 0.0, 1.0);
        };
        constexpr int steps = 48;
        for (int i = 0; i < steps; ++i) {
            picture_.rectangle(x, kTop + height * i / steps, kScaleBar, height / steps + 0.5,
                               color_of(std::pow(kLargestRatio, (i + 0.5) / steps)));
        }
        for (const double tick : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, kLargestRatio}) {
            picture_.text(x + kScaleBar + 6, y_of(tick) + 4,
                          fmt::format("{:.3g}\u00d7{}", tick, tick < kLargestRatio ? "" : " or more"), kSmall);
        }
        picture_.text(x + kScaleBar, kTop - 14, "time / best", {.anchor = Anchor::middle});
        if (sweep_.own_choice <= 0) return;
        const double y = y_of(ratio(sweep_.own_choice));
        for (const double offset : {-0.5, 0.5}) picture_.line(x - 6, y + offset, x + kScaleBar, y + offset, kMark);
        picture_.text(x - 9, y - 2, "no options", {.size = 10, .color = kMark, .anchor = Anchor::end});
        picture_.text(x - 9, y + 10, fmt::format("{:.2f}\u00d7", ratio(sweep_.own_choice)),
                      {.size = 10, .color = kMark, .anchor = Anchor::end});
    }

    const MultiroundSweep& sweep_;
    const std::string& subtitle_;
    Layout layout_;
    std::string title_;
    Picture picture_;
    std::map<MultiroundOptions, double>::const_iterator best_;
};

}  // namespace

Picture draw_multiround_sweep(const MultiroundSweep& sweep, const std::string& subtitle) {
    return HeatMap(sweep, subtitle).draw();
}

}  // namespace tilespmv::tools
