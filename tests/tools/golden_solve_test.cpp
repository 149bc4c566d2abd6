// Whole outputs of `solve`.
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/threads.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/transcript.hpp"
#include "tools/solve/solve_result.hpp"

namespace tilespmv::tools {
namespace {

using nlohmann::json;
using test::expect_golden;
using test::Transcript;

constexpr const char* kMatrix = "%%MatrixMarket matrix coordinate real general\n";
constexpr const char* kVectorHeader = "%%MatrixMarket matrix array real general\n";

class GoldenSolve : public ::testing::Test {
protected:
    GoldenSolve() {
        const auto& directory = commands_.directory();
        directory.file("diagonal.mtx", std::string(kMatrix) + "2 2 2\n1 1 2\n2 2 4\n");
        directory.file("indefinite.mtx", std::string(kMatrix) + "2 2 2\n1 1 2\n2 2 -4\n");
        directory.file("nan.mtx", std::string(kMatrix) + "2 2 2\n1 1 2\n2 2 nan\n");
        directory.file("path.mtx",
                       std::string(kMatrix) + "3 3 7\n1 1 1\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n");
        directory.file("unsymmetric.mtx", std::string(kMatrix) + "2 2 4\n1 1 2\n1 2 1\n2 1 1.5\n2 2 4\n");
        directory.file("half.mtx", std::string(kMatrix) + "2 2 3\n1 1 2\n1 2 1\n2 2 4\n");
        directory.file("wide.mtx", std::string(kMatrix) + "2 3 1\n1 1 2\n");
        directory.file("b.mtx", std::string(kVectorHeader) + "2 1\n2\n8\n");
        directory.file("b3.mtx", std::string(kVectorHeader) + "3 1\n2\n8\n1\n");
        directory.file("zero.mtx", std::string(kVectorHeader) + "2 1\n0\n0\n");
    }

    /// What was written down, without times and without digits that rounding decides.
    [[nodiscard]] std::string text() const {
        auto text = std::regex_replace(commands_.text(), std::regex(R"([0-9]+\.[0-9]{3} s\b)"), "{*} s");
        text = std::regex_replace(text, std::regex(R"([0-9](\.[0-9]+)?e-(0[89]|1[0-9]))"), "{*}");
        return text;
    }
    void show(const std::string& file) { files_ += file + ":\n" + test::content_of(commands_.path(file)); }

    Transcript commands_;
    std::string files_;
    const test::Threads threads_{2};
};

TEST_F(GoldenSolve, Commands) {
    commands_.run("solve {}diagonal.mtx -b {}b.mtx -o {}x.mtx --precond jacobi --device cpu --operator csr-omp");
    show("x.mtx");
    commands_.run(
        "solve {}diagonal.mtx --x0 {}b.mtx --precond none --method chronopoulos-gear --device cpu --operator "
        "reference");
    commands_.run("solve {}diagonal.mtx -b {}zero.mtx --precond none --device cpu --values float32 --operator csr-omp");
    commands_.run(
        "solve {}path.mtx --precond jacobi --null-space constant --device cpu -o {}path_x.mtx --operator csr-omp");
    commands_.run(
        "solve gen:laplace2d:n=8,jump=100,block=2 --precond ssor-ai --rtol 1e-6 --device cpu "
        "--operator csr-omp");
    commands_.run(
        "solve gen:laplace2d:n=8 --precond jacobi --max-iterations 3 --rtol 0 --atol 1e-9 --device cpu "
        "--operator csr-omp");
    commands_.run("solve {}indefinite.mtx --precond none --device cpu --operator csr-omp");
    commands_.run("solve {}indefinite.mtx --precond jacobi --device cpu");
    commands_.run("solve {}nan.mtx --precond none --device cpu --operator csr-omp");
    commands_.run("solve {}unsymmetric.mtx --device cpu");
    commands_.run("solve {}half.mtx --device cpu");
    commands_.run("solve {}wide.mtx --device cpu --skip-symmetry-check");
    commands_.run("solve {}diagonal.mtx -b {}b3.mtx --device cpu");
    commands_.run("solve {}diagonal.mtx --precond ilu --device cpu");
    commands_.run("solve {}diagonal.mtx --precond jacobi --operator stripe --device cpu");
    commands_.run("solve {}diagonal.mtx --values float16 --device cpu");
    expect_golden("solve.txt", text() + files_);
}

TEST_F(GoldenSolve, JsonToStdoutIsAllThereIs) {
    commands_.run("solve gen:laplace2d:n=8 --device cpu --json - --check-every 5");
    const std::string text = commands_.text();
    const json report = json::parse(text.substr(text.find('\n')));
    EXPECT_EQ(report["end"], "converged");
    EXPECT_EQ(report["check_every"], 5);
    EXPECT_EQ(report["preconditioner"]["trials"].size(), 3U);
    EXPECT_EQ(report["history"]["iterations"][1], 5);
    EXPECT_LE(report["residual"], report["tolerance"]);
}

/// A solve that was never done, so that every digit is the same everywhere.
SolveResult sample() {
    SolveResult r;
    r.matrix = "bridge";
    r.rows = 12000;
    r.nnz = 340000;
    r.values = "float64";
    r.right_hand_side = "A * ones";
    r.how = "CPU, 2 threads";
    r.operator_name = "auto";
    r.executed_operator = "strip-omp";
    r.preconditioner = {"ssor-ai:w=1.2", "of 3 tried the least predicted time to the tolerance", {}};
    auto& trials = r.preconditioner.trials;
    trials.resize(4);
    trials[0] = {"none", "", 0, 1e-4, 400, 0.8, solver::End::limit, HUGE_VAL};
    trials[1] = {"jacobi", "no such preconditioner: it needs a positive diagonal", 0, 0, 0, 1, {}, HUGE_VAL};
    trials[2] = {"ssor-ai", "", 2e-3, 2e-4, 12, 0.5, solver::End::not_positive_definite, HUGE_VAL};
    trials[3] = {"ssor-ai:w=1.2", "", 3e-3, 3e-4, 40, 1e-3, solver::End::stopped, 1.25};
    r.preconditioner.seconds = 0.25;
    r.setup_seconds = 0.125;
    r.rtol = 1e-8;
    r.check_every = 10;
    r.method = solver::Method::chronopoulos_gear;
    r.method_reason = "which waits less";
    r.report.end = solver::End::converged;
    r.report.iterations = 60;
    r.report.restarts = 1;
    r.report.rhs_norm = 2;
    r.report.tolerance = 2e-8;
    r.report.first_residual = 2;
    r.report.residual = 1e-8;
    r.report.seconds = 0.5;
    r.report.history = {{0, 2}, {10, 0.25}, {20, 0.5}, {30, 1e-3}, {40, 1e-5}, {50, 1e-7}, {60, 1e-8}};
    return r;
}

TEST(GoldenSolveResult, TextAndJson) {
    SolveResult failed = sample();
    failed.report.end = solver::End::stagnated;
    failed.report.residual = std::nan("");
    failed.preconditioner = {"jacobi", "", {}};
    failed.method_reason.clear();
    expect_golden("solve_report.txt",
                  solve_text(sample()) + '\n' + solve_text(failed) + '\n' + solve_json(sample()).dump(1) + '\n');
    EXPECT_TRUE(solve_json(failed)["residual"].is_null());
}

TEST(GoldenSolveResult, SeveralRightHandSides) {
    SolveResult r = sample();
    r.preconditioner.trials.clear();
    r.reports.assign(3, r.report);
    r.reports[0].iterations = 59;
    EXPECT_EQ(&hardest(r.reports), &r.reports[1]);
    r.reports[2].end = solver::End::limit;
    EXPECT_EQ(&hardest(r.reports), &r.reports[2]);
    r.report = hardest(r.reports);
    expect_golden("solve_columns.txt", solve_text(r) + '\n' + solve_json(r)["right_hand_sides"].dump(1) + '\n');
}

}  // namespace
}  // namespace tilespmv::tools
