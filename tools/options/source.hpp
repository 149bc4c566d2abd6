#pragma once

#include <string>

#include "kernels/load.hpp"

namespace tilespmv::tools {

/// Lets inputs from now on ask for any amount of memory (`InputLimits`).
void lift_input_limits();
/// The limits that hold.
const InputLimits& input_limits();

/// Opens a file. What comes through a pipe is kept, so that a command can ask for it again under the same name.
Input open_input(const std::string& file);

/// Loads what a command line calls a matrix, in the form that it is stored in (kernels/load.hpp), within the limits. A
/// Matrix Market file shows progress on a terminal, and its warnings. Throws `Error`.
template <Value V>
Source<V> load_source(const std::string& source);

/// The same as CSR, with these values for a pattern; `notes` is filled, if it is there and the source is a Matrix
/// Market file.
template <Value V>
CsrMatrix<V> load_csr(const std::string& source, PatternValues values = PatternValues::ones,
                      ReadNotes* notes = nullptr);

/// Shows the warnings of a reader on stderr, each once, however often a command reads the file.
void show_warnings(const ReadNotes& notes);

/// The form that is at hand without a conversion. Throws `Error` if the source cannot be read.
Form stored_form(const std::string& source);

/// Seconds spent in `load_tiles`.
struct LoadTimes {
    double read = 0;     ///< until the matrix was in memory
    double convert = 0;  ///< from CSR; 0 for a form as stored
};

/// The tiles of a source: those an archive holds if no selector is given (its values converted to V), otherwise
/// `load_csr` converted by the selector (the default one if empty). Throws `Error`, for a wrong selector before
/// anything is read.
template <Value V>
TileMatrix<V> load_tiles(const std::string& source, const std::string& selector, LoadTimes* times = nullptr);

/// The short, printable name of a source for tables: the file's name without its suffixes, or the specification.
std::string source_name(const std::string& source);

/// What results start with: "4,884 x 4,884, 290,378 nonzeros".
std::string describe_size(index_t rows, index_t cols, offset_t nnz);

}  // namespace tilespmv::tools
