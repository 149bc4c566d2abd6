#include <gtest/gtest.h>

#include <random>

#include "selector/policy.hpp"
#include "tests/support/battery.hpp"

// Bounds on storage that hold for every matrix, not only for those somebody measured.
namespace tilespmv::testing {
namespace {

double csr_bytes(const CsrMatrix<double>& a) { return 12.0 * static_cast<double>(a.nnz()) + 4.0 * (a.rows + 1.0); }

/// Matrices of random tiles of every density, with and without scattered nonzeros around them.
CsrMatrix<double> random_tiles(unsigned seed) {
    std::mt19937 random(seed);
    std::set<std::pair<index_t, index_t>> positions;
    const index_t n = static_cast<index_t>(random() % 300 + 20);
    for (unsigned t = random() % 40; t > 0; --t) {
        const auto row = static_cast<index_t>(random() % (static_cast<unsigned>(n) / 16 + 1) * 16);
        const auto col = static_cast<index_t>(random() % (static_cast<unsigned>(n) / 16 + 1) * 16);
        const unsigned share = random() % 100;
        for (index_t i = 0; i < 256; ++i) {
            if (random() % 100 < share && row + i / 16 < n && col + i % 16 < n) {
                positions.emplace(row + i / 16, col + i % 16);
            }
        }
    }
    for (unsigned i = random() % 500; i > 0; --i) {
        positions.emplace(static_cast<index_t>(random() % static_cast<unsigned>(n)),
                          static_cast<index_t>(random() % static_cast<unsigned>(n)));
    }
    return matrix_of(n, n, positions);
}

TEST(Storage, BytesNeverTakesMoreThanCsr) {
    const auto policy = make_policy("bytes");
    for (const auto& [name, a] : matrix_battery()) {
        if (a.nnz() > 0) {
            EXPECT_LE(static_cast<double>(convert(a, *policy).bytes()), csr_bytes(a) + 24) << name;
        }
    }
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto a = random_tiles(seed);
        EXPECT_LE(static_cast<double>(convert(a, *policy).bytes()), csr_bytes(a) + 24) << seed;
    }
}

TEST(Storage, PaperTunedDeferredStaysWithinSixPercentOfCsr) {
    const auto policy = make_policy("paper-tuned-deferred");
    for (const auto& [name, a] : matrix_battery()) {
        if (a.nnz() > 0) {
            EXPECT_LE(static_cast<double>(convert(a, *policy).bytes()), 1.06 * csr_bytes(a) + 24) << name;
        }
    }
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto a = random_tiles(seed);
        EXPECT_LE(static_cast<double>(convert(a, *policy).bytes()), 1.06 * csr_bytes(a) + 24) << seed;
    }
}

TEST(Storage, BytesTakesLessThanAnyOtherSelector) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        const auto a = random_tiles(seed);
        const auto least = convert(a, *make_policy("bytes")).bytes();
        for (const auto& info : selectors()) EXPECT_LE(least, convert(a, *make_policy(info.name)).bytes()) << info.name;
    }
}

}  // namespace
}  // namespace tilespmv::testing
