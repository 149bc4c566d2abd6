#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/plot/axis.hpp"
#include "tools/plot/style.hpp"
#include "tools/plot/sweeps.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::size_t kColumns = 3;
constexpr double kPanelWidth = 306;
constexpr double kPanelHeight = 210;
constexpr double kHead = 92;  // title and legend
constexpr double kWidth = 2 * kMargin + kColumns * kPanelWidth;
// Of the plot inside its panel.
constexpr double kLeft = 42;
constexpr double kRight = kPanelWidth - 18;
constexpr double kTop = 38;
constexpr double kBottom = kPanelHeight - 50;

constexpr double kRadius = 4;
constexpr double kMicro = 1e6;
constexpr auto kLineColor = kColors[0];
constexpr auto kChoiceColor = kColors[1];

class Panel {
public:
    Panel(Picture& picture, const ThreadSweep& sweep, double x, double y)
        : picture_(picture), sweep_(sweep), x_(x), y_(y), time_(time_axis(sweep)) {
        time_.place(y + kBottom, y + kTop);
    }

    void draw() {
        constexpr TextStyle name{.color = kInk, .bold = true};
        picture_.text(x_, y_ + 12, shortened(sweep_.matrix, kPanelWidth - kMargin, name), name);
        picture_.text(x_, y_ + 27, nonzeros_a_row(sweep_), kSmall);
        draw_axes();
        draw_line();
    }

private:
    static Axis time_axis(const ThreadSweep& sweep) {
        double low = sweep.seconds.begin()->second, high = low;
        const auto add = [&](double seconds) {
            if (seconds <= 0) return;
            low = std::min(low, seconds);
            high = std::max(high, seconds);
        };
        for (const auto& [threads, seconds] : sweep.seconds) add(seconds);
        add(sweep.scalar);
        add(sweep.own_choice);
        return {Scale::logarithmic, low * kMicro, high * kMicro, ""};
    }

    /// A power of two is as far from the next as any.
    [[nodiscard]] double x_of(int threads) const {
        const double last = std::log2(std::max(sweep_.seconds.rbegin()->first, 2));
        return x_ + kLeft + (kRight - kLeft) * std::log2(threads) / last;
    }
    [[nodiscard]] double y_of(double seconds) const { return time_.pixel(seconds * kMicro); }

    void draw_axes() {
        for (const auto& tick : time_.ticks()) {
            const double y = time_.pixel(tick.value);
            picture_.line(x_ + kLeft, y, x_ + kRight, y, kGrid);
            picture_.text(x_ + kLeft - 6, y + 4, tick.label, {.anchor = Anchor::end});
        }
        picture_.line(x_ + kLeft, y_ + kBottom, x_ + kRight, y_ + kBottom, kFaint);
        if (sweep_.scalar > 0 || !sweep_.seconds.contains(1)) draw_threads(1);
        for (const auto& [threads, seconds] : sweep_.seconds) draw_threads(threads);
        picture_.text(x_ + (kLeft + kRight) / 2, y_ + kBottom + 30, "threads a row", {.anchor = Anchor::middle});
        picture_.text_upwards(x_ + 8, y_ + (kTop + kBottom) / 2, "\u00b5s", {.anchor = Anchor::middle});
    }

    void draw_threads(int threads) {
        const double x = x_of(threads);
        picture_.line(x, y_ + kTop, x, y_ + kBottom, kGrid);
        picture_.text(x, y_ + kBottom + 15, fmt::format("{}", threads), {.anchor = Anchor::middle});
    }

    void draw_line() {
        if (sweep_.own_choice > 0) {
            const double y = y_of(sweep_.own_choice);
            picture_.line(x_ + kLeft, y, x_ + kRight, y, kChoiceColor, "5 4");
        }
        auto last = sweep_.seconds.begin();
        for (auto point = std::next(last); point != sweep_.seconds.end(); last = point++) {
            picture_.line(x_of(last->first), y_of(last->second), x_of(point->first), y_of(point->second), kLineColor);
        }
        for (const auto& [threads, seconds] : sweep_.seconds) {
            picture_.dot(x_of(threads), y_of(seconds), kRadius, kLineColor, false,
                         fmt::format("{}, {} threads a row: {:.3g} \u00b5s", sweep_.matrix, threads, seconds * kMicro));
        }
        if (sweep_.scalar <= 0) return;
        picture_.dot(x_of(1), y_of(sweep_.scalar), kRadius, kLineColor, true,
                     fmt::format("{}, csr-scalar: {:.3g} \u00b5s", sweep_.matrix, sweep_.scalar * kMicro));
    }

    Picture& picture_;
    const ThreadSweep& sweep_;
    double x_;
    double y_;
    Axis time_;
};

void draw_legend(Picture& picture) {
    constexpr double y = 70;
    double x = kMargin + 7;
    const auto entry = [&](std::string_view name) {
        picture.text(x + 14, y + 4, name, {.color = kInk});
        x += 48 + small_width(name);
    };
    picture.dot(x, y, kRadius, kLineColor, false);
    entry("csr-vector with so many threads a row");
    picture.dot(x, y, kRadius, kLineColor, true);
    entry("csr-scalar, a thread a row");
    picture.line(x - 7, y, x + 7, y, kChoiceColor, "5 4");
    entry("csr-vector without options: its own choice");
}

}  // namespace

Picture draw_thread_sweeps(const std::vector<ThreadSweep>& sweeps, const std::string& subtitle) {
    const auto lines = (sweeps.size() + kColumns - 1) / kColumns;
    const std::string title = "Time of a product by threads a row";
    Picture picture(kWidth, kHead + static_cast<double>(lines) * kPanelHeight, title);
    draw_head(picture, title, subtitle);
    draw_legend(picture);
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        Panel(picture, sweeps[i], kMargin + static_cast<double>(i % kColumns) * kPanelWidth,
              kHead + static_cast<double>(i / kColumns) * kPanelHeight)
            .draw();
    }
    return picture;
}

}  // namespace tilespmv::tools
