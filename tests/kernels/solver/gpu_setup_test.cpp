// What a solver finds out of a matrix on the GPU before it iterates, against the same on the host.
#include <cstdint>
#include <functional>
#include <limits>

#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/solver/matrix_on_device.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using SolverSetupOnDevice = OnDevice;

/// `found_there` of a matrix that is on the GPU, with row pointers of both sizes, says what `found` says of it on the
/// host.
template <class T>
void expect_the_same(const CsrMatrix<T>& a, const std::function<void(const CsrMatrix<T>&)>& found,
                     const std::function<void(const cuda::DeviceCsrView<T>&)>& found_there) {
    const auto expected = test::message_of([&] { found(a); });
    EXPECT_EQ(test::message_of([&] { found_there(MatrixOnGpu<std::int32_t, T>(a).view); }), expected);
    EXPECT_EQ(test::message_of([&] { found_there(MatrixOnGpu<std::int64_t, T>(a).view); }), expected);
}

/// The bits of both preconditioners, and refusals.
template <class T>
void expect_the_same_preconditioners(const CsrMatrix<T>& a) {
    for (const std::string name : {"jacobi", "ssor-ai", "ssor-ai:w=1.3"}) {
        SCOPED_TRACE(name);
        expect_the_same<T>(
            a, [&](const CsrMatrix<T>& here) { static_cast<void>(make_preconditioner(name, here)); },
            [&](const cuda::DeviceCsrView<T>& view) {
                const auto there = make_preconditioner(name, view);
                const auto here = make_preconditioner(name, a);
                const auto& parts = there->parts();
                Buffer<T> inverse(here->parts().inverse_diagonal.size());
                if (!inverse.empty()) cuda::copy_to_host(inverse.data(), parts.inverse_there, inverse.bytes(), nullptr);
                EXPECT_TRUE(inverse == here->parts().inverse_diagonal);
                ASSERT_EQ(parts.stages_there.size(), here->parts().stages.size());
                for (int round = 0; round < 2; ++round) {
                    for (std::size_t i = 0; i < parts.stages_there.size(); ++i)
                        EXPECT_TRUE(Source<T>(parts.stages_there[i]).csr() == here->parts().stages[i]) << i;
                    there->update_values(a);
                }
            });
    }
}

TEST_F(SolverSetupOnDevice, ComputesPreconditionersThereAsOnTheHost) {
    expect_the_same_preconditioners(generate<double>("elasticity:n=4"));
    expect_the_same_preconditioners(generate<float>("elasticity:n=4"));
    for (const float value : {3.F, 0.F, -1.F, 1e-45F, std::numeric_limits<float>::infinity()}) {
        auto a = generate<float>("laplace2d:n=20");
        a.values[static_cast<std::size_t>(a.row_ptrs[5]) + 1] = value;  // of (5, 5), behind (5, 4)
        expect_the_same_preconditioners(a);
    }
    expect_the_same_preconditioners(generate<double>("uniform:n=300,per_row=2"));  // rows without a diagonal
    expect_the_same_preconditioners(diagonal_matrix(70, 4));
    expect_the_same_preconditioners<double>({0, 0, Buffer<offset_t>(1, 0), {}, {}});
    const auto a = generate<double>("laplace2d:n=3");
    const MatrixOnDevice<double> there(a);
    auto view = there.view();
    view.cols = 10;
    EXPECT_EQ(test::message_of([&] { Solver<double>(view, {}); }),
              "1: to solve needs a square matrix, found 9 rows and 10 columns");
}

TEST_F(SolverSetupOnDevice, ChecksSymmetryThereAsOnTheHost) {
    const auto expect = [](const CsrMatrix<double>& a) {
        expect_the_same<double>(
            a, [](const CsrMatrix<double>& here) { check_symmetry(here, 1e-12); },
            [](const cuda::DeviceCsrView<double>& view) { check_symmetry(view, 1e-12); });
    };
    const auto a = generate<double>("elasticity:n=4");
    expect(a);
    for (const double factor : {1 + 1e-13, 1 + 1e-11, -1.0, kNaN}) {
        auto changed = a.clone();
        changed.values[changed.values.size() / 2 + 1] *= factor;
        expect(changed);
    }
    expect(generate<double>("uniform:n=300,per_row=2"));
    expect(generate<double>("uniform:n=30,cols=40,per_row=2"));
    expect({5, 5, Buffer<offset_t>(6, 0), {}, {}});
    expect({0, 0, Buffer<offset_t>(1, 0), {}, {}});
    // Empty rows, and one whose mirror image is missing.
    CsrMatrix<double> few{4, 4, Buffer<offset_t>(5, 0), Buffer<index_t>(2, 1), Buffer<double>(2, 7.0)};
    few.row_ptrs[2] = 1;
    few.row_ptrs[3] = 1;
    few.row_ptrs[4] = 2;
    expect(few);
}

TEST_F(SolverSetupOnDevice, ChecksANullSpaceThereAsOnTheHost) {
    const auto expect = [](const CsrMatrix<double>& a) {
        expect_the_same<double>(
            a, [](const CsrMatrix<double>& here) { check_constant_null_space(here); },
            [](const cuda::DeviceCsrView<double>& view) { check_constant_null_space(view); });
    };
    auto a = singular_path(300);
    expect(a);
    const MatrixOnDevice<double> there(a);
    for (const auto* m : {"none", "jacobi", "ssor-ai"}) {
        const SolverOptions options{
            .backend = Backend::cuda, .operator_name = "csr-vector", .preconditioner = m, .constant_null_space = true};
        std::vector<double> x(300), expected(300);
        const auto report = Solver<double>(there.view(), options).solve(waves<double>(300), x);
        EXPECT_TRUE(report.converged()) << m;
        EXPECT_EQ(Solver<double>(a.clone(), options).solve(waves<double>(300), expected).iterations, report.iterations);
    }
    for (const double factor : {1 + 1e-9, 1 + 1e-7, -1.0, kNaN}) {
        auto changed = a.clone();
        changed.values[500] *= factor;
        expect(changed);
    }
    expect(generate<double>("laplace2d:n=20"));
    expect({5, 5, Buffer<offset_t>(6, 0), {}, {}});
}

}  // namespace
}  // namespace tilespmv::testing
