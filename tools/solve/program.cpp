#include "tools/solve/program.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tools/options/source.hpp"
#include "tools/solve/system.hpp"

namespace tilespmv::tools {
namespace {

using namespace solver;

/// As a literal of C++.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

/// One line, without what would end a comment or a line of it.
std::string one_line(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\\') c = '?';
    }
    return text;
}

std::string_view value_type(const SolveResult& r) { return r.values == "float32" ? "float" : "double"; }

// What stands in {{...}} below is replaced.
constexpr std::string_view kMain =
    R"(// Solves A x = b by preconditioned conjugate gradients, with what `tilespmv generate-solver` chose for
// {{matrix}}. README.md says why.
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

{{includes}}#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/kernels/solver/solve.hpp>
#include <tilespmv/tile/error.hpp>
#include <tilespmv/tile/io/input.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>

namespace solver = tilespmv::solver;
using Value = {{value}};

{{shapes}}// What is made once for a matrix; its values, not its pattern, may change (`update_values`).
const {{options}} kConfiguration{
    {{where}}
    {{operator}},
    .preconditioner = {{preconditioner}},
    .method = solver::Method::{{method}},
    .constant_null_space = {{null_space}},{{launches}}
};

// When a solution is good enough, for every right-hand side.
const solver::SolveOptions kGoal{
    .rtol = {{rtol}},
    .atol = {{atol}},
    .max_iterations = {{max_iterations}},  // 0: ten times the rows, from 1,000 to 100,000
    .check_every = {{check_every}},
};

std::vector<Value> a_times_ones(const tilespmv::CsrMatrix<Value>& a) {
    const std::vector<Value> ones(static_cast<std::size_t>(a.cols), 1);
    std::vector<Value> b(static_cast<std::size_t>(a.rows));
    tilespmv::make_operator<Value>("csr-omp", a)->apply(1, ones, 0, b);
    return b;
}

std::vector<Value> right_hand_side(const std::string& file, const tilespmv::CsrMatrix<Value>& a) {
    if (file.empty()) return a_times_ones(a);
    const auto b = tilespmv::read_vector<Value>(file, {.size = a.rows, .meaning = "the rows of the matrix"});
    return {b.begin(), b.end()};
}

int main(int argc, char** argv) try {
    if (argc < 3 || argc > 4)
        throw tilespmv::Error("usage: solve A.mtx X.mtx [B.mtx]; writes x, b is A * ones unless it is given",
                              tilespmv::ExitCode::usage);
    const std::string a_file = argv[1], x_file = argv[2], b_file = argc == 4 ? argv[3] : "";
    for (const auto& input : {a_file, b_file}) tilespmv::refuse_to_replace(x_file, input);
    auto a = tilespmv::read_matrix_market<Value>(a_file);
    {{check}}
    const auto b = right_hand_side(b_file, a);

    {{make}};
    std::vector<Value> x(b.size());
    const auto report = system.solve(b, x, kGoal);
    tilespmv::write_vector<Value>(x_file, std::span<const Value>(x));
    std::cout << describe(report) << "\nresidual: " << report.residual << " of " << report.tolerance << " allowed\n";
    if (!report.converged()) throw tilespmv::Error(a_file + ": " + describe(report));
    return 0;
} catch (const tilespmv::Error& error) {
    std::cerr << "solve: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
)";

constexpr std::string_view kCmake = R"(cmake_minimum_required(VERSION 3.25)
project(solve LANGUAGES CXX)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(tilespmv REQUIRED)
add_executable(solve main.cpp)
target_link_libraries(solve PRIVATE tilespmv::tilespmv)
)";

constexpr std::string_view kReadme = R"(# A solver for {{matrix}}

`tilespmv generate-solver` wrote this program for a matrix of {{size}}, values {{values}}, on this machine: {{how}}.
It is yours to change. Where tilespmv is installed in PREFIX:

```sh
cmake -S . -B build -D CMAKE_PREFIX_PATH=PREFIX
cmake --build build
build/solve A.mtx X.mtx          # b = A * ones
build/solve A.mtx X.mtx B.mtx
```

It writes x to `X.mtx`, which must be neither `A.mtx` nor `B.mtx`, and says how many iterations that took. Exit codes: 0 converged,
1 not converged or an error, 2 wrong arguments, 4 no GPU. The matrix may be another one with a similar pattern{{rows}}; what was
chosen is right for it as far as it is alike.

| choice | why |
|---|---|
| device: {{device}} | {{backend_why}} |
{{iterations}}| operator: `{{operator_name}}` | {{operator_why}} |
| preconditioner: `{{preconditioner_name}}` | {{preconditioner_why}} |
| method: {{method_name}} | {{method_why}} |
| a look at the residual every {{check_every}} iterations | {{check_why}} |
| goal: norm of b - A x at most max({{rtol}} norm of b, {{atol}}) | {{goal_why}} |
{{trials}})";

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string filled(std::string_view text, const Fields& fields) {
    std::string out;
    for (;;) {
        const auto open = text.find("{{");
        if (open == std::string_view::npos) return out.append(text);
        const auto close = text.find("}}", open);
        const auto name = text.substr(open + 2, close - open - 2);
        out.append(text.substr(0, open));
        for (const auto& [field, value] : fields) {
            if (field == name) out += value;
        }
        text.remove_prefix(close + 2);
    }
}

std::string trials(const SolveResult& r) {
    const auto table = trials_text(r.preconditioner.trials);
    return table.empty() ? "" : fmt::format("\nPreconditioners that were tried:\n\n```\n{}```\n", table);
}

std::string symmetry_check(const SystemOptions& asked) {
    return asked.skips_symmetry_check
               ? "// The matrix is taken for symmetric."
               : "solver::check_symmetry(a, 64 * double{std::numeric_limits<Value>::epsilon()});  // 64 roundings";
}

std::string asked_or(const std::string& reason) { return reason.empty() ? "as asked for" : reason; }

std::string check_reason(bool is_on_gpu, const SystemOptions& asked) {
    if (asked.goal.check_every != 0) return "as asked for";
    return is_on_gpu ? "a GPU waits for the host while it looks" : "a look costs nothing on a CPU";
}

std::string device(const SolveResult& r, Backend backend) {
    const std::string name = backend == Backend::cuda ? "cuda" : "cpu";
    if (r.ranks.empty()) return name;
    return fmt::format("{}, {} rank{}", name, r.ranks.size(), r.ranks.size() == 1 ? "" : "s");
}

/// Whether the recurrence that was taken launches that kernel.
bool is_launched(std::string_view kernel, Method method) {
    static constexpr std::array<std::string_view, 3> of_chronopoulos_gear{"advance", "advance_diagonal",
                                                                          "inner_products"};
    static constexpr std::array<std::string_view, 5> of_textbook{"direction", "step_length", "move", "move_diagonal",
                                                                 "ratio"};
    return method == Method::textbook ? std::ranges::count(of_chronopoulos_gear, kernel) == 0
                                      : std::ranges::count(of_textbook, kernel) == 0;
}

/// Shapes as a constant of the program.
std::string shapes_constant(const std::string& name, const std::vector<KernelShape>& shapes, Method method) {
    std::string text = fmt::format("const std::vector<solver::KernelShape> {}{{\n", name);
    for (const auto& [kernel, shape] : shapes) {
        if (is_launched(kernel, method)) {
            text += fmt::format("    {{{}, {{{}, {}, {}}}}},\n", quoted(kernel), shape.threads, shape.elements,
                                shape.max_blocks);
        }
    }
    return text + "};\n";
}

std::string shapes_name(std::size_t rank) { return fmt::format("kVectorShapesOfRank{}", rank); }

/// Of graphs of kernels; a persistent kernel divides its rows itself.
std::string shapes(const SolveResult& r) {
    std::string text;
    if (!r.is_persistent && !r.vector_shapes.empty())
        text = shapes_constant("kVectorShapes", r.vector_shapes, r.method);
    for (std::size_t k = 0; k < r.ranks.size(); ++k) {
        if (!r.ranks[k].vector_shapes.empty())
            text += shapes_constant(shapes_name(k), r.ranks[k].vector_shapes, r.method);
    }
    if (text.empty()) return "";
    return "// How kernels over vectors are launched: threads of a block, turns of a thread, most blocks (0: any "
           "number).\n" +
           text + "\n";
}

/// The row each part begins with, and the number of rows.
std::string starts(const SolveResult& r) {
    std::string text = "0";
    std::int64_t end = 0;
    for (const auto& rank : r.ranks) text += fmt::format(", {}", end += rank.rows);
    return text;
}

/// What multiplies, as members of the configuration.
std::string operators(const SolveResult& r) {
    if (r.ranks.empty()) return fmt::format(".operator_name = {}", quoted(r.operator_specification));
    std::string text = ".choices = {\n";
    for (std::size_t k = 0; k < r.ranks.size(); ++k) {
        const std::string of_vectors =
            r.ranks[k].vector_shapes.empty() ? "" : fmt::format(", .vector_shapes = {}", shapes_name(k));
        text +=
            fmt::format("        {{.operator_name = {}{}}},\n", quoted(r.ranks[k].operator_specification), of_vectors);
    }
    return text + "    }";
}

std::string launches(const SolveResult& r, Backend backend) {
    if (backend == Backend::cpu || !r.ranks.empty()) return "";
    if (r.is_persistent) return "\n    .persistent_at_any_size = true,  // blocks of iterations in one kernel";
    return "\n    .use_persistent_kernel = false,  // blocks of iterations in graphs\n    .vector_shapes = "
           "kVectorShapes,";
}

std::string iterations(const SolveResult& r, Backend backend) {
    static constexpr std::string_view by_profile =
        "| launch shapes of kernels over vectors | by the profile of this GPU, or those the library has without |\n";
    if (!r.ranks.empty()) {
        return fmt::format("| first rows of ranks, and the number of rows: {} | equal sums of nonzeros and rows |\n{}",
                           starts(r), r.ranks.front().vector_shapes.empty() ? "" : by_profile);
    }
    if (backend == Backend::cpu) return "";
    if (r.is_persistent) return "| iterations: many in one kernel | at this size that was measured to win |\n";
    return fmt::format(
        "| iterations: in graphs | one kernel for many does not win at this size, or cannot be used |\n{}", by_profile);
}

/// What differs between one device and several ranks.
Fields place(const SolveResult& r, Backend backend) {
    const char* device = backend == Backend::cuda ? "cuda" : "cpu";
    if (r.ranks.empty()) {
        return {{"includes", ""},
                {"options", "solver::SolverOptions"},
                {"where", fmt::format(".backend = tilespmv::Backend::{},", device)},
                {"make", "solver::Solver<Value> system(std::move(a), kConfiguration)"}};
    }
    return {{"includes", "#include <tilespmv/kernels/multi_gpu/ranked_solver.hpp>\n"},
            {"options", "tilespmv::multi_gpu::RankedOptions"},
            {"where", fmt::format(".ranks = {},\n    .partition = tilespmv::multi_gpu::Partition({{{}}}),  // the row "
                                  "each rank begins with, and the number of rows",
                                  r.ranks.size(), starts(r))},
            {"make", fmt::format("auto system = tilespmv::multi_gpu::make_{}_ranked_solver<Value>(a, kConfiguration)",
                                 backend == Backend::cuda ? "gpu" : "cpu")}};
}

std::string operator_reason(const SolveResult& r) {
    if (r.ranks.empty() || r.operator_name.substr(0, r.operator_name.find(':')) != "auto")
        return r.operator_reason.empty() ? "as asked for" : r.operator_reason;
    std::string all;
    for (const auto& rank : r.ranks) all += fmt::format("{}{}", all.empty() ? "" : ", ", rank.operator_specification);
    return fmt::format("each rank takes the one of the least predicted time for its rows, here {}", all);
}

Fields reasons(const SolveResult& r, Backend backend, const SystemOptions& asked) {
    const bool is_on_gpu = backend == Backend::cuda;
    return {{"backend_why", is_on_gpu ? "a GPU was there, or asked for" : "no GPU was there, or the CPU asked for"},
            {"operator_why", operator_reason(r)},
            {"preconditioner_why", asked_or(r.preconditioner.reason)},
            {"method_why", asked_or(r.method_reason)},
            {"check_why", check_reason(is_on_gpu, asked)},
            {"goal_why", asked.goal.rtol || asked.goal.atol > 0 ? "as asked for" : "the default for " + r.values},
            {"trials", trials(r)}};
}

}  // namespace

SolverProgram solver_program(const SolveResult& r, const SolverOptions& options, const SystemOptions& asked) {
    const SolveOptions& goal = asked.goal;
    Fields fields{{"matrix", one_line(r.matrix)},
                  {"size", describe_size(r.rows, r.rows, r.nnz)},
                  {"how", r.how},
                  {"values", r.values},
                  {"value", std::string(value_type(r))},
                  {"check", symmetry_check(asked)},
                  {"device", device(r, options.backend)},
                  {"operator", operators(r)},
                  {"operator_name", r.operator_specification},
                  {"preconditioner", quoted(r.preconditioner.specification)},
                  {"preconditioner_name", r.preconditioner.specification},
                  {"method", r.method == Method::textbook ? "textbook" : "chronopoulos_gear"},
                  {"method_name", std::string(method_name(r.method))},
                  {"null_space", options.constant_null_space ? "true" : "false"},
                  {"rtol", fmt::format("{}", r.rtol)},
                  {"atol", fmt::format("{}", goal.atol)},
                  {"max_iterations", fmt::format("{}", goal.max_iterations)},
                  {"check_every", fmt::format("{}", r.check_every)}};
    fields.push_back({"rows", r.ranks.empty() ? "" : " and as many rows"});
    fields.push_back({"shapes", shapes(r)});
    fields.push_back({"launches", launches(r, options.backend)});
    fields.push_back({"iterations", iterations(r, options.backend)});
    for (auto& field : place(r, options.backend)) fields.push_back(std::move(field));
    for (auto& field : reasons(r, options.backend, asked)) fields.push_back(std::move(field));
    return {filled(kMain, fields), std::string(kCmake), filled(kReadme, fields)};
}

}  // namespace tilespmv::tools
