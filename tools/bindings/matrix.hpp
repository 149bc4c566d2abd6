#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/registry.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

/// What the Python and the C interface are made of: matrices whose type of values is known when the program runs.
namespace tilespmv::bindings {

/// A dense array of the caller's. Strides count values.
struct Array {
    void* data = nullptr;
    std::size_t rows = 0;
    int cols = 1;
    std::ptrdiff_t row_stride = 1;
    std::ptrdiff_t col_stride = 1;
    Memory memory = Memory::host;
};

/// Arrays of a CSR matrix, which live as long as `owner`.
struct CsrArrays {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    const void* row_ptrs = nullptr;
    bool has_wide_row_ptrs = false;  ///< int64, otherwise int32
    const index_t* col_idxs = nullptr;
    const void* values = nullptr;
    std::shared_ptr<void> owner;
    Memory memory = Memory::host;
    std::uintptr_t stream = 0;  ///< of arrays on a GPU: after whose work they are read
};

/// Arrays of the caller's that a matrix is written to: rows + 1 row pointers, a column and a value for each nonzero.
struct CsrToFill {
    std::int64_t* row_ptrs = nullptr;
    index_t* col_idxs = nullptr;
    void* values = nullptr;
    Memory memory = Memory::host;
    std::uintptr_t stream = 0;  ///< of arrays on a GPU: after whose work they are written
};

/// A tile for a map: its place in the grid of tiles, and what is stored of it.
struct TileRecord {
    std::int32_t row;
    std::int32_t col;
    std::int32_t nnz;
    std::int32_t bytes;
    std::int32_t format;
};

/// An operator that `auto` could have taken, with predicted times in seconds.
struct Candidate {
    std::string operator_name;
    double seconds;
    double preparation_seconds;
    std::string why;
};

struct SolveRequest {
    std::string preconditioner;
    std::string operator_name;
    std::optional<double> rtol;
    double atol = 0;
    int max_iterations = 0;
    int check_every = 0;
    bool start_from_x = false;
    bool constant_null_space = false;
    bool check_symmetry = true;
    std::function<bool(int, double)> on_check;  ///< iteration, residual; false ends the solve
};

struct SolveResult {
    std::string end;
    std::string message;
    bool converged = false;
    int iterations = 0;
    double residual = 0;
    double tolerance = 0;
    double rhs_norm = 0;
    double seconds = 0;
    double setup_seconds = 0;
    std::string preconditioner;
    std::string operator_name;
    std::vector<std::pair<int, double>> history;
};

class Matrix;

/// Where products of a matrix on a GPU work beside its others. Made for vectors or for blocks of several columns, and
/// for the matrix or its transpose.
struct Workspace {
    std::shared_ptr<Matrix> matrix;
    bool is_for_blocks = false;
    bool is_transposed = false;
    int preparation = 0;                      ///< of the matrix: another one needs another workspace
    std::shared_ptr<cuda::Workspace> memory;  ///< null on the CPU
};

/// A sparse matrix with the operator that multiplies by it. Calls from several threads wait for each other, so that
/// none may hold Python's lock; products on up to four streams of a GPU run at once, those on more one after the other,
/// unless they have workspaces.
class Matrix : public std::enable_shared_from_this<Matrix> {
public:
    Matrix() = default;
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    virtual ~Matrix() = default;

    [[nodiscard]] virtual index_t rows() const = 0;
    [[nodiscard]] virtual index_t cols() const = 0;
    [[nodiscard]] virtual offset_t nnz() const = 0;
    [[nodiscard]] virtual Facts facts() const = 0;
    [[nodiscard]] virtual std::string specification() const = 0;
    [[nodiscard]] virtual std::vector<ExecutedPart> executed() const = 0;
    [[nodiscard]] virtual std::string_view value_type() const = 0;
    [[nodiscard]] virtual Backend backend() const = 0;

    /// Y = alpha * op(A) * X + beta * Y on a stream of CUDA's (0: the default one). False if the strides of an array
    /// are neither those of rows nor those of columns that lie one after the other: then nothing was done. The form for
    /// the transpose is made with the first transposed product, that for blocks with the first of several columns,
    /// where `auto` chose an operator that reads the matrix once for each. With a workspace a product of arrays on a
    /// GPU is ordered by its stream alone: after new values and before others, too, the caller sees to that.
    virtual bool multiply(double alpha, const Array& x, double beta, const Array& y, bool is_transposed,
                          std::uintptr_t stream, const Workspace* workspace = nullptr) = 0;
    /// Bytes on the GPU that a workspace takes for products of `cols` columns, 0 on the CPU. Makes the form for them.
    [[nodiscard]] virtual std::size_t workspace_bytes(int cols, bool is_transposed) = 0;
    /// `memory`: of the caller's, 256-byte aligned, which outlives it; null for that of the library. Products in it
    /// must be complete when it goes.
    [[nodiscard]] virtual Workspace make_workspace(int cols, bool is_transposed, void* memory) = 0;
    /// `nnz` values in the order of the CSR form; a copy is kept for `csr`, which no longer shows the arrays that the
    /// matrix was made from. From a GPU they are copied there, in the order of the stream: nothing waits for that,
    /// unless the operator has to be made again.
    virtual void update_values(const void* values, std::int64_t nnz, Memory memory = Memory::host,
                               std::uintptr_t stream = 0) = 0;
    /// In the memory of the host, with 64-bit row pointers.
    [[nodiscard]] virtual CsrArrays csr() const = 0;
    /// Writes the matrix with the values that it has now; complete when this returns. One that was made of arrays on a
    /// GPU goes to others there without the host.
    virtual void to_csr(const CsrToFill& to) const = 0;
    /// Tiles by a selector, written as an archive.
    virtual void save(const std::string& file, const std::string& selector) const = 0;
    [[nodiscard]] virtual std::vector<TileRecord> tiles(const std::string& selector) const = 0;
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> statistics(const std::string& selector) const = 0;
    [[nodiscard]] virtual std::vector<Candidate> candidates() const = 0;
    virtual SolveResult solve(const Array& b, const Array& x, const SolveRequest& request) const = 0;
};

/// Prepares the operator of a specification. Arrays on a GPU are checked there, and multiplied where they lie or put
/// into another form there; only a GPU takes them.
std::unique_ptr<Matrix> make_matrix(std::string_view value_type, const CsrArrays& arrays, Backend backend,
                                    const std::string& operator_name);
/// Reads a file or generates (`load_source`). `value_type` empty: that of an archive, else float64. `progress` is
/// called now and then, and may throw.
std::unique_ptr<Matrix> load_matrix(const std::string& name, std::string_view value_type, Backend backend,
                                    const std::string& operator_name, const std::function<void()>& progress);
/// Names of the formats, by their numbers in `TileRecord`.
std::vector<std::string> format_names();
/// Whether this build has operators for a GPU and there is one that serves.
bool has_gpu();

}  // namespace tilespmv::bindings
