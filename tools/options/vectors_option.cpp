#include "tools/options/vectors_option.hpp"

#include <cmath>
#include <random>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tools/options/number_option.hpp"

namespace tilespmv::tools {

Run VectorsOption::run() const {
    Run run;
    if (is_transposed) run.op = Op::transpose;
    return run;
}

std::string VectorsOption::text(int columns_found) const {
    std::string text;
    if (columns_found != 1)
        text = fmt::format(", {} columns by {}", columns_found, layout == "row" ? "rows" : "columns");
    return is_transposed ? text + ", transposed" : text;
}

void add_layout(CLI::App& command, std::string& layout) {
    command
        .add_option("--layout", layout,
                    "How several columns lie in memory: row, those of a row side by side, or col, one after the other")
        ->check(CLI::IsMember({"row", "col"}))
        ->capture_default_str();
}

void add_transpose(CLI::App& command, bool& is_transposed) {
    command.add_flag("--transpose", is_transposed, "Multiply by the transpose of A");
}

void add_vectors(CLI::App& command, VectorsOption& vectors) {
    add_number<int>(command, "--columns", vectors.columns, 1, kMostColumns, "Multiply so many vectors at once");
    add_layout(command, vectors.layout);
    add_transpose(command, vectors.is_transposed);
}

template <Value V>
Buffer<V> random_vector(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    Buffer<V> x(size);
    // The standard fixes the engine but not its distributions.
    for (V& value : x) value = static_cast<V>(std::ldexp(static_cast<double>(bits() >> 11), -52) - 1.0);
    return x;
}

#define TILESPMV_INSTANTIATE(V) template Buffer<V> random_vector<V>(std::size_t, std::uint64_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
