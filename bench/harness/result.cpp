#include "bench/harness/result.hpp"

#include <algorithm>

#include "bench/harness/byte_model.hpp"
#include "bench/harness/statistics.hpp"

namespace tilespmv::bench {

Metrics metrics(const Result& result) {
    Metrics m;
    if (result.nnz > 0)
        m.bytes_per_nonzero = static_cast<double>(result.matrix_bytes) / static_cast<double>(result.nnz);
    m.in_cache = result.product_bytes <= result.cache_bytes;
    m.cold_seconds = summarize(result.cold.seconds).median;
    m.preprocess_seconds = summarize(result.preprocess.seconds).median;
    if (result.warm.seconds.empty()) return m;
    const Summary warm = summarize(result.warm.seconds);
    m.seconds = warm.median;
    m.spread = warm.spread();
    m.noise = warm.noise();
    m.flops = product_flops(result.nnz) * result.columns / m.seconds;
    m.bytes_per_second = static_cast<double>(result.product_bytes) / m.seconds;
    if (result.bandwidth.read > 0) m.share_of_bandwidth = m.bytes_per_second / result.bandwidth.read;
    return m;
}

const Timing& timing(const Result& result, Mode mode) {
    return result.*kTimings[static_cast<std::size_t>(mode)].second;
}

double median_seconds(const Result& result, Mode mode) { return summarize(timing(result, mode).seconds).median; }

bool has_axpy(const Result& result, Mode mode) {
    const bool in_chain = mode == Mode::graph || mode == Mode::chain;
    return mode == Mode::axpy || (in_chain && result.rows != result.cols);
}

const Speedup* find_speedup(const Result& result, const std::string& baseline, Mode mode) {
    const auto found = std::ranges::find_if(result.speedups,
                                            [&](const Speedup& s) { return s.baseline == baseline && s.mode == mode; });
    return found == result.speedups.end() ? nullptr : &*found;
}

}  // namespace tilespmv::bench
