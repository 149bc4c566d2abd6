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
    m.flops = product_flops(result.nnz) / m.seconds;
    m.bytes_per_second = static_cast<double>(result.product_bytes) / m.seconds;
    if (result.bandwidth.read > 0) m.share_of_bandwidth = m.bytes_per_second / result.bandwidth.read;
    return m;
}

const Speedup* find_speedup(const Result& result, const std::string& baseline) {
    const auto found = std::ranges::find(result.speedups, baseline, &Speedup::baseline);
    return found == result.speedups.end() ? nullptr : &*found;
}

}  // namespace tilespmv::bench
