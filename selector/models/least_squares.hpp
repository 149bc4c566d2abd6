#pragma once

#include <span>
#include <vector>

namespace tilespmv {

/// Some amounts of work, and the time that they took together.
struct WorkTime {
    std::vector<double> amounts;
    double seconds = 0;  ///< positive
};

/// The x of A x = b by Cholesky's factors of A, symmetric; nothing if A is not positive definite.
std::vector<double> solve_positive_definite(std::span<const std::vector<double>> a, std::span<const double> b);

struct Solution {
    std::vector<double> x;
    double log_determinant = 0;
};
/// The same, with the logarithm of the determinant of a.
Solution solve_with_determinant(std::span<const std::vector<double>> a, std::span<const double> b);

/// The x >= 0 of the least squares of A x - b, by the active set method of Lawson and Hanson ("Solving Least Squares
/// Problems", 1974, chapter 23). `rows`: those of A, of one length; as many in b. Columns are scaled before. A column
/// of zeros gets 0.
std::vector<double> non_negative_least_squares(std::span<const std::vector<double>> rows, std::span<const double> b);

/// The cost >= 0 of each amount, so that times are sums of amounts by costs, with the least squares of relative errors,
/// in which points far from all others count less. Of no points: nothing.
std::vector<double> fit_costs(std::span<const WorkTime> points);

/// The sum of amounts by costs.
double seconds_of(std::span<const double> amounts, std::span<const double> costs);

}  // namespace tilespmv
