#include <algorithm>

#include <nlohmann/json.hpp>

#include "tools/explain/explanation.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

Json features_json(const MatrixFeatures& f) {
    return {{"rows", f.rows},
            {"cols", f.cols},
            {"nnz", f.nnz},
            {"mean_row", f.mean_row},
            {"row_deviation", f.row_deviation},
            {"longest_row", f.longest_row},
            {"empty_rows", f.empty_rows},
            {"inode_rows", f.inode_rows},
            {"x_sectors_per_nonzero", f.x_sectors},
            {"tile_nonzeros", f.tile_nonzeros},
            {"full_tile_share", f.full_tile_share},
            {"strip_slots", f.strip_slots},
            {"strip_fill", f.strip_fill},
            {"repeated_strips", f.repeated_strips},
            {"diagonals", f.diagonals},
            {"hyb_width", f.hyb_width},
            {"hyb_rest", f.hyb_rest}};
}

Json candidate_json(const RankedOperator& one, const RankedOperator& soonest, offset_t nnz) {
    Json terms = Json::object();
    for (std::size_t i = 0; i < kTerms; ++i) terms[std::string(kTermNames[i])] = one.work[i];
    const double after = &one == &soonest ? 0 : pays_after(one, soonest);
    return {{"operator", one.specification},
            {"product_s", one.seconds},
            {"preparation_s", one.preparation_seconds},
            {"matrix_bytes", one.matrix_bytes},
            {"pays_after_products", after < 0 ? Json(nullptr) : Json(after)},
            {"why", why(one, nnz)},
            {"terms", terms}};
}

}  // namespace

Json explanation_json(const Explanation& e) {
    Json candidates = Json::array();
    const auto& soonest = *std::ranges::min_element(e.ranked, {}, &RankedOperator::preparation_seconds);
    for (const auto& one : e.ranked) candidates.push_back(candidate_json(one, soonest, e.question.features.nnz));
    return {{"matrix", e.matrix},
            {"values", e.values},
            {"accumulator", e.sums},
            {"device", e.device},
            {"products", e.question.products},
            {"chosen", e.stored.empty() ? e.ranked.front().specification : e.stored},
            {"as_stored", !e.stored.empty()},
            {"costs", {{"machine", e.costs->machine}, {"measured_by", e.costs->measured_by}}},
            {"features", features_json(e.question.features)},
            {"candidates", candidates}};
}

}  // namespace tilespmv::tools
