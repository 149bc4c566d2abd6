#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/block_copy.hpp"
#include "kernels/check.hpp"
#include "kernels/choose_operator.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/tile_matrix.hpp"
#include "tools/options/vectors_option.hpp"

namespace tilespmv::tools {

/// One thing that was verified: an operator, or that tiles unpack to exactly the matrix they were made from and are
/// stored as their formats would write them.
struct VerifyCase {
    enum class Outcome { ok, wrong, failed };  ///< failed: could not be run

    std::string name;   ///< of the operator, or "round trip"
    std::string tiles;  ///< which tiles it worked on; empty if on none
    Outcome outcome = Outcome::ok;
    double worst = 0;       ///< largest error of a row in units of its bound
    std::string problem{};  ///< one line if not ok
};

/// Of the columns of names.
struct VerifyWidths {
    std::size_t name = 0;
    std::size_t tiles = 0;
};
/// The names of the columns of `tilespmv verify`.
std::string verify_header(VerifyWidths widths);
/// A case as a line below them; what is wrong with it stands at the end.
std::string verify_line(const VerifyCase& result, VerifyWidths widths);

/// Runs operators on one matrix, or its transpose, with random vectors, one or several at once, and checks every row of
/// what they compute: A*x onto a y full of NaN, and alpha*A*x + beta*y. Nothing stops at a wrong result or an `Error`.
template <Value V>
class Verifier {
public:
    using Report = std::function<void(const VerifyCase&)>;

    /// `a` and `operators` must outlive this. `report` is told of every case as soon as it is known.
    Verifier(const CsrMatrix<V>& a, std::span<const ChosenOperator<V>> operators, std::uint64_t seed, Report report,
             VectorsOption vectors = {});

    /// Every operator that uses no tiles.
    void check_csr();
    /// The same of a copy of the matrix in the memory of the GPU.
    void check_csr_on_gpu();
    /// The round trip and the encoding of these tiles, and every operator that uses tiles.
    void check_tiles(const std::string& label, const TileMatrix<V>& tiles);

    [[nodiscard]] int cases() const { return cases_; }
    /// Throws an `Error` that counts what was not ok: `verification` if anything was wrong, else `failure`.
    void require_ok() const;

private:
    struct Product {
        V alpha;
        V beta;
        ExpectedProduct expected;
    };

    void check_operator(const ChosenOperator<V>& chosen, const std::string& label, const Source<V>& source);
    CheckResult worst_product(const Operator<V>& op, Accumulator accumulator) const;
    CheckResult check(const Operator<V>& op, const Product& product, Accumulator accumulator) const;
    template <class Check>
    void run_case(std::string name, std::string label, Check&& check);

    const CsrMatrix<V>& a_;
    std::span<const ChosenOperator<V>> operators_;
    Report report_;
    VectorsOption vectors_;
    OwnedBlock<V> x_;
    OwnedBlock<V> y_;
    std::array<Product, 2> products_;
    int cases_ = 0;
    int wrong_ = 0;
    int failed_ = 0;
};

}  // namespace tilespmv::tools
