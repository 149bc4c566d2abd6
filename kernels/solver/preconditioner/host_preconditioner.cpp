#include "kernels/solver/preconditioner/host_preconditioner.hpp"

#include <algorithm>
#include <utility>

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

template <class V>
const PreconditionerParts<V>& parts_of(const AnyPreconditionerParts& parts) {
    require_same_kind(std::holds_alternative<PreconditionerParts<V>>(parts));
    return std::get<PreconditionerParts<V>>(parts);
}

/// w = r, or a diagonal times r.
template <class T, class V>
class DiagonalPreconditioner final : public HostPreconditioner<T> {
public:
    explicit DiagonalPreconditioner(const PreconditionerParts<V>& parts)
        : diagonal_(static_cast<std::size_t>(parts.size)) {
        take(parts);
    }
    void apply(std::span<const T> r, std::span<T> w) override {
        for_all(r.size(), [&](std::size_t i) { w[i] = diagonal_[i] * r[i]; });
    }
    [[nodiscard]] std::span<const T> diagonal() const override { return {diagonal_.begin(), diagonal_.end()}; }
    void update_values(const AnyPreconditionerParts& parts) override { take(parts_of<V>(parts)); }

private:
    void take(const PreconditionerParts<V>& parts) {
        require_same_kind(parts.is_identity() || parts.inverse_diagonal.size() == diagonal_.size());
        for_all(diagonal_.size(), [&](std::size_t i) {
            diagonal_[i] = parts.is_identity() ? T{1} : static_cast<T>(parts.inverse_diagonal[i]);
        });
    }

    Buffer<T> diagonal_;
};

/// Dense blocks on the diagonal.
template <class T, class V>
class BlockPreconditioner final : public HostPreconditioner<T> {
public:
    explicit BlockPreconditioner(const PreconditionerParts<V>& parts) : parts_(&parts) {}
    void apply(std::span<const T> r, std::span<T> w) override {
        const auto k = static_cast<std::size_t>(parts_->block_size);
        for_all(r.size(), [&](std::size_t row) {
            const std::size_t first = row / k * k, last = std::min(first + k, r.size());
            const V* values = parts_->inverse_blocks.data() + row * k;
            double sum = 0;
            for (std::size_t col = first; col < last; ++col) sum += double{values[col - first]} * double{r[col]};
            w[row] = static_cast<T>(sum);
        });
    }
    void update_values(const AnyPreconditionerParts& parts) override {
        parts_ = &parts_of<V>(parts);
        require_same_kind(!parts_->inverse_blocks.empty());
    }

private:
    const PreconditionerParts<V>* parts_;
};

/// A chain of products, in vectors of V.
template <class T, class V>
class ChainPreconditioner final : public HostPreconditioner<T> {
public:
    explicit ChainPreconditioner(const PreconditionerParts<V>& parts) : parts_(&parts) {
        const auto size = static_cast<std::size_t>(parts.size);
        for (std::size_t i = 0; i < parts.stages.size() + 1; ++i) vectors_.emplace_back(size);
        make_operators();
    }

    void apply(std::span<const T> r, std::span<T> w) override {
        for_all(r.size(), [&](std::size_t i) { vectors_[0][i] = static_cast<V>(r[i]); });
        for (std::size_t stage = 0; stage < operators_.size(); ++stage) run(stage);
        for_all(w.size(), [&](std::size_t i) { w[i] = static_cast<T>(vectors_.back()[i]); });
    }
    void update_values(const AnyPreconditionerParts& parts) override {
        const auto* updated = &parts_of<V>(parts);
        require_same_kind(updated->stages.size() == operators_.size());
        if (updated != parts_) {
            parts_ = updated;
            return make_operators();
        }
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            const Buffer<V>& values = parts_->stages[i].matrix.values;
            update_or_make_again<V>(operators_[i], {values.data(), values.size()}, [&] { return make_operator_of(i); });
        }
    }

private:
    void run(std::size_t stage) {
        const Buffer<V>& diagonal = parts_->stages[stage].diagonal;
        Buffer<V>& to = vectors_[stage + 1];
        for_all(diagonal.size(), [&](std::size_t i) { to[i] = diagonal[i] * vectors_[stage - 1][i]; });
        const Buffer<V>& from = vectors_[stage];
        operators_[stage]->apply(V{1}, from, diagonal.empty() ? V{0} : V{1}, to);
    }
    void make_operators() {
        operators_.clear();
        for (std::size_t i = 0; i < parts_->stages.size(); ++i) operators_.push_back(make_operator_of(i));
    }
    [[nodiscard]] std::unique_ptr<Operator<V>> make_operator_of(std::size_t stage) const {
        return make_operator<V>(parts_->operators, parts_->stages[stage].matrix);
    }

    const PreconditionerParts<V>* parts_;
    std::vector<Buffer<V>> vectors_;
    std::vector<std::unique_ptr<Operator<V>>> operators_;
};

template <class T, class V>
std::unique_ptr<HostPreconditioner<T>> make(const PreconditionerParts<V>& parts) {
    if (!parts.stages.empty()) return std::make_unique<ChainPreconditioner<T, V>>(parts);
    if (!parts.inverse_blocks.empty()) return std::make_unique<BlockPreconditioner<T, V>>(parts);
    return std::make_unique<DiagonalPreconditioner<T, V>>(parts);
}

}  // namespace

template <class T>
std::unique_ptr<HostPreconditioner<T>> make_host_preconditioner(const AnyPreconditionerParts& parts) {
    return std::visit(
        [&](const auto& typed) {
            check_parts(parts, typed.size);
            return make<T>(typed);
        },
        parts);
}

template std::unique_ptr<HostPreconditioner<double>> make_host_preconditioner(const AnyPreconditionerParts&);
template std::unique_ptr<HostPreconditioner<float>> make_host_preconditioner(const AnyPreconditionerParts&);

}  // namespace tilespmv::solver
