#include "kernels/auto/trial.hpp"

#include <algorithm>
#include <exception>

#include "kernels/auto/candidates_here.hpp"
#include "tile/error.hpp"

namespace tilespmv {

std::string fastest_by_trial(std::span<const RankedOperator> ranked, offset_t products, const TuneCache& cache,
                             const TuneKey& key, const std::function<double(const std::string&)>& seconds_of) {
    constexpr std::size_t most = 3;
    const ProductTimes known = cache.find(key);
    ProductTimes found;
    std::vector<RankedOperator> tried;
    std::exception_ptr failure;
    for (RankedOperator one : ranked) {
        if (tried.size() == most) break;
        const auto time = known.find(one.specification);
        try {
            one.seconds = time != known.end() ? time->second : seconds_of(one.specification);
        } catch (const Error& error) {
            failure = std::current_exception();
            if (error.code() == ExitCode::usage) warn_passed_over(one.specification, error.what());
            continue;
        }
        if (time == known.end()) found[one.specification] = one.seconds;
        tried.push_back(std::move(one));
    }
    if (tried.empty()) std::rethrow_exception(failure);
    if (!found.empty()) cache.store(key, found);
    return std::ranges::min_element(tried, {}, [&](const auto& one) { return one.total_seconds(products); })
        ->specification;
}

}  // namespace tilespmv
