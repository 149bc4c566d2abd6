#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tile/csr.hpp"
#include "tile/io/input.hpp"

namespace tilespmv {

/// What a file says of the two triangles of its matrix.
enum class Symmetry { general, symmetric, skew_symmetric };
inline constexpr std::array<std::string_view, 3> kSymmetryNames{"general", "symmetric", "skew-symmetric"};
constexpr std::string_view symmetry_name(Symmetry symmetry) {
    return kSymmetryNames[static_cast<std::size_t>(symmetry)];
}

/// What a reader tells of a file beside its matrix.
struct ReadNotes {
    bool is_pattern = false;  ///< its entries have no values
    Symmetry symmetry = Symmetry::general;
    /// What was read in another way than the first line of the file says, or not exactly; one line each, which begins
    /// with the name of the file.
    std::vector<std::string> warnings{};
};

/// How a matrix is read.
struct ReadOptions {
    /// Called now and then, from one thread at a time, with the share of the work that is done (0 to 1).
    std::function<void(double)> progress{};
    InputLimits limits{};
    ReadNotes* notes = nullptr;  ///< filled, if it is there
};

/// Reads a Matrix Market coordinate file (real, integer or pattern; general, symmetric or skew-symmetric), plain,
/// gzip, bzip2, xz or Zstandard, or the .mtx of the archive's own name in a SuiteSparse .tar.gz; the file may be a
/// pipe. Its type is detected from its content, not from its name. Symmetric files are expanded, duplicates are summed
/// in file order in double and rounded once, entries may come in any order, explicit zeros stay, the entries of a
/// pattern are 1, numbers are rounded once, to nearest. Memory: the file and twice the matrix at most, and nothing for
/// entries that the size line promises and the file does not hold (but 8 bytes for each row that it promises, within
/// the limits). Beyond the format, and told in `ReadOptions::notes`: an entry of a symmetric file above the diagonal
/// stands for both of its places, as one below does; if both triangles are listed, whole and equal, they are taken as
/// they stand, and if only some entries have one across the diagonal the file is refused. Values behind all entries of
/// a pattern are ignored. Integers that V has no number for are rounded. The result does not depend on the number of
/// threads. Throws `Error` with file, line, what was found and what was expected, always for the first bad line; for a
/// sum of duplicates that is out of the range of V with file, row and column.
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
    ReadNotes* notes = nullptr;  ///< filled, if it is there
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

/// Whether a file is called NAME.mtx, or that and .gz, .bz2, .xz or .zst, which compress it when it is written.
bool is_matrix_market_name(const std::filesystem::path& file);

/// Writes `coordinate real`, shortest decimal numbers that read back to the same bits, compressed if the name ends in
/// .gz, .bz2, .xz or .zst. Of a symmetric or skew-symmetric matrix, if that is asked for, the lower triangle: zeros may
/// read back with another sign then. The file appears whole or not at all. Throws `Error` if it cannot be written, and
/// for a matrix that is not symmetric, with the first place where it is not.
template <Value V>
void write_matrix_market(const std::filesystem::path& file, const CsrMatrix<V>& a,
                         Symmetry symmetry = Symmetry::general);

/// Writes a vector as `array real general` of one column, as `write_matrix_market` does.
template <Value V>
void write_vector(const std::filesystem::path& file, std::span<const V> x);
/// The same with a column for each vector.
template <Value V>
void write_vectors(const std::filesystem::path& file, const Vectors<V>& x);

}  // namespace tilespmv
