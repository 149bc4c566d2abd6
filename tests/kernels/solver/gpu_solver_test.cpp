// The call for users, `Solver`, with everything on the GPU: the matrix, b and x, operators and preconditioners.
#include <cstdint>
#include <functional>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/cuda/device_space.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_model.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/solver/matrix_on_device.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

/// b and x there, x after `gap` values that are not its own, so that it may begin anywhere.
template <class T>
struct VectorsOnDevice {
    VectorsOnDevice(const std::vector<T>& from, std::size_t gap) : b(gap + from.size(), s()), x(b.size(), s()) {
        TILESPMV_CUDA(cudaStreamSynchronize(s()));
        TILESPMV_CUDA(cudaMemcpy(b.data() + gap, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
        TILESPMV_CUDA(cudaMemset(x.data(), 0xff, x.bytes()));  // NaN
        TILESPMV_CUDA(cudaDeviceSynchronize());
        device_b = {b.data() + gap, from.size()};
        device_x = {x.data() + gap, from.size()};
    }
    [[nodiscard]] std::vector<T> result() const {
        std::vector<T> host(device_x.size());
        TILESPMV_CUDA(cudaMemcpy(host.data(), device_x.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    [[nodiscard]] cudaStream_t s() const { return stream.get(); }

    cuda::Stream stream;
    cuda::DeviceBuffer<T> b, x;
    cuda::DeviceSpan<const T> device_b;
    cuda::DeviceSpan<T> device_x;
};

template <class T>
void expect_solution(const CsrMatrix<T>& a, const std::vector<T>& b, const std::vector<T>& x, double rtol) {
    double error2 = 0, norm2 = 0;
    for (std::size_t row = 0; row < b.size(); ++row) {
        double sum = static_cast<double>(b[row]);
        norm2 += sum * sum;
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++k)
            sum -= static_cast<double>(a.values[k]) * static_cast<double>(x[static_cast<std::size_t>(a.col_idxs[k])]);
        error2 += sum * sum;
    }
    EXPECT_LE(std::sqrt(error2), 1.1 * rtol * std::sqrt(norm2));  // NaN fails
}

class SolverOnDevice : public OnDevice {
protected:
    template <class T>
    static void expect_solves(const char* system, const char* op, const char* m, std::size_t gap, double rtol) {
        SCOPED_TRACE(std::string(system) + ' ' + op + ' ' + m);
        const auto a = generate<T>(system);
        const MatrixOnDevice<T> there(a);
        Solver<T> solver(there.view(), {.operator_name = op, .preconditioner = m});
        const auto b = waves<T>(a.rows);
        const VectorsOnDevice<T> vectors(b, gap);
        const auto report = solver.solve(vectors.device_b, vectors.device_x, {.rtol = rtol});
        ASSERT_TRUE(report.converged()) << describe(report);
        expect_solution(a, b, vectors.result(), rtol);
        // The same bits by way of the host.
        std::vector<T> x(b.size());
        EXPECT_EQ(solver.solve(b, x, {.rtol = rtol}).iterations, report.iterations);
        EXPECT_EQ(x, vectors.result());
        EXPECT_EQ(
            solver.solve(vectors.device_b, vectors.device_x, {.rtol = 1.5 * rtol, .start_from_x = true}).iterations, 0);
    }
};

TEST_F(SolverOnDevice, AMatrixThatIsThere) {
    for (const auto* op : {"csr-vector", "csr-merge", "auto", "sell"}) {
        expect_solves<double>("laplace2d:n=60", op, "jacobi", 0, 1e-8);
        expect_solves<double>("laplace3d:n=13", op, "ssor-ai", 0, 1e-8);
    }
    expect_solves<float>("laplace2d:n=40", "csr-vector", "jacobi", 0, 1e-4);
}

TEST_F(SolverOnDevice, RefusesVectorsThatAreNotThere) {
    const auto a = generate<double>("laplace2d:n=20");
    Solver<double> solver(a.clone(), {.backend = Backend::cuda});
    const VectorsOnDevice<double> vectors(waves<double>(a.rows), 0);
    const cuda::DeviceSpan<double> null(nullptr, static_cast<std::size_t>(a.rows));
    for (const auto& f : {std::function<void()>([&] { solver.solve(null, vectors.device_x); }),
                          std::function<void()>([&] { solver.solve(vectors.device_b, null); })}) {
        EXPECT_EQ(test::message_of(f), "1: a solve needs b and x in the memory of the GPU, found a null pointer");
    }
    const auto small = generate<double>("laplace2d:n=3");
    const auto m = std::shared_ptr<Preconditioner<double>>(make_preconditioner("jacobi", small));
    EXPECT_EQ(test::message_of([&] { Solver<double>(a.clone(), m, {.backend = Backend::cuda}); }),
              "1: the preconditioner does not fit the matrix: rows, found 9, expected 400");
}

// The default tolerance is that of the type. Where x is so large that its roundings alone leave more (laplace2d:n=300
// with this b), no x of float32 reaches it.
TEST_F(SolverOnDevice, ReachesTheDefaultToleranceInFloat) {
    for (const auto* system : {"laplace2d:n=30", "laplace3d:n=20", "elasticity:n=4", "fem:n=6", "laplace2d:n=100"}) {
        const auto a = generate<float>(system);
        const auto b = waves<float>(a.rows);
        Solver<float> solver(a.clone(), {.backend = Backend::cuda});
        std::vector<float> x(b.size());
        EXPECT_TRUE(solver.solve(b, x).converged()) << system;
        expect_solution(a, b, x, 1e-4);
    }
}

TEST_F(SolverOnDevice, VectorsThatBeginAnywhere) {
    expect_solves<double>("laplace2d:n=31", "csr-vector", "jacobi", 1, 1e-8);
    expect_solves<float>("laplace2d:n=31", "csr-vector", "ssor-ai", 3, 1e-4);
}

TEST_F(SolverOnDevice, TakesNewValuesOfTheMatrixThatIsThere) {
    const auto a = generate<double>("laplace2d:n=30");
    auto changed = a.clone();
    for (std::size_t k = 0; k < changed.values.size(); ++k) changed.values[k] *= changed.values[k] > 0 ? 3 : 1;
    const auto b = waves<double>(a.rows);
    for (const std::string op : {"csr-vector", "sell", "ell", "csr-merge"}) {
        for (const std::string m : {"jacobi", "ssor-ai:w=1.2"}) {
            SCOPED_TRACE(op + ' ' + m);
            MatrixOnDevice<double> there(a);
            const bool is_persistent = m == "jacobi" && op == "csr-merge";
            Solver<double> solver(there.view(), {.operator_name = op,
                                                 .preconditioner = m,
                                                 .method = Method::textbook,
                                                 .persistent_at_any_size = is_persistent});
            EXPECT_EQ(solver.is_persistent(), is_persistent);
            std::vector<double> x(b.size());
            EXPECT_TRUE(solver.solve(b, x).converged());
            expect_solution(a, b, x, 1e-8);
            there.values.upload({changed.values.data(), changed.values.size()}, there.stream.get());
            TILESPMV_CUDA(cudaStreamSynchronize(there.stream.get()));
            solver.take_new_values();
            const auto report = solver.solve(b, x);
            EXPECT_TRUE(report.converged());
            expect_solution(changed, b, x, 1e-8);
            Solver<double> made_of_them(changed.clone(), {.backend = Backend::cuda,
                                                          .operator_name = op,
                                                          .preconditioner = m,
                                                          .method = Method::textbook,
                                                          .persistent_at_any_size = is_persistent});
            EXPECT_EQ(made_of_them.solve(b, x).iterations, report.iterations);
            EXPECT_THROW(solver.update_values({changed.values.data(), changed.values.size()}), Error);
        }
    }
}

/// An operator of the caller's that the caller uses meanwhile, on another stream and in its own workspace.
TEST_F(SolverOnDevice, AnOperatorThatIsThere) {
    const auto a = generate<double>("laplace2d:n=60");
    const MatrixOnDevice<double> there(a);
    const auto b = waves<double>(a.rows);
    for (const auto* op : {"csr-merge", "sell", "csr-vector", "dia"}) {
        for (const auto* m : {"jacobi", "auto"}) {
            SCOPED_TRACE(std::string(op) + ' ' + m);
            const auto by =
                cuda::make_device_operator<double>(op, there.view(), Accumulator::float64, there.stream.get());
            Solver<double> solver(there.view(), {.operator_name = "csr-scalar", .preconditioner = m}, {}, by.get());
            EXPECT_EQ(solver.operator_specification(), by->specification());
            const VectorsOnDevice<double> vectors(b, 0);
            std::vector<double> x(b.size());
            const auto report = solver.solve(b, x, {.on_check = [&](const Check&) {
                                                 by->apply(1, vectors.device_b, 0, vectors.device_x, vectors.s());
                                                 return true;
                                             }});
            EXPECT_TRUE(report.converged());
            expect_solution(a, b, x, 1e-8);
            TILESPMV_CUDA(cudaDeviceSynchronize());
        }
    }
}

TEST_F(SolverOnDevice, OperatorsAndPreconditionersOfTheCallers) {
    const auto a = generate<double>("laplace2d:n=30");
    const auto quarters = diagonal_matrix(a.rows, 0.25);
    const cuda::Stream stream;
    const auto of_a = cuda::make_device_operator<double>("csr-merge", a, Accumulator::float64, stream.get());
    const auto of_m = cuda::make_device_operator<double>("csr-vector", quarters, Accumulator::float64, stream.get());
    for (const auto method : {Method::chronopoulos_gear, Method::textbook}) {
        Solver<double> solver(*of_a, of_m.get(), {.backend = Backend::cuda, .method = method});
        EXPECT_EQ(solver.operator_name(), "csr-merge");
        const auto b = waves<double>(a.rows);
        const VectorsOnDevice<double> vectors(b, 0);
        const auto report = solver.solve(vectors.device_b, vectors.device_x);
        ASSERT_TRUE(report.converged()) << describe(report);
        expect_solution(a, b, vectors.result(), 1e-8);
        EXPECT_THROW(solver.update_values({a.values.data(), a.values.size()}), Error);
        EXPECT_THROW(solver.take_new_values(), Error);
    }
}

TEST_F(SolverOnDevice, TinyRightHandSides) {
    const auto a = generate<double>("laplace2d:n=30");
    const MatrixOnDevice<double> there(a);
    Solver<double> solver(there.view(), {.operator_name = "csr-vector"});
    auto b = waves<double>(a.rows);
    const VectorsOnDevice<double> expected(b, 0);
    const auto report = solver.solve(expected.device_b, expected.device_x);
    for (double& value : b) value = std::ldexp(value, -900);
    const VectorsOnDevice<double> tiny(b, 0);
    EXPECT_EQ(solver.solve(tiny.device_b, tiny.device_x).iterations, report.iterations);
    auto x = tiny.result();
    for (double& value : x) value = std::ldexp(value, 900);
    EXPECT_EQ(x, expected.result());
}

TEST_F(SolverOnDevice, ChoosesTheMethodByTheModel) {
    const auto a = generate<double>("laplace2d:n=200");
    const SolverOptions graphs{.backend = Backend::cuda, .operator_name = "csr-vector", .use_persistent_kernel = false};
    EXPECT_EQ(Solver<double>(a.clone(), graphs).method(), Method::chronopoulos_gear);
    const SolverMachine machine{.bytes_per_s = 1e12};
    auto fast_launches = graphs;
    fast_launches.machine = &machine;
    const Solver<double> solver(a.clone(), fast_launches);
    EXPECT_EQ(solver.method(), Method::textbook);
    EXPECT_FALSE(solver.method_reason().empty());
}

TEST_F(SolverOnDevice, LaunchesAsItIsTold) {
    const auto a = generate<double>("laplace2d:n=90");  // in graphs, if nothing is said
    const auto b = waves<double>(a.rows);
    std::vector<double> x(b.size());
    SolverOptions options{.backend = Backend::cuda, .operator_name = "csr-vector", .method = Method::textbook};
    Solver<double> automatic(a.clone(), options);
    EXPECT_FALSE(automatic.is_persistent());
    const auto iterations = automatic.solve(b, x).iterations;

    options.persistent_at_any_size = true;
    Solver<double> persistent(a.clone(), options);
    EXPECT_TRUE(persistent.is_persistent());
    EXPECT_NEAR(persistent.solve(b, x).iterations, iterations, 3);
    expect_solution(a, b, x, 1e-8);
    options.preconditioner = "ssor-ai";  // which no persistent kernel applies
    EXPECT_THROW(Solver<double>(a.clone(), options), Error);
}

TEST_F(SolverOnDevice, ChoosesAPreconditionerByTrials) {
    const auto a = generate<double>("elasticity:n=6");
    const auto b = waves<double>(a.rows);
    const MatrixOnDevice<double> there(a);
    const SolverOptions options{
        .backend = Backend::cuda, .operator_name = "csr-vector", .preconditioner = "auto", .method = Method::textbook};
    Solver<double> of_device(there.view(), options, {b}), of_host(a.clone(), options, {b}),
        without_b(a.clone(), options);
    for (auto* solver : {&of_device, &of_host, &without_b}) {
        const auto& choice = solver->preconditioner_choice();
        EXPECT_EQ(choice.trials.size(), kPreconditionerCandidates.size());
        for (const auto& trial : choice.trials) {
            EXPECT_GT(trial.iterations, 0) << trial.specification << ' ' << trial.refusal;
            EXPECT_TRUE(std::isfinite(trial.predicted_seconds)) << trial.specification;
        }
        EXPECT_GT(choice.seconds, 0);
        std::vector<double> x(b.size()), again(b.size());
        const auto report = solver->solve(b, x);
        ASSERT_TRUE(report.converged()) << choice.specification << ' ' << describe(report);
        expect_solution(a, b, x, 1e-8);
        auto asked = options;
        asked.preconditioner = choice.specification;
        EXPECT_EQ(Solver<double>(a.clone(), asked).solve(b, again).iterations, report.iterations);
    }
}

class SanitizerSolver : public SolverOnDevice {};

TEST_F(SanitizerSolver, EverythingOnTheDevice) {
    expect_solves<double>("laplace2d:n=7", "csr-vector", "jacobi", 1, 1e-8);
    expect_solves<float>("laplace2d:n=7", "sell", "ssor-ai", 0, 1e-4);
    check_symmetry(MatrixOnGpu<std::int32_t>(generate<double>("laplace2d:n=7")).view, 0);
    check_constant_null_space(MatrixOnGpu<std::int32_t>(singular_path(70)).view);
    const MatrixOnGpu<std::int64_t> there(generate<double>("laplace2d:n=9"));
    EXPECT_TRUE(Solver<double>(there.view, {.persistent_at_any_size = true}).is_persistent());
}

}  // namespace
}  // namespace tilespmv::testing
