#include "tools/plot/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace tilespmv::tools {
namespace {

constexpr std::array kSteps{1.0, 2.0, 5.0, 10.0};

/// The smallest of 1, 2, 5 times a power of ten that is not below `value`.
double nice_step(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    constexpr double slack = 1 + 1e-9;
    const auto* step = std::find_if(kSteps.begin(), kSteps.end(), [&](double s) { return s * power * slack >= value; });
    return *step * power;
}

}  // namespace

Axis::Axis(Scale scale, double low, double high, std::string_view unit)
    : scale_(scale), low_(low), high_(high), unit_(unit) {
    if (scale == Scale::linear) {
        place_linear_ticks();
    } else {
        place_logarithmic_ticks();
    }
}

void Axis::place(double first_pixel, double last_pixel) {
    first_pixel_ = first_pixel;
    last_pixel_ = last_pixel;
}

double Axis::position(double value) const { return scale_ == Scale::linear ? value : std::log10(value); }

double Axis::pixel(double value) const {
    const double share = (position(value) - position(low_)) / (position(high_) - position(low_));
    return first_pixel_ + share * (last_pixel_ - first_pixel_);
}

void Axis::place_linear_ticks() {
    constexpr double about = 5;
    if (high_ <= low_) high_ = low_ + 1;
    const double step = nice_step((high_ - low_) / about);
    constexpr double slack = 1e-9;
    const auto first = static_cast<int>(std::floor(low_ / step + slack));
    const auto last = static_cast<int>(std::ceil(high_ / step - slack));
    for (int i = first; i <= last; ++i) ticks_.push_back({i * step, short_number(i * step) + unit_});
    low_ = ticks_.front().value;
    high_ = ticks_.back().value;
}

// Ends at 1, 2 or 5 times a power of ten, so that a narrow range fills the plot. Over many powers only they are named.
void Axis::place_logarithmic_ticks() {
    constexpr double few_powers = 2.1;
    const bool narrow = high_ / low_ < std::pow(10, few_powers);
    std::vector<double> values;
    const auto first = static_cast<int>(std::floor(std::log10(low_)));
    const auto last = static_cast<int>(std::ceil(std::log10(high_))) + 1;
    for (int power = first; power <= last; ++power) {
        for (const double step : {1.0, 2.0, 5.0}) values.push_back(step * std::pow(10, power));
    }
    constexpr double slack = 1 + 1e-9;
    const auto begin = std::find_if(values.begin(), values.end(), [&](double v) { return v > low_ * slack; }) - 1;
    auto end = std::find_if(begin, values.end(), [&](double v) { return v * slack >= high_; });
    if (end == begin) ++end;  // one number makes no range
    for (auto v = begin; v <= end; ++v) {
        const bool is_power = (v - values.begin()) % 3 == 0;
        ticks_.push_back({*v, narrow || is_power ? short_number(*v) + unit_ : ""});
    }
    low_ = *begin;
    high_ = *end;
}

std::string short_number(double value) {
    struct Prefix {
        double size;
        std::string_view name;
    };
    for (const auto& prefix : {Prefix{1e9, "G"}, Prefix{1e6, "M"}, Prefix{1e3, "k"}}) {
        if (std::abs(value) >= prefix.size) return fmt::format("{:.3g}{}", value / prefix.size, prefix.name);
    }
    return fmt::format("{:.3g}", value);
}

}  // namespace tilespmv::tools
