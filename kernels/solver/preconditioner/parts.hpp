#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tile/csr.hpp"

/// A preconditioner as data: what the CPU and a GPU apply alike, made on the host.
namespace tilespmv::solver {

/// A product of a chain: v[i + 1] = matrix * v[i] + diagonal .* v[i - 1], the second term only where `diagonal` is not
/// empty; v[0] = r.
template <Value V>
struct ProductStage {
    CsrMatrix<V> matrix;  ///< square; an operator is made for it by name
    Buffer<V> diagonal;   ///< one value a row, or empty; never in the first stage
};

/// M, which approximates the inverse of A: at most one of the three; none of them is M = I. Values are those of V,
/// which may be float32 where the vectors are float64: r is rounded to V then, and the result converted back.
template <Value V>
struct PreconditionerParts {
    index_t size = 0;            ///< rows of A
    Buffer<V> inverse_diagonal;  ///< w = inverse_diagonal .* r

    int block_size = 0;        ///< k; unknowns i * k .. i * k + k - 1 are a block
    Buffer<V> inverse_blocks;  ///< ceil(size / k) blocks of k * k values, by rows, symmetric; identity beyond `size`

    std::vector<ProductStage<V>> stages;  ///< w = v[stages.size()]
    /// Of every stage, `name[:option=value,...]`.
    std::string operators = "auto";

    [[nodiscard]] bool is_identity() const {
        return inverse_diagonal.empty() && inverse_blocks.empty() && stages.empty();
    }
};

/// With values of either type.
using AnyPreconditionerParts = std::variant<PreconditionerParts<double>, PreconditionerParts<float>>;

/// Or I: loops over r apply it.
inline bool is_diagonal(const AnyPreconditionerParts& parts) {
    return std::visit([](const auto& p) { return p.is_identity() || !p.inverse_diagonal.empty(); }, parts);
}

}  // namespace tilespmv::solver
