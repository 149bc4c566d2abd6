#include "tools/verify/verify.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "kernels/cuda/device_csr_copy.hpp"
#include "kernels/transpose.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::tools {
namespace {

template <Value V>
bool same_bits(V a, V b) {
    return std::bit_cast<std::array<std::byte, sizeof(V)>>(a) == std::bit_cast<std::array<std::byte, sizeof(V)>>(b);
}

/// What differs first between two matrices, one line; empty if no bit does.
template <Value V>
std::string difference(const CsrMatrix<V>& expected, const CsrMatrix<V>& found) {
    if (expected.rows != found.rows || expected.cols != found.cols || expected.nnz() != found.nnz())
        return fmt::format("{} x {} with {} nonzeros came back, expected {} x {} with {}", found.rows, found.cols,
                           found.nnz(), expected.rows, expected.cols, expected.nnz());
    if (expected.row_ptrs != found.row_ptrs || expected.col_idxs != found.col_idxs)
        return "nonzeros came back at other positions";
    const auto [a, b] =
        std::mismatch(expected.values.begin(), expected.values.end(), found.values.begin(), same_bits<V>);
    if (a == expected.values.end()) return "";
    return fmt::format("nonzero {} came back as {}, expected {}", a - expected.values.begin(), widened(*b),
                       widened(*a));
}

template <Value V>
OwnedBlock<V> random_block(index_t rows, const VectorsOption& vectors, std::uint64_t seed) {
    const auto size = static_cast<std::size_t>(rows);
    const int columns = std::max(vectors.columns, 1);
    const Buffer<V> values = random_vector<V>(size * static_cast<std::size_t>(columns), seed);
    OwnedBlock<V> block(size, columns, vectors.layout_in_memory());
    copy_block<V>({values.data(), size, columns, size, Layout::column_major, Memory::host}, block.get());
    return block;
}

}  // namespace

template <Value V>
Verifier<V>::Verifier(const CsrMatrix<V>& a, std::span<const ChosenOperator<V>> operators, std::uint64_t seed,
                      Report report, VectorsOption vectors)
    : a_(a),
      operators_(operators),
      report_(std::move(report)),
      vectors_(std::move(vectors)),
      x_(random_block<V>(vectors_.is_transposed ? a.rows : a.cols, vectors_, seed)),
      y_(random_block<V>(vectors_.is_transposed ? a.cols : a.rows, vectors_, seed + 1)) {
    const CsrMatrix<V> transpose = vectors_.is_transposed ? transposed(a).matrix : CsrMatrix<V>();
    const CsrMatrix<V>& multiplied = vectors_.is_transposed ? transpose : a;
    products_ = {Product{V{1}, V{0}, expected_product<V>(multiplied, 1, x_.get(), 0, {})},
                 Product{V{-1.5}, V{0.5}, expected_product<V>(multiplied, -1.5, x_.get(), 0.5, y_.get())}};
}

template <Value V>
void Verifier<V>::check_csr() {
    for (const auto& chosen : operators_) {
        if (chosen.made_from == Form::csr) check_operator(chosen, "", a_);
    }
}

template <Value V>
void Verifier<V>::check_csr_on_gpu() {
    const cuda::DeviceCsrCopy<V> copy(a_);
    for (const auto& chosen : operators_) {
        if (chosen.made_from == Form::csr) check_operator(chosen, "CSR on the GPU", copy.view());
    }
}

template <Value V>
void Verifier<V>::check_tiles(const std::string& label, const TileMatrix<V>& tiles) {
    run_case("round trip", label, [&](VerifyCase& result) {
        check_encoding(tiles);
        result.problem = difference(a_, unpack(tiles));
        if (!result.problem.empty()) result.outcome = VerifyCase::Outcome::wrong;
    });
    for (const auto& chosen : operators_) {
        if (chosen.made_from == Form::tiles) check_operator(chosen, label, {a_, tiles});
    }
}

template <Value V>
void Verifier<V>::check_operator(const ChosenOperator<V>& chosen, const std::string& label, const Source<V>& source) {
    run_case(chosen.name, label, [&](VerifyCase& result) {
        auto op = chosen.make(source);
        if (vectors_.is_transposed) op = with_transpose(std::move(op), a_, chosen.make, SecondForm::always);
        const CheckResult worst = worst_product(*op, chosen.accumulator);
        result.worst = worst.ratio;
        if (worst.ok) return;
        result.outcome = VerifyCase::Outcome::wrong;
        result.problem = worst.message();
    });
}

template <Value V>
CheckResult Verifier<V>::worst_product(const Operator<V>& op, Accumulator accumulator) const {
    const CheckResult first = check(op, products_[0], accumulator);
    const CheckResult second = check(op, products_[1], accumulator);
    return first.ratio >= second.ratio ? first : second;
}

template <Value V>
CheckResult Verifier<V>::check(const Operator<V>& op, const Product& product, Accumulator accumulator) const {
    const Block<V>& before = y_.get();
    OwnedBlock<V> y(before.rows, before.cols, before.layout);
    // Rows that are not written, or read although beta is 0, stay NaN.
    if (product.beta == V{0}) {
        y.fill(std::numeric_limits<V>::quiet_NaN());
    } else {
        copy_block<V>(before, y.get());
    }
    op.apply(product.alpha, x_.get(), product.beta, y.get(), vectors_.run());
    return check_product<V>(product.expected, y.get(), accumulator);
}

template <Value V>
template <class Check>
void Verifier<V>::run_case(std::string name, std::string label, Check&& check) {
    VerifyCase result{.name = std::move(name), .tiles = std::move(label)};
    try {
        check(result);
    } catch (const Error& error) {
        result.outcome =
            error.code() == ExitCode::verification ? VerifyCase::Outcome::wrong : VerifyCase::Outcome::failed;
        result.problem = error.what();
    }
    ++cases_;
    wrong_ += result.outcome == VerifyCase::Outcome::wrong;
    failed_ += result.outcome == VerifyCase::Outcome::failed;
    report_(result);
}

template <Value V>
void Verifier<V>::require_ok() const {
    if (wrong_ + failed_ == 0) return;
    throw Error(fmt::format("of {} cases {} gave wrong results and {} could not be run", cases_, wrong_, failed_),
                wrong_ > 0 ? ExitCode::verification : ExitCode::failure);
}

#define TILESPMV_INSTANTIATE(V) template class Verifier<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
