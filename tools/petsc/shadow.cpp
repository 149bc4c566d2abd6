#include "tools/petsc/shadow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "kernels/auto/machine_ranking.hpp"
#include "kernels/transpose.hpp"
#include "selector/auto/features_of.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/transpose.hpp"
#include "tools/petsc/threads.hpp"

namespace tilespmv::petsc {
namespace {

using V = PetscScalar;

/// AIJ multiplies vectors where there are fewer nonzeros than these, unless an operator is named.
constexpr offset_t kFewNonzeros = 10'000;

/// A matrix of which fewer rows than this share have nonzeros is kept without the others.
constexpr double kShareOfRows = 0.6;

index_t size_of(PetscInt n, const char* what) {
    if (n > std::numeric_limits<index_t>::max()) {
        throw Error(
            fmt::format("a process has {} {} of the matrix, where at most 2147483647 are supported: use more "
                        "processes",
                        n, what));
    }
    return static_cast<index_t>(n);
}

/// The columns where PETSc has them, or a copy where it has them in 64 bits.
template <class Index>
Buffer<index_t> columns_of(const Index* columns, std::size_t count) {
    if constexpr (std::is_same_v<Index, index_t>) {
        return Buffer<index_t>::view(const_cast<index_t*>(columns), count, nullptr);
    } else {
        Buffer<index_t> copy(count);
        parallel_for(0, static_cast<std::int64_t>(count), kRowGrain,
                     [&](std::int64_t i) { copy[static_cast<std::size_t>(i)] = static_cast<index_t>(columns[i]); });
        return copy;
    }
}

void set_zero(const Block<V>& y) {
    for (int c = 0; c < y.cols; ++c) {
        for (std::size_t row = 0; row < y.rows; ++row) y.at(row, c) = V{0};
    }
}

}  // namespace

void Shadow::set(const Settings& settings) {
    if (settings_ == settings) return;
    settings_ = settings;
    matrix_ = nullptr;
}

void Shadow::follow(Mat matrix, PetscObjectState state, const AijArrays& arrays) {
    if (is_of(matrix, state)) return;
    const ThreadScope threads;
    const bool has_pattern_already = has_pattern(matrix, arrays);
    matrix_ = nullptr;  // in case of an error
    if (has_pattern_already) {
        take_values();
    } else {
        product_.reset();
        block_product_.reset();
        arrays_ = arrays;
        take_pattern();
    }
    matrix_ = matrix;
    state_ = state;
}

void Shadow::take_pattern() {
    const index_t rows = size_of(arrays_.rows, "rows");
    const index_t cols = size_of(arrays_.cols, "columns");
    const PetscInt* const ptrs = arrays_.row_ptrs;
    const auto has_nonzeros = [&](index_t row) { return ptrs[row + 1] > ptrs[row]; };
    nonempty_.clear();
    order_ = {};
    csr_ = std::make_unique<CsrMatrix<V>>();
    for (index_t row = 0; row < rows; ++row) {
        if (has_nonzeros(row)) nonempty_.push_back(row);
    }
    const bool is_whole = settings_->backend != Backend::cpu ||
                          static_cast<double>(nonempty_.size()) >= kShareOfRows * static_cast<double>(rows);
    if (is_whole) {
        nonempty_.clear();
        csr_->row_ptrs = Buffer<offset_t>(static_cast<std::size_t>(rows) + 1);
        std::copy_n(ptrs, csr_->row_ptrs.size(), csr_->row_ptrs.begin());
    } else {
        csr_->row_ptrs = Buffer<offset_t>(nonempty_.size() + 1, 0);
        for (std::size_t i = 0; i < nonempty_.size(); ++i) csr_->row_ptrs[i + 1] = ptrs[nonempty_[i] + 1];
    }
    csr_->rows = is_whole ? rows : static_cast<index_t>(nonempty_.size());
    csr_->cols = cols;
    const auto nnz = static_cast<std::size_t>(ptrs[rows]);
    csr_->col_idxs = columns_of(arrays_.col_idxs, nnz);
    csr_->values = Buffer<V>::view(const_cast<V*>(arrays_.values), nnz, nullptr);
    try {
        validate(*csr_);
    } catch (const Error&) {
        sort_rows();
        validate(*csr_);
    }
}

/// Columns in their order, which PETSc does not ask for, in copies.
void Shadow::sort_rows() {
    const auto nnz = csr_->col_idxs.size();
    Buffer<index_t> sorted(nnz);
    order_ = Buffer<offset_t>(nnz);
    std::iota(order_.begin(), order_.end(), offset_t{0});
    const Buffer<index_t>& unsorted = csr_->col_idxs;
    parallel_for(0, csr_->rows, kRowGrain, [&](std::int64_t row) {
        offset_t* const first = order_.begin() + csr_->row_ptrs[static_cast<std::size_t>(row)];
        offset_t* const last = order_.begin() + csr_->row_ptrs[static_cast<std::size_t>(row) + 1];
        std::sort(first, last, [&](offset_t a, offset_t b) { return unsorted[a] < unsorted[b]; });
        for (offset_t* at = first; at < last; ++at) sorted[at - order_.begin()] = unsorted[*at];
    });
    csr_->col_idxs = std::move(sorted);
    csr_->values = Buffer<V>(nnz);
    gather_values<V>({arrays_.values, nnz}, order_, csr_->values);
}

void Shadow::take_values() {
    if (!order_.empty()) gather_values<V>({arrays_.values, order_.size()}, order_, csr_->values);
    const std::span<const V> values(csr_->values.data(), csr_->values.size());
    for (Product* one : {&product_, &block_product_}) {
        if (*one) update_or_make_again<V>(*one, values, [&] { return make(std::string((*one)->specification())); });
    }
}

Shadow::Product Shadow::make(const std::string& specification) const {
    return make_operator<V>(specification, Source<V>(*csr_), {.backend = settings_->backend});
}

bool Shadow::leaves_vectors_to_aij() const {
    return nnz() < kFewNonzeros && settings_->operator_name == "auto" && settings_->backend == Backend::cpu;
}

bool Shadow::takes_block_product(Op op, int columns) const {
    return op == Op::none && columns > 1 && settings_->operator_name == "auto";
}

bool Shadow::is_prepared(Op op, int columns) const {
    if (nnz() == 0 || (columns == kVector && leaves_vectors_to_aij())) return true;
    if (takes_block_product(op, columns)) return block_product_ != nullptr;
    return product_ != nullptr && (op == Op::none || product_->facts().transposes);
}

void Shadow::prepare(Op op, int columns) {
    if (is_prepared(op, columns)) return;
    const ThreadScope threads;
    if (takes_block_product(op, columns)) {
        block_product_ = make(fmt::format("auto:columns={}", columns));
        return;
    }
    if (!product_) product_ = make(settings_->operator_name);
    if (op == Op::none || product_->facts().transposes) return;
    const auto make_second = [this](const Source<V>& source) {
        return make_operator<V>(settings_->operator_name, source, {.backend = settings_->backend});
    };
    product_ = with_transpose<V>(std::move(product_), Source<V>(*csr_), make_second, SecondForm::always);
}

void Shadow::multiply(const Block<const V>& x, V beta, const Block<V>& y, const Run& run) {
    const ThreadScope threads;
    if (nnz() == 0) {
        if (beta == V{0}) set_zero(y);
        return;
    }
    const Operator<V>& product = *(takes_block_product(run.op, x.cols) ? block_product_ : product_);
    if (nonempty_.empty()) {
        product.apply(V{1}, x, beta, y, run);
    } else {
        multiply_nonempty(product, x, beta, y, run);
    }
}

void Shadow::multiply_nonempty(const Operator<V>& product, const Block<const V>& x, V beta, const Block<V>& y,
                               const Run& run) {
    const int columns = x.cols;
    part_.resize(nonempty_.size() * static_cast<std::size_t>(columns));
    const Block<V> part(part_.data(), nonempty_.size(), columns, nonempty_.size(), Layout::column_major, Memory::host);
    const auto for_each = [&](auto&& f) {
        for (int c = 0; c < columns; ++c) {
            for (std::size_t i = 0; i < nonempty_.size(); ++i)
                f(part.at(i, c), static_cast<std::size_t>(nonempty_[i]), c);
        }
    };
    if (run.op == Op::transpose) {
        for_each([&](V& value, std::size_t row, int c) { value = x.at(row, c); });
        product.apply(V{1}, part, beta, y, run);
        return;
    }
    product.apply(V{1}, x, V{0}, part, run);
    if (beta == V{0}) set_zero(y);
    for_each([&](V& value, std::size_t row, int c) { y.at(row, c) += value; });
}

std::string Shadow::choice() {
    const ThreadScope threads;
    std::string line = fmt::format("{} x {}, {} nonzeros", arrays_.rows, arrays_.cols, nnz());
    if (!nonempty_.empty()) line += fmt::format(" in {} of the rows", nonempty_.size());
    if (leaves_vectors_to_aij()) return line + ": AIJ's own product, the fastest of so few";
    if (nnz() == 0) return line;
    prepare(Op::none, kVector);
    const std::string_view taken = product_->specification();
    line += fmt::format(": {}, {} thread{}, ", taken, thread_share(), thread_share() == 1 ? "" : "s");
    if (settings_->operator_name != "auto") return line + "named by -mat_tilespmv_operator";
    const auto ranked = rank_on_this_machine<PetscScalar>(pattern_of(*csr_), settings_->backend);
    const auto at = std::ranges::find(ranked, taken, &RankedOperator::specification);
    if (at == ranked.end()) return line + "for no other suits";
    return line + fmt::format("predicted to be the fastest of {} ({})", ranked.size(), why(*at, nnz()));
}

}  // namespace tilespmv::petsc
