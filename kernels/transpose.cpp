#include "kernels/transpose.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/transpose.hpp"

namespace tilespmv {
namespace {

constexpr std::string_view kFoundSymmetric =
    "{0} was found to have a symmetric matrix, which it cannot find again of new values: make it with "
    "SecondForm::never if they are symmetric, or SecondForm::always";

template <Value V>
class WithTranspose final : public Operator<V> {
public:
    WithTranspose(std::unique_ptr<Operator<V>> op, const CsrMatrix<V>& a, const MakeOfSource<V>& make, SecondForm when)
        : op_(std::move(op)), make_(make), when_(when) {
        this->set_specification(op_->specification());
        if (when != SecondForm::never) make_second(a);
        describe();
    }

private:
    void make_second(const CsrMatrix<V>& a) {
        transpose_ = transposed(a);
        if (when_ == SecondForm::unless_symmetric && transpose_.matrix == a) {
            transpose_ = {};
        } else {
            second_ = make_(transpose_.matrix);
        }
    }

    void describe() {
        Facts facts = op_->facts();
        facts.transposes = true;
        facts.count_executed = [this] { return op_->executed(); };
        if (when_ == SecondForm::unless_symmetric && !second_) facts.no_new_values = kFoundSymmetric;
        if (second_) {
            const Facts& other = second_->facts();
            facts.other_bytes += other.matrix_bytes + other.other_bytes + transpose_.positions.bytes();
            facts.is_reproducible = facts.is_reproducible && other.is_reproducible;
            facts.pads_with_zeros = facts.pads_with_zeros || other.pads_with_zeros;
            facts.most_columns = std::min(facts.most_columns, other.most_columns);
        }
        this->set_facts(std::move(facts));
    }

    void multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                         const Run& run) const override {
        multiply_columns(alpha, x, beta, y, run);
    }
    void multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                          const Run& run) const override {
        const bool is_second = run.op == Op::transpose && second_;
        (is_second ? *second_ : *op_).apply(alpha, x, beta, y, Run(run.stream, run.workspace));
    }
    void replace(const Block<const V>& values, const Run& run) override {
        if (values.memory != Memory::host && second_) {
            throw Error(
                fmt::format("{}: new values for the transpose must be in the memory of the host", this->name()));
        }
        op_->update_values(values, run);
        if (!second_) return;
        const Buffer<V>& theirs = transpose_.matrix.values;
        gather_values<V>({values.data, values.rows}, transpose_.positions, transpose_.matrix.values);
        update_or_make_again<V>(second_, {theirs.data(), theirs.size()}, [&] { return make_(transpose_.matrix); });
    }

    std::unique_ptr<Operator<V>> op_;
    MakeOfSource<V> make_;
    SecondForm when_;
    Transpose<V> transpose_;
    std::unique_ptr<Operator<V>> second_;  // null: the matrix is symmetric
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>> op, const CsrMatrix<V>& a,
                                            const MakeOfSource<V>& make, SecondForm when) {
    return std::make_unique<WithTranspose<V>>(std::move(op), a, make, when);
}

#define TILESPMV_INSTANTIATE(V)                                                                             \
    template std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>>, const CsrMatrix<V>&, \
                                                         const MakeOfSource<V>&, SecondForm);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
