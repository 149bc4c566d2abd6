#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "kernels/solver/scalars.hpp"

/// What conjugate gradients are written over: vectors, products and reductions wherever they live. An implementation
/// for each place: the CPU, a GPU, a GPU among several (its own rows, reductions over all).
namespace tilespmv::solver {

/// `size` values in the memory of a space: the host may read them only in that of the CPU. Not owned.
template <class T>
struct Vector {
    T* data = nullptr;
    std::size_t size = 0;
};

/// The vectors of an iteration. The textbook's z is w; it has no s.
template <class T>
struct Iterates {
    Vector<T> x, r, w, s, p, q;
};

/// Operations take effect in the order of their calls, but may go on after the call has returned; what brings something
/// to the host waits. Those on `Iterates` do nothing while `end` is set; the others do their work. All sizes are
/// `size()`. Two calls with the same arguments give the same bits.
template <class T>
class Space {
public:
    Space() = default;
    Space(const Space&) = delete;
    Space& operator=(const Space&) = delete;
    virtual ~Space() = default;

    /// Rows of A that are kept here: all, or those of one GPU of several.
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Rows of A, wherever they are kept.
    [[nodiscard]] virtual std::size_t total_size() const { return size(); }
    /// A new vector of zeros, which lives as long as the space. Throws `Error` if memory is short.
    virtual Vector<T> make_vector() = 0;
    /// So many vectors will be made now, for which memory may be taken at once.
    virtual void reserve_vectors(std::size_t /*count*/) {}
    virtual void upload(std::span<const T> from, Vector<T> to) = 0;
    virtual void download(Vector<const T> from, std::span<T> to) = 0;
    virtual void copy(Vector<const T> from, Vector<T> to) = 0;
    /// v = 0
    virtual void clear(Vector<T> v) = 0;

    /// y = A x
    virtual void multiply(Vector<const T> x, Vector<T> y) = 0;
    /// r = b - A x
    virtual void residual(Vector<const T> b, Vector<const T> x, Vector<T> r) = 0;
    /// w = M r, M the approximate inverse of A
    virtual void precondition(Vector<const T> r, Vector<T> w) = 0;
    /// v -= mean of v: the constant null space of a singular A is kept out
    virtual void remove_mean(Vector<T> v) = 0;
    /// r'r, on the host
    virtual double norm2(Vector<const T> r) = 0;

    // Chronopoulos and Gear
    /// p = w + beta p; q = s + beta q; x += alpha p; r -= alpha q
    virtual void advance(const Iterates<T>& v) = 0;
    /// `advance`, then w = M r: one kernel where M is diagonal
    virtual void advance_and_precondition(const Iterates<T>& v) {
        advance(v);
        precondition({v.r.data, v.r.size}, v.w);
    }
    /// rho1 = r'w; mu = s'w; beta = rho1 / rho; alpha = rho1 / (mu - rho1 * beta / alpha); rho = rho1; residual2 = r'r;
    /// counts the iteration and sets `end`
    virtual void inner_products(const Iterates<T>& v) = 0;

    // textbook
    /// p = w + beta p
    virtual void direction(const Iterates<T>& v) = 0;
    /// mu = p'q; alpha = rho / mu
    virtual void step_length(const Iterates<T>& v) = 0;
    /// x += alpha p; r -= alpha q
    virtual void move(const Iterates<T>& v) = 0;
    /// rho1 = r'w; beta = rho1 / rho; rho = rho1; residual2 = r'r; counts the iteration and sets `end`
    virtual void ratio(const Iterates<T>& v) = 0;
    /// `move`, w = M r, `ratio`: one kernel where M is diagonal
    virtual void move_and_precondition(const Iterates<T>& v) {
        move(v);
        precondition({v.r.data, v.r.size}, v.w);
        ratio(v);
    }

    virtual void write_scalars(const Scalars& scalars) = 0;
    /// Waits for all operations before.
    virtual Scalars read_scalars() = 0;
    /// `iteration` `count` times, or until `end` is set. A GPU records it once for each count and replays that, or does
    /// the iterations of `method` on `v` in a kernel of its own.
    virtual void repeat(int count, Method method, const Iterates<T>& v, const std::function<void()>& iteration) = 0;
};

}  // namespace tilespmv::solver
