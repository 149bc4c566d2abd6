#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/source.hpp"
#include "tile/io/input.hpp"
#include "tile/matrix_market/matrix_market.hpp"

/// Matrices by name: a Matrix Market file (plain, gzip, bzip2, xz, Zstandard, SuiteSparse .tar.gz), a `.tsp` archive
/// with any type of values, or a generator specification `gen:KIND[:name=value,...]`. Files are told apart by content
/// and may be pipes. All throw `Error`, for a value out of the range of V, too.
namespace tilespmv {

/// What the entries of a file without values (a `pattern`) are.
enum class PatternValues {
    ones,
    random,  ///< the same on every machine; symmetric where the pattern is
};

/// Their names on the command line and in results.
inline constexpr std::array<std::string_view, 2> kPatternValueNames{"ones", "random"};
constexpr std::string_view pattern_values_name(PatternValues values) {
    return kPatternValueNames[static_cast<std::size_t>(values)];
}

/// How a matrix is loaded.
struct LoadOptions {
    PatternValues pattern_values = PatternValues::ones;  ///< of a file that has none
    InputLimits limits{};                                ///< of memory, beyond the size of the file
    std::function<void(double)> progress{};              ///< of a Matrix Market file, as `ReadOptions` says
    ReadNotes* notes = nullptr;  ///< filled, if it is there and the file is a Matrix Market file
    /// Opens a file, for a program that asks for a pipe twice; empty: `Input`.
    std::function<Input(const std::string&)> open{};
};

/// Loads a matrix in the form in which it is stored, with its values converted to V. A program that multiplies:
/// `make_operator<double>("auto", load_source<double>("cant.mtx"))`.
template <Value V>
Source<V> load_source(const std::string& name, const LoadOptions& options = {});

/// Loads a matrix as CSR, whatever it is stored as.
template <Value V>
CsrMatrix<V> load_csr(const std::string& name, const LoadOptions& options = {});
/// Loads the tiles of an archive.
template <Value V>
TileMatrix<V> load_tiles(const std::string& archive, const LoadOptions& options = {});

/// The form that `load_source` returns: tiles of an archive, else CSR.
Form stored_form(const std::string& name, const LoadOptions& options = {});
/// The type of the values that an archive holds, such as "float32"; empty for anything else.
std::string stored_value_type(const std::string& name, const LoadOptions& options = {});
/// Whether it is a specification `gen:...`.
bool is_generator(std::string_view name);

}  // namespace tilespmv
