#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilespmv::tools {

struct Tick {
    double value = 0;
    std::string label;  ///< empty for a line without a number
};

enum class Scale { linear, logarithmic };

/// One axis of a plot: the range of numbers that it shows and where they stand.
class Axis {
public:
    /// A range that holds [low, high] and ends at ticks, from -1e300 or, on a logarithmic axis, 1e-300 to 1e300. What
    /// is beyond an end is shown there, so that there is a place for every number. `unit` follows the numbers.
    Axis(Scale scale, double low, double high, std::string_view unit);

    /// The pixels at which the range begins and ends.
    void place(double first_pixel, double last_pixel);
    [[nodiscard]] double pixel(double value) const;

    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    /// Ascending, from low() to high().
    [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

private:
    void place_linear_ticks();
    void place_logarithmic_ticks();
    [[nodiscard]] double position(double value) const;

    Scale scale_;
    double low_;
    double high_;
    std::string unit_;
    std::vector<Tick> ticks_;
    double first_pixel_ = 0;
    double last_pixel_ = 1;
};

/// A number with the prefix k, M or G instead of three, six or nine of its digits: "2k", "0.5".
std::string short_number(double value);

}  // namespace tilespmv::tools
