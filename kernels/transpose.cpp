#include "kernels/transpose.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "kernels/transposed_matrix.hpp"
#include "tile/parallel.hpp"
#include "tile/transpose.hpp"

namespace tilespmv {
namespace {

template <Value V>
class TransposedOnHost final : public TransposedMatrix<V> {
public:
    explicit TransposedOnHost(const Source<V>& a) : a_(a), transpose_(transposed(a.csr())) {}

    bool is_symmetric() override {
        const bool is_equal = transpose_.matrix == a_->csr();
        if (is_equal) transpose_.matrix = {};
        a_.reset();
        return is_equal;
    }
    bool keeps_symmetry(const Block<const V>& values, const Run&) override {
        if (values.memory != Memory::host) return true;  // which the operator refuses
        std::atomic<bool> is_equal = true;
        parallel_for(0, static_cast<std::int64_t>(values.rows), kRowGrain, [&](std::int64_t i) {
            if (!(values.data[i] == values.data[transpose_.positions[i]])) is_equal = false;
        });
        return is_equal;
    }
    std::unique_ptr<Operator<V>> make_second(const MakeOfSource<V>& make) override {
        a_.reset();
        return make(transpose_.matrix);
    }
    [[nodiscard]] bool takes_new_values(const Operator<V>&) const override { return true; }  // it can be made again
    void replace(std::unique_ptr<Operator<V>>& second, const Block<const V>& values, const Run&,
                 const MakeOfSource<V>& make) override {
        const Buffer<V>& theirs = transpose_.matrix.values;
        gather_values<V>({values.data, values.rows}, transpose_.positions, transpose_.matrix.values);
        update_or_make_again<V>(second, {theirs.data(), theirs.size()}, [&] { return make(transpose_.matrix); });
    }
    [[nodiscard]] std::size_t bytes() const override { return transpose_.positions.bytes(); }

private:
    std::optional<Source<V>> a_;  // until it is known whether it is symmetric
    Transpose<V> transpose_;
};

template <Value V>
class WithTranspose final : public Operator<V> {
public:
    WithTranspose(std::unique_ptr<Operator<V>> op, const Source<V>& a, const MakeOfSource<V>& make, SecondForm when)
        : op_(std::move(op)), make_(make) {
        this->set_specification(op_->specification());
        if (when != SecondForm::never) second_ = cuda::own_transpose(*op_, a);
        if (when != SecondForm::never && !second_) {
            transpose_ = cuda::transposed_on_gpu(*op_, a);
            if (!transpose_) transpose_ = std::make_unique<TransposedOnHost<V>>(a);
            const bool needs_none = when == SecondForm::unless_symmetric && transpose_->is_symmetric();
            if (!needs_none) second_ = transpose_->make_second(make_);
        }
        describe();
    }

    /// The operator that multiplies.
    [[nodiscard]] const Operator<V>& serving(Op op) const { return op == Op::transpose && second_ ? *second_ : *op_; }

private:
    void describe() {
        Facts facts = op_->facts();
        facts.transposes = true;
        facts.count_executed = [this] { return op_->executed(); };
        if (transpose_) {
            facts.other_bytes += transpose_->bytes();
            if (facts.no_new_values == kReadInPlace) facts.no_new_values = {};
        }
        if (second_) {
            const Facts& other = second_->facts();
            facts.other_bytes += other.matrix_bytes + other.other_bytes;
            facts.is_reproducible = facts.is_reproducible && other.is_reproducible;
            facts.pads_with_zeros = facts.pads_with_zeros || other.pads_with_zeros;
            facts.most_columns = std::min(facts.most_columns, other.most_columns);
            if (!transpose_ || !transpose_->takes_new_values(*second_)) facts.no_new_values = kMakeAgain;
        }
        this->set_facts(std::move(facts));
    }

    void multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                         const Run& run) const override {
        multiply_columns(alpha, x, beta, y, run);
    }
    void multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                          const Run& run) const override {
        serving(run.op).apply(alpha, x, beta, y, Run(run.stream, run.workspace));
    }
    bool replace(const Block<const V>& values, const Run& run) override {
        if (transpose_ && !second_ && !transpose_->keeps_symmetry(values, run)) return false;
        if (op_->facts().no_new_values != kReadInPlace) op_->update_values(values, run);
        if (second_) transpose_->replace(second_, values, run, make_);
        return true;
    }

    std::unique_ptr<Operator<V>> op_;
    MakeOfSource<V> make_;
    std::unique_ptr<TransposedMatrix<V>>
        transpose_;                        // null: the matrix was declared symmetric, or the operator has its own
    std::unique_ptr<Operator<V>> second_;  // null: the matrix is symmetric; may read `transpose_`
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>> op, const std::type_identity_t<Source<V>>& a,
                                            const MakeOfSource<V>& make, SecondForm when) {
    return std::make_unique<WithTranspose<V>>(std::move(op), a, make, when);
}

template <Value V>
const Operator<V>& serving(const Operator<V>& a, Op op) {
    const auto* const both = dynamic_cast<const WithTranspose<V>*>(&a);
    return both == nullptr ? a : both->serving(op);
}

#define TILESPMV_INSTANTIATE(V)                                                                          \
    template const Operator<V>& serving(const Operator<V>&, Op);                                         \
    template std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>>, const Source<V>&, \
                                                         const MakeOfSource<V>&, SecondForm);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
