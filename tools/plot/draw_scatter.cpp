#include <algorithm>
#include <limits>

#include "tools/plot/draw.hpp"
#include "tools/plot/style.hpp"

namespace tilespmv::tools {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 480;
constexpr double kLeft = 76;
constexpr double kRight = 716;  // the legend stands to the right of it
constexpr double kTop = 68;
constexpr double kBottom = 424;
constexpr double kRadius = 4;
constexpr double kSmallRadius = 3;  // for many points
constexpr std::size_t kManyPoints = 200;

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

class Scatter {
public:
    Scatter(const std::vector<Series>& series, const ScatterAxes& axes, const ScatterText& text)
        : series_(series),
          axes_(axes),
          text_(text),
          picture_(kWidth, kHeight, text.title),
          x_(Scale::logarithmic, x_range().low, x_range().high, axes.x_unit),
          y_(axes.y_scale, y_range().low, y_range().high, axes.y_unit) {
        x_.place(kLeft, kRight);
        y_.place(kBottom, kTop);
    }

    Picture draw() && {
        draw_head(picture_, text_.title, text_.subtitle);
        draw_axes();
        for (std::size_t i = 0; i < series_.size(); ++i) draw_points(series_[i], kColors[i % kColors.size()]);
        draw_legend();
        return std::move(picture_);
    }

private:
    [[nodiscard]] Range x_range() const {
        Range range;
        for (const auto& s : series_) {
            for (const auto& point : s.points) range.add(point.x);
        }
        return range;
    }
    [[nodiscard]] Range y_range() const {
        Range range;
        if (axes_.reference) range.add(*axes_.reference);
        if (axes_.y_scale == Scale::linear) range.add(0);
        for (const auto& s : series_) {
            for (const auto& point : s.points) range.add(point.y);
        }
        return range;
    }

    void draw_axes() {
        for (const auto& tick : x_.ticks()) {
            const double x = x_.pixel(tick.value);
            picture_.line(x, kTop, x, kBottom, kGrid);
            picture_.text(x, kBottom + 18, tick.label, {.anchor = Anchor::middle});
        }
        for (const auto& tick : y_.ticks()) {
            const double y = y_.pixel(tick.value);
            picture_.line(kLeft, y, kRight, y, kGrid);
            picture_.text(kLeft - 8, y + 4, tick.label, {.anchor = Anchor::end});
        }
        picture_.line(kLeft, kBottom, kRight, kBottom, kFaint);
        if (axes_.reference) {
            const double y = y_.pixel(*axes_.reference);
            picture_.line(kLeft, y, kRight, y, kInk, "5 4");
        }
        picture_.text((kLeft + kRight) / 2, kBottom + 40, text_.x_label, {.size = 12, .anchor = Anchor::middle});
        picture_.text_upwards(28, (kTop + kBottom) / 2, text_.y_label, {.size = 12, .anchor = Anchor::middle});
    }

    [[nodiscard]] double radius() const {
        std::size_t points = 0;
        for (const auto& s : series_) points += s.points.size();
        return points > kManyPoints ? kSmallRadius : kRadius;
    }

    void draw_points(const Series& series, std::string_view color) {
        for (const auto& point : series.points) {
            picture_.dot(x_.pixel(point.x), y_.pixel(point.y), radius(), color, point.hollow, point.hint);
        }
    }

    void draw_legend() {
        constexpr double left = kRight + 28;
        constexpr double step = 20;
        double y = kTop + 8;
        const auto entry = [&](const std::string& name) {
            picture_.text(left + 14, y + 4, shortened(name, kWidth - left - 20), {.color = kInk});
            y += step;
        };
        for (std::size_t i = 0; i < series_.size(); ++i) {
            picture_.dot(left, y, kRadius, kColors[i % kColors.size()], false);
            entry(series_[i].name);
        }
        y += step / 2;
        if (axes_.reference) {
            picture_.line(left - 7, y, left + 7, y, kInk, "5 4");
            entry(text_.reference);
        }
        if (text_.hollow.empty()) return;
        picture_.dot(left, y, kRadius, kFaint, true);
        entry(text_.hollow);
    }

    const std::vector<Series>& series_;
    const ScatterAxes& axes_;
    const ScatterText& text_;
    Picture picture_;
    Axis x_;
    Axis y_;
};

}  // namespace

Picture draw_scatter(const std::vector<Series>& series, const ScatterAxes& axes, const ScatterText& text) {
    return Scatter(series, axes, text).draw();
}

}  // namespace tilespmv::tools
