#include "tools/plot/draw_ranks.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tools/plot/axis.hpp"
#include "tools/plot/style.hpp"

namespace tilespmv::tools {
namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 76;
constexpr double kRight = 756;  // the legend stands to the right of it
constexpr double kTop = 68;
constexpr double kBottom = 424;
constexpr double kNameStep = 13;     // pixels a matrix that leave room for names
constexpr double kNameLength = 170;  // pixels below the axis
constexpr double kNameGap = 8;
constexpr double kNumbers = 6;      // pixels below the axis for nonzeros instead
constexpr double kNumberStep = 56;  // pixels that a number takes

class Ranks {
public:
    Ranks(const std::vector<std::string>& series, const std::vector<RankedMatrix>& matrices, const RankText& text)
        : series_(series),
          matrices_(matrices),
          text_(text),
          step_((kRight - kLeft) / static_cast<double>(matrices.size())),
          has_names_(step_ >= kNameStep),
          below_(has_names_ ? name_length() : kNumbers),
          picture_(kWidth, kBottom + below_ + 50, text.title),
          y_(value_axis()) {
        y_.place(kBottom, kTop);
    }

    Picture draw() {
        draw_head(picture_, text_.title, text_.subtitle);
        draw_axes();
        for (std::size_t i = 0; i < matrices_.size(); ++i) draw_points(i);
        draw_legend();
        return picture_;
    }

private:
    [[nodiscard]] Axis value_axis() const {
        double low = std::numeric_limits<double>::infinity();
        double high = 0;
        for (const auto& matrix : matrices_) {
            for (const double value : matrix.values) {
                if (value > 0) low = std::min(low, value);
                high = std::max(high, value);
            }
        }
        return {Scale::logarithmic, low, high, ""};
    }

    [[nodiscard]] double name_length() const {
        double longest = 0;
        for (const auto& matrix : matrices_) longest = std::max(longest, small_width(matrix.name));
        return std::min(kNameLength, longest + kNameGap);
    }

    [[nodiscard]] double x_of(std::size_t matrix) const { return kLeft + (static_cast<double>(matrix) + 0.5) * step_; }

    void draw_axes() {
        for (const auto& tick : y_.ticks()) {
            const double y = y_.pixel(tick.value);
            picture_.line(kLeft, y, kRight, y, kGrid);
            picture_.text(kLeft - 8, y + 4, tick.label, {.anchor = Anchor::end});
        }
        picture_.line(kLeft, kBottom, kRight, kBottom, kFaint);
        const auto every = has_names_ ? 1 : static_cast<std::size_t>(kNumberStep / step_) + 1;
        for (std::size_t i = 0; i < matrices_.size(); i += every) draw_matrix(i);
        picture_.text(
            (kLeft + kRight) / 2, kBottom + below_ + 36,
            has_names_ ? "matrices by nonzeros, ascending" : "matrices by nonzeros, ascending: nonzeros of some",
            {.size = 12, .anchor = Anchor::middle});
        picture_.text_upwards(28, (kTop + kBottom) / 2, text_.y_label, {.size = 12, .anchor = Anchor::middle});
    }

    void draw_matrix(std::size_t i) {
        const double x = x_of(i);
        picture_.line(x, kTop, x, kBottom + 4, kGrid);
        if (has_names_) {
            picture_.text_upwards(x + 4, kBottom + kNameGap, shortened(matrices_[i].name, kNameLength - kNameGap),
                                  {.color = kInk, .anchor = Anchor::end});
        } else {
            picture_.text(x, kBottom + 18, short_number(matrices_[i].nonzeros), {.anchor = Anchor::middle});
        }
    }

    // Beside each other, so that equal values are seen.
    void draw_points(std::size_t matrix) {
        constexpr double radius = 4, small_radius = 3, share = 0.7;
        const auto count = static_cast<double>(series_.size());
        const double apart = std::min(2 * radius, share * step_ / count);
        for (std::size_t s = 0; s < series_.size(); ++s) {
            const double value = matrices_[matrix].values[s];
            if (value <= 0) continue;
            const double x = x_of(matrix) + (static_cast<double>(s) - (count - 1) / 2) * apart;
            picture_.dot(x, y_.pixel(value), has_names_ ? radius : small_radius, kColors[s], false,
                         fmt::format("{}, {}: {:.3g}", matrices_[matrix].name, series_[s], value));
        }
    }

    void draw_legend() {
        constexpr double left = kRight + 28, radius = 4, step = 20;
        double y = kTop + 8;
        for (std::size_t s = 0; s < series_.size(); ++s) {
            picture_.dot(left, y, radius, kColors[s], false);
            picture_.text(left + 14, y + 4, shortened(series_[s], kWidth - left - 20), {.color = kInk});
            y += step;
        }
    }

    const std::vector<std::string>& series_;
    const std::vector<RankedMatrix>& matrices_;
    const RankText& text_;
    double step_;
    bool has_names_;
    double below_;
    Picture picture_;
    Axis y_;
};

}  // namespace

Picture draw_ranks(const std::vector<std::string>& series, const std::vector<RankedMatrix>& matrices,
                   const RankText& text) {
    return Ranks(series, matrices, text).draw();
}

}  // namespace tilespmv::tools
