#include "kernels/solver/preconditioner/block_jacobi.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/solver/preconditioner/triangle.hpp"
#include "kernels/solver/preconditioner/value_option.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

/// A dense matrix of size x size values, by rows.
struct Block {
    std::array<double, static_cast<std::size_t>(kMostBlockSize) * kMostBlockSize> values;  // size * size are set
    int size = 0;

    double& at(int row, int col) { return values[static_cast<std::size_t>(row * size + col)]; }
    [[nodiscard]] double at(int row, int col) const { return values[static_cast<std::size_t>(row * size + col)]; }
};

/// L with L L' = block, from its lower triangle, in its place. False if the block is not positive definite.
bool factorize(Block& block) {
    for (int col = 0; col < block.size; ++col) {
        for (int row = col; row < block.size; ++row) {
            double sum = block.at(row, col);
            for (int k = 0; k < col; ++k) sum -= block.at(row, k) * block.at(col, k);
            if (row == col && sum <= 0) return false;
            block.at(row, col) = row == col ? std::sqrt(sum) : sum / block.at(col, col);
        }
    }
    return true;
}

/// L^-1 in the place of L.
void invert_lower(Block& block) {
    for (int col = 0; col < block.size; ++col) {
        block.at(col, col) = 1 / block.at(col, col);
        for (int row = col + 1; row < block.size; ++row) {
            double sum = 0;
            for (int k = col; k < row; ++k) sum -= block.at(row, k) * block.at(k, col);
            block.at(row, col) = sum / block.at(row, row);
        }
    }
}

/// Of (L L')^-1 = L^-T L^-1, the same bits as at (col, row).
double inverse_at(const Block& inverse_lower, int row, int col) {
    double sum = 0;
    for (int k = std::max(row, col); k < inverse_lower.size; ++k)
        sum += inverse_lower.at(k, row) * inverse_lower.at(k, col);
    return sum;
}

/// Unknowns first .. first + size - 1 of A; the identity beyond its rows.
template <class T>
Block block_of(const CsrMatrix<T>& a, index_t first, int size) {
    Block block;
    block.size = size;
    std::fill_n(block.values.begin(), size * size, 0.0);
    for (int i = 0; i < size; ++i) {
        if (first + i >= a.rows) {
            block.at(i, i) = 1;
            continue;
        }
        const auto row = static_cast<std::size_t>(first + i);
        const index_t* const last = a.col_idxs.data() + a.row_ptrs[row + 1];
        const index_t* col = std::lower_bound(a.col_idxs.data() + a.row_ptrs[row], last, first);
        for (; col != last && *col - first < size; ++col)
            block.at(i, *col - first) = a.values[static_cast<std::size_t>(col - a.col_idxs.data())];
    }
    return block;
}

template <class T, class V>
class BlockJacobi final : public Preconditioner<T> {
public:
    BlockJacobi(const CsrMatrix<T>& a, int size) {
        PreconditionerParts<V> parts;
        parts.size = a.rows;
        parts.block_size = size;
        parts.inverse_blocks = Buffer<V>(static_cast<std::size_t>(div_up(a.rows, size) * size * size));
        this->parts_ = std::move(parts);
        BlockJacobi::update_values(a);
    }
    void update_values(const CsrMatrix<T>& a) override {
        auto& parts = std::get<PreconditionerParts<V>>(this->parts_);
        require_rows(a, static_cast<std::size_t>(parts.size));
        const int size = parts.block_size;
        parallel_for(0, div_up(a.rows, size), 256, [&](std::int64_t i) {
            const auto first = static_cast<index_t>(i * size);
            Block block = block_of(a, first, size);
            if (!factorize(block)) refuse(first, std::min(first + size, a.rows), size);
            invert_lower(block);
            V* out = parts.inverse_blocks.data() + i * size * size;
            for (int row = 0; row < size; ++row) in_range<V>(inverse_at(block, row, row), "block-jacobi", first + row);
            for (int row = 0; row < size; ++row) {
                for (int col = 0; col < size; ++col) *out++ = static_cast<V>(inverse_at(block, row, col));
            }
        });
    }

private:
    [[noreturn]] static void refuse(index_t first, index_t last, int size) {
        throw Error(
            fmt::format("no block-jacobi:size={} preconditioner: the block of rows {} to {} is not positive "
                        "definite, so the matrix is not",
                        size, std::int64_t{first} + 1, last));
    }
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_block_jacobi(const CsrMatrix<T>& a, Options& options) {
    const auto size = static_cast<int>(options.whole("size", 3, 1, kMostBlockSize));
    return make_with_values<BlockJacobi>(a, options, size);
}

template std::unique_ptr<Preconditioner<double>> make_block_jacobi(const CsrMatrix<double>&, Options&);
template std::unique_ptr<Preconditioner<float>> make_block_jacobi(const CsrMatrix<float>&, Options&);

}  // namespace tilespmv::solver
