#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/timer.hpp"
#include "kernels/block_copy.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/options/vectors_option.hpp"
#include "tools/text/executed_text.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

struct SpmvOptions {
    std::string source;
    std::string x;
    std::string y;
    std::string output;
    std::string operator_name;
    std::string selector;
    std::string values;
    std::string device = "cpu";
    std::optional<Accumulator> accumulator;
    double alpha = 1;
    double beta = 0;
    std::uint64_t seed = 1;
    VectorsOption vectors;
};

template <Value V>
Vectors<V> read_sized(const std::string& file, index_t size, std::string_view what) {
    ReadNotes notes;
    auto x = read_vectors<V>(open_input(file),
                             {.size = size, .meaning = std::string(what), .limits = input_limits(), .notes = &notes});
    show_warnings(notes);
    return x;
}

/// Of a file, else random.
template <Value V>
Vectors<V> make_x(const SpmvOptions& options, index_t size, std::string_view what) {
    const int asked = options.vectors.columns;
    if (options.x.empty()) {
        const int count = std::max(asked, 1);
        return {size, count,
                random_vector<V>(static_cast<std::size_t>(size) * static_cast<std::size_t>(count), options.seed)};
    }
    auto x = read_sized<V>(options.x, size, what);
    if (asked != 0 && x.count != asked) {
        throw Error(fmt::format("{}: found {} columns, --columns says {}", options.x, x.count, asked), ExitCode::usage);
    }
    return x;
}

template <Value V>
Vectors<V> make_y(const SpmvOptions& options, index_t size, std::string_view what, index_t count) {
    if (options.y.empty()) {
        return {size, count, Buffer<V>(static_cast<std::size_t>(size) * static_cast<std::size_t>(count), V{})};
    }
    auto y = read_sized<V>(options.y, size, what);
    if (y.count != count) {
        throw Error(fmt::format("{}: found {} columns, x has {}", options.y, y.count, count), ExitCode::usage);
    }
    return y;
}

template <Value V>
tilespmv::Block<V> columns_of(Vectors<V>& v) {
    const auto size = static_cast<std::size_t>(v.size);
    return {v.values.data(), size, v.count, size, Layout::column_major, Memory::host};
}

/// Y = alpha * op(A) * X + beta * Y, of blocks in the layout asked for.
template <Value V>
void multiply_vectors(const Operator<V>& a, V alpha, Vectors<V>& x, V beta, Vectors<V>& y,
                      const VectorsOption& vectors) {
    if (vectors.layout_in_memory() == Layout::column_major) {
        return a.apply(alpha, columns_of(x), beta, columns_of(y), vectors.run());
    }
    const OwnedBlock<V> x_rows(static_cast<std::size_t>(x.size), x.count, Layout::row_major);
    const OwnedBlock<V> y_rows(static_cast<std::size_t>(y.size), y.count, Layout::row_major);
    copy_block<V>(columns_of(x), x_rows.get());
    copy_block<V>(columns_of(y), y_rows.get());
    a.apply(alpha, x_rows.get(), beta, y_rows.get(), vectors.run());
    copy_block<V>(y_rows.get(), columns_of(y));
}

template <Value V>
Source<V> load_for(const ChosenOperator<V>& chosen, const SpmvOptions& options) {
    if (options.vectors.is_transposed && !options.selector.empty())
        throw Error("--selector has no meaning with --transpose: tiles of the transpose are of the default selector",
                    ExitCode::usage);
    if (chosen.made_from != Form::tiles && !options.selector.empty())
        throw Error(fmt::format("--selector has no meaning for operator {}, which does not use tiles", chosen.name),
                    ExitCode::usage);
    if (options.selector.empty()) return load_source<V>(options.source);
    static_cast<void>(make_policy(options.selector));  // refuses a wrong one before anything is read
    return load_source<V>(options.source).with_selector(options.selector);
}

template <Value V>
void print_summary(const std::string& name, const std::string& specification, const Operator<V>& a, V alpha,
                   std::span<const V> y, const std::string& vectors) {
    double squares = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -min;
    std::size_t finite = 0;
    for (const V value : y) {
        const auto v = static_cast<double>(value);
        if (!std::isfinite(v)) continue;
        squares += v * v;
        min = std::min(min, v);
        max = std::max(max, v);
        ++finite;
    }
    const std::string asked = Options("operator", specification).name();
    fmt::print("{}: {}, {}, {}{}\n", name, describe_size(a.rows(), a.cols(), a.nnz()), value_name<V>(),
               operator_text(asked, asked == a.name() ? "" : a.name()), vectors);
    const auto parts = alpha == V{0} ? std::vector<ExecutedPart>{} : a.executed();
    fmt::print("executed: {}\n", parts.empty() ? "nothing" : executed_text(parts, parts.size()));
    if (finite == 0) return fmt::print("y: no finite value among {}\n", y.size());
    fmt::print("y: 2-norm {:.6g}, min {:.6g}, max {:.6g}, {} of {} values finite\n", std::sqrt(squares), min, max,
               finite, y.size());
}

/// Refuses what is neither zero nor infinite but would become so.
template <Value V>
V factor(std::string_view option, double number) {
    const V value = static_cast<V>(number);
    const auto kept = static_cast<double>(value);
    if (std::isfinite(number) != std::isfinite(kept) || (number == 0) != (kept == 0)) {
        throw Error(fmt::format("{}: found {}, expected a number in the range of {}", option, number, value_name<V>()),
                    ExitCode::usage);
    }
    return value;
}

/// With a selector the operator that multiplies tiles, else `auto`, for the one product that there is.
template <Value V>
std::string default_operator(Backend backend, const SpmvOptions& options) {
    if (options.selector.empty()) {
        return options.vectors.columns > 1 ? fmt::format("auto:products=1,columns={}", options.vectors.columns)
                                           : "auto:products=1";
    }
    require_values<V>(backend);
    return std::string(operator_on<V>(backend, Form::tiles));
}

/// An operator with the transpose, and what that takes beside the operator.
template <Value V>
struct Transposing {
    std::unique_ptr<Operator<V>> made;
    std::size_t bytes;
    double seconds;
};

template <Value V>
Transposing<V> with_transpose_of(std::unique_ptr<Operator<V>> op, const ChosenOperator<V>& chosen,
                                 const Source<V>& matrix) {
    const std::size_t before = op->facts().other_bytes;
    bench::SteadyStopwatch watch;
    watch.start();
    auto made = with_transpose(std::move(op), matrix, chosen.make);
    const double seconds = watch.stop();
    const std::size_t bytes = made->facts().other_bytes - before;
    return {std::move(made), bytes, seconds};
}

template <Value V>
void multiply(const SpmvOptions& options) {
    const V alpha = factor<V>("--alpha", options.alpha);
    const V beta = factor<V>("--beta", options.beta);
    const Backend backend = choose_backend(options.device);
    const auto chosen = choose_operator<V>(
        backend, options.operator_name.empty() ? default_operator<V>(backend, options) : options.operator_name,
        options.accumulator);
    const Source<V> matrix = load_for(chosen, options);
    const bool is_transposed = options.vectors.is_transposed;
    Transposing<V> product{chosen.make(matrix), 0, 0};
    if (is_transposed) product = with_transpose_of(std::move(product.made), chosen, matrix);
    const auto& a = product.made;
    constexpr std::string_view columns = "the columns of the matrix", rows = "the rows of the matrix";
    auto x = make_x<V>(options, is_transposed ? a->rows() : a->cols(), is_transposed ? rows : columns);
    auto y = make_y<V>(options, is_transposed ? a->cols() : a->rows(), is_transposed ? columns : rows, x.count);
    multiply_vectors(*a, alpha, x, beta, y, options.vectors);
    if (!options.output.empty()) return write_vectors<V>(options.output, y);
    print_summary<V>(source_name(options.source), chosen.name, *a, alpha, {y.values.data(), y.values.size()},
                     options.vectors.text(x.count));
    if (is_transposed) {
        fmt::print("transpose: {} bytes beside the matrix, made in {:.3g} ms\n",
                   grouped(static_cast<std::int64_t>(product.bytes)), product.seconds * 1e3);
    }
}

}  // namespace

void add_spmv(CLI::App& app) {
    auto options = std::make_shared<SpmvOptions>();
    auto* command = app.add_subcommand("spmv", "Multiply: y = alpha*A*x + beta*y, of one vector or several");
    add_source(*command, options->source);
    add_input(*command, "-x", options->x,
              "Vector x, or several: a Matrix Market array (default: random values between -1 and 1)");
    add_output(*command, "-o,--output", options->output, "Write y to this file (default: print its norm and range)");
    add_any_number(*command, "--alpha", options->alpha, "Factor of A*x, may be inf or nan");
    auto* beta = add_any_number(*command, "--beta", options->beta, "Factor of y, may be inf or nan; needs --y");
    auto* y = add_input(*command, "--y", options->y, "Vector y before the product, needs --beta");
    beta->needs(y);
    y->needs(beta);
    command->add_option("--operator", options->operator_name,
                        "How to multiply, name[:option=value,...]; `tilespmv info` lists the names (default: auto, or "
                        "with --selector the operator that multiplies tiles)");
    add_selector(*command, options->selector);
    add_values(*command, options->values);
    add_vectors(*command, options->vectors);
    add_seed(*command, options->seed);
    add_accumulator(*command, options->accumulator);
    add_device(*command, options->device, "cpu, for one product does not pay for an upload");
    set_examples(*command, {"tilespmv spmv cant.mtx -x x.mtx -o y.mtx",
                            "tilespmv spmv cant.tsp -x x.mtx --alpha -1 --beta 1 --y b.mtx -o residual.mtx",
                            "tilespmv spmv gen:laplace2d:n=1000 --operator csr-omp",
                            "tilespmv spmv cant.mtx -x block.mtx -o product.mtx --layout row --transpose",
                            "tilespmv spmv cant.mtx --device cuda --selector paper"});
    command->callback([options] {
        with_value_type(value_type_for(options->source, options->values), [&]<Value V>() { multiply<V>(*options); });
    });
}

}  // namespace tilespmv::tools
