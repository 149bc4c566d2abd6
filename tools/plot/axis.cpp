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

/// Numbers that an axis shows lie within these bounds, so that nothing computed of them overflows.
constexpr double kMost = 1e300;
constexpr double kLeast = 1e-300;

/// `value`, or the bound that it is beyond; the lower one of what is no number.
double clamped(Scale scale, double value) {
    const double low = scale == Scale::linear ? -kMost : kLeast;
    return value > low ? std::min(value, kMost) : low;
}

}  // namespace

Axis::Axis(Scale scale, double low, double high, std::string_view unit)
    : scale_(scale), low_(clamped(scale, low)), high_(std::max(clamped(scale, high), low_)), unit_(unit) {
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

double Axis::position(double value) const {
    const double shown = value > low_ ? std::min(value, high_) : low_;
    return scale_ == Scale::linear ? shown : std::log10(shown);
}

double Axis::pixel(double value) const {
    const double share = (position(value) - position(low_)) / (position(high_) - position(low_));
    return first_pixel_ + share * (last_pixel_ - first_pixel_);
}

// A range that is too narrow for ticks which differ is made wider.
void Axis::place_linear_ticks() {
    constexpr double about = 5;
    constexpr double narrowest = 1e-6;
    const double size = std::max(std::abs(low_), std::abs(high_));
    if (high_ - low_ <= std::max(narrowest * size, kLeast)) high_ = low_ + std::max(1.0, narrowest * size);
    const double step = nice_step((high_ - low_) / about);
    constexpr double slack = 1e-9;
    const double last = std::ceil(high_ / step - slack);
    for (double i = std::floor(low_ / step + slack); i <= last; ++i)
        ticks_.push_back({i * step, short_number(i * step) + unit_});
    low_ = ticks_.front().value;
    high_ = ticks_.back().value;
}

// Ends at 1, 2 or 5 times a power of ten, so that a narrow range fills the plot. Over many powers only they are named,
// over more not all of them.
void Axis::place_logarithmic_ticks() {
    constexpr double few_powers = 2.1;
    constexpr int most_names = 12;
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
    const auto every = (end - begin) / 3 / most_names + 1;
    for (auto v = begin; v <= end; ++v) {
        const auto place = v - values.begin();
        const bool is_named = narrow || (place % 3 == 0 && place / 3 % every == 0);
        if (every == 1 || is_named || v == begin || v == end)
            ticks_.push_back({*v, is_named ? short_number(*v) + unit_ : ""});
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
