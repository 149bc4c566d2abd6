#include "kernels/solver/preconditioner/host_preconditioner.hpp"

#include "kernels/registry.hpp"
#include "kernels/solver/preconditioner/check_parts.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv::solver {
namespace {

template <class F>
void for_all(std::size_t count, F&& f) {
    product_loop(static_cast<std::int64_t>(count), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) f(i);
    });
}

void require_same_kind(bool is_same) {
    if (!is_same) throw Error("new values of a preconditioner are of another kind than those before");
}

/// w = r, or a diagonal times r.
template <class T>
class DiagonalPreconditioner final : public HostPreconditioner<T> {
public:
    explicit DiagonalPreconditioner(const PreconditionerParts<T>& parts)
        : diagonal_(static_cast<std::size_t>(parts.size)) {
        DiagonalPreconditioner::update_values(parts);
    }
    void apply(std::span<const T> r, std::span<T> w) override {
        for_all(r.size(), [&](std::size_t i) { w[i] = diagonal_[i] * r[i]; });
    }
    [[nodiscard]] std::span<const T> diagonal() const override { return {diagonal_.begin(), diagonal_.end()}; }
    void update_values(const PreconditionerParts<T>& parts) override {
        require_same_kind(parts.is_identity() || parts.inverse_diagonal.size() == diagonal_.size());
        for_all(diagonal_.size(),
                [&](std::size_t i) { diagonal_[i] = parts.is_identity() ? T{1} : parts.inverse_diagonal[i]; });
    }

private:
    Buffer<T> diagonal_;
};

/// A chain of products.
template <class T>
class ChainPreconditioner final : public HostPreconditioner<T> {
public:
    explicit ChainPreconditioner(const PreconditionerParts<T>& parts) : parts_(&parts) {
        for (std::size_t i = 1; i < parts.stages.size(); ++i)
            between_.emplace_back(static_cast<std::size_t>(parts.size));
        make_operators();
    }

    void apply(std::span<const T> r, std::span<T> w) override {
        std::span<const T> from = r;
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            const std::span<T> to = i < between_.size() ? std::span<T>(between_[i].begin(), between_[i].end()) : w;
            operators_[i]->apply(T{1}, from, T{0}, to);
            from = to;
        }
    }
    void update_values(const PreconditionerParts<T>& parts) override {
        require_same_kind(parts.stages.size() == operators_.size());
        if (&parts != parts_) {
            parts_ = &parts;
            return make_operators();
        }
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            const Buffer<T>& values = parts_->stages[i].values;
            update_or_make_again<T>(operators_[i], {values.data(), values.size()}, [&] { return make_operator_of(i); });
        }
    }

private:
    void make_operators() {
        operators_.clear();
        for (std::size_t i = 0; i < parts_->stages.size(); ++i) operators_.push_back(make_operator_of(i));
    }
    [[nodiscard]] std::unique_ptr<Operator<T>> make_operator_of(std::size_t stage) const {
        return make_operator<T>(parts_->operators, parts_->stages[stage]);
    }

    const PreconditionerParts<T>* parts_;
    std::vector<Buffer<T>> between_;  // two products
    std::vector<std::unique_ptr<Operator<T>>> operators_;
};

}  // namespace

template <class T>
std::unique_ptr<HostPreconditioner<T>> make_host_preconditioner(const PreconditionerParts<T>& parts) {
    check_parts(parts, parts.size);
    if (parts.is_diagonal()) return std::make_unique<DiagonalPreconditioner<T>>(parts);
    return std::make_unique<ChainPreconditioner<T>>(parts);
}

template std::unique_ptr<HostPreconditioner<double>> make_host_preconditioner(const PreconditionerParts<double>&);
template std::unique_ptr<HostPreconditioner<float>> make_host_preconditioner(const PreconditionerParts<float>&);

}  // namespace tilespmv::solver
