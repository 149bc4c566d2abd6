#pragma once

#include "kernels/solver/space.hpp"

/// Preconditioned conjugate gradients as in Saad, "Iterative methods for sparse linear systems" (2nd edition, 2003),
/// algorithm 9.1; its z is w.
namespace tilespmv::solver::textbook {

/// From r = b - A x and scalars with rho = 0.
template <class T>
void start(Space<T>& space, const Iterates<T>& v) {
    space.precondition({v.r.data, v.r.size}, v.w);
    space.ratio(v);
}

template <class T>
void iterate(Space<T>& space, const Iterates<T>& v) {
    space.direction(v);                         // p = w + beta p
    space.multiply({v.p.data, v.p.size}, v.q);  // q = A p
    space.step_length(v);                       // alpha = rho / p'q
    space.move_and_precondition(v);             // x += alpha p; r -= alpha q; w = M r; rho; beta; ||r||
}

}  // namespace tilespmv::solver::textbook
