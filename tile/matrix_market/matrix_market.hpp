#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tile/csr.hpp"
#include "tile/io/input.hpp"

namespace tilespmv {

/// How a matrix is read.
struct ReadOptions {
    /// Called now and then, from one thread at a time, with the share of the work that is done (0 to 1).
    std::function<void(double)> progress{};
    InputLimits limits{};
    /// Called if the file is a pattern, whose entries have no values.
    std::function<void()> on_pattern{};
};

/// Reads a Matrix Market coordinate file (real, integer or pattern; general, symmetric or skew-symmetric), plain,
/// gzip, xz or Zstandard, or the .mtx of the archive's own name in a SuiteSparse .tar.gz; the file may be a pipe. Its
/// type is detected from its content, not from its name. Symmetric files are expanded, duplicates are summed in file
/// order in double and rounded once, entries may come in any order, explicit zeros stay, the entries of a pattern are
/// 1, numbers are rounded once, to nearest. Memory: the file and twice the matrix at most, and nothing for entries that
/// the size line promises and the file does not hold (but 8 bytes for each row that it promises, within the limits).
/// The result does not depend on the number of threads. Throws `Error` with file, line, what was found and what was
/// expected, always for the first bad line; for a sum of duplicates that is out of the range of V with file, row and
/// column.
template <Value V>
CsrMatrix<V> read_matrix_market(Input input, const ReadOptions& options = {});
/// Opens the file and reads it.
template <Value V>
CsrMatrix<V> read_matrix_market(const std::filesystem::path& file, const ReadOptions& options = {});

/// How a vector is read.
struct VectorOptions {
    /// The size that the vector must have, which is compared before memory is taken for it, and what it is, for the
    /// message, such as "the columns of the matrix".
    std::optional<index_t> size{};
    std::string meaning{};
    InputLimits limits{};
};

/// Reads a vector: a Matrix Market `array` of one column, or a `coordinate` file of one column with zeros where it has
/// no entry; compressed or not. Throws `Error` as `read_matrix_market` does, and for a vector of another size.
template <Value V>
Buffer<V> read_vector(Input input, const VectorOptions& options = {});
/// Opens the file and reads it.
template <Value V>
Buffer<V> read_vector(const std::filesystem::path& file, const VectorOptions& options = {});

/// Vectors of the same size, one after the other.
template <Value V>
struct Vectors {
    index_t size = 0;   ///< of each
    index_t count = 0;  ///< at least 1
    Buffer<V> values;   ///< size * count
    [[nodiscard]] std::span<V> of(index_t i) {
        return {values.data() + static_cast<offset_t>(i) * size, static_cast<std::size_t>(size)};
    }
    [[nodiscard]] std::span<const V> of(index_t i) const {
        return {values.data() + static_cast<offset_t>(i) * size, static_cast<std::size_t>(size)};
    }
};

/// Reads the columns of an `array`, or what `read_vector` reads, as one. Throws as `read_vector`, for no column, too.
template <Value V>
Vectors<V> read_vectors(Input input, const VectorOptions& options = {});

/// Writes `coordinate real general`, shortest decimal numbers that read back to the same bits. The file appears whole
/// or not at all. Throws `Error` if it cannot be written.
template <Value V>
void write_matrix_market(const std::filesystem::path& file, const CsrMatrix<V>& a);

/// Writes a vector as `array real general` of one column, as `write_matrix_market` does.
template <Value V>
void write_vector(const std::filesystem::path& file, std::span<const V> x);
/// The same with a column for each vector.
template <Value V>
void write_vectors(const std::filesystem::path& file, const Vectors<V>& x);

}  // namespace tilespmv
