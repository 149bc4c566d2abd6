#pragma once

#include <cmath>
#include <functional>

#include <Eigen/SparseCore>

#include "tile/csr.hpp"

// An oracle that shares no line with the project.
namespace tilespmv::testing {

using EigenCsr = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

inline EigenCsr to_eigen(const CsrMatrix<double>& a) {
    std::vector<Eigen::Triplet<double, std::int64_t>> triplets;
    for (std::size_t r = 0; r < static_cast<std::size_t>(a.rows); ++r) {
        for (auto p = static_cast<std::size_t>(a.row_ptrs[r]); p < static_cast<std::size_t>(a.row_ptrs[r + 1]); ++p)
            triplets.emplace_back(r, a.col_idxs[p], a.values[p]);
    }
    EigenCsr e(a.rows, a.cols);
    e.setFromTriplets(triplets.begin(), triplets.end());
    return e;
}

/// Preconditioned conjugate gradients from x = 0, as in a textbook: iterations until ||r|| <= rtol ||b||.
inline int textbook_iterations(const EigenCsr& a, const Eigen::VectorXd& b,
                               const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& m, double rtol) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size()), r = b, z = m(r), p = z;
    double rho = r.dot(z);
    for (int iteration = 1; iteration < 100000; ++iteration) {
        const Eigen::VectorXd q = a * p;
        const double alpha = rho / p.dot(q);
        x += alpha * p;
        r -= alpha * q;
        if (r.norm() <= rtol * b.norm()) return iteration;
        z = m(r);
        const double next = r.dot(z);
        p = z + next / rho * p;
        rho = next;
    }
    return -1;
}

}  // namespace tilespmv::testing
