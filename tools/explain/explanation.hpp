#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "selector/auto/rank_operators.hpp"

namespace tilespmv::tools {

/// What `tilespmv explain` shows: what `auto` would take for a matrix, and what the others would cost.
struct Explanation {
    std::string matrix;  ///< its short name
    std::string values;  ///< their type
    std::string sums;    ///< the type that a product accumulates in
    std::string device;  ///< what it was decided for
    OperatorQuestion question;
    std::vector<RankedOperator> ranked;  ///< the answer, for a matrix as CSR
    std::string stored;  ///< the operator that multiplies what an archive holds as it is, which is taken; else empty
    const CostTable* costs = nullptr;
};

/// As text: the choice and why, the features of the matrix, a row for each candidate.
std::string explanation_text(const Explanation& explanation);

/// The same as JSON, with the terms behind each time (`Term`).
nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace tilespmv::tools
