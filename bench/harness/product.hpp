#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/chain.hpp"
#include "bench/harness/result.hpp"
#include "kernels/check.hpp"
#include "kernels/choose_operator.hpp"

namespace tilespmv::bench {

/// What products are of: one vector or several, in a layout, by the matrix or by its transpose.
struct ProductKind {
    int columns = 1;
    Layout layout = Layout::column_major;
    bool is_transposed = false;
    bool is_from_gpu = false;  ///< operators of a GPU are made of CSR that is in its memory

    /// What results call it, "8 columns by rows, transposed"; empty for one vector by the matrix.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] index_t x_rows(index_t rows, index_t cols) const { return is_transposed ? rows : cols; }
    /// Rows are those of x or y: a block over values of its size.
    template <class T>
    [[nodiscard]] Block<T> block(T* values, std::size_t rows, Memory memory = Memory::host) const {
        const auto neighbours = layout == Layout::row_major ? static_cast<std::size_t>(columns) : rows;
        return {values, rows, columns, neighbours, layout, memory};
    }
    template <class T>
    [[nodiscard]] Block<T> block(std::span<T> values, Memory memory = Memory::host) const {
        return block(values.data(), values.size() / static_cast<std::size_t>(columns), memory);
    }
    /// What is multiplied, on a stream of a GPU.
    [[nodiscard]] Run run(CUstream_st* stream = nullptr) const {
        Run run(stream);
        if (is_transposed) run.op = Op::transpose;
        return run;
    }
};

/// An operator bound to vectors on its device, ready to be measured: y = A * x. Sampling, checking and reporting know
/// operators only as this, so that one on another device needs only its own `Product` and `Device`.
class Product {
public:
    virtual ~Product() = default;
    /// One product. It may go on after the call has returned; the stopwatch of the device waits for it.
    virtual void run() = 0;
    /// One product of a chain: `to` = scale * A * `from`; the matrix is square. The first call takes memory. As `run`,
    /// it may go on.
    virtual void run_chained(double scale, ChainVector from, ChainVector to) = 0;
    /// The vector of a chain, the work before it finished.
    [[nodiscard]] virtual std::vector<double> chained(ChainVector which) const = 0;
    /// Writes every element of x: x = x / 2 + z / 2 with a vector z of the same values, so that x stays what it is; it
    /// moves as much as an axpy. The first call takes memory. As `run`, it may go on.
    virtual void run_axpy() = 0;
    /// Fills y with NaN, so that a row that is never written shows.
    virtual void poison() = 0;
    /// Checks y against the oracle.
    [[nodiscard]] virtual CheckResult check(const ExpectedProduct& expected) const = 0;
    /// The name of the operator that runs, whatever it was asked for by.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Bytes of the operator's form of A that one product reads.
    [[nodiscard]] virtual std::uint64_t matrix_bytes() const = 0;
    /// Bytes that the operator holds on its device: its form of A and its workspace.
    [[nodiscard]] virtual std::uint64_t device_bytes() const = 0;
    /// `Operator::executed`.
    [[nodiscard]] virtual std::vector<ExecutedPart> executed() const = 0;
    /// What its tiles are stored as; empty if it has none.
    [[nodiscard]] virtual StoredTiles stored() const = 0;
    /// Of the time it took to make this product: seconds of conversion from CSR to tiles; 0 if it has none.
    [[nodiscard]] virtual double convert_seconds() const = 0;
};

/// Tiles of `a` by the policy `selector`, and how long the conversion took.
template <Value V>
TileMatrix<V> convert_timed(const CsrMatrix<V>& a, const std::string& selector, double& seconds);

/// The formats that hold tiles, the deferred part if there is one, and the bytes of all.
template <Value V>
StoredTiles describe_tiles(const TileMatrix<V>& tiles);

/// Makes a product that is ready to run from a matrix in CSR: what is measured as preprocessing. Throws `Error`.
using ProductBuilder = std::function<std::unique_ptr<Product>()>;

/// The vector that products are measured with: `size` values in [0.5, 1.5), the same on every machine. Products of
/// zeros take less power than those that a user has, which may bound a GPU. None of these values underflows, and no row
/// of a positive matrix cancels.
template <Value V>
Buffer<V> make_x(index_t size);

/// Products in the memory of the host. They convert `a` by the policy `selector` if the operator needs tiles.
/// `a` and `x`, a block of that kind, must outlive them.
template <Value V>
ProductBuilder host_product_builder(const ChosenOperator<V>& chosen, const std::string& selector, const CsrMatrix<V>& a,
                                    std::span<const V> x, const ProductKind& kind = {});

}  // namespace tilespmv::bench
