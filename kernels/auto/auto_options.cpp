#include "kernels/auto/auto_options.hpp"

#include <fmt/format.h>

#include "kernels/auto/candidates_here.hpp"
#include "selector/models/profile_file.hpp"

namespace tilespmv {

AutoOptions read_auto_options(Options& options) {
    constexpr offset_t most = offset_t{1} << 52;
    AutoOptions read;
    read.products = options.whole("products", 0, 0, most);
    read.columns = static_cast<int>(options.whole("columns", 1, 1, 1 << 16));
    const std::string tune = options.word("tune", "");
    read.cache = options.word("cache", "");
    read.profile = options.word("profile", "");
    options.finish();
    if (!tune.empty() && tune != "trial") options.fail(fmt::format("tune={}, expected trial", tune));
    read.is_tried = !tune.empty();
    if (read.is_tried && read.columns > 1) options.fail("tune=trial times products of one column");
    if (!read.is_tried && !read.cache.empty()) options.fail("a cache is for tune=trial");
    return read;
}

namespace {

void warn_unknown(std::string_view specification) {
    warn_passed_over(specification, "this build has no such operator");
}

std::vector<RankedOperator> rank_by(const FoundProfile& found, const OperatorQuestion& question,
                                    const AutoOptions& options) {
    if (found.profile && (found.decides || options.is_tried)) {  // a trial finds out who is right
        auto ranked =
            options.is_tried ? rank_for_trial(question, *found.profile) : rank_operators(question, *found.profile);
        for (const auto& removed : remove_unknown(ranked, question)) warn_unknown(removed);
        if (!ranked.empty()) return ranked;
    }
    return rank_operators(question);
}

}  // namespace

std::vector<RankedOperator> rank_for_auto(const OperatorQuestion& question, const AutoOptions& options,
                                          std::string_view machine) {
    return rank_by(find_profile(options.profile, machine, question.features.sizes()), question, options);
}

std::string choose_for_auto(const PatternView& a, OperatorQuestion question, const AutoOptions& options,
                            std::string_view machine) {
    const FoundProfile found = find_profile(options.profile, machine, a.sizes());
    if (const auto* const small = found.decides ? find_small_model(found.profile->small_models, a) : nullptr) {
        const auto is_here = [&](const std::string& specification) {
            const bool here = is_candidate(specification, question.gpu.has_value(), a.value_bytes);
            if (!here) warn_unknown(specification);
            return here;
        };
        if (auto chosen = choose_operator(a, question.products, *small, is_here); !chosen.empty()) return chosen;
    }
    question.features = features_of(a);
    return rank_by(found, question, options).front().specification;
}

}  // namespace tilespmv
