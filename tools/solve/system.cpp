#include "tools/solve/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kernels/auto/auto_options.hpp"
#include "kernels/auto/machine_ranking.hpp"
#include "kernels/choose_operator.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/source.hpp"
#include "tools/terminal/status_line.hpp"

namespace tilespmv::tools {
namespace {

using namespace solver;

/// What a and there may differ by, in roundings of a value: those of a sum in another order.
constexpr double kRoundings = 64;

/// Throws `Error` that names the first value that is NaN or Inf: b - A x would be no number for any x.
template <class T>
void require_finite(const CsrMatrix<T>& a, const std::string& name) {
    const auto bad = std::ranges::find_if(a.values, [](T value) { return !std::isfinite(value); });
    if (bad == a.values.end()) return;
    const auto at = static_cast<std::size_t>(bad - a.values.begin());
    const auto row = std::ranges::upper_bound(a.row_ptrs, static_cast<offset_t>(at)) - a.row_ptrs.begin();
    throw Error(fmt::format("{}: row {}, column {} is {}; to solve needs finite values", name, row,
                            std::int64_t{a.col_idxs[at]} + 1, *bad));
}

template <class T>
void require_finite(const Vectors<T>& v, const std::string& name, const char* advice) {
    const auto bad = std::ranges::find_if(v.values, [](T value) { return !std::isfinite(value); });
    if (bad == v.values.end()) return;
    const std::int64_t at = bad - v.values.begin();
    throw Error(fmt::format("{}: row {}, column {} is {}; {}", name, at % v.size + 1, at / v.size + 1, *bad, advice));
}

template <class T>
void require_symmetric(const CsrMatrix<T>& a) {
    try {
        check_symmetry(a, kRoundings * std::numeric_limits<T>::epsilon());
    } catch (const Error& error) {
        const char* advice = a.rows == a.cols ? "; --skip-symmetry-check solves with it as it is" : "";
        throw Error(error.what() + std::string(advice), error.code());
    }
}

template <class T>
CsrMatrix<T> load(const SystemOptions& options) {
    ReadNotes notes;
    auto a = load_csr<T>(options.source, PatternValues::ones, &notes);
    if (notes.is_pattern) {
        fmt::print(stderr, "note: {} has no values: its entries are taken to be 1, which is seldom positive definite\n",
                   source_name(options.source));
    }
    require_finite(a, source_name(options.source));
    if (a.rows != a.cols || !options.skips_symmetry_check) require_symmetric(a);
    return a;
}

template <class T>
Vectors<T> right_hand_sides(const SystemOptions& options, const CsrMatrix<T>& a, std::string& source) {
    if (!options.b.empty()) {
        source = source_name(options.b);
        auto all = read_sized<T>(options.b, a.rows);
        if (all.count > 1) source += fmt::format(", {} columns, one after the other", all.count);
        return all;
    }
    source = "A * ones";
    const Buffer<T> ones(static_cast<std::size_t>(a.rows), T{1});
    Vectors<T> b{a.rows, 1, Buffer<T>(static_cast<std::size_t>(a.rows))};
    make_operator<T>(operator_on<T>(Backend::cpu, Form::csr), a)->apply(T{1}, ones, T{0}, b.of(0));
    require_finite(b, "b = A * ones", "the entries of A are finite, their sum is not: give another b (-b)");
    return b;
}

SolverOptions solver_options(const SystemOptions& asked) {
    SolverOptions options;
    options.backend = choose_backend(asked.gpus > 0 && asked.device.empty() ? "cuda" : asked.device);
    options.operator_name = asked.operator_name;
    options.preconditioner = asked.preconditioner;
    options.constant_null_space = asked.null_space == "constant";
    if (asked.method != "auto") {
        options.method = asked.method == "textbook" ? Method::textbook : Method::chronopoulos_gear;
    }
    return options;
}

/// The ranking that `auto` goes by for a matrix; empty for another operator.
template <class T>
std::vector<RankedOperator> rank_if_auto(const std::string& specification, const CsrMatrix<T>& a, Backend backend) {
    Options options("operator", specification);
    if (options.name() != "auto") return {};
    return rank_on_this_machine<T>(pattern_of(a), backend, read_auto_options(options).products);
}

/// Why `auto` took what it did.
void explain_operator(SolveResult& result, std::string_view specification) {
    const auto taken = std::ranges::find(result.ranked, specification, &RankedOperator::specification);
    if (taken == result.ranked.end()) return;
    result.operator_reason =
        fmt::format("of {} the least predicted time ({})", result.ranked.size(), why(*taken, result.nnz));
}

template <class T>
void describe_solver(const Solver<T>& solver, const SolveOptions& goal, SolveResult& result) {
    result.how = solver.how();
    result.preconditioner = solver.preconditioner_choice();
    result.executed_operator = solver.operator_name();
    explain_operator(result, solver.operator_specification());
    result.method = solver.method();
    result.method_reason = solver.method_reason();
    result.check_every = solver.check_every(goal);
}

template <class T>
void describe_ranks(const multi_gpu::RankedSolver<T>& solver, const SolveOptions& goal, SolveResult& result) {
    result.ranks = solver.reports();
    result.preconditioner = solver.preconditioner_choice();
    const std::size_t ranks = result.ranks.size();
    result.how = fmt::format("{} rank{}, each on {}", ranks, ranks == 1 ? "" : "s", result.ranks.front().how);
    result.executed_operator = result.ranks.front().operator_name;
    result.method = solver.method();
    result.method_reason = solver.method_reason();
    result.check_every = solver.check_every(goal);
}

void add_goal(CLI::App& command, SolveOptions& goal) {
    const auto real = [&](const char* name, auto& target, const char* help, const std::string& otherwise) {
        add_number<double>(command, name, target, 0, std::numeric_limits<double>::max(), help)->default_str(otherwise);
    };
    const auto whole = [&](const char* name, int& target, const char* help, const char* otherwise) {
        add_number<int>(command, name, target, 1, std::numeric_limits<int>::max(), help)->default_str(otherwise);
    };
    real("--rtol", goal.rtol, "Converged at ||b - A*x|| <= rtol * ||b||,",
         fmt::format("{}, in float32 {}", kDefaultRtol<double>, kDefaultRtol<float>));
    real("--atol", goal.atol, "or at ||b - A*x|| <= atol", "0");
    whole("--max-iterations", goal.max_iterations, "Limit", "10 times the rows, from 1000 to 100000");
    whole("--check-every", goal.check_every, "Iterations between looks at the residual", "1, on a GPU 32");
}

void add_choices(CLI::App& command, SystemOptions& o) {
    command
        .add_option("--precond", o.preconditioner,
                    "Preconditioner, name[:option=value,...]; `tilespmv info` lists the names; auto tries several")
        ->default_str("auto");
    command.add_option("--operator", o.operator_name, "What multiplies by A, name[:option=value,...]")
        ->default_str("auto");
    command.add_option("--method", o.method, "Recurrence: auto, chronopoulos-gear or textbook")
        ->check(CLI::IsMember({"auto", "chronopoulos-gear", "textbook"}))
        ->default_str("auto");
    command.add_option("--null-space", o.null_space, "constant: A is singular, A * ones = 0; x gets no mean")
        ->check(CLI::IsMember({"none", "constant"}))
        ->default_str("none");
    command.add_flag("--skip-symmetry-check", o.skips_symmetry_check, "Take the matrix for symmetric");
}

}  // namespace

template <class T>
Vectors<T> read_sized(const std::string& file, index_t rows) {
    ReadNotes notes;
    auto vectors =
        read_vectors<T>(open_input(file),
                        {.size = rows, .meaning = "the rows of the matrix", .limits = input_limits(), .notes = &notes});
    show_warnings(notes);
    require_finite(vectors, file, "to solve needs finite values");
    return vectors;
}

template <class T>
Buffer<T> vector_to_try(const Vectors<T>& b) {
    std::vector<T> largest;
    for (index_t i = 0; i < b.count; ++i) {
        T of_column = 0;
        for (const T value : b.of(i)) of_column = std::max(of_column, std::abs(value));
        largest.push_back(of_column);
    }
    const T share = std::ranges::max(largest) / static_cast<T>(b.count);
    Buffer<T> sum(static_cast<std::size_t>(b.size), T{0});
    for (index_t i = 0; i < b.count; ++i) {
        const T of_column = largest[static_cast<std::size_t>(i)];
        if (of_column == 0) continue;
        std::ranges::transform(sum, b.of(i), sum.begin(), [&](T s, T value) { return s + value / of_column * share; });
    }
    return sum;
}

template <class T>
System<T> load_system(const SystemOptions& asked, SolveResult& result) {
    result.matrix = source_name(asked.source);
    System<T> system{load<T>(asked), {}, {}};
    system.b = right_hand_sides(asked, system.a, result.right_hand_side);
    system.options = solver_options(asked);
    result.rows = system.a.rows;
    result.nnz = system.a.nnz();
    result.values = value_name<T>();
    result.operator_name = asked.operator_name;
    result.rtol = asked.goal.rtol.value_or(kDefaultRtol<T>);
    result.atol = asked.goal.atol;
    if (asked.gpus == 0) result.ranked = rank_if_auto(asked.operator_name, system.a, system.options.backend);
    return system;
}

template <class T>
std::unique_ptr<Solver<T>> make_solver(CsrMatrix<T> a, std::span<const T> b, const SolverOptions& options,
                                       const SolveOptions& goal, SolveResult& result) {
    StatusLine status;
    if (options.preconditioner == kAutoPreconditioner) status.show("trying preconditioners");
    auto solver = std::make_unique<Solver<T>>(std::move(a), options, TrialSolve<T>{b, goal});
    describe_solver(*solver, goal, result);
    return solver;
}

template <class T>
multi_gpu::RankedSolver<T> make_ranked_solver(const CsrMatrix<T>& a, std::span<const T> b, int ranks,
                                              const SolverOptions& options, const SolveOptions& goal,
                                              SolveResult& result) {
    const multi_gpu::RankedOptions ranked{.ranks = ranks,
                                          .operator_name = options.operator_name,
                                          .preconditioner = options.preconditioner,
                                          .method = options.method,
                                          .constant_null_space = options.constant_null_space};
    StatusLine status;
    if (options.preconditioner == kAutoPreconditioner) status.show("trying preconditioners");
    const TrialSolve<T> trial{b, goal};
    auto solver = options.backend == Backend::cuda ? multi_gpu::make_gpu_ranked_solver<T>(a, ranked, trial)
                                                   : multi_gpu::make_cpu_ranked_solver<T>(a, ranked, trial);
    describe_ranks(solver, goal, result);
    return solver;
}

void add_system(CLI::App& command, SystemOptions& options) {
    add_source(command, options.source);
    add_input(command, "-b,--rhs", options.b,
              "Right-hand sides, the columns of a Matrix Market array (default: A * ones)");
    add_choices(command, options);
    add_goal(command, options.goal);
    add_values(command, options.values);
    add_device(command, options.device, "the GPU if there is one");
    add_number<int>(command, "--gpus", options.gpus, 1, 1024,
                    "Divide the rows among so many GPUs (with --device cpu: as many groups of threads)");
}

template Vectors<double> read_sized(const std::string&, index_t);
template Vectors<float> read_sized(const std::string&, index_t);
template Buffer<double> vector_to_try(const Vectors<double>&);
template Buffer<float> vector_to_try(const Vectors<float>&);
template std::unique_ptr<Solver<double>> make_solver(CsrMatrix<double>, std::span<const double>, const SolverOptions&,
                                                     const SolveOptions&, SolveResult&);
template std::unique_ptr<Solver<float>> make_solver(CsrMatrix<float>, std::span<const float>, const SolverOptions&,
                                                    const SolveOptions&, SolveResult&);
template multi_gpu::RankedSolver<double> make_ranked_solver(const CsrMatrix<double>&, std::span<const double>, int,
                                                            const SolverOptions&, const SolveOptions&, SolveResult&);
template multi_gpu::RankedSolver<float> make_ranked_solver(const CsrMatrix<float>&, std::span<const float>, int,
                                                           const SolverOptions&, const SolveOptions&, SolveResult&);
template System<double> load_system(const SystemOptions&, SolveResult&);
template System<float> load_system(const SystemOptions&, SolveResult&);

}  // namespace tilespmv::tools
