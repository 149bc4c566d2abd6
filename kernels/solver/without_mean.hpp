#pragma once

#include "kernels/solver/space.hpp"

namespace tilespmv::solver {

/// A space for a singular A whose null space is the constant vectors: what M makes of residuals loses its mean, so that
/// the iteration, which begins with a residual without one, stays where A is positive definite. Kernels that do both at
/// once are not used. The space behind it must outlive it.
template <class T>
class WithoutMean final : public Space<T> {
public:
    explicit WithoutMean(Space<T>& space) : space_(space) {}

    void precondition(Vector<const T> r, Vector<T> w) override {
        space_.precondition(r, w);
        space_.remove_mean(w);
    }

    [[nodiscard]] std::size_t size() const override { return space_.size(); }
    [[nodiscard]] std::size_t total_size() const override { return space_.total_size(); }
    Vector<T> make_vector() override { return space_.make_vector(); }
    void upload(std::span<const T> from, Vector<T> to) override { space_.upload(from, to); }
    void download(Vector<const T> from, std::span<T> to) override { space_.download(from, to); }
    void copy(Vector<const T> from, Vector<T> to) override { space_.copy(from, to); }
    void clear(Vector<T> v) override { space_.clear(v); }
    void multiply(Vector<const T> x, Vector<T> y) override { space_.multiply(x, y); }
    void residual(Vector<const T> b, Vector<const T> x, Vector<T> r) override { space_.residual(b, x, r); }
    void remove_mean(Vector<T> v) override { space_.remove_mean(v); }
    double norm2(Vector<const T> r) override { return space_.norm2(r); }
    void advance(const Iterates<T>& v) override { space_.advance(v); }
    void inner_products(const Iterates<T>& v) override { space_.inner_products(v); }
    void direction(const Iterates<T>& v) override { space_.direction(v); }
    void step_length(const Iterates<T>& v) override { space_.step_length(v); }
    void move(const Iterates<T>& v) override { space_.move(v); }
    void ratio(const Iterates<T>& v) override { space_.ratio(v); }
    void write_scalars(const Scalars& scalars) override { space_.write_scalars(scalars); }
    Scalars read_scalars() override { return space_.read_scalars(); }
    void repeat(int count, Method method, const Iterates<T>& v, const std::function<void()>& iteration) override {
        space_.repeat(count, method, v, iteration);
    }

private:
    Space<T>& space_;
};

}  // namespace tilespmv::solver
