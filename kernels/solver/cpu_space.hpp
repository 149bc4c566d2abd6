#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/operator.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/csr.hpp"

namespace tilespmv::solver {

/// The CPU: vectors in its memory, loops over all threads, sums in double over pieces of a fixed size, so that the bits
/// do not depend on the number of threads. T: float or double.
template <class T>
class CpuSpace final : public SystemSpace<T> {
public:
    CpuSpace(SystemOperator<T> a, SystemPreconditioner<T> m);
    /// Operators on the CPU.
    static std::unique_ptr<Operator<T>> make(const std::string& specification, const Source<T>& a);

    /// Of a rank of several, whose operator multiplies with those of the others: they have `total_size` rows together,
    /// and `add_over_ranks` replaces sums of this rank's rows by those over all.
    void join_ranks(std::size_t total_size, std::function<void(std::array<double, 3>&)> add_over_ranks) {
        total_size_ = total_size;
        add_over_ranks_ = std::move(add_over_ranks);
    }

    [[nodiscard]] std::string how() const override;
    [[nodiscard]] std::size_t total_size() const override { return add_over_ranks_ ? total_size_ : this->size(); }
    Vector<T> make_vector() override;
    void upload(std::span<const T> from, Vector<T> to) override;
    void download(Vector<const T> from, std::span<T> to) override;
    void copy(Vector<const T> from, Vector<T> to) override;
    void clear(Vector<T> v) override;
    void remove_mean(Vector<T> v) override;
    double norm2(Vector<const T> r) override;

    void advance(const Iterates<T>& v) override;
    void advance_and_precondition(const Iterates<T>& v) override;
    void inner_products(const Iterates<T>& v) override;
    void direction(const Iterates<T>& v) override;
    void step_length(const Iterates<T>& v) override;
    void move(const Iterates<T>& v) override;
    void ratio(const Iterates<T>& v) override;
    void move_and_precondition(const Iterates<T>& v) override;

    void write_scalars(const Scalars& scalars) override { scalars_ = scalars; }
    Scalars read_scalars() override { return scalars_; }
    void repeat(int count, Method method, const Iterates<T>& v, const std::function<void()>& iteration) override;

private:
    struct Sums {
        double first = 0, second = 0, third = 0;
    };

    void times_diagonal(Vector<const T> r, Vector<T> w) override;
    void set_diagonal(const Buffer<T>&) override {}  // it is read where the preconditioner has it
    void give_values(Operator<T>& to, const Block<const T>& values) override { to.update_values(values); }
    /// w = M r of a diagonal M in [first, last).
    void scale_piece(const T* r, T* w, std::int64_t first, std::int64_t last) const;
    template <class F>
    void for_pieces(F&& f);
    template <class F>
    Sums sum_pieces(F&& f);

    std::deque<Buffer<T>> vectors_;
    std::vector<Sums> sums_;  // of each piece
    Scalars scalars_;
    std::size_t total_size_ = 0;
    std::function<void(std::array<double, 3>&)> add_over_ranks_;
};

}  // namespace tilespmv::solver
