#include "kernels/auto/trial.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv {

namespace {

/// Those of the program's own first.
std::vector<RankedOperator> with_own(std::span<const RankedOperator> ranked, std::span<const std::string> own) {
    std::vector<RankedOperator> all;
    for (const auto& name : own) {
        const auto known = std::ranges::find(ranked, name, &RankedOperator::specification);
        all.push_back(known == ranked.end() ? RankedOperator{.specification = name} : *known);
    }
    std::ranges::copy_if(ranked, std::back_inserter(all),
                         [&](const auto& one) { return std::ranges::count(own, one.specification) == 0; });
    return all;
}

void warn_passed_over(const std::string& specification, const Error& why) {
    fmt::print(stderr, "tilespmv: warning: auto passes over '{}': {}\n", printable(specification),
               printable(why.what()));
}

}  // namespace

std::string fastest_by_trial(std::span<const RankedOperator> ranked, std::span<const std::string> own,
                             offset_t products, const TuneCache& cache, const TuneKey& key,
                             const std::function<double(const std::string&)>& seconds_of) {
    const std::size_t most = 3 + own.size();
    const ProductTimes known = cache.find(key);
    ProductTimes found;
    std::vector<RankedOperator> tried;
    std::exception_ptr failure;
    for (RankedOperator one : with_own(ranked, own)) {
        if (tried.size() == most) break;
        const auto time = known.find(one.specification);
        try {
            one.seconds = time != known.end() ? time->second : seconds_of(one.specification);
        } catch (const Error& error) {
            failure = std::current_exception();
            if (error.code() == ExitCode::usage) warn_passed_over(one.specification, error);
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
