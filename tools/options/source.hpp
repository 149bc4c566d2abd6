#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/matrix_forms.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "tile/csr.hpp"
#include "tile/io/input.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::tools {

/// Lets inputs from now on ask for any amount of memory (`InputLimits`).
void lift_input_limits();
/// The limits that hold.
const InputLimits& input_limits();

/// Opens a file. What comes through a pipe is kept, so that a command can ask for it again under the same name.
Input open_input(const std::string& file);

/// Loads what a command line calls a matrix: a Matrix Market file (plain, gzip, bzip2, xz, Zstandard, SuiteSparse
/// .tar.gz), a
/// `.tsp` archive (unpacked, its values converted to V), or a generator specification `gen:KIND[:name=value,...]`.
/// Files are told apart by content and may be pipes. Shows progress on a terminal. Throws `Error`, for a value out of
/// the range of V, too.
template <Value V>
CsrMatrix<V> load_csr(const std::string& source);

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

template <Value V>
struct LoadedMatrix {
    CsrMatrix<V> matrix;
    bool is_pattern = false;  ///< whether it is a file without values
};

/// Shows the warnings of a reader on stderr, each once, however often a command reads the file.
void show_warnings(const ReadNotes& notes);

/// `load_csr` with values for a pattern; `notes` is filled if it is there and the source is a Matrix Market file.
template <Value V>
LoadedMatrix<V> load_csr(const std::string& source, PatternValues values, ReadNotes* notes = nullptr);

/// The form that is at hand without a conversion: tiles or strips if an archive holds them, else CSR. Throws `Error` if
/// the source cannot be read.
Form stored_form(const std::string& source);

/// Seconds spent in `load_tiles` or `load_strips`.
struct LoadTimes {
    double read = 0;     ///< until the matrix was in memory
    double convert = 0;  ///< from CSR; 0 for a form as stored
};

/// The tiles of a source: those an archive holds if no selector is given (its values converted to V), otherwise
/// `load_csr` converted by the selector (the default one if empty). Throws `Error`, for a wrong selector before
/// anything is read.
template <Value V>
TileMatrix<V> load_tiles(const std::string& source, const std::string& selector, LoadTimes* times = nullptr);

/// The strips of a source: those that an archive holds if `most_bytes` is not given (its values converted to V),
/// otherwise `load_csr` made into strips (`make_strip_matrix`). Throws `Error`.
template <Value V>
StripMatrix<V> load_strips(const std::string& source, std::optional<double> most_bytes, LoadTimes* times = nullptr);

/// The short, printable name of a source for tables: the file's name without its suffixes, or the specification.
std::string source_name(const std::string& source);

/// What results start with: "4,884 x 4,884, 290,378 nonzeros".
std::string describe_size(index_t rows, index_t cols, offset_t nnz);

}  // namespace tilespmv::tools
