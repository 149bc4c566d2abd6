#include <algorithm>

#include <fmt/format.h>

#include "tools/plot/axis.hpp"
#include "tools/plot/style.hpp"
#include "tools/solve/solve_result.hpp"

namespace tilespmv::tools {
namespace {

constexpr double kWidth = 760, kHeight = 460;
constexpr double kLeft = 78, kRight = kWidth - 30, kTop = 70, kBottom = kHeight - 56;
constexpr std::size_t kMostDots = 60;  ///< with more checks there is a line alone

/// On a logarithmic axis.
bool can_be_shown(double value) { return value > 1e-290 && value < 1e290; }

/// Checks, relative to ||b||, with a residual that can be shown, at most one a pixel: the largest.
std::vector<solver::Check> drawable(const solver::SolveReport& report, double rhs_norm) {
    const int last = std::max(report.iterations, 1);
    const int step = std::max(1, static_cast<int>(last / (kRight - kLeft)));
    std::vector<solver::Check> kept;
    for (const auto& of_report : report.history) {
        const solver::Check check{of_report.iteration, of_report.residual / rhs_norm};
        if (!can_be_shown(check.residual)) continue;
        if (kept.empty() || check.iteration / step != kept.back().iteration / step ||
            &of_report == &report.history.back()) {
            kept.push_back(check);
        } else if (check.residual > kept.back().residual) {
            kept.back() = check;
        }
    }
    return kept;
}

class Convergence {
public:
    Convergence(Picture& picture, const SolveResult& result)
        : picture_(picture),
          report_(result.report),
          rhs_norm_(can_be_shown(report_.rhs_norm) ? report_.rhs_norm : 1),
          checks_(drawable(report_, rhs_norm_)),
          iterations_(Scale::linear, 0, std::max(report_.iterations, 1), ""),
          residuals_(residual_axis()) {
        iterations_.place(kLeft, kRight);
        residuals_.place(kBottom, kTop);
    }

    void draw() {
        draw_axes();
        draw_tolerance();
        draw_line();
    }

private:
    [[nodiscard]] double relative_tolerance() const { return report_.tolerance / rhs_norm_; }
    [[nodiscard]] Axis residual_axis() const {
        double low = can_be_shown(relative_tolerance()) ? relative_tolerance() : 1, high = low;
        for (const auto& check : checks_) {
            low = std::min(low, check.residual);
            high = std::max(high, check.residual);
        }
        return {Scale::logarithmic, low / 2, high * 2, ""};
    }
    static std::string power_text(double value) { return fmt::format("{:.0e}", value); }

    void draw_axes() {
        for (const auto& tick : residuals_.ticks()) {
            const double y = residuals_.pixel(tick.value);
            picture_.line(kLeft, y, kRight, y, kGrid);
            if (!tick.label.empty()) picture_.text(kLeft - 6, y + 4, power_text(tick.value), {.anchor = Anchor::end});
        }
        for (const auto& tick : iterations_.ticks()) {
            const double x = iterations_.pixel(tick.value);
            picture_.line(x, kTop, x, kBottom, kGrid);
            picture_.text(x, kBottom + 16, tick.label, {.anchor = Anchor::middle});
        }
        picture_.line(kLeft, kBottom, kRight, kBottom, kFaint);
        picture_.text((kLeft + kRight) / 2, kBottom + 36, "iterations", {.anchor = Anchor::middle});
        picture_.text_upwards(20, (kTop + kBottom) / 2, "||r|| / ||b||", {.anchor = Anchor::middle});
    }

    void draw_tolerance() {
        if (!can_be_shown(relative_tolerance())) return;
        const double y = residuals_.pixel(relative_tolerance());
        picture_.line(kLeft, y, kRight, y, kColors[1], "5 4");
        picture_.text(kRight, y - 5, "tolerance", {.anchor = Anchor::end});
    }

    void draw_line() {
        const auto x = [&](const solver::Check& check) { return iterations_.pixel(check.iteration); };
        const auto y = [&](const solver::Check& check) { return residuals_.pixel(check.residual); };
        for (std::size_t i = 1; i < checks_.size(); ++i)
            picture_.line(x(checks_[i - 1]), y(checks_[i - 1]), x(checks_[i]), y(checks_[i]), kColors[0]);
        if (checks_.size() > kMostDots) return;
        for (const auto& check : checks_) {
            picture_.dot(x(check), y(check), 3, kColors[0], false,
                         fmt::format("iteration {}: {:.2e}", check.iteration, check.residual));
        }
    }

    Picture& picture_;
    const solver::SolveReport& report_;
    double rhs_norm_;  ///< 1 if it is no number to divide by
    std::vector<solver::Check> checks_;
    Axis iterations_, residuals_;
};

}  // namespace

Picture draw_convergence(const SolveResult& result) {
    const std::string title = "Convergence: " + result.matrix;
    Picture picture(kWidth, kHeight, title);
    draw_head(picture, shortened(title, kWidth - 2 * kMargin, kTitle),
              fmt::format("{}, {}; {}", solver::method_name(result.method), result.preconditioner.specification,
                          describe(result.report)));
    Convergence(picture, result).draw();
    return picture;
}

}  // namespace tilespmv::tools
