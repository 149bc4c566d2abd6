#include "tools/bench/cells.hpp"

namespace tilespmv::tools {

std::string time_cell(const bench::Result& result, bench::Mode mode) {
    const bench::Timing& times = timing(result, mode);
    if (times.seconds.empty()) return "-";
    const bool marked = mode != bench::Mode::cold && !times.converged;
    return milliseconds(median_seconds(result, mode)) + (marked ? kNotConverged : "");
}

bool is_sure(const bench::Speedup& speedup) {
    constexpr double kMostHalf = 0.05;
    return speedup.high - speedup.low <= 2 * kMostHalf * speedup.median;
}

std::string speedup_cell(const bench::Result& result, const std::string& baseline, bench::Mode mode) {
    const bench::Speedup* speedup = find_speedup(result, baseline, mode);
    if (!speedup) return "-";
    return fmt::format("{:.2f}x{}", speedup->median, is_sure(*speedup) ? "" : kNotConverged);
}

}  // namespace tilespmv::tools
