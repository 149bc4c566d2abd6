#include "tests/fuzz/sample_profile.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "selector/models/domains.hpp"
#include "tests/selector/models/synthetic.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::test {
namespace {

/// Between 0.95 and 1.05, the same for the same number.
double noise(std::size_t i) { return 1 + 0.05 * std::sin(12.9898 * static_cast<double>(i)); }

VectorProfile sample_kernel(int i, const Probe& probe) {
    const bool reduces = i % 3 == 2;
    VectorProfile one{.work = {reduces ? fmt::format("dot_{}", i) : fmt::format("update_{}", i), reduces, 2 + i % 3,
                               reduces ? 0 : 1 + i % 2, 8},
                      .values = "float64"};
    for (const auto& [n, shapes] : plan_of_measurements(one.work, probe)) {
        for (const auto& shape : shapes) {
            one.points.push_back({n, shape, vector_seconds(one.work, shape, n) * noise(one.points.size())});
        }
    }
    return one;
}

std::vector<std::string> operators_of(const SampleSize& size) {
    std::vector<std::string> all{"csr-merge", "csr-vector:threads=4", "csr16"};
    for (int i = 3; i < size.operators; ++i) all.push_back(fmt::format("operator-{}:option={}", i, i * i));
    all.resize(static_cast<std::size_t>(size.operators));
    all.insert(all.end(), size.more_operators.begin(), size.more_operators.end());
    return all;
}

std::string source_of(int i) {
    const int n = 12 + 5 * i;
    return i % 3 == 0   ? fmt::format("gen:laplace2d:n={}", n)
           : i % 3 == 1 ? fmt::format("gen:banded:n={},half={}", n * n / 4 + 16, 1 + i % 12)
                        : fmt::format("gen:uniform:n={},per_row={}", n * 12, 1 + i % 20);
}

/// Features as of a matrix that is larger in rows and nonzeros, so that some are streamed.
MatrixFeatures features_like(const std::string& source, double factor) {
    MatrixFeatures f = features_of(pattern_of(generate<double>(source.substr(4))));
    f.rows = static_cast<index_t>(f.rows * factor);
    f.cols = static_cast<index_t>(f.cols * factor);
    f.nnz = static_cast<offset_t>(static_cast<double>(f.nnz) * factor);
    return f;
}

MeasuredMatrix sample_matrix(int i, const std::vector<std::string>& operators, const Probe& probe) {
    MeasuredMatrix m{source_of(i), "float64", features_like(source_of(i), i % 4 == 0 ? 1000 : 20), {}};
    for (std::size_t k = 0; k < operators.size(); ++k) {
        ProductTime product{.specification = operators[k]};
        if (i % 7 == 6 && k + 1 == operators.size()) {
            product.error = "ELL would take more than 4 times the memory of CSR";
        } else {
            const auto candidate = modelled_operator(true, operators[k]);
            const double scale = 1 + 0.4 * std::sin(static_cast<double>(k));
            const double time = product_seconds(candidate, m.features, probe, scale);
            product.seconds = time * noise(static_cast<std::size_t>(i) * 31 + k * 7);
            product.preparation_seconds = 100 * time;
        }
        m.products.push_back(product);
    }
    return m;
}

}  // namespace

Profile sample_profile(const SampleSize& size) {
    Profile profile{.probe = h200_like(),
                    .build = {"0.1.0", "0123abc", 13000, 12080},
                    .date = "2026-11-22T20:31:00Z",
                    .set = "full"};
    profile.probe.name = size.machine;
    for (int i = 0; i < size.kernels; ++i) profile.vectors.push_back(sample_kernel(i, profile.probe));
    const auto operators = operators_of(size);
    for (int i = 0; i < size.matrices; ++i) {
        profile.matrices.push_back(sample_matrix(i, operators, profile.probe));
    }
    fit_models(profile);
    return profile;
}

}  // namespace tilespmv::test
