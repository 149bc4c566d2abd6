// Random linear systems, many of them spoilt, through the solvers of the library: one device, and ranks that are groups
// of threads, in float64 and float32, with every preconditioner and random options.
//
//     fuzz_solve [--seconds N] [--seed N] [--case N] [--keep-going]
//
// What is checked, in long double, from A and b as the caller has them:
//  - A solve that is said to have converged leaves a finite x with ||b - A x|| of at most twice the tolerance and eight
//    roundings of |A| |x| + |b|. With a constant null space b is meant without its mean.
//  - The residual that is reported is that of x.
//  - An `Error` is an answer only where A is not positive definite and well-conditioned, numbers are out of range, or
//    options do not fit; options that do not fit and unsymmetric matrices get one.
//  - A well-conditioned system within range is solved.
//  - A solver gives the same bits after other right-hand sides, and after `update_values`, as a new one.
//  - A case takes less than two minutes.
//
// Stops at the first case that fails and prints the command that repeats it, after a signal, too. Exit codes: 0 nothing
// is wrong, 1 something is, 2 wrong usage.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/fuzz/exact_system.hpp"
#include "tests/fuzz/random_request.hpp"
#include "tests/fuzz/random_system.hpp"
#include "tile/error.hpp"

namespace tilespmv::fuzz {
namespace {

using namespace solver;

/// What was found wrong, in one line.
struct Wrong {
    std::string what;
};

/// A solver on one device or over ranks.
template <class T>
struct Made {
    std::function<SolveReport(std::span<const T>, std::span<T>, const SolveOptions&)> solve;
    std::function<void(const CsrMatrix<T>&)> update;
    std::string preconditioner;
    Method method{};
    std::optional<multi_gpu::Partition> partition{};
};

template <class T>
Made<T> make(const CsrMatrix<T>& a, const SolveRequest& asked, const TrialSolve<T>& trial) {
    const SolverOptions& o = asked.options;
    const auto use = [&](auto made, auto&& update) {
        return Made<T>{[made](auto b, auto x, const auto& goal) { return made->solve(b, x, goal); },
                       update,
                       made->preconditioner_choice().specification,
                       made->method(),
                       {}};
    };
    if (asked.ranks == 0) {
        const auto made = std::make_shared<Solver<T>>(a.clone(), o, trial);
        return use(made, [made](const auto& of) { made->update_values({of.values.begin(), of.values.end()}); });
    }
    const multi_gpu::RankedOptions ranked{.ranks = asked.ranks,
                                          .partition = asked.partition,
                                          .operator_name = o.operator_name,
                                          .preconditioner = o.preconditioner,
                                          .method = o.method,
                                          .constant_null_space = o.constant_null_space};
    const auto made =
        std::make_shared<multi_gpu::RankedSolver<T>>(multi_gpu::make_cpu_ranked_solver<T>(a, ranked, trial));
    auto of_ranks = use(made, [made](const auto& of) { made->update_values(of); });
    of_ranks.partition = made->partition();
    return of_ranks;
}

/// Of the same pattern: rows and columns scaled, so that what is positive definite stays so.
template <class T>
CsrMatrix<T> with_other_values(const CsrMatrix<T>& a) {
    auto other = a.clone();
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row) {
        for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++p)
            other.values[p] *= static_cast<T>((1 + row % 3) * (1 + static_cast<std::size_t>(a.col_idxs[p]) % 3));
    }
    return other;
}

struct Counts {
    std::size_t solves = 0, converged = 0, easy = 0, errors = 0;
};

/// One system in one type of values.
template <class T>
class Case {
public:
    Case(const RandomSystem& system, const SolveRequest& asked, Counts& counts)
        : asked_(asked), counts_(counts), a_(convert_values<T>(system.a)), exact_(a_), x0_(rounded(system.x0)) {
        for (const auto& b : system.b) b_.push_back(rounded(b));
    }

    void run() {
        omp_set_num_threads(asked_.threads);
        const bool must_not_fail = asked_.fits && !asked_.options.constant_null_space && is_sound();
        try {
            if (asked_.checks_symmetry) check_symmetry(a_, 64 * double{std::numeric_limits<T>::epsilon()});
            solve_all();
        } catch (const Error& error) {
            ++counts_.errors;
            if (must_not_fail) throw Wrong{fmt::format("refused: {}", error.what())};
            if (std::string(error.what()).find('\n') != std::string::npos) throw Wrong{"an error of several lines"};
            return;
        }
        if (!asked_.fits) throw Wrong{"wrong options are taken"};
        if (asked_.checks_symmetry && exact_.asymmetry() > 1e-4L) throw Wrong{"it is taken for symmetric"};
    }

private:
    static constexpr Exact kEpsilon = std::numeric_limits<T>::epsilon();
    static constexpr int kRange = sizeof(T) == 8 ? 450 : 50;  ///< powers of two in which a solve must succeed

    static std::vector<T> rounded(const std::vector<double>& v) {
        std::vector<T> r;
        for (const double value : v) r.push_back(static_cast<T>(value));
        return r;
    }
    static bool is_in_range(Exact value) {
        return value >= std::ldexp(Exact{1}, -kRange) && value <= std::ldexp(Exact{1}, kRange);
    }
    [[nodiscard]] bool in_float32() const { return asked_.options.preconditioner.find("float32") != std::string::npos; }

    /// Whether nothing of A, b and x0 is an excuse for an `Error`.
    [[nodiscard]] bool is_sound() const {
        bool is_finite_everywhere = is_finite(largest(x0_));
        for (const auto& b : b_) is_finite_everywhere = is_finite_everywhere && is_finite(largest(b));
        return is_finite_everywhere && exact_.condition() < 1e4 &&
               (a_.rows == 0 || is_in_range(exact_.norm_of_rows())) &&
               (!in_float32() || sizeof(T) == 4 || (exact_.norm_of_rows() < 1e15 && exact_.norm_of_rows() > 1e-15));
    }

    [[nodiscard]] double rtol() const { return asked_.goal.rtol.value_or(kDefaultRtol<T>); }

    /// Of b: with a constant null space without its mean.
    [[nodiscard]] std::vector<Exact> meant(const std::vector<T>& b) const {
        std::vector<Exact> all(b.begin(), b.end());
        if (!asked_.options.constant_null_space || b.empty()) return all;
        Exact mean = 0;
        for (const Exact value : all) mean += value / static_cast<Exact>(all.size());
        for (Exact& value : all) value -= mean;
        return all;
    }

    [[nodiscard]] bool must_converge(const std::vector<T>& b) const {
        if (!asked_.is_easy || !is_sound()) return false;
        const auto x = exact_.solution(b);
        const Exact size = norm(exact_.residual(b, std::vector<T>(b.size(), T{0})));
        if (size == 0) return true;
        const Exact tolerance = std::max<Exact>(rtol() * size, asked_.goal.atol);
        const Exact reach = 16 * kEpsilon * exact_.norm_of_rows() * norm(x);
        const bool starts_near = x0_.empty() || largest(x0_) < largest(x) * (sizeof(T) == 8 ? 1e6 : 1e2);
        return is_in_range(size) && is_in_range(norm(x)) && tolerance >= reach && starts_near;
    }

    void check(const std::vector<T>& b, const std::vector<T>& x, const SolveReport& report) {
        ++counts_.solves;
        const bool is_easy = must_converge(b);
        counts_.easy += is_easy ? 1 : 0;
        const auto of = meant(b);
        Exact size = 0;
        const Exact residual = norm(exact_.residual(of, x, &size));
        if (report.end == End::none) throw Wrong{"a solve without an end"};
        const Exact rounding = 8 * kEpsilon * (size + norm({b.begin(), b.end()}));
        if (report.converged()) {
            ++counts_.converged;
            const Exact allowed = 2 * std::max<Exact>(rtol() * norm(of), asked_.goal.atol) + rounding;
            if (!is_finite(largest(x)) || !(residual <= allowed)) {
                throw Wrong{fmt::format("{}, but the residual is {}, allowed {}, largest x {}", describe(report),
                                        residual, allowed, largest(x))};
            }
        } else if (is_easy) {
            throw Wrong{
                fmt::format("{}, condition {}, allowed {}", describe(report), exact_.condition(), report.tolerance)};
        }
        const bool is_comparable = is_finite(size) && is_in_range(size) && report.end != End::not_a_number;
        if (is_comparable && !(std::abs(residual - report.residual) <= residual / 10 + rounding))
            throw Wrong{
                fmt::format("{}: reported residual {}, that of x is {}", describe(report), report.residual, residual)};
    }

    std::vector<T> solve(const Made<T>& made, const std::vector<T>& b, SolveReport& report) const {
        SolveOptions goal = asked_.goal;
        goal.start_from_x = !x0_.empty();
        std::vector<T> x = x0_.empty() ? std::vector<T>(b.size(), std::numeric_limits<T>::quiet_NaN()) : x0_;
        report = made.solve(b, x, goal);
        return x;
    }

    static bool same(const std::vector<T>& x, const std::vector<T>& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](T a, T b) { return a == b || (a != a && b != b); });
    }

    void solve_all() {
        const auto made = make<T>(a_, asked_, TrialSolve<T>{b_.front(), asked_.goal});
        SolveRequest chosen = asked_;
        chosen.options.preconditioner = made.preconditioner;
        chosen.options.method = made.method;
        chosen.partition = made.partition;
        std::vector<std::vector<T>> x;
        for (const auto& b : b_) {
            SolveReport report;
            x.push_back(solve(made, b, report));
            check(b, x.back(), report);
        }
        SolveReport report;
        if (b_.size() > 1 && !same(solve(make<T>(a_, chosen, {}), b_.back(), report), x.back()))
            throw Wrong{fmt::format("other bits after other right-hand sides; alone {}", describe(report))};
        check_new_values(chosen, x.front());
    }

    void check_new_values(const SolveRequest& chosen, const std::vector<T>& expected) const {
        const auto other = with_other_values(a_);
        std::optional<Made<T>> made;
        try {
            made = make<T>(other, chosen, {});
        } catch (const Error&) {
            return;  // the other matrix has no such preconditioner
        }
        made->update(a_);
        SolveReport report;
        if (!same(solve(*made, b_.front(), report), expected))
            throw Wrong{fmt::format("other bits after new values: {}", describe(report))};
    }

    const SolveRequest& asked_;
    Counts& counts_;
    CsrMatrix<T> a_;
    ExactSystem exact_;
    std::vector<T> x0_;
    std::vector<std::vector<T>> b_;
};

struct Settings {
    double seconds = 5;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> only;
    bool keeps_going = false;
};

char repeat[200];  // how to repeat the case that runs, for `on_signal`

void on_signal(int signal) {
    const std::string_view text(repeat);
    [[maybe_unused]] const auto written = ::write(2, text.data(), text.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

class Driver {
public:
    explicit Driver(const Settings& settings) : settings_(settings) {}

    /// Returns the exit code.
    int run() {
        if (settings_.only) return run_case(*settings_.only) ? 0 : 1;
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + std::chrono::duration<double>(settings_.seconds);
        std::uint64_t i = 0, failed = 0;
        for (; Clock::now() < end; ++i) {
            if (run_case(i)) continue;
            ++failed;
            if (!settings_.keeps_going) return 1;
        }
        fmt::print("fuzz_solve: {} cases, {} solves, {} of them easy, {} converged, {} errors, seed {}: ", i,
                   counts_.solves, counts_.easy, counts_.converged, counts_.errors, settings_.seed);
        fmt::print("{}\n", failed == 0 ? "all right" : fmt::format("{} wrong", failed));
        return failed == 0 ? 0 : 1;
    }

private:
    static constexpr unsigned kMostSeconds = 120;

    /// False, after a message, if it failed.
    bool run_case(std::uint64_t number) {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;  // tells neighbouring seeds apart
        *fmt::format_to_n(repeat, sizeof(repeat) - 1, "to repeat it: fuzz_solve --seed {} --case {}\n", settings_.seed,
                          number)
             .out = '\0';
        Random random(settings_.seed * odd + number);
        const RandomSystem system = random_system(random);
        const SolveRequest asked = random_request(random);
        const bool is_float64 = !random.once_in(3);
        const auto description =
            fmt::format("{}; {}; {}", is_float64 ? "float64" : "float32", system.description, asked.description);
        if (settings_.only) fmt::print(stderr, "case {}: {}\n", number, description);
        ::alarm(kMostSeconds);
        try {
            if (is_float64) {
                Case<double>(system, asked, counts_).run();
            } else {
                run_in_float32(system, asked);
            }
            return true;
        } catch (const Wrong& wrong) {
            fmt::print(stderr, "fuzz_solve: {}: {}\n{}", description, wrong.what, repeat);
            return false;
        }
    }

    void run_in_float32(const RandomSystem& system, const SolveRequest& asked) {
        std::optional<Case<float>> one;
        try {
            one.emplace(system, asked, counts_);
        } catch (const Error&) {
            return;  // A has values that float32 has not
        }
        one->run();
    }

    Settings settings_;
    Counts counts_;
};

}  // namespace
}  // namespace tilespmv::fuzz

int main(int argc, char** argv) {
    using namespace tilespmv;
    fuzz::Settings settings;
    CLI::App app{"Solves random linear systems, many of them spoilt, and checks what comes of it"};
    app.add_option("--seconds", settings.seconds, "How long")->capture_default_str();
    app.add_option("--seed", settings.seed, "Of all cases")->capture_default_str();
    app.add_option("--case", settings.only, "Run this case alone");
    app.add_flag("--keep-going", settings.keeps_going, "Go on after a case that failed");
    try {
        app.parse(argc, argv);
        for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM}) std::signal(signal, fuzz::on_signal);
        return fuzz::Driver(settings).run();
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
}
