#include <array>
#include <cmath>

#include "selector/auto/work_terms.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

double csr5_choice(const MatrixFeatures& f) { return std::log2(csr5_sigma(f.rows, f.nnz)); }

constexpr std::array kCsr5Models{ModelledOperator{{.name = "csr5", .matrix_bytes = csr_bytes, .choice = csr5_choice}}};

}  // namespace

extern const KnownOperator kCsr5{.modelled = kCsr5Models};

}  // namespace tilespmv
