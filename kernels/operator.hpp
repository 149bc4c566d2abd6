#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/block.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// The type in which an operator sums up.
enum class Accumulator { float32, float64 };

/// Its name on the command line and in files: "float32" or "float64".
constexpr std::string_view accumulator_name(Accumulator accumulator) {
    return accumulator == Accumulator::float32 ? value_name<float>() : value_name<double>();
}

/// Bytes of a number of its type.
constexpr std::size_t accumulator_bytes(Accumulator accumulator) {
    return accumulator == Accumulator::float32 ? sizeof(float) : sizeof(double);
}

/// What V is accumulated in if nobody asks for anything else.
template <class V>
constexpr Accumulator default_accumulator() {
    return sizeof(V) >= sizeof(float) ? Accumulator::float64 : Accumulator::float32;
}

/// Calls f.operator()<A>() for the type of an accumulator. Throws a usage `Error` for one narrower than V, which would
/// lose what the values hold, and for float64 on values of 16 bits.
template <class V, class F>
decltype(auto) with_accumulator(Accumulator accumulator, F&& f) {
    const auto refuse = [&] {
        throw Error("values of " + std::string(value_name<V>()) + " cannot be accumulated in " +
                        std::string(accumulator_name(accumulator)),
                    ExitCode::usage);
    };
    if constexpr (std::is_same_v<V, double>) {
        if (accumulator == Accumulator::float32) refuse();
        return f.template operator()<double>();
    } else if constexpr (std::is_same_v<V, float>) {
        if (accumulator == Accumulator::float32) return f.template operator()<float>();
        return f.template operator()<double>();
    } else {
        if (accumulator == Accumulator::float64) refuse();
        return f.template operator()<float>();
    }
}

}  // namespace tilespmv

struct CUstream_st;  // CUDA's: cudaStream_t points to one

namespace tilespmv {

namespace cuda {
class Workspace;
}

/// Nonzeros of a matrix that an operator multiplies in the same way: what it runs, whatever a selector stored.
struct ExecutedPart {
    /// "tiles", "slots", "strip", "rank-strip", "csr5", "csr-inode", "csr", "ell", "dia", "coo", "sell",
    /// "bsr", or "walked": tiles that the CPU has no vector routine for and multiplies one nonzero at a time.
    std::string representation;
    /// Of tiles the name of their format; "deferred" for the nonzeros that a tiled matrix keeps outside its tiles,
    /// whose representation is "csr" or "csr5"; empty for everything else.
    std::string format;
    offset_t tile_rows = 0;   ///< tile rows, of 16 rows each, that have nonzeros in this part
    offset_t nnz = 0;         ///< padding apart
    std::uint64_t bytes = 0;  ///< of the matrix that a product reads for it, x and y apart

    friend bool operator==(const ExecutedPart&, const ExecutedPart&) = default;
};

/// Tile rows among rows [first, end) that hold nonzeros, by the row pointers of a CSR matrix. `first` is the first row
/// of a tile row.
offset_t occupied_tile_rows(std::span<const offset_t> row_ptrs, index_t first, index_t end);

/// The one part of an operator that multiplies all of a matrix in the same way; none if that has no nonzeros.
std::vector<ExecutedPart> executed_whole(std::string_view representation, offset_t tile_rows, offset_t nnz,
                                         std::uint64_t bytes);

/// What is multiplied: A or its transpose.
enum class Op { none, transpose };

/// How a product is run.
struct Run {
    Run(CUstream_st* on = nullptr, cuda::Workspace* in = nullptr)  // NOLINT(google-explicit-constructor)
        : stream(on), workspace(in) {}

    Op op = Op::none;
    CUstream_st* stream;         ///< that an operator on a GPU works on; null: the one that it was made on
    cuda::Workspace* workspace;  ///< one that this operator on a GPU has made; null: the operator's own
};

/// Why an operator takes no new values; {0} stands for its name.
inline constexpr std::string_view kMakeAgain = "operator {0} takes no new values; make it again from the new matrix";
inline constexpr std::string_view kNoMap = "operator {0} keeps no map for new values; make it with {0}:updatable=1";
inline constexpr std::string_view kReadInPlace =
    "operator {0} reads the values where their owner has them: change them there";

/// `Facts::most_columns` of an operator that reads the matrix once, however many columns it multiplies.
inline constexpr int kAllColumns = std::numeric_limits<int>::max();

/// What is known of an operator, from when it is made.
struct Facts {
    std::string_view name;  ///< in the table of operators; lives as long as the program
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    std::size_t matrix_bytes = 0;  ///< bytes of the matrix that one product reads; x and y do not count
    std::size_t other_bytes = 0;   ///< bytes that it holds beside these: plans and maps; a workspace does not count
    /// Bytes of a matrix on a GPU that were copied to the host to choose and prepare the operator.
    std::size_t bytes_to_host = 0;
    /// What a product multiplies; ask `Operator::executed` for it.
    std::vector<ExecutedPart> executed = {};
    /// The same where that takes a pass over the matrix, which nobody may ask for; else empty.
    std::function<std::vector<ExecutedPart>()> count_executed = {};
    std::string_view no_new_values = {};  ///< why `update_values` is refused; empty if it takes new values
    bool is_reproducible = true;          ///< two calls with the same arguments give the same bits
    bool pads_with_zeros = false;  ///< zeros that the matrix lacks meet x: Inf and NaN in it reach rows they should not
    bool takes_workspace = true;   ///< on a GPU: it can work in a workspace that is given to it
    bool transposes = false;       ///< it multiplies by the transpose, too
    int most_columns = 1;          ///< for which a product reads the matrix once; 1: it does for each column
};

/// Anything that multiplies by a matrix, on the CPU or on a GPU: Y = alpha * op(A) * X + beta * Y.
///  - beta = 0 never reads Y. alpha = 0 never reads A or X if the host knows it, and takes nothing from them if it lies
///    in the memory of a GPU. NaN and Inf propagate as in a CSR product unless it pads with zeros.
///  - Two calls with the same arguments give the same bits, whatever the number of threads, if it is reproducible, as
///    all operators of our own are.
///  - Of two columns and more, the bits of a column depend neither on the others nor on how many there are, only on the
///    layouts of X and Y.
///  - On the CPU it accumulates in double.
///  - Unless a workspace is given, it works in its own: one product at a time per object.
template <Value V>
class Operator {
public:
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;
    virtual ~Operator() = default;

    [[nodiscard]] const Facts& facts() const { return facts_; }
    [[nodiscard]] std::string_view name() const { return facts_.name; }
    [[nodiscard]] index_t rows() const { return facts_.rows; }
    [[nodiscard]] index_t cols() const { return facts_.cols; }
    [[nodiscard]] offset_t nnz() const { return facts_.nnz; }
    [[nodiscard]] std::size_t matrix_bytes() const { return facts_.matrix_bytes; }
    /// What it was made by, `name[:option=value,...]`, of `auto` that of the operator it took; the name, unless set.
    [[nodiscard]] std::string_view specification() const { return specification_.empty() ? name() : specification_; }
    void set_specification(std::string_view specification) { specification_ = specification; }
    void set_bytes_to_host(std::size_t bytes) { facts_.bytes_to_host = bytes; }
    /// What a product multiplies, in which representations and formats. Unless the matrix has no nonzeros, which has no
    /// parts: every part has nonzeros, those of all are nnz(), their bytes are matrix_bytes(). The same for the same
    /// matrix, whatever the number of threads. On the CPU it may take a pass over the matrix.
    [[nodiscard]] std::vector<ExecutedPart> executed() const {
        return facts_.count_executed ? facts_.count_executed() : facts_.executed;
    }
    /// Whether `update_values` serves.
    [[nodiscard]] bool takes_new_values() const { return facts_.no_new_values.empty(); }

    /// x: cols() rows; y: rows() rows and as many columns; the other way round for the transpose. They must not
    /// overlap. On the CPU both are in the memory of the host. On a GPU both are in its memory, and it returns before
    /// the product is complete; or both are in that of the host, are copied there and back, and it returns afterwards.
    /// Throws `Error` if a size or a memory does not fit, and for the transpose, unless the operator's facts say that
    /// it has one (`with_transpose` makes operators that do).
    void apply(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
               const Run& run = {}) const;
    /// Replaces the values of A by `values`: nnz() of them, in the order of its CSR form with explicit zeros kept; the
    /// pattern stays. They are where the operator's products are, or in the memory of the host. From that of a GPU they
    /// are read before later work on the stream, without allocating or waiting, so that it can be captured into a
    /// graph. On the CPU an operator that multiplies the values where they lie goes on to do so if it is given that
    /// array, and has a copy of any other; it allocates that, and maps, once. Throws `Error` for another number of
    /// values, and if the operator cannot, as its facts say.
    void update_values(const Block<const V>& values, const Run& run = {});
    /// The same; false, and nothing was done, if the operator multiplies by the transpose with one form of the matrix,
    /// because that is symmetric, and these values are not.
    [[nodiscard]] bool try_update_values(const Block<const V>& values, const Run& run = {});

protected:
    Operator() = default;
    explicit Operator(Facts facts) : facts_(std::move(facts)) {}
    void set_facts(Facts facts) { facts_ = std::move(facts); }
    void set_parts(std::size_t matrix_bytes, std::size_t other_bytes, std::vector<ExecutedPart> executed) {
        facts_.matrix_bytes = matrix_bytes;
        facts_.other_bytes = other_bytes;
        facts_.executed = std::move(executed);
    }
    void set_executed(std::function<std::vector<ExecutedPart>()> count) { facts_.count_executed = std::move(count); }
    void refuse_new_values(std::string_view why) { facts_.no_new_values = why; }

    /// A product of one column, whose sizes are right. Memory and run are as the caller gave them.
    virtual void multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                                 const Run& run) const = 0;
    /// A product of any other block: of several columns, in any layouts, or of one whose values are not neighbours.
    virtual void multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                                  const Run& run) const = 0;
    /// As `try_update_values`, of an operator that takes new values, and as many as it has.
    virtual bool replace(const Block<const V>& values, const Run& run) = 0;

private:
    void check(const Block<const V>& x, const Block<V>& y, const Run& run) const;

    Facts facts_;
    std::string specification_;
};

/// Gives an operator of the matrix other values; one that takes none is replaced by what `make()` makes of the matrix
/// that has them.
template <Value V, class Make>
void update_or_make_again(std::unique_ptr<Operator<V>>& a, std::span<const V> values, Make&& make) {
    if (a->takes_new_values()) {
        a->update_values(values);
    } else {
        a = make();
    }
}

}  // namespace tilespmv
