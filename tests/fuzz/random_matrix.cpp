#include "tests/fuzz/random_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "tests/support/battery.hpp"

namespace tilespmv::fuzz {
namespace {

constexpr std::int64_t kMostNonzeros = 60'000;  // that one part adds

/// Positions of nonzeros while parts are added to them.
class Builder {
public:
    Builder(Random& random, index_t rows, index_t cols) : random_(random), rows_(rows), cols_(cols) {}

    struct Part {
        const char* name;
        void (Builder::*add)();
    };
    static const std::array<Part, 8> parts;

    [[nodiscard]] const auto& positions() const { return positions_; }

    /// Forgets the nonzeros of every row but one in `n`.
    void keep_one_row_in(index_t n) {
        std::erase_if(positions_, [n](const auto& position) { return position.first % n != 0; });
    }

private:
    void put(std::int64_t row, std::int64_t col) {
        if (row >= 0 && row < rows_ && col >= 0 && col < cols_) {
            positions_.emplace(static_cast<index_t>(row), static_cast<index_t>(col));
        }
    }

    void scatter() {
        const auto most = std::min<std::int64_t>(kMostNonzeros, 6 * std::int64_t{rows_});
        for (auto left = random_.below(most + 1); left > 0; --left) put(random_.below(rows_), random_.below(cols_));
    }
    /// As many nonzeros in every row, so that all rows are deferred.
    void scatter_evenly() {
        const auto each = 1 + random_.below(std::clamp<std::int64_t>(kMostNonzeros / rows_, 1, 8));
        for (index_t row = 0; row < rows_; ++row) {
            for (std::int64_t i = 0; i < each; ++i) put(row, random_.below(cols_));
        }
    }
    void diagonals() {
        for (auto left = 1 + random_.below(6); left > 0; --left) {
            const auto offset = random_.below(2 * std::int64_t{cols_}) - cols_;
            for (index_t row = 0; row < rows_; ++row) put(row, row + offset);
        }
    }
    /// Tiles, some full, some with a hole, some of a random density.
    void tiles() {
        for (auto left = 1 + random_.below(60); left > 0; --left) {
            const auto row = random_.below(div_up(rows_, kTileSize)) * kTileSize;
            const auto col = random_.below(div_up(cols_, kTileSize)) * kTileSize;
            const auto density = random_.pick(std::array{1, 3, 6, 9, 10, 10});
            for (int i = 0; i < kTileSize * kTileSize; ++i) {
                if (random_.below(10) < density) put(row + i / kTileSize, col + i % kTileSize);
            }
        }
    }
    /// Whole rows and columns of tiles, as dense_row and dense_col want them.
    void stripes() {
        for (auto left = 1 + random_.below(20); left > 0; --left) {
            const auto row = random_.below(rows_);
            const auto col = random_.below(cols_);
            for (int i = 0; i < kTileSize; ++i) {
                put(row, col / kTileSize * kTileSize + i);
                put(row / kTileSize * kTileSize + i, col);
            }
        }
    }
    /// A row that is long enough to be split.
    void hub_row() {
        const auto row = random_.below(rows_);
        const auto step = 1 + random_.below(4);
        for (std::int64_t col = random_.below(cols_); col < cols_ && col < kMostNonzeros; col += step) put(row, col);
    }
    void hub_column() {
        const auto col = random_.below(cols_);
        const auto step = 1 + random_.below(3);
        for (std::int64_t row = random_.below(rows_); row < rows_; row += step) put(row, col);
    }
    void far_apart() {
        constexpr std::int64_t window = 1 << 16;
        const auto first = random_.below(std::min<std::int64_t>(cols_, 2 * kTileSize));
        for (std::int64_t row = random_.below(rows_), end = row + 1 + random_.below(40); row < end; ++row) {
            for (std::int64_t col = first; col < cols_; col += window) put(row, col + random_.below(3) - 1);
        }
    }

    Random& random_;
    index_t rows_;
    index_t cols_;
    std::set<std::pair<index_t, index_t>> positions_;
};

const std::array<Builder::Part, 8> Builder::parts{{{"scattered", &Builder::scatter},
                                                   {"scattered evenly", &Builder::scatter_evenly},
                                                   {"diagonals", &Builder::diagonals},
                                                   {"tiles", &Builder::tiles},
                                                   {"stripes", &Builder::stripes},
                                                   {"hub row", &Builder::hub_row},
                                                   {"hub column", &Builder::hub_column},
                                                   {"far apart", &Builder::far_apart}}};

/// Around multiples of 16, mostly small.
index_t random_size(Random& random, index_t largest) {
    if (random.once_in(40)) return 0;
    const index_t tiles = static_cast<index_t>(random.below(random.pick(std::array{2, 4, 20, largest / kTileSize})));
    return std::max<index_t>(1, tiles * kTileSize + static_cast<index_t>(random.below(19)) - 1);
}

/// Values of one kind for the whole matrix. Returns its name.
const char* set_values(Random& random, std::span<double> values) {
    switch (random.below(6)) {
        case 0:  // sums without rounding
            for (double& v : values) v = static_cast<double>(random.below(9) - 4);
            return "whole numbers";
        case 1:
            for (double& v : values) v = std::ldexp(random.number(), static_cast<int>(random.below(24)) - 12);
            return "of different size";
        case 2:
            for (double& v : values) v = random.once_in(3) ? (random.once_in(2) ? 0.0 : -0.0) : random.number();
            return "with explicit zeros";
        default:
            for (double& v : values) v = random.number();
            return "random";
    }
}

}  // namespace

RandomMatrix random_matrix(Random& random) {
    const index_t rows = random_size(random, 6000);
    const index_t cols =
        random.once_in(6) ? 60'000 + static_cast<index_t>(random.below(150'000)) : random_size(random, 6000);
    RandomMatrix m;
    m.description = fmt::format("{} x {}", rows, cols);
    Builder builder(random, rows, cols);
    if (rows > 0 && cols > 0) {
        for (auto left = random.below(4); left > 0; --left) {
            const auto& part = random.pick(Builder::parts);
            m.description += fmt::format(", {}", part.name);
            (builder.*part.add)();
        }
        if (random.once_in(6)) {
            builder.keep_one_row_in(static_cast<index_t>(2 + random.below(40)));
            m.description += ", few rows";
        }
    }
    m.csr = testing::matrix_of(rows, cols, builder.positions());
    const std::span<double> values(m.csr.values.begin(), m.csr.values.end());
    m.description += fmt::format(", {} nonzeros, values {}", values.size(), set_values(random, values));
    if (random.once_in(12) && !values.empty()) {
        m.is_finite = false;
        m.description += ", Inf and NaN";
        for (auto left = 1 + random.below(5); left > 0; --left) {
            values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(values.size())))] =
                random.once_in(2) ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        }
    }
    return m;
}

}  // namespace tilespmv::fuzz
