#pragma once

#include "kernels/solver/space.hpp"

/// Conjugate gradients with both inner products of an iteration in one pass, after Chronopoulos and Gear, "s-step
/// iterative methods for symmetric linear systems" (J. Comput. Appl. Math. 25, 1989), with a preconditioner.
namespace tilespmv::solver::chronopoulos_gear {

/// From r = b - A x and scalars with rho = 0.
template <class T>
void start(Space<T>& space, const Iterates<T>& v) {
    space.precondition({v.r.data, v.r.size}, v.w);
    space.multiply({v.w.data, v.w.size}, v.s);
    space.inner_products(v);
}

template <class T>
void iterate(Space<T>& space, const Iterates<T>& v) {
    space.advance_and_precondition(v);          // p = w + beta p; q = s + beta q; x += alpha p; r -= alpha q; w = M r
    space.multiply({v.w.data, v.w.size}, v.s);  // s = A w
    space.inner_products(v);                    // rho, mu; beta, alpha; ||r||
}

}  // namespace tilespmv::solver::chronopoulos_gear
