#include "tests/fuzz/random_request.hpp"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::fuzz {
namespace {

using namespace solver;

std::string random_preconditioner(Random& random, SolveRequest& asked) {
    static constexpr std::array wrong{"ilu",           "",
                                      "jacobi:size=3", "block-jacobi:size=33",
                                      "ssor-ai:w=2",   "none:values=float32",
                                      "auto:",         "jacobi:values=float16"};
    if (random.once_in(40)) {
        asked.fits = false;
        return random.pick(wrong);
    }
    if (random.once_in(6)) return "auto";
    const auto& info = random.pick(preconditioners<double>());
    std::string text(info.name);
    if (info.name == "ssor-ai") {
        const bool is_usual = !random.once_in(4);
        const double w = is_usual ? 0.5 + static_cast<double>(random.below(5)) / 4 : 1 + 0.99 * random.number();
        asked.is_easy = is_usual;
        text += fmt::format(":w={},operator={}", w, random.pick(std::array{"auto", "csr-omp", "tile-omp"}));
    }
    return text;
}

SolveOptions random_goal(Random& random, SolveRequest& asked) {
    SolveOptions goal;
    if (random.once_in(2)) goal.rtol = random.pick(std::array{1e-2, 1e-4, 1e-6, 1e-10, 1e-13, 0.0});
    if (random.once_in(8)) goal.atol = random.pick(std::array{1e-300, 1e-12, 1.0, 1e100});
    if (random.once_in(8)) {
        goal.max_iterations = static_cast<int>(1 + random.below(20));
        asked.is_easy = false;
    }
    if (random.once_in(4)) goal.check_every = static_cast<int>(1 + random.below(40));
    if (random.once_in(4)) goal.compare_every = static_cast<int>(1 + random.below(10));
    if (random.once_in(10)) {
        goal.stagnation_iterations = static_cast<int>(1 + random.below(30));
        asked.is_easy = false;
    }
    if (random.once_in(40)) {
        asked.fits = false;
        const double wrong = random.pick(std::array{-1.0, std::numeric_limits<double>::quiet_NaN()});
        switch (random.below(3)) {
            case 0:
                goal.rtol = wrong;
                break;
            case 1:
                goal.atol = wrong;
                break;
            default:
                goal.max_iterations = -1;
        }
    }
    return goal;
}

}  // namespace

SolveRequest random_request(Random& random) {
    SolveRequest asked;
    asked.options.preconditioner = random_preconditioner(random, asked);
    asked.options.operator_name =
        random.pick(std::array{"auto", "auto", "csr-omp", "tile-omp", "strip-omp", "coo-omp", "reference"});
    if (random.once_in(2)) asked.options.method = random.pick(std::array{Method::textbook, Method::chronopoulos_gear});
    if (random.once_in(6)) {
        asked.options.constant_null_space = true;
        asked.is_easy = false;
    }
    asked.goal = random_goal(random, asked);
    asked.ranks = random.once_in(4) ? static_cast<int>(1 + random.below(4)) : 0;
    asked.threads = static_cast<int>(1 + random.below(3));
    asked.checks_symmetry = !random.once_in(4);
    asked.description = fmt::format(
        "{}, '{}', {}, rtol {}, atol {}, iterations {}, check {}, compare {}, stagnation {}{}{}, {} ranks, {} threads",
        asked.options.operator_name, asked.options.preconditioner,
        asked.options.method ? method_name(*asked.options.method) : "any method",
        asked.goal.rtol ? fmt::format("{}", *asked.goal.rtol) : "any", asked.goal.atol, asked.goal.max_iterations,
        asked.goal.check_every, asked.goal.compare_every, asked.goal.stagnation_iterations,
        asked.options.constant_null_space ? ", null space" : "", asked.checks_symmetry ? "" : ", not checked",
        asked.ranks, asked.threads);
    return asked;
}

}  // namespace tilespmv::fuzz
